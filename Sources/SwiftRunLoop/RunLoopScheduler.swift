// RunLoopScheduler.swift: a run loop as a scheduler, in the shape that Combine's Scheduler has on a Mac. Combine does not exist on Linux, so
// there is no protocol here. A library with a protocol of this shape, such as OpenCombine, adopts the loop in three lines:
//
//     extension RunLoop: Scheduler {}
//     extension RunLoop.SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {}
//     extension RunLoop.Cancellation: Cancellable {}

internal import CRunLoop
public import FoundationEssentials
import Synchronization

extension RunLoop {
    /// A date on the scheduler's clock.
    public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {
        /// The date.
        public var date: Date

        /// Makes the time of a date.
        public init(_ date: Date) {
            self.date = date
        }

        /// The time from this time to another one; negative if that is earlier.
        public func distance(to other: SchedulerTimeType) -> Stride {
            Stride(date.distance(to: other.date))
        }

        /// The time that is later by a number of seconds.
        public func advanced(by stride: Stride) -> SchedulerTimeType {
            SchedulerTimeType(date.advanced(by: stride.timeInterval))
        }

        /// A number of seconds between two times.
        public struct Stride: SignedNumeric, Comparable, Codable, Hashable, ExpressibleByFloatLiteral, Sendable {
            /// Seconds, with the sign, as on a Mac; an encoder writes this name.
            public var magnitude: TimeInterval

            /// Seconds: the same as `magnitude`.
            public var timeInterval: TimeInterval { magnitude }

            /// Makes a stride of seconds.
            public init(_ timeInterval: TimeInterval) {
                magnitude = timeInterval
            }

            /// Makes a stride of seconds.
            public init(integerLiteral seconds: TimeInterval) {
                magnitude = seconds
            }

            /// Makes a stride of seconds.
            public init(floatLiteral seconds: TimeInterval) {
                magnitude = seconds
            }

            /// Makes a stride of seconds; nil if the number is not exactly a TimeInterval.
            public init?(exactly seconds: some BinaryInteger) {
                guard let seconds = TimeInterval(exactly: seconds) else { return nil }
                magnitude = seconds
            }

            /// Whether the first stride is shorter.
            public static func < (one: Stride, other: Stride) -> Bool { one.timeInterval < other.timeInterval }

            /// The sum.
            public static func + (one: Stride, other: Stride) -> Stride { Stride(one.timeInterval + other.timeInterval) }

            /// The difference.
            public static func - (one: Stride, other: Stride) -> Stride { Stride(one.timeInterval - other.timeInterval) }

            /// The product, in seconds.
            public static func * (one: Stride, other: Stride) -> Stride { Stride(one.timeInterval * other.timeInterval) }

            /// Adds a stride.
            public static func += (one: inout Stride, other: Stride) { one = one + other }

            /// Subtracts a stride.
            public static func -= (one: inout Stride, other: Stride) { one = one - other }

            /// Multiplies by a stride, in seconds.
            public static func *= (one: inout Stride, other: Stride) { one = one * other }

            /// A stride of seconds.
            public static func seconds(_ count: Int) -> Stride { Stride(TimeInterval(count)) }

            /// A stride of seconds.
            public static func seconds(_ count: Double) -> Stride { Stride(count) }

            /// A stride of milliseconds.
            public static func milliseconds(_ count: Int) -> Stride { Stride(TimeInterval(count) / 1e3) }

            /// A stride of microseconds.
            public static func microseconds(_ count: Int) -> Stride { Stride(TimeInterval(count) / 1e6) }

            /// A stride of nanoseconds.
            public static func nanoseconds(_ count: Int) -> Stride { Stride(TimeInterval(count) / 1e9) }
        }
    }

    /// The options of a scheduled action. There are none.
    public struct SchedulerOptions: Sendable {
        /// Makes the options.
        public init() {}
    }

    /// Ends a repeating action, when `cancel()` is called or the last reference is gone.
    public final class Cancellation: IdentityHashable, @unchecked Sendable {
        private let timer: Timer

        fileprivate init(timer: Timer) {
            self.timer = timer
        }

        deinit {
            timer.invalidate()
        }

        /// Ends the action and releases its closure.
        ///
        /// A call that has begun continues. May be called from any thread.
        public func cancel() {
            timer.invalidate()
        }
    }

    /// The present time.
    public var now: SchedulerTimeType { SchedulerTimeType(Date()) }

