// Performing.swift: the performSelector methods of NSObject, as the articles use them. Here a method of the object's class
// takes the place of the selector. (I4, I5, T5, A1)

import CRunLoop
import FoundationEssentials
import SwiftRunLoop

/// An object whose methods can be called on other threads and after delays, as those of every NSObject on a Mac.
protocol Performing: AnyObject {}

extension Thread {
    /// performSelector:onThread:withObject:waitUntilDone:modes:, with a closure.
    class func perform(
        on thread: Thread, waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common], _ block: @escaping @Sendable () -> Void
    ) throws(PerformError) {
        if modes.isEmpty { return }
        if waitUntilDone {
            do { try thread.performAndWait(inModes: modes) { block() } } catch { throw error as! PerformError }
        } else if !thread.perform(inModes: modes, { block() }) {
            throw thread === Thread.main ? .mainThreadHasEnded : .threadHasFinished
        }
    }

    /// performSelectorOnMainThread:withObject:waitUntilDone:modes:, with a closure.
    class func performOnMainThread(
        waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common], _ block: @escaping @Sendable () -> Void
    ) throws(PerformError) {
        try perform(on: main, waitUntilDone: waitUntilDone, modes: modes, block)
    }
}

extension Performing where Self: Sendable {
    /// performSelector:onThread:withObject:waitUntilDone:modes:.
    func perform<Argument: Sendable>(
        _ method: @escaping @Sendable (Self) -> (Argument) -> Void, with argument: Argument,
        on thread: Thread, waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common]
    ) throws(PerformError) {
        try Thread.perform(on: thread, waitUntilDone: waitUntilDone, modes: modes) { method(self)(argument) }
    }

    /// performSelector:onThread:withObject:waitUntilDone:modes:, without an argument.
    func perform(
        _ method: @escaping @Sendable (Self) -> () -> Void, on thread: Thread, waitUntilDone: Bool,
        modes: [RunLoop.Mode] = [.common]
    ) throws(PerformError) {
        try Thread.perform(on: thread, waitUntilDone: waitUntilDone, modes: modes) { method(self)() }
    }

    /// performSelectorOnMainThread:withObject:waitUntilDone:modes:.
    func performOnMainThread<Argument: Sendable>(
        _ method: @escaping @Sendable (Self) -> (Argument) -> Void, with argument: Argument, waitUntilDone: Bool,
        modes: [RunLoop.Mode] = [.common]
    ) throws(PerformError) {
        try perform(method, with: argument, on: .main, waitUntilDone: waitUntilDone, modes: modes)
    }

    /// performSelectorOnMainThread:withObject:waitUntilDone:modes:, without an argument.
    func performOnMainThread(
        _ method: @escaping @Sendable (Self) -> () -> Void, waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common]
    ) throws(PerformError) {
        try perform(method, on: .main, waitUntilDone: waitUntilDone, modes: modes)
    }
}

extension Performing {
    /// performSelector:withObject:afterDelay:inModes:.
    func perform<Argument>(
        _ method: @escaping (Self) -> (Argument) -> Void, with argument: Argument, afterDelay delay: TimeInterval,
        inModes modes: [RunLoop.Mode] = [.default]
    ) {
        RunLoop.current.perform(afterDelay: delay, inModes: modes) { method(self)(argument) }
    }

    /// performSelector:withObject:afterDelay:inModes:, without an argument.
    func perform(
        _ method: @escaping (Self) -> () -> Void, afterDelay delay: TimeInterval, inModes modes: [RunLoop.Mode] = [.default]
    ) {
        RunLoop.current.perform(afterDelay: delay, inModes: modes) { method(self)() }
    }
}

// MARK: - After a delay

extension RunLoop {
    /// performSelector:withObject:afterDelay:inModes:, with a closure. Call this on the loop's thread: the closure stays there.
    /// - Returns: the timer that makes the call.
    @discardableResult
    func perform(
        afterDelay delay: TimeInterval, inModes modes: [Mode] = [.default], _ block: @escaping () -> Void
    ) -> CFRunLoopTimer {
        let call = DelayedCall(block)
        var context = CFRunLoopTimerContext(
            version: 0, info: Unmanaged.passUnretained(call).toOpaque(),
            retain: { UnsafeRawPointer(Unmanaged<DelayedCall>.fromOpaque($0!).retain().toOpaque()) },
            release: { Unmanaged<DelayedCall>.fromOpaque($0!).release() }, copyDescription: nil)
        let date = CFAbsoluteTimeGetCurrent() + max(0, delay)
        let timer = withExtendedLifetime(call) { CFRunLoopTimerCreate(nil, date, 0, 0, 0, __NSFireDelayedPerform, &context)! }
        for mode in modes { mode.withCFName { CFRunLoopAddTimer(getCFRunLoop(), timer, $0) } }
        return timer
    }
}

/// The `info` of a delayed call's timer.
private final class DelayedCall {
    let block: () -> Void

    init(_ block: @escaping () -> Void) { self.block = block }
}

/// The timer's callback, under the name that a stack shows on a Mac. The statement after the call keeps this frame in the
/// stack.
@_cdecl("__NSFireDelayedPerform")
private func __NSFireDelayedPerform(_ timer: CFRunLoopTimer?, _ info: UnsafeMutableRawPointer?) {
    let call = Unmanaged<DelayedCall>.fromOpaque(info!).takeUnretainedValue()
    call.block()
    withExtendedLifetime(call) {}
}
