// DelayedPerform.swift: a call that a run loop makes after a delay. It is a one-shot timer in the loop.
//
// Claims in ANNOTATIONS.md: (T5)

#if os(Linux)
internal import CRunLoop
public import FoundationEssentials

/// A call that a run loop makes after a delay, for cancelling it.
///
/// `RunLoop.perform(afterDelay:inModes:_:)` returns it. If you discard this object, the call is still made, because the loop retains the
/// timer and the closure. May be used from any thread.
public final class DelayedPerform: IdentityHashable, @unchecked Sendable {
    private let timer: Timer

    fileprivate init(timer: Timer) {
        self.timer = timer
    }

    /// Cancels the call and releases its closure.
    ///
    /// If the call has begun, this does nothing.
    public func cancel() {
        timer.invalidate()
    }

    /// Whether the call has been neither made nor cancelled.
    ///
    /// It is true while the call is being made.
    public var isPending: Bool { timer.isValid }
}

extension RunLoop {
    /// Calls a closure after a delay, from this loop (performSelector:withObject:afterDelay:inModes:).
    ///
    /// The call is a one-shot timer of the loop. It is made only while the loop runs in one of the modes, and in the next pass at the
    /// earliest, even if the delay is 0. May be called from any thread.
    /// - Parameters:
    ///   - delay: the delay in seconds. A negative delay, or one that is not a number, counts as 0.
    ///   - modes: the modes in which the call may be made. If the array is empty, the call is never made.
    ///   - block: the closure, called once, on the loop's thread. It is released after the call, when the call is cancelled, or when the
    ///     thread ends.
    /// - Returns: an object that can cancel the call.
    @discardableResult
    public func perform(
        afterDelay delay: TimeInterval, inModes modes: [RunLoop.Mode] = [.default], _ block: @escaping @Sendable () -> Void
    ) -> DelayedPerform {
        perform(afterDelay: delay, inModes: modes, for: nil, block)
    }

    /// Calls a closure after a delay. `block` retains the target, by which `cancelPerforms(for:)` finds the call.
    func perform(
        afterDelay delay: TimeInterval, inModes modes: [RunLoop.Mode], for target: AnyObject?, argument: AnyHashable? = nil,
        _ block: @escaping @Sendable () -> Void
    ) -> DelayedPerform {
        let timer = DelayedTimer(delay: max(0, delay), target: target, argument: argument, block: block)
        for mode in modes where !timer.join(self, forMode: mode) { timer.invalidate() } // the loop's thread has ended
        return DelayedPerform(timer: timer)
    }

    /// Cancels the pending calls for a target in this loop.
    func cancelPerforms(for target: AnyObject) {
        for timer in timers.delayedTimers(for: target) { timer.invalidate() }
    }

    /// Cancels the pending calls for a target with an argument in this loop.
    func cancelPerforms(for target: AnyObject, argument: AnyHashable) {
        for case let timer as DelayedTimer in timers.delayedTimers(for: target) where timer.argument == argument { timer.invalidate() }
    }
}

/// The timer of a delayed perform. It is invalidated at the end of its loop, because no other loop may make the call.
final class DelayedTimer: Timer {
    /// For comparison only. The closure retains the target, and the loop's keeper drops the timer together with the closure.
    let target: ObjectIdentifier?
    /// For comparison only, too.
    fileprivate let argument: AnyHashable?

    fileprivate init(delay: TimeInterval, target: AnyObject?, argument: AnyHashable?, block: @escaping @Sendable () -> Void) {
        self.target = target.map(ObjectIdentifier.init)
        self.argument = argument
        super.init(fire: Date(timeIntervalSinceNow: delay), action: DelayedAction(block))
    }

    @safe override func threadEnds(of cfRunLoop: CFRunLoop, _ modes: Set<RunLoop.Mode>) {
        super.threadEnds(of: cfRunLoop, modes)
        invalidate()
    }
}

/// The closure of a delayed perform.
private final class DelayedAction: TimerAction {
    private struct Block {
        let block: @Sendable () -> Void
    }

    let block: @Sendable () -> Void

    init(_ block: @escaping @Sendable () -> Void) {
        self.block = block
        super.init { _ in block() }
    }

    @safe override var callout: CFRunLoopTimerCallBack { __NSFireDelayedPerform }

    @safe override func makeDescription() -> CFString? { makeClosureDescription(Block(block: block)) }
}

/// The C timer's callback, under the name that a stack shows on a Mac. The statement after the call keeps this frame in the stack.
@_cdecl("__NSFireDelayedPerform")
@safe private func __NSFireDelayedPerform(_ timer: CFRunLoopTimer?, _ info: UnsafeMutableRawPointer?) {
    let action = DelayedAction.of(info)
    action.block()
    withExtendedLifetime(action) {}
}
#endif
