// TimerAction.swift: the `info` of a C timer, and the C callbacks that call its closure.

#if os(Linux)
internal import CRunLoop
internal import FoundationEssentials

/// The closure of a timer, and its user info. The C timer retains it until the timer is invalidated, and while it fires.
class TimerAction: CallbackInfo {
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
    func makeCFTimer(fire date: Date, interval: TimeInterval) -> Reference<Timer> {
        CFRunLoopTimer.make(fire: date, interval: interval, self, callback: callout)
    }

    /// The function that the C timer calls.
    @safe var callout: CFRunLoopTimerCallBack { __NSFireTimer }

    /// For the name of the closure: see makeClosureDescription.
    @safe func makeDescription() -> CFString? { makeClosureDescription(Call(call: call)) }

    private struct Call {
        let call: (Timer) -> Void
    }
}

/// The C timer's callback, under its name in a stack on a Mac. The C timer retains the action until this returns. The statement after the
/// call keeps this frame in the stack.
@inline(never)
@safe func __NSFireTimer(_ cfTimer: CFRunLoopTimer?, _ info: UnsafeMutableRawPointer?) {
    let action = TimerAction.of(info)
    if let timer = action.timer { action.call(timer) }
    withExtendedLifetime(action) {}
}
#endif
