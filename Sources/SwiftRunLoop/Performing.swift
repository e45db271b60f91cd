// Performing.swift: the perform methods that every NSObject has on a Mac, for Swift objects.
//
// Claims in ANNOTATIONS.md: (T5)

public import FoundationEssentials

/// An object whose methods can be called on other threads and after delays. Conformance needs only the declaration:
///
///     final class Worker: Performing, Sendable {
///         func load(_ name: String) { … }
///     }
///     try worker.perform(Worker.load, with: "a", on: thread, waitUntilDone: false)
///     worker.perform(Worker.load, with: "b", afterDelay: 0.5)
///
/// The object and the argument are retained until the method has returned, the call is cancelled, or the thread finishes.
///
/// On a Mac the compiler does not check what crosses to another thread. Here it does: an object whose methods are called on other threads
/// must be Sendable, and you give away an argument that is not. A call after a delay stays on its thread and requires neither.
public protocol Performing: AnyObject {}

extension Performing where Self: Sendable {
    /// Has a thread call a method of this object with an argument (performSelector:onThread:withObject:waitUntilDone:modes:).
    ///
    /// See `Thread.perform(on:waitUntilDone:modes:_:)` for the other parameters, the order of calls and the errors.
    /// - Parameters:
    ///   - method: a method of the class: `Worker.load` for `func load(_ name: String)`.
    ///   - argument: the method's argument. If it is not Sendable, you give it away.
    @available(*, noasync, message: "in async code, await Thread.perform(on:modes:_:), which does not block the thread")
    public func perform<Argument>(
        _ method: @escaping @Sendable (Self) -> (Argument) -> Void, with argument: sending Argument,
        on thread: Thread, waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common]
    ) throws(PerformError) {
        nonisolated(unsafe) let argument = argument // the caller has given it away, and only the call uses it, once
        try Thread.perform(on: thread, waitUntilDone: waitUntilDone, modes: modes) { method(self)(argument) }
    }

    /// Has a thread call a method of this object (performSelector:onThread:withObject:waitUntilDone:modes:).
    ///
    /// See `Thread.perform(on:waitUntilDone:modes:_:)` for the other parameters, the order of calls and the errors.
    @available(*, noasync, message: "in async code, await Thread.perform(on:modes:_:), which does not block the thread")
    public func perform(
        _ method: @escaping @Sendable (Self) -> () -> Void,
        on thread: Thread, waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common]
    ) throws(PerformError) {
        try Thread.perform(on: thread, waitUntilDone: waitUntilDone, modes: modes) { method(self)() }
    }

    /// Has the main thread call a method of this object with an argument (performSelectorOnMainThread:withObject:waitUntilDone:modes:).
    ///
    /// See `Thread.performOnMainThread(waitUntilDone:modes:_:)` for the other parameters and the errors.
    @available(*, noasync, message: "in async code, await Thread.performOnMainThread(modes:_:), which does not block the thread")
    public func performOnMainThread<Argument>(
        _ method: @escaping @Sendable (Self) -> (Argument) -> Void, with argument: sending Argument,
        waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common]
    ) throws(PerformError) {
        try perform(method, with: argument, on: .mainThread, waitUntilDone: waitUntilDone, modes: modes)
    }

    /// Has the main thread call a method of this object (performSelectorOnMainThread:withObject:waitUntilDone:modes:).
    ///
    /// See `Thread.performOnMainThread(waitUntilDone:modes:_:)` for the other parameters and the errors.
    @available(*, noasync, message: "in async code, await Thread.performOnMainThread(modes:_:), which does not block the thread")
    public func performOnMainThread(
        _ method: @escaping @Sendable (Self) -> () -> Void, waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common]
    ) throws(PerformError) {
        try perform(method, on: .mainThread, waitUntilDone: waitUntilDone, modes: modes)
    }
}

extension Performing {
    /// Has the calling thread's run loop call a method of this object with an argument after a delay
    /// (performSelector:withObject:afterDelay:inModes:).
    ///
    /// See `RunLoop.perform(afterDelay:inModes:_:)` for the delay in seconds and the modes.
    /// - Returns: an object that can cancel this call. `cancelPreviousPerformRequests(withTarget:)` cancels all calls for an object.
    @available(*, noasync)
    @discardableResult
    public func perform<Argument>(
        _ method: @escaping (Self) -> (Argument) -> Void, with argument: Argument,
        afterDelay delay: TimeInterval, inModes modes: [RunLoop.Mode] = [.default]
    ) -> DelayedPerform {
        nonisolated(unsafe) let call = { method(self)(argument) }
        return RunLoop.current.perform(afterDelay: delay, inModes: modes, for: self) { call() }
    }

    /// Has the calling thread's run loop call a method of this object after a delay (performSelector:withObject:afterDelay:inModes:).
    ///
    /// See `RunLoop.perform(afterDelay:inModes:_:)` for the delay in seconds and the modes.
    /// - Returns: an object that can cancel this call. `cancelPreviousPerformRequests(withTarget:)` cancels all calls for an object.
    @available(*, noasync)
    @discardableResult
    public func perform(
        _ method: @escaping (Self) -> () -> Void, afterDelay delay: TimeInterval, inModes modes: [RunLoop.Mode] = [.default]
    ) -> DelayedPerform {
        nonisolated(unsafe) let call = { method(self)() }
        return RunLoop.current.perform(afterDelay: delay, inModes: modes, for: self) { call() }
    }

    /// Cancels the delayed calls of an object's methods that are pending in the calling thread's run loop
    /// (cancelPreviousPerformRequestsWithTarget:).
    ///
    /// It does not affect other loops. Calls that were requested without a delay cannot be cancelled.
    @available(*, noasync)
    public static func cancelPreviousPerformRequests(withTarget target: AnyObject) {
        RunLoop.current.cancelPerforms(for: target)
    }
}
