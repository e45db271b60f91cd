// TimerPublisher.swift: Timer.publish, in the shape that it has with Combine on a Mac, for a program without Combine.
//
// Claims in ANNOTATIONS.md: (T1, T2)

public import FoundationEssentials
import Synchronization

extension Timer {
    /// Makes a publisher of the dates at which a repeating timer fires (publish(every:tolerance:on:in:options:)).
    ///
    ///     let clock = Timer.publish(every: 1, on: .main, in: .common).autoconnect()
    ///     let subscription = clock.sink { date in print(date) }
    ///
    /// Traps if the interval is not a number.
    /// - Parameters:
    ///   - interval: the seconds between dates; 0 or less counts as 0.1 milliseconds.
    ///   - tolerance: how many seconds late a date may come; nil is 0.
    ///   - runLoop: the loop of the timer.
    ///   - mode: the mode; `.common` stands for all common modes.
    ///   - options: nil, or the options, which have no effect.
    public static func publish(
        every interval: TimeInterval, tolerance: TimeInterval? = nil, on runLoop: RunLoop, in mode: RunLoop.Mode,
        options: RunLoop.SchedulerOptions? = nil
    ) -> TimerPublisher {
        TimerPublisher(interval: interval, tolerance: tolerance, runLoop: runLoop, mode: mode, options: options)
    }

    /// Sends the date of each firing of one repeating timer to its subscribers (Timer.TimerPublisher).
    ///
    /// The timer runs from `connect()` until the connection is cancelled. All subscribers share it.
    ///
    /// It has no operators and conforms to no protocol, because there is no Combine. A publisher of a library with Combine's shape can be
    /// made from `sink(receiveValue:)`. In async code, use an AsyncSequence instead.
    public final class TimerPublisher: IdentityHashable, @unchecked Sendable {
        /// The type of the values.
        public typealias Output = Date
        /// A timer does not fail.
        public typealias Failure = Never

        /// The seconds between dates.
        public let interval: TimeInterval
        /// How many seconds late a date may come; nil is 0.
        public let tolerance: TimeInterval?
        /// The loop of the timer.
        public let runLoop: RunLoop
        /// The mode of the timer.
        public let mode: RunLoop.Mode
        /// The options, which have no effect.
        public let options: RunLoop.SchedulerOptions?

        /// Its closure is called on the thread of the loop that the publisher's owner has chosen.
        private struct Subscriber: @unchecked Sendable {
            let number: Int
            let receive: (Date) -> Void
        }

        private struct State {
            var subscribers: [Subscriber] = []
            var connectionCount = 0
            var timer: Transferred<Timer>?
        }

        private let state = Mutex(State()), lastNumber = Atomic(0)

        /// Makes a publisher that is not connected; see `Timer.publish(every:tolerance:on:in:options:)`.
        public init(
            interval: TimeInterval, tolerance: TimeInterval? = nil, runLoop: RunLoop, mode: RunLoop.Mode,
            options: RunLoop.SchedulerOptions? = nil
        ) {
            precondition(!interval.isNaN, "Timer.publish: the interval must be a number")
            (self.interval, self.tolerance, self.runLoop, self.mode, self.options) = (interval, tolerance, runLoop, mode, options)
        }

        /// Adds a subscriber (sink).
        ///
        /// It receives dates while the publisher is connected. May be called from any thread.
        /// - Parameter receiveValue: called on the loop's thread with the date of each firing. It is released when the subscription ends.
        /// - Returns: the subscription. If you discard it, it ends at once.
        public func sink(receiveValue: @escaping (Date) -> Void) -> Cancellation {
            let number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
            let subscriber = Subscriber(number: number, receive: receiveValue)
            state.withLock { $0.subscribers.append(subscriber) }
            return Cancellation {
                let removed = self.state.withLock { state in
                    state.subscribers.firstIndex { $0.number == number }.map { state.subscribers.remove(at: $0) }
                }
                withExtendedLifetime(removed) {} // released without the lock
            }
        }

        /// Starts the timer; its first date is one interval from now (connect).
        ///
        /// If it runs already, the new connection shares it. May be called from any thread.
        /// - Returns: the connection. The timer stops when all connections have been cancelled. If you discard it, it ends at once.
        public func connect() -> Cancellation {
            let new = Timer(timeInterval: interval, repeats: true) { [weak self] _ in self?.send(Date()) }
            if let tolerance { new.tolerance = tolerance }
            let timer = Transferred(new) // any thread may invalidate it
            let isFirst = state.withLock { state in
                state.connectionCount += 1
                if state.connectionCount == 1 { state.timer = timer }
                return state.connectionCount == 1
            }
            if isFirst { runLoop.add(new, forMode: mode) } else { new.invalidate() }
            return Cancellation {
                let stopped = self.state.withLock { state in
                    state.connectionCount -= 1
                    return state.connectionCount == 0 ? state.timer.take() : nil
                }
                stopped?.value.invalidate()
            }
        }

        /// Returns a publisher that connects with its first subscriber and disconnects with the last one (autoconnect).
        public func autoconnect() -> Autoconnect {
            Autoconnect(upstream: self)
        }

        private func send(_ date: Date) {
            for subscriber in state.withLock({ $0.subscribers }) { subscriber.receive(date) }
        }
    }

    /// A timer's publisher that runs its timer while it has subscribers (Publishers.Autoconnect).
    public final class Autoconnect: IdentityHashable, Sendable {
        /// The publisher whose dates are sent.
        public let upstream: TimerPublisher

        fileprivate init(upstream: TimerPublisher) {
            self.upstream = upstream
        }

        /// Adds a subscriber, and starts the timer if this is the first one (sink).
        ///
        /// May be called from any thread.
        /// - Parameter receiveValue: called on the loop's thread with the date of each firing. It is released when the subscription ends.
        /// - Returns: the subscription. If you discard it, it ends at once.
        public func sink(receiveValue: @escaping (Date) -> Void) -> Cancellation {
            let subscriber = upstream.sink(receiveValue: receiveValue), connection = upstream.connect()
            return Cancellation {
                connection.cancel()
                subscriber.cancel()
            }
        }
    }

    /// Ends a subscription or a connection, when `cancel()` is called or the last reference is gone (AnyCancellable).
    public final class Cancellation: IdentityHashable, Sendable {
        private let end: Mutex<(@Sendable () -> Void)?>

        fileprivate init(_ end: @escaping @Sendable () -> Void) {
            self.end = Mutex(end)
        }

        deinit {
            cancel()
        }

        /// Ends the subscription or the connection.
        ///
        /// A second call does nothing. May be called from any thread.
        public func cancel() {
            end.withLock { $0.take() }?()
        }
    }
}
