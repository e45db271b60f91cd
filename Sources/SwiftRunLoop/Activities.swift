// Activities.swift: an observer as an asynchronous sequence.

#if os(Linux)
extension RunLoop {
    /// Returns a sequence of the loop's activities, one for each call of an observer.
    ///
    ///     for await activity in RunLoop.main.activities([.beforeWaiting, .afterWaiting], mode: .common) {
    ///         print(activity) // BeforeWaiting
    ///     }
    ///
    /// The loop does not wait for the task. So use this to watch a loop, and an `Observer` to act at a point of a pass. The task should run
    /// on another thread than the loop's: if it runs on the main actor and watches the main loop, each delivery makes the loop pass again.
    ///
    /// The observer is in the loop as long as there is an iterator. It does not keep the loop running. See `Activities` for late and for
    /// cancelled tasks.
    /// - Parameters:
    ///   - activities: the points of a pass.
    ///   - order: the order of the observer among others.
    ///   - mode: the mode of the observer; `.common` stands for all common modes.
    ///   - limit: the number of activities that wait for a late task. A number below 1 traps.
    public func activities(
        _ activities: Observer.Activity = .all, order: Int = 0, mode: Mode = .default, bufferingNewest limit: Int = 64
    ) -> Activities {
        remote.activities(activities, order: order, mode: mode, bufferingNewest: limit)
    }

    /// The activities of a loop, as `RunLoop.activities(_:order:mode:bufferingNewest:)` returns them.
    ///
    /// **A late task** receives the newest activities, in order; the number is the limit given, 64 by default. Older ones are dropped.
    ///
    /// **The end.** If the task is cancelled, the iterator returns nil, and the observer is invalidated. The observer is also invalidated
    /// when the iterator goes, after a `break` for example. When the loop's thread ends, the task receives the activities that wait, and
    /// then the sequence ends. It is empty if the thread has ended before.
    ///
    /// Each iterator has its own observer.
    public struct Activities: AsyncSequence, Sendable {
        let loop: Remote
        let activities: Observer.Activity
        let order: Int, limit: Int
        let mode: Mode

        /// Adds an observer to the loop.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(iteration: EventIteration(in: loop, keeping: limit) { channel in
                let observer = Observer(activities: activities, order: order) { _, activity in channel.send(activity) }
                loop.add(observer, forMode: mode)
                return { observer.invalidate() }
            })
        }

        /// Awaits the activities.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let iteration: EventIteration<Observer.Activity>

            /// Awaits the next activity; nil at the end of the sequence.
            public mutating func next() async -> Observer.Activity? { await next(isolation: nil) }

            /// Awaits the next activity; nil at the end of the sequence.
            /// - Parameter isolation: the actor on which the caller continues.
            public mutating func next(isolation: isolated (any Actor)?) async -> Observer.Activity? {
                await iteration.channel.next(isolation: isolation)
            }
        }
    }
}

extension RunLoop.Remote {
    /// Returns a sequence of the loop's activities, one for each call of an observer.
    ///
    /// See `RunLoop.activities(_:order:mode:bufferingNewest:)`.
    /// - Parameters:
    ///   - activities: the points of a pass.
    ///   - order: the order of the observer among others.
    ///   - mode: the mode of the observer; `.common` stands for all common modes.
    ///   - limit: the number of activities that wait for a late task. A number below 1 traps.
    public func activities(
        _ activities: RunLoop.Observer.Activity = .all, order: Int = 0, mode: RunLoop.Mode = .default, bufferingNewest limit: Int = 64
    ) -> RunLoop.Activities {
        precondition(limit > 0, "activities(_:order:mode:bufferingNewest:): the limit must be at least 1")
        return RunLoop.Activities(loop: self, activities: activities, order: order, limit: limit, mode: mode)
    }
}

@available(*, unavailable)
extension RunLoop.Activities.AsyncIterator: Sendable {}
#endif
