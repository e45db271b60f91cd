// Perform.swift: calls that another thread is to make. On a Mac these are methods of every NSObject. Here they take closures;
// Performing.swift has the same for methods of objects.
//
//     performSelector:onThread:withObject:waitUntilDone:modes:          Thread.perform(on:waitUntilDone:modes:_:)
//     performSelectorOnMainThread:withObject:waitUntilDone:modes:       Thread.performOnMainThread(waitUntilDone:modes:_:)
//         in async code                                                 Thread.perform(on:modes:_:), awaited, and performLater(on:modes:_:)
//     performSelectorInBackground:withObject:                           Thread.detachNewThread(_:)
//     performSelector:withObject:afterDelay:inModes:                    RunLoop.perform(afterDelay:inModes:_:)
//     cancelPreviousPerformRequestsWithTarget:selector:object:          DelayedPerform.cancel()
//     cancelPreviousPerformRequestsWithTarget:                          Performing.cancelPreviousPerformRequests(withTarget:)
//
// Claims in ANNOTATIONS.md: (I4, I5, L6)

#if os(Linux)
/// The reason why a thread did not make a call.
public enum PerformError: Error, CustomStringConvertible {
    /// The thread has finished, so it makes no more calls.
    case threadHasFinished

    /// The thread finished while the caller waited.
    ///
    /// It did not make the call, or did not complete it.
    case threadFinishedMeanwhile

    /// The main thread has ended, in `dispatchMain()`, by pthread_exit or in an async main that does not run the main loop
    /// (`RunLoop.runsInAsyncMain`), so no thread runs that loop.
    ///
    /// The call was not made, or was not completed.
    case mainThreadHasEnded

    /// The waiting task was cancelled before the thread made the call.
    ///
    /// The thread does not make it any more.
    case cancelled

    /// The reason in a sentence.
    public var description: String {
        switch self {
        case .threadHasFinished: "the thread has finished: nothing can be performed on it any more"
        case .threadFinishedMeanwhile: "the thread finished while the caller waited, and did not complete the call"
        case .mainThreadHasEnded: """
            the main thread has ended (in dispatchMain(), by pthread_exit or in an async main without RunLoop.runsInAsyncMain), so no \
            thread runs the main loop: use a thread that runs its loop, or the main queue
            """
        case .cancelled: "the waiting task was cancelled before the thread made the call"
        }
    }
}

extension Thread {
    /// Calls a closure on a thread, from that thread's run loop (performSelector:onThread:withObject:waitUntilDone:modes:).
    ///
    /// The thread makes the calls in the order in which they were requested. They arrive through a version 0 source: when the thread
    /// performs the source, it makes all the calls that are waiting at that moment, and `run(mode:before:)` of that thread then returns
    /// true. The sources stay in the loop, so from the first call on, these modes do not count as empty.
    ///
    /// A thread that has not been started keeps the calls until its loop runs. A thread that never runs its loop keeps them until it ends.
    /// If two threads wait for each other, they wait forever. May be called from any thread.
    /// - Parameters:
    ///   - thread: the thread whose loop makes the call.
    ///   - waitUntilDone: whether to return only after `block` has returned. If `thread` is the calling thread and this is true, it makes
    ///     the call at once, without its loop; if this is false, its loop makes the call in the next pass.
    ///   - modes: the modes in which the call may be made. If the array is empty, nothing happens.
    ///   - block: the closure, called once. It is released after the call, or when the thread finishes.
    /// - Throws: `threadHasFinished` if the thread has finished, `threadFinishedMeanwhile` if it finishes while the caller waits. For the
    ///   main thread, both are `mainThreadHasEnded`.
    @available(*, noasync, message: "await perform(on:modes:_:), which does not block the thread; performLater(on:modes:_:) does not wait")
    public class func perform(
        on thread: Thread, waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common], _ block: @escaping @Sendable () -> Void
    ) throws(PerformError) {
        try thread.performs.perform(inModes: modes, waitUntilDone: waitUntilDone, block: block)
    }

    /// Calls a closure on the main thread, from its run loop (performSelectorOnMainThread:withObject:waitUntilDone:modes:).
    ///
    /// The main thread must run its loop. Under an async main it does (`RunLoop.runsInAsyncMain`). In `dispatchMain()` it ends; from then
    /// on, threads of libdispatch serve the main queue and the main actor, and no thread serves the main loop. May be called from any
    /// thread.
    /// - Parameters:
    ///   - waitUntilDone: whether to return only after `block` has returned. On the main thread itself, true makes the call at once,
    ///     without the loop.
    ///   - modes: the modes in which the call may be made. If the array is empty, nothing happens.
    ///   - block: the closure, called once. It is released after the call, or when the main thread ends.
    /// - Throws: `mainThreadHasEnded` if the main thread has ended, or ends while the caller waits.
    @available(*, noasync, message: "await performOnMainThread(modes:_:), which does not block the thread; performLaterOnMainThread(modes:_:) does not wait")
    public class func performOnMainThread(
        waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common], _ block: @escaping @Sendable () -> Void
    ) throws(PerformError) {
        try perform(on: mainThread, waitUntilDone: waitUntilDone, modes: modes, block)
    }
}

