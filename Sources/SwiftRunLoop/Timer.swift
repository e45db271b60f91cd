// Timer.swift: timers, which take a closure where C takes a function and a pointer.
//
// The C timer retains the closure, in a ClosureInfo, until it is invalidated.
//
// Claims in ANNOTATIONS.md: (T1, T2, T3, T4, T6)

#if os(Linux)
public import CRunLoop
public import FoundationEssentials

/// Calls a closure at a date, once or repeatedly (NSTimer).
///
///     Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { timer in
///         print(timer.fireDate)
///         if isDone { timer.invalidate() }
///     }
///
/// A timer fires only after it has been added to a loop (`RunLoop.add(_:forMode:)`, or
/// `scheduledTimer(withTimeInterval:repeats:forMode:block:)`) and while that loop runs in one of its modes. If the loop
/// is busy past several fire dates, the timer fires once for all of them and then keeps its rhythm.
///
/// The loop retains the timer until `invalidate()`, until a one-shot timer has fired, or until the loop's thread ends.
/// The first two also release the closure. A closure that captures its own timer keeps it alive until `invalidate()`.
/// To avoid this, use the closure's argument.
///
/// All members may be used from any thread. A closure may belong to an actor: `{ @MainActor timer in … }` may use the
/// main actor's state. When the timer fires, it traps if the loop's thread does not run the actor's jobs.
@safe public final class Timer: RunLoop.Item, @unchecked Sendable {
    /// The C timer, for calls to the C library.
    public var cfTimer: CFRunLoopTimer { object() }

    /// Nil when the timer is invalid and no call is in progress.
    private weak var action: Action? // set before other threads know the object

    /// Makes a timer without adding it to a loop (initWithFireDate:interval:repeats:block:).
    /// - Parameters:
    ///   - date: the first fire date. If it has passed, the timer fires as soon as the loop runs.
    ///   - interval: the seconds between firings; 0 or less counts as 0.1 milliseconds. Ignored if the timer does not
    ///     repeat. A date or an interval that is not a number traps.
    ///   - repeats: if false, the timer fires once and is then invalidated.
    ///   - block: called with the timer, on the loop's thread.
    public init(
        fire date: Date, interval: TimeInterval, repeats: Bool,
        block: @escaping @isolated(any) @Sendable (Timer) -> Void
    ) {
        require(
            !date.timeIntervalSinceReferenceDate.isNaN && !interval.isNaN,
            "Timer: the fire date and the interval must be numbers")
        let action = Action(Given(call: block), block.isolation), interval = repeats ? Timer.usable(interval) : 0
        self.action = action
        super.init(.timer, CFRunLoopTimer.make(fire: date, interval: interval, action, callback: __NSFireTimer))
    }

    /// Makes a timer without adding it to a loop; its first fire date is one interval from now
    /// (timerWithTimeInterval:repeats:block:).
    ///
    /// See `init(fire:interval:repeats:block:)`.
    public convenience init(
        timeInterval interval: TimeInterval, repeats: Bool, block: @escaping @isolated(any) @Sendable (Timer) -> Void
    ) {
        let interval = Timer.usable(interval)
        self.init(fire: Date(timeIntervalSinceNow: interval), interval: interval, repeats: repeats, block: block)
    }

    /// Makes a timer and adds it to a mode of the calling thread's loop
    /// (scheduledTimerWithTimeInterval:repeats:block:).
    ///
    /// The timer stays on this thread, so the closure belongs to the caller's actor: in a `@MainActor` class, and in
    /// `main.swift`, it may use the main actor's variables. See `init(fire:interval:repeats:block:)`.
    @available(*, noasync, message: "add a Timer to RunLoop.main, or iterate over SwiftRunLoopAsync's ticks(every:)")
    @discardableResult
    public static func scheduledTimer(
        withTimeInterval interval: TimeInterval, repeats: Bool, forMode mode: RunLoop.Mode = .default,
        @_inheritActorContext block: @escaping @isolated(any) @Sendable (Timer) -> Void
    ) -> Timer {
        let timer = Timer(timeInterval: interval, repeats: repeats, block: block)
        RunLoop.current.add(timer, forMode: mode)
        return timer
    }

    /// Calls the closure immediately, on the calling thread (fire).
    ///
    /// A one-shot timer is then invalidated. A repeating timer keeps its schedule. If the timer is invalid, nothing
    /// happens. If the closure belongs to an actor whose jobs another thread runs, this traps.
    public func fire() {
        guard isValid, let action else { return }
        action.check(of: self)
        action.block.call(self)
        if timeInterval == 0 { invalidate() }
    }

    /// The next fire date, without the tolerance (fireDate).
    ///
    /// While the closure is being called, this is the date for which the timer fires. Setting it moves the next firing,
    /// and the rhythm continues from there. For an invalid timer it is 2001-01-01. Setting a date that is not a number
    /// traps.
    public var fireDate: Date {
        get { Date(timeIntervalSinceReferenceDate: CFRunLoopTimerGetNextFireDate(cfTimer)) }
        set {
            require(!newValue.timeIntervalSinceReferenceDate.isNaN, "Timer.fireDate must be a number")
            CFRunLoopTimerSetNextFireDate(cfTimer, newValue.timeIntervalSinceReferenceDate)
        }
    }

    /// The seconds between firings; 0 for a one-shot timer (timeInterval).
    public var timeInterval: TimeInterval { CFRunLoopTimerGetInterval(cfTimer) }

    /// How many seconds late the timer may fire, so that it can share a wake-up with others (tolerance).
    ///
    /// The default is 0. A timer never fires early, and a late firing does not delay the next ones. A repeating timer
    /// uses at most half of its interval. A negative number, or one that is not a number, counts as 0.
    public var tolerance: TimeInterval {
        get { CFRunLoopTimerGetTolerance(cfTimer) }
        set { CFRunLoopTimerSetTolerance(cfTimer, newValue) }
    }

    /// The documented meaning of intervals of 0 and less. [D27]
    private static func usable(_ interval: TimeInterval) -> TimeInterval { interval > 0 ? interval : 0.0001 }
}

private struct Given { let call: @isolated(any) @Sendable (Timer) -> Void }
private struct Block { let call: (Timer) -> Void }
private typealias Action = ClosureInfo<Block>

/// The C timer's callback, under its name in a stack on a Mac. The C timer retains the action until this returns. The
/// statement after the call keeps this frame in the stack.
@inline(never)
@safe private func __NSFireTimer(_ cfTimer: CFRunLoopTimer?, _ info: UnsafeMutableRawPointer?) {
    let action = Action.of(info)
    if let timer = twin(of: cfTimer, as: Timer.self) {
        action.check(of: timer)
        action.block.call(timer)
    }
    withExtendedLifetime(action) {}
}
#endif
