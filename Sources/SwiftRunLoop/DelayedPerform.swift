// DelayedPerform.swift: a call that a run loop makes after a while. It is a timer of the loop, and nothing more. (T5)

internal import CRunLoop
public import FoundationEssentials

/// A call that waits for its time in a run loop: what `perform(afterDelay:inModes:_:)` returns, for cancelling it. The loop does not
/// need it: it can be dropped. May be used from any thread.
public final class DelayedPerform: IdentityHashable, @unchecked Sendable {
    private let timer: OpaquePointer

    fileprivate init(timer: OpaquePointer) {
        self.timer = timer
    }

    deinit {
        CFRelease(UnsafeRawPointer(timer))
    }

    /// Takes the call back. Once it has been made, or is being made, this does nothing.
    public func cancel() {
        CFRunLoopTimerInvalidate(timer)
    }

    /// True until the call has been made or cancelled.
    public var isPending: Bool { CFRunLoopTimerIsValid(timer) }
}

extension RunLoop {
    /// Has the loop call `block` after `delay` seconds (performSelector:withObject:afterDelay:inModes:). (T5)
    ///
    /// It is a timer in the loop. So nothing is called unless the loop runs in one of the modes, then or later; and no earlier than in the
    /// next pass, even without a delay.
    /// - Parameters:
    ///   - delay: seconds; less than 0 is taken as 0.
    ///   - modes: the modes in which it may be called: the default mode, unless others are named. With none, nothing is called.
    ///   - block: called once, on the loop's thread. It is released after that, when it is cancelled, or when the thread ends.
    /// - Returns: what cancels it.
    @discardableResult
    public func perform(
        afterDelay delay: TimeInterval, inModes modes: [RunLoop.Mode] = [.default], _ block: @escaping @Sendable () -> Void
    ) -> DelayedPerform {
        perform(afterDelay: delay, inModes: modes, for: nil, block)
    }

    /// The same, to be found under `target` by `cancelPerforms(for:)`.
    func perform(
        afterDelay delay: TimeInterval, inModes modes: [RunLoop.Mode], for target: AnyObject?, _ block: @escaping @Sendable () -> Void
    ) -> DelayedPerform {
        let call = DelayedCall(runLoop: cfRunLoop, target: target, block: block)
        var context = CFRunLoopTimerContext()
        context.info = Unmanaged.passRetained(call).toOpaque()
        context.release = { DelayedCall.release($0!) }
        let timer = CFRunLoopTimerCreate(nil, CFAbsoluteTimeGetCurrent() + max(0, delay), 0, 0, 0, __NSFireDelayedPerform, &context)!
        let perform = DelayedPerform(timer: timer)
        guard let mode = modes.first else { return perform } // no loop has it: it goes with `perform`, on whichever thread that is
        DelayedCalls.note(call, timer: timer)
        for mode in modes { CFRunLoopAddTimer(cfRunLoop, timer, mode.cfString) }
        if !delayedPerforms.keep(timer, mode) { CFRunLoopTimerInvalidate(timer) } // its thread has ended: nobody would ever call
        return perform
    }

    /// Cancels the calls for `target` that wait in this loop. To be called on the loop's thread.
    func cancelPerforms(for target: AnyObject) {
        for timer in DelayedCalls.timers(for: target, in: cfRunLoop) {
            CFRunLoopTimerInvalidate(timer)
            CFRelease(UnsafeRawPointer(timer))
        }
    }
}

/// What the timer has as its `info`.
private final class DelayedCall {
    let runLoop: OpaquePointer // to compare with alone
    let target: AnyObject?
    let block: @Sendable () -> Void

    init(runLoop: OpaquePointer, target: AnyObject?, block: @escaping @Sendable () -> Void) {
        self.runLoop = runLoop
        self.target = target
        self.block = block
    }

    /// The timer's context lets it go: the timer is invalid, or gone.
    static func release(_ info: UnsafeRawPointer) {
        let call = Unmanaged<DelayedCall>.fromOpaque(info)
        DelayedCalls.forget(call.takeUnretainedValue())
        call.release()
    }
}

/// The delayed calls that have a target, to be found by it.
private enum DelayedCalls {
    private struct Entry {
        unowned let call: DelayedCall
        let timer: OpaquePointer
    }

    private static let monitor = Monitor()
    nonisolated(unsafe) private static var entries: [ObjectIdentifier: [Entry]] = [:] // guarded by monitor; by target

    static func note(_ call: DelayedCall, timer: OpaquePointer) {
        guard let target = call.target else { return }
        monitor.locked { entries[ObjectIdentifier(target), default: []].append(Entry(call: call, timer: timer)) }
    }

    static func forget(_ call: DelayedCall) {
        guard let target = call.target.map(ObjectIdentifier.init) else { return }
        monitor.locked {
            entries[target]?.removeAll { $0.call === call }
            if entries[target]?.isEmpty == true { entries[target] = nil }
        }
    }

    /// Retained. What is noted here is in the calling thread's loop, and held by it until it is invalid; who invalidates it takes it out here
    /// while he still has a reference. So none is ending just now.
    static func timers(for target: AnyObject, in runLoop: OpaquePointer) -> [OpaquePointer] {
        monitor.locked {
            let timers = (entries[ObjectIdentifier(target)] ?? []).filter { $0.call.runLoop == runLoop }.map(\.timer)
            for timer in timers { _ = CFRetain(UnsafeRawPointer(timer)) }
            return timers
        }
    }
}

/// The frame that tells, above the timer callout, that a delayed call is made; a Mac shows the same name. Something must follow the call,
/// or this frame would be gone by then.
@_cdecl("__NSFireDelayedPerform")
private func __NSFireDelayedPerform(_ timer: OpaquePointer?, _ info: UnsafeMutableRawPointer?) {
    let call = Unmanaged<DelayedCall>.fromOpaque(info!).takeUnretainedValue()
    call.block()
    withExtendedLifetime(call) {}
}
