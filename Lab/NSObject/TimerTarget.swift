// TimerTarget.swift: timers that call a method of an object, as NSTimer's target and selector. Here a method of the
// target's class takes the place of the selector. (T6)

import FoundationEssentials
import SwiftRunLoop
import Synchronization

/// What the closure of a timer with a target retains.
///
/// The target need not be Sendable, because the call is made on the thread of the loop that the caller chooses for the
/// timer, as on a Mac.
private final class TimerTarget: @unchecked Sendable {
    let call: (Timer) -> Void
    var timer: ObjectIdentifier? // set before the timer is in a loop

    init(_ call: @escaping (Timer) -> Void) { self.call = call }

    /// The timer has released its closure, and so it releases the user info, too.
    deinit {
        let info = userInfos.withLock { infos in timer.flatMap { infos.removeValue(forKey: $0) } }
        withExtendedLifetime(info) {} // released without the lock
    }
}

private struct UserInfo: @unchecked Sendable {
    let value: Any?
}

private let userInfos = Mutex<[ObjectIdentifier: UserInfo]>([:])

extension Timer {
    /// The user info given to a target-action method; nil without one, and nil when the timer is invalid (userInfo).
    var userInfo: Any? { userInfos.withLock { $0[ObjectIdentifier(self)] }?.value }

    /// Makes a timer that calls a method of an object, without adding it to a loop
    /// (initWithFireDate:interval:target:selector:userInfo:repeats:).
    /// - Parameters:
    ///   - target: the object, retained until the timer is invalidated. If the target retains the timer, too, invalidate
    ///     the timer to break the cycle.
    ///   - action: a method of the target's class that takes the timer: `Clock.tick` for `func tick(_ timer: Timer)`.
    convenience init<Target: AnyObject>(
        fireAt date: Date, interval: TimeInterval, target: Target, action: @escaping (Target) -> (Timer) -> Void,
        userInfo: Any?, repeats: Bool
    ) {
        let target = TimerTarget { timer in action(target)(timer) }
        self.init(fire: date, interval: interval, repeats: repeats) { target.call($0) }
        target.timer = ObjectIdentifier(self)
        let info = UserInfo(value: userInfo), timer = ObjectIdentifier(self)
        userInfos.withLock { $0[timer] = info }
    }

    /// Makes a timer that calls a method of an object, without adding it to a loop
    /// (timerWithTimeInterval:target:selector:userInfo:repeats:).
    convenience init<Target: AnyObject>(
        timeInterval interval: TimeInterval, target: Target, action: @escaping (Target) -> (Timer) -> Void,
        userInfo: Any?, repeats: Bool
    ) {
        let usable = interval > 0 ? interval : 0.0001
        self.init(fireAt: Date(timeIntervalSinceNow: usable), interval: usable, target: target, action: action,
                  userInfo: userInfo, repeats: repeats)
    }

    /// Makes a timer that calls a method of an object, and adds it to the calling thread's loop, in the default mode
    /// (scheduledTimerWithTimeInterval:target:selector:userInfo:repeats:).
    @available(*, noasync) @discardableResult
    static func scheduledTimer<Target: AnyObject>(
        timeInterval interval: TimeInterval, target: Target, action: @escaping (Target) -> (Timer) -> Void,
        userInfo: Any?, repeats: Bool
    ) -> Timer {
        let timer = Timer(timeInterval: interval, target: target, action: action, userInfo: userInfo, repeats: repeats)
        RunLoop.current.add(timer, forMode: .default)
        return timer
    }
}
