// Performing.swift: the perform family for methods of objects, as every NSObject has it on a Mac.

public import FoundationEssentials

/// Objects whose methods can be performed on threads and after delays. Conforming takes no more than saying so:
///
///     final class Worker: Performing, Sendable {
///         func load(_ name: String) { … }
///     }
///     try worker.perform(Worker.load, with: "a", on: thread, waitUntilDone: false)
///     worker.perform(Worker.load, with: "b", afterDelay: 0.5)
///
/// The object and the argument are retained until the method has returned, or the perform is cancelled, or the thread finishes.
///
/// On a Mac the compiler does not look at what crosses to the other thread. Here it does: an object whose methods are performed on other
/// threads is Sendable, and an argument that is not Sendable is given away. A delayed perform stays on its thread and asks for neither.
public protocol Performing: AnyObject {}

extension Performing where Self: Sendable {
    /// Has a thread call a method of this object with an argument (performSelector:onThread:withObject:waitUntilDone:modes:). See
    /// `Thread.perform(on:waitUntilDone:modes:_:)` for all else, errors included.
    @available(*, noasync, message: "in async code, await Thread.perform(on:modes:_:), which does not block the thread")
    public func perform<Argument>(
        _ method: @escaping @Sendable (Self) -> (Argument) -> Void, with argument: sending Argument,
        on thread: Thread, waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common]
    ) throws(PerformError) {
        nonisolated(unsafe) let argument = argument // it has been given away: only the call uses it, once
        try Thread.perform(on: thread, waitUntilDone: waitUntilDone, modes: modes) { method(self)(argument) }
    }

    /// The same for a method without argument.
    @available(*, noasync, message: "in async code, await Thread.perform(on:modes:_:), which does not block the thread")
    public func perform(
        _ method: @escaping @Sendable (Self) -> () -> Void,
        on thread: Thread, waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common]
    ) throws(PerformError) {
        try Thread.perform(on: thread, waitUntilDone: waitUntilDone, modes: modes) { method(self)() }
    }

    /// Has the main thread call a method of this object with an argument (performSelectorOnMainThread:withObject:waitUntilDone:modes:).
    @available(*, noasync, message: "in async code, await Thread.performOnMainThread(modes:_:), which does not block the thread")
    public func performOnMainThread<Argument>(
        _ method: @escaping @Sendable (Self) -> (Argument) -> Void, with argument: sending Argument,
        waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common]
    ) throws(PerformError) {
        try perform(method, with: argument, on: .mainThread, waitUntilDone: waitUntilDone, modes: modes)
    }

    /// The same for a method without argument.
    @available(*, noasync, message: "in async code, await Thread.performOnMainThread(modes:_:), which does not block the thread")
    public func performOnMainThread(
        _ method: @escaping @Sendable (Self) -> () -> Void, waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common]
    ) throws(PerformError) {
        try perform(method, on: .mainThread, waitUntilDone: waitUntilDone, modes: modes)
    }
}

extension Performing {
    /// Has the calling thread's run loop call a method of this object after `delay` seconds
    /// (performSelector:withObject:afterDelay:inModes:). See `RunLoop.perform(afterDelay:inModes:_:)` for all else. (T5)
    /// - Returns: what cancels this one. `cancelPreviousPerformRequests(withTarget:)` cancels all of an object.
    @available(*, noasync)
    @discardableResult
    public func perform<Argument>(
        _ method: @escaping (Self) -> (Argument) -> Void, with argument: Argument,
        afterDelay delay: TimeInterval, inModes modes: [RunLoop.Mode] = [.default]
    ) -> DelayedPerform {
        nonisolated(unsafe) let call = { method(self)(argument) }
        return RunLoop.current.perform(afterDelay: delay, inModes: modes, for: self) { call() }
    }

    /// The same for a method without argument.
    @available(*, noasync)
    @discardableResult
    public func perform(
        _ method: @escaping (Self) -> () -> Void, afterDelay delay: TimeInterval, inModes modes: [RunLoop.Mode] = [.default]
    ) -> DelayedPerform {
        nonisolated(unsafe) let call = { method(self)() }
        return RunLoop.current.perform(afterDelay: delay, inModes: modes, for: self) { call() }
    }

    /// Cancels the delayed performs of an object's methods that wait in the calling thread's run loop, and in no other
    /// (cancelPreviousPerformRequestsWithTarget:). What has been performed on threads without a delay cannot be cancelled.
    @available(*, noasync)
    public static func cancelPreviousPerformRequests(withTarget target: AnyObject) {
        RunLoop.current.cancelPerforms(for: target)
    }
}
