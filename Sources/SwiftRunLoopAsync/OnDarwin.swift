// OnDarwin.swift: this module on Darwin, where it extends Foundation's RunLoop.

#if canImport(Darwin)
public import Foundation

extension RunLoop {
    /// Returns a sequence of dates, one for each firing of a repeating timer in this loop.
    ///
    ///     for await date in RunLoop.main.ticks(every: .seconds(1)) { print(date) }
    ///
    /// A late task receives one date for all that have passed, the most recent one. The timer is invalidated when the
    /// task is cancelled or the iteration ends. The sequence ends with the loop.
    /// - Parameters:
    ///   - interval: the time between two dates.
    ///   - tolerance: how late the timer may fire, so that it can share a wake-up with others.
    ///   - mode: the mode of the timer; `.common` stands for all common modes.
    public func ticks(
        every interval: Duration, tolerance: Duration = .zero, mode: RunLoop.Mode = .default
    ) -> AsyncStream<Date> {
        let (stream, continuation) = AsyncStream.makeStream(of: Date.self, bufferingPolicy: .bufferingNewest(1))
        let dates = Dates(continuation)
        let timer = Timer(timeInterval: interval / .seconds(1), repeats: true) { dates.continuation.yield($0.fireDate) }
        timer.tolerance = tolerance / .seconds(1)
        let added = WeakTimer(timer: timer)
        continuation.onTermination = { _ in added.timer?.invalidate() }
        add(timer, forMode: mode)
        return stream
    }
}

/// The timer's reference to a sequence, which ends when the timer has been invalidated or deallocated.
private final class Dates: Sendable {
    let continuation: AsyncStream<Date>.Continuation

    init(_ continuation: AsyncStream<Date>.Continuation) { self.continuation = continuation }

    deinit { continuation.finish() }
}

/// The sequence's reference to its timer. Any thread may invalidate a timer of a loop, as CFRunLoopTimerInvalidate
/// permits.
private struct WeakTimer: @unchecked Sendable {
    weak var timer: Timer?
}
#endif
