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
    /// The observer is in the loop until the sequence ends: when the task is cancelled, when the sequence and its iterators have gone (after
    /// a `break` for example), and when the loop's thread ends. It does not keep the loop running. The activities that wait for the task
    /// arrive before the end.
    /// - Parameters:
    ///   - activities: the points of a pass.
    ///   - order: the order of the observer among others.
    ///   - mode: the mode of the observer; `.common` stands for all common modes.
    ///   - limit: the number of activities that wait for a late task; older ones are dropped. A number below 1 traps.
    /// - Returns: the sequence, for one task at a time. It is empty if the loop's thread has ended.
    public func activities(
        _ activities: Observer.Activity = .all, order: Int = 0, mode: Mode = .default, bufferingNewest limit: Int = 64
    ) -> AsyncStream<Observer.Activity> {
        remote.activities(activities, order: order, mode: mode, bufferingNewest: limit)
    }
}

extension RunLoop.Remote {
    /// Returns a sequence of the loop's activities, one for each call of an observer.
    /// See `RunLoop.activities(_:order:mode:bufferingNewest:)`.
    public func activities(
        _ activities: RunLoop.Observer.Activity = .all, order: Int = 0, mode: RunLoop.Mode = .default, bufferingNewest limit: Int = 64
    ) -> AsyncStream<RunLoop.Observer.Activity> {
        precondition(limit > 0, "activities(_:order:mode:bufferingNewest:): the limit must be at least 1")
        return AsyncStream(bufferingPolicy: .bufferingNewest(limit)) { continuation in
            let observer = RunLoop.Observer(activities: activities, order: order) { _, activity in continuation.yield(activity) }
            add(observer, forMode: mode)
            continuation.end(with: self) { observer.invalidate() }
        }
    }
}
#endif
