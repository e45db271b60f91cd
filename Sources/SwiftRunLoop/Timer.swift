// Timer.swift: timers, with a closure or a target where C has a function and a pointer.
//
// Who holds whom: a Timer holds its C timer; the C timer holds a TimerAction (the closure) until it is invalidated; the action knows the
// Timer weakly. So a timer that is in no loop goes with its last reference. A loop holds its C timers, and its RunLoop holds the Timers they
// belong to, in a TimerKeeper, until the action has gone (after `invalidate()`, or a one-shot's fire) or the loop's thread ends.

internal import CRunLoop
public import FoundationEssentials
import Synchronization

/// Calls a closure, or a method of a target, at a date, once or again and again (NSTimer). (T1–T4, T6)
///
/// Nothing happens until a loop has the timer (`RunLoop.add(_:forMode:)`, or a `scheduledTimer` form) and runs in one of its modes. Dates
/// missed while the loop was busy are skipped, not made up, and the rhythm is kept.
///
/// The loop holds the timer until `invalidate()`, for a one-shot timer until it has fired, or until the loop's thread ends; nobody else
/// need hold it. `invalidate()`, and the fire of a one-shot timer, also let go of closure, target and user info.
///
/// The end of the thread takes the timer out of the loop and leaves it valid, as on a Mac: one that nobody holds goes then, with its
/// closure; one that somebody holds may be added to another loop. A closure that captures its own timer, or a target that holds it, holds
/// it in this sense: then both stay until `invalidate()`. Use the timer that the closure is given, or a `weakTarget`.
///
/// A timer belongs to the thread of its loop; `invalidate()` and `isValid` may be called on any.
open class Timer: IdentityHashable, CustomStringConvertible {
    /// The C timer, retained for as long as this object lives.
    private let cfTimer: OpaquePointer
    /// What to call; gone when the timer is invalid and no call is going on.
    private weak var action: TimerAction?
    /// What holds this timer for its loop, if it is in one. Held while the timer enters a loop or leaves it.
    private let keeper = Mutex<TimerKeeper?>(nil)

    // MARK: - Making a timer

    /// Makes a timer that no loop has yet (initWithFireDate:interval:repeats:block:).
    /// - Parameters:
    ///   - date: when it fires for the first time; with a date in the past, as soon as the loop runs.
    ///   - interval: seconds from one firing to the next. 0 or less stands for 0.1 milliseconds. Ignored if the timer does not repeat.
    ///   - repeats: false: the timer fires once and is then invalidated.
    ///   - block: called with the timer, on the thread of the loop.
    ///
    /// A date or interval that is not a number stops the program.
    public init(fire date: Date, interval: TimeInterval, repeats: Bool, block: @escaping @Sendable (Timer) -> Void) {
        precondition(!date.timeIntervalSinceReferenceDate.isNaN && !interval.isNaN, "a timer's fire date and interval must be numbers")
        let action = TimerAction(call: block)
        cfTimer = action.makeCFTimer(fire: date, interval: repeats ? Timer.usable(interval) : 0)
        self.action = action
        action.timer = self
    }

    /// Makes a one-shot timer for an action.
    init(fire date: Date, action: TimerAction) {
        cfTimer = action.makeCFTimer(fire: date, interval: 0)
        self.action = action
        action.timer = self
    }

    /// Makes a timer that no loop has yet and that fires for the first time `interval` seconds from now
    /// (timerWithTimeInterval:repeats:block:). 0 or less stands for 0.1 milliseconds. Otherwise as `init(fire:interval:repeats:block:)`.
    public convenience init(timeInterval interval: TimeInterval, repeats: Bool, block: @escaping @Sendable (Timer) -> Void) {
        self.init(fire: Date(timeIntervalSinceNow: Timer.usable(interval)), interval: interval, repeats: repeats, block: block)
    }

    /// Makes a timer and adds it to the calling thread's loop, in the default mode (scheduledTimerWithTimeInterval:repeats:block:). Fires for
    /// the first time `interval` seconds from now. Otherwise as `init(fire:interval:repeats:block:)`. (T1)
    @available(*, noasync)
    @discardableResult
    open class func scheduledTimer(withTimeInterval interval: TimeInterval, repeats: Bool,
                                   block: @escaping @Sendable (Timer) -> Void) -> Timer {
        scheduled(Timer(timeInterval: interval, repeats: repeats, block: block))
    }

