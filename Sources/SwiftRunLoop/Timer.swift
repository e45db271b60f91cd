// Timer.swift: timers, which take a closure or a target where C takes a function and a pointer.
//
// The C timer retains a TimerAction, which has the closure, until it is invalidated.
//
// Claims in ANNOTATIONS.md: (T1, T2, T3, T4, T6)

#if os(Linux)
public import CRunLoop
public import FoundationEssentials

/// Calls a closure, or a method of a target, at a date, once or repeatedly (NSTimer).
///
/// A timer fires only after it has been added to a loop (`RunLoop.add(_:forMode:)`, or a `scheduledTimer` method) and while that loop runs
/// in one of its modes. If the loop is busy past several fire dates, the timer fires once for all of them and then keeps its rhythm.
///
/// The loop retains the timer until `invalidate()`, until a one-shot timer has fired, or until the loop's thread ends. The first two also
/// release the closure, the target and the user info. When the loop's thread ends, the timer leaves the loop and stays valid, as on a Mac:
/// you may add it to another loop. A closure that captures its own timer, or a target that retains it, keeps both alive until `invalidate()`.
/// To avoid this, use the closure's argument, or capture the object weakly.
///
/// Use a timer on the thread of its loop. `invalidate()` and `isValid` may be called from any thread.
@safe open class Timer: RunLoop.Item {
    /// The C timer, for calls to the C library.
    public var cfTimer: CFRunLoopTimer { object() }
    /// Nil when the timer is invalid and no call is in progress.
    private weak var action: TimerAction?

    /// Makes a timer without adding it to a loop (initWithFireDate:interval:repeats:block:).
    /// - Parameters:
    ///   - date: the first fire date. If it has passed, the timer fires as soon as the loop runs.
    ///   - interval: the seconds between firings; 0 or less counts as 0.1 milliseconds. Ignored if the timer does not repeat. A date or an
    ///     interval that is not a number traps.
    ///   - repeats: if false, the timer fires once and is then invalidated.
    ///   - block: called with the timer, on the loop's thread.
    public init(fire date: Date, interval: TimeInterval, repeats: Bool, block: @escaping @Sendable (Timer) -> Void) {
        precondition(!date.timeIntervalSinceReferenceDate.isNaN && !interval.isNaN, "Timer: the fire date and the interval must be numbers")
        let action = TimerAction(call: block)
        self.action = action
        super.init(CFRunLoopTimer.make(fire: date, interval: repeats ? Timer.usable(interval) : 0, action, callback: __NSFireTimer))
    }

    /// Makes a one-shot timer with another callback.
    @safe init(fire date: Date, action: TimerAction, callback: CFRunLoopTimerCallBack) {
        self.action = action
        super.init(CFRunLoopTimer.make(fire: date, interval: 0, action, callback: callback))
    }

    /// Makes a timer without adding it to a loop; its first fire date is one interval from now (timerWithTimeInterval:repeats:block:).
    ///
    /// See `init(fire:interval:repeats:block:)`.
    public convenience init(timeInterval interval: TimeInterval, repeats: Bool, block: @escaping @Sendable (Timer) -> Void) {
        self.init(fire: Date(timeIntervalSinceNow: Timer.usable(interval)), interval: interval, repeats: repeats, block: block)
    }

    /// Makes a timer and adds it to the calling thread's loop, in the default mode (scheduledTimerWithTimeInterval:repeats:block:).
    ///
    /// See `init(fire:interval:repeats:block:)`.
    @available(*, noasync, message: "the thread may change at each await: add a Timer to RunLoop.main, or iterate over SwiftRunLoopAsync's ticks(every:)")
    @discardableResult
    open class func scheduledTimer(withTimeInterval interval: TimeInterval, repeats: Bool,
                                   block: @escaping @Sendable (Timer) -> Void) -> Timer {
        scheduled(Timer(timeInterval: interval, repeats: repeats, block: block))
    }

    /// Calls the closure immediately, on the calling thread (fire).
    ///
    /// A one-shot timer is then invalidated. A repeating timer keeps its schedule. If the timer is invalid, nothing happens.
    open func fire() {
        guard isValid, let action else { return }
        action.call(self)
        if timeInterval == 0 { invalidate() }
    }

    /// Removes the timer from its loop permanently (invalidate).
    ///
    /// The loop's reference, the closure, the target and the user info are released at once or, if the closure is being called, when it
    /// returns. On another thread than the loop's, a call of the closure may still be in progress afterwards.
    open func invalidate() { CFRunLoopTimerInvalidate(cfTimer) }

    /// Whether the timer can still fire (isValid).
    ///
    /// It is false after `invalidate()` and after a one-shot timer has fired; it is true while the closure is being called.
    open var isValid: Bool { CFRunLoopTimerIsValid(cfTimer) }

    /// The next fire date, without the tolerance (fireDate).
    ///
    /// While the closure is being called, this is the date for which the timer fires. Setting it moves the next firing, and the rhythm
    /// continues from there. For an invalid timer it is 2001-01-01. Setting a date that is not a number traps.
    open var fireDate: Date {
        get { Date(timeIntervalSinceReferenceDate: CFRunLoopTimerGetNextFireDate(cfTimer)) }
        set {
            precondition(!newValue.timeIntervalSinceReferenceDate.isNaN, "Timer.fireDate must be a number")
            CFRunLoopTimerSetNextFireDate(cfTimer, newValue.timeIntervalSinceReferenceDate)
        }
    }

