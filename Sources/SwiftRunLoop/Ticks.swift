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
    /// The loop must run in the mode, on its own thread; the task that iterates may run anywhere. The first date is one interval from now. A
    /// late task receives one date for all that have passed, the most recent one; in the same way, a timer fires once for all dates that its
    /// loop has missed. So at most one date waits, and the rhythm stays.
    ///
    /// The timer is in the loop until the sequence ends: when the task is cancelled, when the sequence and its iterator have gone (after a
    /// `break` for example), and when the loop's thread ends.
    /// - Parameters:
    ///   - interval: the time between two dates; 0 or less counts as 0.1 milliseconds.
    ///   - tolerance: how late the timer may fire, so that it can share a wake-up with others.
    ///   - mode: the mode of the timer; `.common` stands for all common modes.
    /// - Returns: the sequence, for one task at a time. It is empty if the loop's thread has ended.
    public func ticks(every interval: Duration, tolerance: Duration = .zero, mode: Mode = .default) -> AsyncStream<Date> {
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
    public func ticks(every seconds: TimeInterval, tolerance: TimeInterval = 0, mode: Mode = .default) -> AsyncStream<Date> {
        remote.ticks(every: seconds, tolerance: tolerance, mode: mode)
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
    public func ticks(every interval: Duration, tolerance: Duration = .zero, mode: RunLoop.Mode = .default) -> AsyncStream<Date> {
        ticks(every: interval.seconds, tolerance: tolerance.seconds, mode: mode)
    }

    /// Returns a sequence of dates, one for each firing of a repeating timer in the loop, with the interval in seconds.
    ///
    /// See `RunLoop.ticks(every:tolerance:mode:)`.
    /// - Parameters:
    ///   - seconds: the time between two dates; 0 or less counts as 0.1 milliseconds.
    ///   - tolerance: how late the timer may fire, in seconds.
    ///   - mode: the mode of the timer; `.common` stands for all common modes.
    public func ticks(every seconds: TimeInterval, tolerance: TimeInterval = 0, mode: RunLoop.Mode = .default) -> AsyncStream<Date> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let timer = Timer(timeInterval: seconds, repeats: true) { continuation.yield($0.fireDate) }
            timer.tolerance = tolerance
            runLoop.add(timer, forMode: mode)
            let added = Transferred(timer)
            continuation.end(with: self) { added.value.invalidate() } // any thread may do that
        }
    }
}

extension Duration {
    /// The same duration in seconds, as timers take it.
    var seconds: TimeInterval {
        let (seconds, attoseconds) = components
        return TimeInterval(seconds) + TimeInterval(attoseconds) * 1e-18
    }
}
#endif
