// Ticks.swift: a repeating timer as an asynchronous sequence.

#if os(Linux)
public import FoundationEssentials

extension RunLoop {
    /// Returns a sequence of dates, one for each firing of a repeating timer in this loop.
    ///
    ///     for await date in RunLoop.main.ticks(every: .seconds(1)) {
    ///         print(date)
    ///     }
    ///
    /// The loop must run in the mode, on its own thread; the task that iterates may run anywhere. The timer is in the loop as long as there
    /// is an iterator: its first date is one interval after the `for` statement begins. See `Ticks` for late and for cancelled tasks.
    /// - Parameters:
    ///   - interval: the time between two dates; 0 or less counts as 0.1 milliseconds.
    ///   - tolerance: how late the timer may fire, so that it can share a wake-up with others.
    ///   - mode: the mode of the timer; `.common` stands for all common modes.
    public func ticks(every interval: Duration, tolerance: Duration = .zero, mode: Mode = .default) -> Ticks {
        remote.ticks(every: interval, tolerance: tolerance, mode: mode)
    }

    /// Returns a sequence of dates, one for each firing of a repeating timer in this loop, with the interval in seconds, as a Timer takes it.
    ///
    ///     for await date in RunLoop.main.ticks(every: 0.05) {
    ///         print(date)
    ///     }
    ///
    /// - Parameters:
    ///   - seconds: the time between two dates; 0 or less counts as 0.1 milliseconds.
    ///   - tolerance: how late the timer may fire, in seconds.
    ///   - mode: the mode of the timer; `.common` stands for all common modes.
    public func ticks(every seconds: TimeInterval, tolerance: TimeInterval = 0, mode: Mode = .default) -> Ticks {
        remote.ticks(every: seconds, tolerance: tolerance, mode: mode)
    }

    /// The fire dates of a repeating timer, as `RunLoop.ticks(every:tolerance:mode:)` returns them.
    ///
    /// **A late task** receives one date for all that have passed, the most recent one. In the same way, a timer fires once for all dates
    /// that its loop has missed. So at most one date waits, and the rhythm stays.
    ///
    /// **The end.** If the task is cancelled, the iterator returns nil, and the timer is invalidated. The timer is also invalidated when
    /// the iterator goes, after a `break` for example. The sequence ends when the loop's thread ends; it is empty if the thread has ended
    /// before.
    ///
    /// Each iterator has its own timer.
    public struct Ticks: AsyncSequence, Sendable {
        let loop: Remote
        let interval: TimeInterval, tolerance: TimeInterval
        let mode: Mode

        /// Starts a timer.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(iteration: EventIteration(in: loop, keeping: 1) { channel in
                let timer = Timer(timeInterval: interval, repeats: true) { channel.send($0.fireDate) }
                timer.tolerance = tolerance
                loop.runLoop.add(timer, forMode: mode)
                let added = Transferred(timer)
                return { added.value.invalidate() } // any thread may do that
            })
        }

        /// Awaits the dates.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let iteration: EventIteration<Date>

            /// Awaits the next date; nil at the end of the sequence.
            public mutating func next() async -> Date? { await next(isolation: nil) }

            /// Awaits the next date; nil at the end of the sequence.
            /// - Parameter isolation: the actor on which the caller continues.
            public mutating func next(isolation: isolated (any Actor)?) async -> Date? {
                await iteration.channel.next(isolation: isolation)
            }
        }
    }
}

extension RunLoop.Remote {
    /// Returns a sequence of dates, one for each firing of a repeating timer in the loop.
    ///
    /// See `RunLoop.ticks(every:tolerance:mode:)`.
    /// - Parameters:
    ///   - interval: the time between two dates; 0 or less counts as 0.1 milliseconds.
    ///   - tolerance: how late the timer may fire, so that it can share a wake-up with others.
    ///   - mode: the mode of the timer; `.common` stands for all common modes.
    public func ticks(every interval: Duration, tolerance: Duration = .zero, mode: RunLoop.Mode = .default) -> RunLoop.Ticks {
        ticks(every: interval.seconds, tolerance: tolerance.seconds, mode: mode)
    }

    /// Returns a sequence of dates, one for each firing of a repeating timer in the loop, with the interval in seconds.
    ///
    /// See `RunLoop.ticks(every:tolerance:mode:)`.
    /// - Parameters:
    ///   - seconds: the time between two dates; 0 or less counts as 0.1 milliseconds.
    ///   - tolerance: how late the timer may fire, in seconds.
    ///   - mode: the mode of the timer; `.common` stands for all common modes.
    public func ticks(every seconds: TimeInterval, tolerance: TimeInterval = 0, mode: RunLoop.Mode = .default) -> RunLoop.Ticks {
        RunLoop.Ticks(loop: self, interval: seconds, tolerance: tolerance, mode: mode)
    }
}

@available(*, unavailable)
extension RunLoop.Ticks.AsyncIterator: Sendable {}

extension Duration {
    /// The same duration in seconds, as timers take it.
    var seconds: TimeInterval {
        let (seconds, attoseconds) = components
        return TimeInterval(seconds) + TimeInterval(attoseconds) * 1e-18
    }
}
#endif
