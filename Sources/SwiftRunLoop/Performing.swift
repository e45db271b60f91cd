// Performing.swift: the perform methods that every NSObject has on a Mac, for Swift objects.
//
// Claims in ANNOTATIONS.md: (T5)

#if os(Linux)
public import FoundationEssentials

/// An object whose methods can be called on other threads and after delays.
///
/// Conformance needs only the declaration:
///
///     final class Worker: Performing, Sendable {
///         func load(_ name: String) { … }
///     }
///     let worker = Worker()
///     try worker.perform(Worker.load, with: "a", on: thread, waitUntilDone: false)
///     worker.perform(Worker.load, with: "b", afterDelay: 0.5)
///
/// The object and the argument are retained until the method has returned, the call is cancelled, or the thread finishes.
///
/// On a Mac the compiler does not check what crosses to another thread. Here it does: an object whose methods are called on other threads
/// must be Sendable, and you give away an argument that is not. A call after a delay stays on its thread and requires neither.
public protocol Performing: AnyObject {}

extension Performing where Self: Sendable {
    /// Calls a method of this object with an argument on a thread, from that thread's run loop
    /// (performSelector:onThread:withObject:waitUntilDone:modes:).
    ///
    /// See `Thread.perform(on:waitUntilDone:modes:_:)` for the order of calls and for threads that have not been started. May be called
    /// from any thread.
    /// - Parameters:
    ///   - method: a method of the class: `Worker.load` for `func load(_ name: String)`.
    ///   - argument: the method's argument. If it is not Sendable, you give it away.
    ///   - thread: the thread whose loop makes the call.
    ///   - waitUntilDone: whether to return only after the method has returned.
    ///   - modes: the modes in which the call may be made. If the array is empty, nothing happens.
    /// - Throws: `threadHasFinished`, `threadFinishedMeanwhile` or `mainThreadHasEnded`.
    @available(*, noasync, message: "await run(inModes:_:) of the thread, which does not block")
    public func perform<Argument>(
        _ method: @escaping @Sendable (Self) -> (Argument) -> Void, with argument: sending Argument,
        on thread: Thread, waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common]
    ) throws(PerformError) {
        let argument = Transferred(argument) // the caller has given it away, and only the call uses it, once
        try Thread.perform(on: thread, waitUntilDone: waitUntilDone, modes: modes) { method(self)(argument.value) }
    }

    /// Calls a method of this object on a thread, from that thread's run loop
    /// (performSelector:onThread:withObject:waitUntilDone:modes:).
    ///
    /// See `Thread.perform(on:waitUntilDone:modes:_:)` for the order of calls and for threads that have not been started. May be called
    /// from any thread.
    /// - Parameters:
    ///   - method: a method of the class: `Worker.load` for `func load()`.
    ///   - thread: the thread whose loop makes the call.
    ///   - waitUntilDone: whether to return only after the method has returned.
    ///   - modes: the modes in which the call may be made. If the array is empty, nothing happens.
    /// - Throws: `threadHasFinished`, `threadFinishedMeanwhile` or `mainThreadHasEnded`.
    @available(*, noasync, message: "await run(inModes:_:) of the thread, which does not block")
    public func perform(
        _ method: @escaping @Sendable (Self) -> () -> Void,
        on thread: Thread, waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common]
    ) throws(PerformError) {
        try Thread.perform(on: thread, waitUntilDone: waitUntilDone, modes: modes) { method(self)() }
    }

    /// Calls a method of this object with an argument on the main thread, from its run loop
    /// (performSelectorOnMainThread:withObject:waitUntilDone:modes:).
    ///
    /// The main thread must run its loop; under an async main it does. May be called from any thread.
    /// - Parameters:
    ///   - method: a method of the class: `Worker.load` for `func load(_ name: String)`.
    ///   - argument: the method's argument. If it is not Sendable, you give it away.
    ///   - waitUntilDone: whether to return only after the method has returned.
    ///   - modes: the modes in which the call may be made. If the array is empty, nothing happens.
    /// - Throws: `mainThreadHasEnded`.
    @available(*, noasync, message: "await run(inModes:_:) of Thread.main, which does not block")
    public func performOnMainThread<Argument>(
        _ method: @escaping @Sendable (Self) -> (Argument) -> Void, with argument: sending Argument,
        waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common]
    ) throws(PerformError) {
        try perform(method, with: argument, on: .mainThread, waitUntilDone: waitUntilDone, modes: modes)
    }

    /// Calls a method of this object on the main thread, from its run loop
    /// (performSelectorOnMainThread:withObject:waitUntilDone:modes:).
    ///
    /// The main thread must run its loop; under an async main it does. May be called from any thread.
    /// - Parameters:
    ///   - method: a method of the class: `Worker.load` for `func load()`.
    ///   - waitUntilDone: whether to return only after the method has returned.
    ///   - modes: the modes in which the call may be made. If the array is empty, nothing happens.
    /// - Throws: `mainThreadHasEnded`.
    @available(*, noasync, message: "await run(inModes:_:) of Thread.main, which does not block")
    public func performOnMainThread(
        _ method: @escaping @Sendable (Self) -> () -> Void, waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common]
    ) throws(PerformError) {
        try perform(method, on: .mainThread, waitUntilDone: waitUntilDone, modes: modes)
    }
}

