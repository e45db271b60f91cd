// WeakProxy.swift: the target of a timer that must not retain the object that it calls. (T6)
//
// On a Mac a subclass of NSProxy is that target: it forwards each message to an object that it references weakly. Here it calls a method.

import SwiftRunLoop

/// Calls a method of an object that it does not retain.
///
///     Timer(timeInterval: 1, target: WeakProxy(clock, Clock.tick), action: WeakProxy.fire, userInfo: nil, repeats: true)
///
/// When the object is gone, the next firing invalidates the timer.
final class WeakProxy<Target: AnyObject> {
    private weak var target: Target?
    private let action: (Target) -> (Timer) -> Void

    /// - Parameters:
    ///   - target: the object, not retained.
    ///   - action: a method of the object's class that takes the timer: `Clock.tick` for `func tick(_ timer: Timer)`.
    init(_ target: Target, _ action: @escaping (Target) -> (Timer) -> Void) {
        (self.target, self.action) = (target, action)
    }

    /// The timer's action.
    func fire(_ timer: Timer) {
        if let target { action(target)(timer) } else { timer.invalidate() }
    }
}