    /// The smallest tolerance that makes a difference: 0.
    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    /// Calls a closure once, in one of the next passes of the default mode.
    ///
    /// Closures are called in the order in which they were scheduled. Unlike `perform(_:)`, this wakes the loop. May be called from any thread;
    /// the closure is called on the loop's thread, so what it captures must be ready for that.
    /// - Parameters:
    ///   - options: nil, or the options, which have no effect.
    ///   - action: the closure. The loop releases it after the call, or when its thread ends.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        let action = TransferredCall(call: action) // as Combine's protocol has it; the caller chooses the loop
        perform { action.call() }
        wakeUp()
    }

    /// Calls a closure once, at a time, in the default mode.
    ///
    /// May be called from any thread; the closure is called on the loop's thread, so what it captures must be ready for that. Traps if the
    /// date is not a number.
    /// - Parameters:
    ///   - date: the time. If it has passed, the closure is called in one of the next passes.
    ///   - tolerance: how much later the call may come, so that it can share a wake-up with others.
    ///   - options: nil, or the options, which have no effect.
    ///   - action: the closure. The loop releases it after the call, or when its thread ends.
    public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?, _ action: @escaping () -> Void
    ) {
        addTimer(date, 0, repeats: false, tolerance, action)
    }

    /// Calls a closure at a time and then again after each interval, in the default mode.
    ///
    /// May be called from any thread; the closure is called on the loop's thread, so what it captures must be ready for that. Traps if the
    /// date or the interval is not a number.
    /// - Parameters:
    ///   - date: the time of the first call.
    ///   - interval: the time between calls. If it is 0 or less, it counts as 0.1 milliseconds.
    ///   - tolerance: how much later a call may come, so that it can share a wake-up with others.
    ///   - options: nil, or the options, which have no effect.
    ///   - action: the closure. It is released when the action is cancelled, or when the loop's thread ends.
    /// - Returns: the object that ends the action. If you discard it, the action ends at once.
    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping () -> Void
    ) -> Cancellation {
        Cancellation(timer: addTimer(date, interval.timeInterval, repeats: true, tolerance, action))
    }

    /// The same for a protocol whose requirement returns a protocol type, as Combine's does: `any Cancellable`.
    ///
    /// Traps if `Cancellation` does not conform to that protocol: write `extension RunLoop.Cancellation: Cancellable {}`.
    @_disfavoredOverload
    public func schedule<AnyCancellation>(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping () -> Void
    ) -> AnyCancellation {
        let cancellation: Cancellation = schedule(after: date, interval: interval, tolerance: tolerance, options: options, action)
        guard let returned = cancellation as? AnyCancellation else {
            preconditionFailure(
                "RunLoop.schedule(after:interval:…) is to return a \(AnyCancellation.self). Make RunLoop.Cancellation conform to it.")
        }
        return returned
    }

    // MARK: Without options
    //
    // With Combine, these are methods of every scheduler.

    /// Calls a closure once, in one of the next passes of the default mode.
    ///
    /// This is `schedule(options:_:)` without options.
    public func schedule(_ action: @escaping () -> Void) {
        schedule(options: nil, action)
    }

    /// Calls a closure once, at a time, in the default mode.
    ///
    /// This is `schedule(after:tolerance:options:_:)` without options.
    /// - Parameters:
    ///   - date: the time. If it has passed, the closure is called in one of the next passes.
    ///   - tolerance: how much later the call may come, so that it can share a wake-up with others.
    ///   - action: the closure. The loop releases it after the call, or when its thread ends.
    public func schedule(after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride = 0, _ action: @escaping () -> Void) {
        schedule(after: date, tolerance: tolerance, options: nil, action)
    }

    /// Calls a closure at a time and then again after each interval, in the default mode.
    ///
    /// This is `schedule(after:interval:tolerance:options:_:)` without options.
    /// - Parameters:
    ///   - date: the time of the first call.
    ///   - interval: the time between calls. If it is 0 or less, it counts as 0.1 milliseconds.
    ///   - tolerance: how much later a call may come, so that it can share a wake-up with others.
    ///   - action: the closure. It is released when the action is cancelled, or when the loop's thread ends.
    /// - Returns: the object that ends the action. If you discard it, the action ends at once.
    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride = 0,
        _ action: @escaping () -> Void
    ) -> Cancellation {
        schedule(after: date, interval: interval, tolerance: tolerance, options: nil, action)
    }

    @discardableResult
    private func addTimer(
        _ date: SchedulerTimeType, _ interval: TimeInterval, repeats: Bool, _ tolerance: SchedulerTimeType.Stride, _ action: @escaping () -> Void
    ) -> Timer {
        let action = TransferredCall(call: action) // as Combine's protocol has it; the caller chooses the loop
        let timer = Timer(fire: date.date, interval: interval, repeats: repeats) { _ in action.call() }
        timer.tolerance = max(0, tolerance.timeInterval)
        add(timer, forMode: .default)
        return timer
    }
}