    deinit {
        CFRunLoopTimerInvalidate(cfTimer)
        CFRelease(UnsafeRawPointer(cfTimer))
    }

    // MARK: - Firing

    /// Calls the closure now, on the calling thread (fire). A timer that does not repeat is then invalidated; one that does keeps its
    /// schedule. If the timer is invalid, nothing happens.
    open func fire() {
        guard isValid, let action else { return }
        action.call(self)
        if timeInterval == 0 { invalidate() }
    }

    /// Takes the timer out of its loop, for good (invalidate). The loop, and what the timer holds, are let go at once; if its closure is being
    /// called, when that has returned. May be called on any thread; on another than the loop's a call may still be going on.
    open func invalidate() {
        CFRunLoopTimerInvalidate(cfTimer)
    }

    /// False after `invalidate()`, and after the fire of a timer that does not repeat (isValid). While the closure is called it is true.
    open var isValid: Bool { CFRunLoopTimerIsValid(cfTimer) }

    // MARK: - When

    /// When the timer fires next, tolerance left aside (fireDate). While the closure is called: the date that is being served. Setting it
    /// moves the next firing, and the rhythm goes on from there; moving one timer costs less than making another. Of an invalid timer:
    /// 2001-01-01. A date that is not a number stops the program.
    open var fireDate: Date {
        get { Date(timeIntervalSinceReferenceDate: CFRunLoopTimerGetNextFireDate(cfTimer)) }
        set {
            precondition(!newValue.timeIntervalSinceReferenceDate.isNaN, "a timer's fire date must be a number")
            CFRunLoopTimerSetNextFireDate(cfTimer, newValue.timeIntervalSinceReferenceDate)
        }
    }

    /// The seconds from one firing to the next; 0 for a timer that does not repeat (timeInterval).
    open var timeInterval: TimeInterval { CFRunLoopTimerGetInterval(cfTimer) }

    /// How many seconds late the timer may fire, so that it can share a wake-up with others; 0 at first (tolerance). It never fires early
    /// and never drifts. Not more than half the interval is used for a timer that repeats. (T4)
    open var tolerance: TimeInterval {
        get { CFRunLoopTimerGetTolerance(cfTimer) }
        set { CFRunLoopTimerSetTolerance(cfTimer, newValue) }
    }

    // MARK: - What goes with it

    /// What was given to a target-action form; nil otherwise, and nil when the timer is invalid (userInfo).
    open var userInfo: Any? { action?.userInfo }

    /// The timer's date, interval and tolerance, and whether it is valid, as CFCopyDescription shows them.
    open var description: String { String(describing: cfTimer) }

    /// The thread of the timer's loop ends, and the loop's keeper has released the timer. The timer stays valid.
    func threadEnds(of cfRunLoop: OpaquePointer, _ modes: Set<RunLoop.Mode>) {
        lockingKeeper { current in
            for mode in modes { CFRunLoopRemoveTimer(cfRunLoop, cfTimer, mode.cfString) }
            current = nil
        }
    }

    /// D27: what is documented for intervals of 0 and less.
    private static func usable(_ interval: TimeInterval) -> TimeInterval {
        interval > 0 ? interval : 0.0001
    }
}

// MARK: - With a target

/// A target's call on its way into a closure. A target need not be Sendable: it is called on the thread of the loop that has the timer, and
/// that is for the caller to choose, as on a Mac.
private struct TargetCall: @unchecked Sendable {
    var call: (Timer) -> Void
}

extension Timer {
    /// Makes a timer that no loop has yet and that calls a method of an object (initWithFireDate:interval:target:selector:userInfo:repeats:).
    ///
    ///     let timer = Timer(fireAt: date, interval: 1, target: clock, action: Clock.tick, userInfo: nil, repeats: true)
    ///
    /// - Parameters:
    ///   - target: held until the timer is invalidated. If the target holds the timer in turn, invalidate the timer in time. (T6)
    ///   - action: a method of the target's class that takes the timer: `Clock.tick` for `func tick(_ timer: Timer)`.
    ///   - userInfo: what `userInfo` is to return until the timer is invalidated.
    ///
    /// The rest is as in `init(fire:interval:repeats:block:)`.
    public convenience init<Target: AnyObject>(fireAt date: Date, interval: TimeInterval, target: Target,
                                               action: @escaping (Target) -> (Timer) -> Void, userInfo: Any?, repeats: Bool) {
        let target = TargetCall { timer in action(target)(timer) }
        self.init(fire: date, interval: interval, repeats: repeats) { target.call($0) }
        self.action?.userInfo = userInfo
    }