    /// The seconds between firings; 0 for a one-shot timer (timeInterval).
    open var timeInterval: TimeInterval { CFRunLoopTimerGetInterval(cfTimer) }

    /// How many seconds late the timer may fire, so that it can share a wake-up with others (tolerance).
    ///
    /// The default is 0. A timer never fires early, and a late firing does not delay the next ones. A repeating timer uses at most half of
    /// its interval. A negative number, or one that is not a number, counts as 0.
    open var tolerance: TimeInterval {
        get { CFRunLoopTimerGetTolerance(cfTimer) }
        set { CFRunLoopTimerSetTolerance(cfTimer, newValue) }
    }

    /// The user info given to a target-action method; nil without one, and nil when the timer is invalid (userInfo).
    open var userInfo: Any? { action?.userInfo }
    override func join(_ runLoop: RunLoop, _ mode: RunLoop.Mode) { runLoop.cfRunLoop.add(cfTimer, mode.cfString) }
    override func leave(_ runLoop: RunLoop, _ mode: RunLoop.Mode) { runLoop.cfRunLoop.remove(cfTimer, mode.cfString) }
    override func isIn(_ runLoop: RunLoop, _ mode: RunLoop.Mode) -> Bool { runLoop.cfRunLoop.contains(cfTimer, mode.cfString) }
    /// The documented meaning of intervals of 0 and less. [D27]
    private static func usable(_ interval: TimeInterval) -> TimeInterval { interval > 0 ? interval : 0.0001 }
}

/// A call of a target, for a Sendable closure. The target need not be Sendable, because the call is made on the thread of the loop that the
/// caller chooses for the timer, as on a Mac.
private struct TargetCall: @unchecked Sendable {
    var call: (Timer) -> Void
}

extension Timer {
    /// Makes a timer that calls a method of an object, without adding it to a loop
    /// (initWithFireDate:interval:target:selector:userInfo:repeats:).
    ///
    ///     let timer = Timer(fireAt: date, interval: 1, target: clock, action: Clock.tick, userInfo: nil, repeats: true)
    ///
    /// See `init(fire:interval:repeats:block:)` for the date and the interval.
    /// - Parameters:
    ///   - target: the object, retained until the timer is invalidated. If the target retains the timer, too, invalidate the timer to break
    ///     the cycle.
    ///   - action: a method of the target's class that takes the timer: `Clock.tick` for `func tick(_ timer: Timer)`.
    ///   - userInfo: the value of `userInfo` until the timer is invalidated.
    public convenience init<Target: AnyObject>(fireAt date: Date, interval: TimeInterval, target: Target,
                                               action: @escaping (Target) -> (Timer) -> Void, userInfo: Any?, repeats: Bool) {
        let target = TargetCall { timer in action(target)(timer) }
        self.init(fire: date, interval: interval, repeats: repeats) { target.call($0) }
        self.action?.userInfo = userInfo
    }

    /// Makes a timer that calls a method of an object, without adding it to a loop; its first fire date is one interval from now
    /// (timerWithTimeInterval:target:selector:userInfo:repeats:).
    ///
    /// See `init(fireAt:interval:target:action:userInfo:repeats:)`.
    public convenience init<Target: AnyObject>(timeInterval interval: TimeInterval, target: Target,
                                               action: @escaping (Target) -> (Timer) -> Void, userInfo: Any?, repeats: Bool) {
        self.init(fireAt: Date(timeIntervalSinceNow: Timer.usable(interval)), interval: interval, target: target, action: action,
                  userInfo: userInfo, repeats: repeats)
    }

    /// Makes a timer that calls a method of an object, and adds it to the calling thread's loop, in the default mode
    /// (scheduledTimerWithTimeInterval:target:selector:userInfo:repeats:).
    ///
    /// See `init(fireAt:interval:target:action:userInfo:repeats:)`.
    @available(*, noasync, message: "the thread may change at each await: add a Timer to RunLoop.main, or iterate over SwiftRunLoopAsync's ticks(every:)")
    @discardableResult
    public class func scheduledTimer<Target: AnyObject>(timeInterval interval: TimeInterval, target: Target,
                                                        action: @escaping (Target) -> (Timer) -> Void, userInfo: Any?,
                                                        repeats: Bool) -> Timer {
        scheduled(Timer(timeInterval: interval, target: target, action: action, userInfo: userInfo, repeats: repeats))
    }

    @available(*, noasync)
    private class func scheduled(_ timer: Timer) -> Timer {
        RunLoop.current.add(timer, forMode: .default)
        return timer
    }
}

/// The `info` of a C timer: the closure and the user info, which the C timer releases when it is invalidated.
class TimerAction: CallbackInfo {
    let call: (Timer) -> Void
    var userInfo: Any?

    init(call: @escaping (Timer) -> Void) { self.call = call }
    /// For the name of the closure: see makeClosureDescription.
    @safe func makeDescription() -> CFString? { makeClosureDescription(Call(call: call)) }

    private struct Call {
        let call: (Timer) -> Void
    }
}

/// The C timer's callback, under its name in a stack on a Mac. The C timer retains the action until this returns. The statement after the
/// call keeps this frame in the stack.
@inline(never)
@safe private func __NSFireTimer(_ cfTimer: CFRunLoopTimer?, _ info: UnsafeMutableRawPointer?) {
    let action = TimerAction.of(info)
    if let timer = twin(of: cfTimer, as: Timer.self) { action.call(timer) }
    withExtendedLifetime(action) {}
}

@available(*, unavailable)
extension Timer: @unchecked Sendable {}
#endif