// MARK: - From async code

extension Thread {
    /// Calls a closure on a thread, from that thread's run loop, and returns the closure's result.
    ///
    /// The calling thread is not blocked meanwhile, so a task may wait for the thread on which it runs. If the task is cancelled before the
    /// thread begins the call, the thread does not make it. If the call has begun, it continues, and the task waits for it. See
    /// `perform(on:waitUntilDone:modes:_:)` for the order of calls and for threads that have not been started.
    /// - Parameters:
    ///   - thread: the thread whose loop makes the call.
    ///   - modes: the modes in which the call may be made. An empty array traps.
    ///   - isolation: the actor on which the caller continues; the default is the caller's own.
    ///   - block: the closure, called once. It is released after the call, when the task is cancelled, or when the thread finishes.
    /// - Returns: the result of `block`.
    /// - Throws: `threadHasFinished`, `threadFinishedMeanwhile`, `mainThreadHasEnded` or `cancelled`.
    public class func perform<Result: Sendable>(
        on thread: Thread, modes: [RunLoop.Mode] = [.common], isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable () -> Result
    ) async throws(PerformError) -> Result {
        try await thread.performs.perform(inModes: modes, isolation: isolation, block: block)
    }

    /// Calls a closure on the main thread, from its run loop, and returns the closure's result.
    ///
    /// The main thread must run its loop; under an async main it does. The calling thread is not blocked meanwhile. If the task is
    /// cancelled before the main thread begins the call, the main thread does not make it.
    /// - Parameters:
    ///   - modes: the modes in which the call may be made. An empty array traps.
    ///   - isolation: the actor on which the caller continues; the default is the caller's own.
    ///   - block: the closure, called once. It is released after the call, when the task is cancelled, or when the main thread ends.
    /// - Returns: the result of `block`.
    /// - Throws: `mainThreadHasEnded` or `cancelled`.
    public class func performOnMainThread<Result: Sendable>(
        modes: [RunLoop.Mode] = [.common], isolation: isolated (any Actor)? = #isolation, _ block: @escaping @Sendable () -> Result
    ) async throws(PerformError) -> Result {
        try await perform(on: mainThread, modes: modes, isolation: isolation, block)
    }

    /// Calls a closure on a thread, from that thread's run loop, without waiting for the call.
    ///
    /// Async code may use this, too. See `perform(on:waitUntilDone:modes:_:)` for the order of calls and for threads that have not been
    /// started. May be called from any thread.
    /// - Parameters:
    ///   - thread: the thread whose loop makes the call.
    ///   - modes: the modes in which the call may be made. If the array is empty, nothing happens.
    ///   - block: the closure, called once. It is released after the call, or when the thread finishes.
    /// - Throws: `threadHasFinished` or `mainThreadHasEnded`.
    public class func performLater(
        on thread: Thread, modes: [RunLoop.Mode] = [.common], _ block: @escaping @Sendable () -> Void
    ) throws(PerformError) {
        try thread.performs.perform(inModes: modes, waitUntilDone: false, block: block)
    }

    /// Calls a closure on the main thread, from its run loop, without waiting for the call.
    ///
    /// Async code may use this, too. The main thread must run its loop; under an async main it does. May be called from any thread.
    /// - Parameters:
    ///   - modes: the modes in which the call may be made. If the array is empty, nothing happens.
    ///   - block: the closure, called once. It is released after the call, or when the main thread ends.
    /// - Throws: `mainThreadHasEnded`.
    public class func performLaterOnMainThread(
        modes: [RunLoop.Mode] = [.common], _ block: @escaping @Sendable () -> Void
    ) throws(PerformError) {
        try performLater(on: mainThread, modes: modes, block)
    }
}
#endif
