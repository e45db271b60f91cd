// LoopClock.swift: a clock whose sleeps are timers of a loop.

#if os(Linux)
internal import FoundationEssentials
public import SwiftRunLoop

extension RunLoop {
    /// A clock whose sleeps end in a pass of this loop.
    ///
    ///     try await RunLoop.main.clock().sleep(for: .milliseconds(20))
    ///
    /// - Parameter mode: the mode of the timers. A sleep ends only while the loop runs in it; `.common` stands for all common modes.
    public func clock(mode: Mode = .common) -> LoopClock { LoopClock(loop: self, mode: mode) }

    /// A clock that shows the time base of run loops, and whose sleeps are timers of one loop.
    ///
    /// `sleep(until:tolerance:)` adds a one-shot timer to the loop. The loop's thread resumes the task when the timer fires; no other
    /// thread is involved. So the order of sleeps and timers of one loop is that of their dates, and a task that runs on the loop's thread
    /// continues in the same pass or the next one.
    ///
    /// As with `ContinuousClock` and `SuspendingClock`, code can take any clock: `func retry(on clock: some Clock<Duration>)`.
    public struct LoopClock: Clock, Sendable {
        let loop: RunLoop
        let mode: Mode

        /// A time in the time base of run loops: nanoseconds of the monotonic clock (CLOCK_MONOTONIC), as mach_absolute_time returns them.
        ///
        /// It stands still while the system is suspended, and does not change when the system's date is set. It has no meaning in another
        /// process after a restart.
        public struct Instant: InstantProtocol, CustomStringConvertible {
            let sinceStart: Swift.Duration

            /// The time that is `duration` later.
            public func advanced(by duration: Swift.Duration) -> Instant { Instant(sinceStart: sinceStart + duration) }

            /// The time from this instant to another; negative if the other is earlier.
            public func duration(to other: Instant) -> Swift.Duration { other.sinceStart - sinceStart }

            /// Whether an instant is earlier than another.
            public static func < (left: Instant, right: Instant) -> Bool { left.sinceStart < right.sinceStart }

            /// The time since the system's start.
            public var description: String { sinceStart.description }
        }

        /// The time now.
        public var now: Instant { LoopClock.now }

        /// The time now. It is the same for all loops.
        public static var now: Instant {
            let time = timespec(now: CLOCK_MONOTONIC)
            return Instant(sinceStart: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
        }

        /// The smallest time between two readings: a nanosecond.
        public var minimumResolution: Swift.Duration { .nanoseconds(1) }

        /// Waits until an instant, without blocking the calling thread.
        ///
        /// If the instant has passed, the wait ends in the loop's next pass.
        /// - Parameters:
        ///   - deadline: the instant. The wait does not end before it.
        ///   - tolerance: how late the timer may fire, so that it can share a wake-up with others; nil means 0.
        /// - Throws: `CancellationError` if the task is cancelled meanwhile; the timer is then invalidated.
        ///   `PerformError.threadHasFinished` or, if the loop's thread ends meanwhile, `PerformError.threadFinishedMeanwhile`. For the main
        ///   loop, both are `PerformError.mainThreadHasEnded`.
        public func sleep(until deadline: Instant, tolerance: Swift.Duration? = nil) async throws {
            try Task.checkCancellation()
            let answer = OneAnswer<Result<Void, any Error>>()
            let timer = Weak(object: addTimer(deadline, tolerance, answer))
            let result = await answer.wait { answer.give(.failure(CancellationError())) }
            guard case .failure = result else { return }
            timer.object?.invalidate() // any thread may do that
            loop.wakeUp() // a run ends if its mode has become empty, which a sleeping loop does not notice
            try result.get()
        }

        /// Makes a timer for an instant. Timers take dates, which have a resolution of 0.12 microseconds. A microsecond is added, and the
        /// instant is read before the date, so that the rounding and a delay between the two readings make the timer late, never early.
        private func addTimer(_ deadline: Instant, _ tolerance: Swift.Duration?, _ answer: OneAnswer<Result<Void, any Error>>) -> Timer {
            let isMain = loop === RunLoop.main
            let fire = wakingUp(answer, isMain ? .mainThreadHasEnded : loop.hasEnded ? .threadHasFinished : .threadFinishedMeanwhile)
            let delay = now.duration(to: deadline).seconds
            let timer = Timer(fire: Date(timeIntervalSinceNow: max(0, delay + 1e-6)), interval: 0, repeats: false) { _ in fire() }
            timer.tolerance = tolerance?.seconds ?? 0
            loop.add(timer, forMode: mode)
            return timer
        }
    }
}

/// Returns the closure of a sleep's timer. If the loop ends and releases it, the sleep ends with an error.
private func wakingUp(_ answer: OneAnswer<Result<Void, any Error>>, _ error: PerformError) -> @Sendable () -> Void {
    let sleep = Sleep(answer, error)
    return { sleep.answer.give(.success(())) }
}

/// What a sleep's timer retains until it has fired or is released.
private final class Sleep: Sendable {
    let answer: OneAnswer<Result<Void, any Error>>
    private let error: PerformError

    init(_ answer: OneAnswer<Result<Void, any Error>>, _ error: PerformError) { (self.answer, self.error) = (answer, error) }

    deinit { answer.give(.failure(error)) }
}
#endif