    /// The same with an object that is not held: when it is gone, the next firing invalidates the timer. (T6)
    public convenience init<Target: AnyObject>(fireAt date: Date, interval: TimeInterval, weakTarget: Target,
                                               action: @escaping (Target) -> (Timer) -> Void, userInfo: Any?, repeats: Bool) {
        let target = TargetCall { [weak weakTarget] timer in
            if let weakTarget { action(weakTarget)(timer) } else { timer.invalidate() }
        }
        self.init(fire: date, interval: interval, repeats: repeats) { target.call($0) }
        self.action?.userInfo = userInfo
    }

    /// Makes a timer that no loop has yet and that calls a method of `target`, which is held until the timer is invalidated, for the first
    /// time `interval` seconds from now (timerWithTimeInterval:target:selector:userInfo:repeats:).
    public convenience init<Target: AnyObject>(timeInterval interval: TimeInterval, target: Target,
                                               action: @escaping (Target) -> (Timer) -> Void, userInfo: Any?, repeats: Bool) {
        self.init(fireAt: Date(timeIntervalSinceNow: Timer.usable(interval)), interval: interval, target: target, action: action,
                  userInfo: userInfo, repeats: repeats)
    }

    /// The same with an object that is not held: when it is gone, the next firing invalidates the timer. (T6)
    public convenience init<Target: AnyObject>(timeInterval interval: TimeInterval, weakTarget: Target,
                                               action: @escaping (Target) -> (Timer) -> Void, userInfo: Any?, repeats: Bool) {
        self.init(fireAt: Date(timeIntervalSinceNow: Timer.usable(interval)), interval: interval, weakTarget: weakTarget, action: action,
                  userInfo: userInfo, repeats: repeats)
    }

    /// Makes a timer that calls a method of `target`, which is held until the timer is invalidated, and adds it to the calling thread's loop,
    /// in the default mode (scheduledTimerWithTimeInterval:target:selector:userInfo:repeats:). (T1)
    @available(*, noasync)
    @discardableResult
    public class func scheduledTimer<Target: AnyObject>(timeInterval interval: TimeInterval, target: Target,
                                                        action: @escaping (Target) -> (Timer) -> Void, userInfo: Any?,
                                                        repeats: Bool) -> Timer {
        scheduled(Timer(timeInterval: interval, target: target, action: action, userInfo: userInfo, repeats: repeats))
    }

    /// The same with an object that is not held: when it is gone, the next firing invalidates the timer. (T6)
    @available(*, noasync)
    @discardableResult
    public class func scheduledTimer<Target: AnyObject>(timeInterval interval: TimeInterval, weakTarget: Target,
                                                        action: @escaping (Target) -> (Timer) -> Void, userInfo: Any?,
                                                        repeats: Bool) -> Timer {
        scheduled(Timer(timeInterval: interval, weakTarget: weakTarget, action: action, userInfo: userInfo, repeats: repeats))
    }

    @available(*, noasync)
    private class func scheduled(_ timer: Timer) -> Timer {
        RunLoop.current.add(timer, forMode: .default)
        return timer
    }
}

// MARK: - In a loop

extension Timer {
    /// Adds the C timer to a loop, and is held by that loop if it is in it now: an invalid timer, and one that is in another loop, is not.
    @discardableResult
    func enter(_ runLoop: RunLoop, forMode mode: RunLoop.Mode) -> Bool {
        let cfRunLoop = runLoop.cfRunLoop, keeper = runLoop.timers, name = mode.cfString
        return lockingKeeper { current in
            CFRunLoopAddTimer(cfRunLoop, cfTimer, name)
            guard CFRunLoopContainsTimer(cfRunLoop, cfTimer, name) else { return false }
            let isKept = keeper.keep(self, mode)
            if isKept { current = keeper } else { CFRunLoopRemoveTimer(cfRunLoop, cfTimer, name) } // its thread has ended
            return isKept
        }
    }

    /// The action has gone: no keeper holds the timer any longer.
    func leave() {
        lockingKeeper { current in
            current?.drop(self)
            current = nil
        }
    }

    private func lockingKeeper<Result: Sendable>(_ body: (inout TimerKeeper?) -> Result) -> Result {
        keeper.withLock { body(&$0) }
    }
}
