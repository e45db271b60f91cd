// TimerAction.swift: the `info` of a C timer, and the C callbacks that call its closure.

internal import CRunLoop
internal import FoundationEssentials

/// The closure of a timer, and its user info. The C timer retains it until the timer is invalidated, and while it fires.
class TimerAction {
    let call: (Timer) -> Void
    var userInfo: Any?
    weak var timer: Timer?

    init(call: @escaping (Timer) -> Void) {
        self.call = call
    }

    deinit {
        timer?.leave()
    }

    /// Makes the C timer, which retains this action.
    @safe func makeCFTimer(fire date: Date, interval: TimeInterval) -> CFRunLoopTimer {
        var context = unsafe CFRunLoopTimerContext(
            version: 0, info: Unmanaged.passUnretained(self).toOpaque(), retain: retainAction, release: releaseAction,
            copyDescription: describeAction)
        return unsafe CFRunLoopTimerCreate(nil, date.timeIntervalSinceReferenceDate, interval, 0, 0, callout, &context)
    }

    /// Returns the action of a C timer, or nil if the C timer is invalid or was made in C.
    @safe static func action(of cfTimer: CFRunLoopTimer) -> TimerAction? {
        var context = unsafe CFRunLoopTimerContext()
        unsafe CFRunLoopTimerGetContext(cfTimer, &context)
        guard let info = unsafe context.info, unsafe isSameFunction(context.release, releaseAction) else { return nil }
        return unsafe Unmanaged.fromOpaque(info).takeUnretainedValue()
    }

    /// The function that the C timer calls.
    @safe var callout: CFRunLoopTimerCallBack { unsafe __NSFireTimer }

    /// Describes the closure: see makeClosureDescription.
    @safe func makeDescription() -> CFString? { makeClosureDescription(Call(call: call)) }

    private struct Call {
        let call: (Timer) -> Void
    }
}

private func action(_ info: UnsafeRawPointer?) -> Unmanaged<TimerAction> {
    unsafe Unmanaged.fromOpaque(info!)
}

private func retainAction(_ info: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe UnsafeRawPointer(action(info).retain().toOpaque())
}

private func releaseAction(_ info: UnsafeRawPointer?) {
    unsafe action(info).release()
}

/// Whether two callbacks of contexts are the same function: that of a context shows who has made it.
func isSameFunction(_ one: (@convention(c) (UnsafeRawPointer?) -> Void)?, _ other: @convention(c) (UnsafeRawPointer?) -> Void) -> Bool {
    unsafe one.map { unsafe unsafeBitCast($0, to: UnsafeRawPointer.self) } == unsafeBitCast(other, to: UnsafeRawPointer.self)
}

private func describeAction(_ info: UnsafeRawPointer?) -> CFString? {
    guard let info = unsafe info else { return nil } // the timer has been invalidated
    return unsafe action(info).takeUnretainedValue().makeDescription()
}

/// The C timer's callback, under its name in a stack on a Mac. The C timer retains the action until this returns. The statement after the
/// call keeps this frame in the stack.
@inline(never)
func __NSFireTimer(_ cfTimer: CFRunLoopTimer?, _ info: UnsafeMutableRawPointer?) {
    let action = unsafe action(info).takeUnretainedValue()
    if let timer = action.timer { action.call(timer) }
    withExtendedLifetime(action) {}
}
