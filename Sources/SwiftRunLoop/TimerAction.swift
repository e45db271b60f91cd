// TimerAction.swift: what a C timer has as its `info`, and the C functions that lead from there to the closure.

internal import CRunLoop

/// The closure of a timer, and its user info. The C timer holds it until it is invalidated, and while it fires; then it goes, and everything
/// with it.
final class TimerAction {
    let call: (Timer) -> Void
    var userInfo: Any?
    weak var timer: Timer?

    init(call: @escaping (Timer) -> Void) {
        self.call = call
    }

    deinit {
        timer?.leave()
    }

    /// What the C timer is made with. It retains its info.
    var context: CFRunLoopTimerContext {
        CFRunLoopTimerContext(version: 0, info: Unmanaged.passUnretained(self).toOpaque(), retain: retainAction, release: releaseAction,
                              copyDescription: describeAction)
    }

    /// What the closure stands in to be described: see makeClosureDescription.
    fileprivate struct Call {
        let call: (Timer) -> Void
    }
}

private func action(_ info: UnsafeRawPointer?) -> Unmanaged<TimerAction> {
    Unmanaged.fromOpaque(info!)
}

private func retainAction(_ info: UnsafeRawPointer?) -> UnsafeRawPointer? {
    UnsafeRawPointer(action(info).retain().toOpaque())
}

private func releaseAction(_ info: UnsafeRawPointer?) {
    action(info).release()
}

private func describeAction(_ info: UnsafeRawPointer?) -> OpaquePointer? {
    guard let info else { return nil } // the timer has been invalidated
    return makeClosureDescription(TimerAction.Call(call: action(info).takeUnretainedValue().call))
}

/// The C timer's callback, under the name that a stack shows on a Mac. The C timer holds the action until this has returned. Something must
/// follow the call, or this frame would be gone by then.
@inline(never)
func __NSFireTimer(_ cfTimer: OpaquePointer?, _ info: UnsafeMutableRawPointer?) {
    let action = action(info).takeUnretainedValue()
    if let timer = action.timer { action.call(timer) }
    withExtendedLifetime(action) {}
}