extension Performing {
    /// Calls a method of this object with an argument after a delay, from the calling thread's run loop
    /// (performSelector:withObject:afterDelay:inModes:).
    ///
    /// The call is a one-shot timer of the loop. It is made only while the loop runs in one of the modes, and in the next pass at the
    /// earliest, even if the delay is 0.
    /// - Parameters:
    ///   - method: a method of the class: `Worker.load` for `func load(_ name: String)`.
    ///   - argument: the method's argument.
    ///   - delay: the delay in seconds. A negative delay, or one that is not a number, counts as 0.
    ///   - modes: the modes in which the call may be made. If the array is empty, the call is never made.
    /// - Returns: an object that can cancel this call. `cancelPreviousPerformRequests(withTarget:)` cancels all calls for an object.
    @available(*, noasync)
    @discardableResult
    public func perform<Argument>(
        _ method: @escaping (Self) -> (Argument) -> Void, with argument: Argument,
        afterDelay delay: TimeInterval, inModes modes: [RunLoop.Mode] = [.default]
    ) -> PerformRequest {
        RunLoop.current.perform(afterDelay: delay, modes, for: self, argument: identity(of: argument)) { method(self)(argument) }
    }

    /// Calls a method of this object after a delay, from the calling thread's run loop (performSelector:withObject:afterDelay:inModes:).
    ///
    /// The call is a one-shot timer of the loop. It is made only while the loop runs in one of the modes, and in the next pass at the
    /// earliest, even if the delay is 0.
    /// - Parameters:
    ///   - method: a method of the class: `Worker.load` for `func load()`.
    ///   - delay: the delay in seconds. A negative delay, or one that is not a number, counts as 0.
    ///   - modes: the modes in which the call may be made. If the array is empty, the call is never made.
    /// - Returns: an object that can cancel this call. `cancelPreviousPerformRequests(withTarget:)` cancels all calls for an object.
    @available(*, noasync)
    @discardableResult
    public func perform(
        _ method: @escaping (Self) -> () -> Void, afterDelay delay: TimeInterval, inModes modes: [RunLoop.Mode] = [.default]
    ) -> PerformRequest {
        RunLoop.current.perform(afterDelay: delay, modes, for: self) { method(self)() }
    }

    /// Cancels the delayed calls of an object's methods that are pending in the calling thread's run loop
    /// (cancelPreviousPerformRequestsWithTarget:).
    ///
    /// This does not affect other loops, nor calls that were requested without a delay.
    @available(*, noasync)
    public static func cancelPreviousPerformRequests(withTarget target: AnyObject) {
        RunLoop.current.calls.cancel(.init(target, isDelayed: true))
    }

    /// Cancels the delayed calls of an object's methods with an argument that are pending in the calling thread's run loop
    /// (cancelPreviousPerformRequestsWithTarget:selector:object:).
    ///
    /// Swift cannot compare methods, so this cancels the calls of all methods with that argument. To cancel one call, use the object that
    /// `perform(_:with:afterDelay:inModes:)` has returned.
    /// - Parameters:
    ///   - target: the object.
    ///   - argument: an object matches if it is the same, and a Hashable value if it is equal.
    @available(*, noasync)
    public static func cancelPreviousPerformRequests<Argument>(withTarget target: AnyObject, argument: Argument) {
        RunLoop.current.calls.cancel(.init(target, isDelayed: true), argument: identity(of: argument))
    }
}
#endif
