// Perform.swift: having another thread call something. On a Mac these are methods of every NSObject; here they take closures, and
// Performing.swift has them for methods of objects.
//
//     performSelector:onThread:withObject:waitUntilDone:modes:          Thread.perform(on:waitUntilDone:modes:_:)
//     performSelectorOnMainThread:withObject:waitUntilDone:modes:       Thread.performOnMainThread(waitUntilDone:modes:_:)
//         in async code                                                 Thread.perform(on:modes:_:), awaited, and performLater(on:modes:_:)
//     performSelectorInBackground:withObject:                           Thread.detachNewThread(_:)
//     performSelector:withObject:afterDelay:inModes:                    RunLoop.perform(afterDelay:inModes:_:)
//     cancelPreviousPerformRequestsWithTarget:selector:object:          DelayedPerform.cancel()
//     cancelPreviousPerformRequestsWithTarget:                          Performing.cancelPreviousPerformRequests(withTarget:)

/// Why something could not be performed on a thread.
public enum PerformError: Error, CustomStringConvertible {
    /// The thread has finished: nothing can be performed on it any more.
    case threadHasFinished
    /// The thread finished while the caller waited. What was to be performed has not been, or not to its end.
    case threadFinishedMeanwhile
    /// The main thread's own code is over: after an async main, `dispatchMain()` or pthread_exit, nothing runs its loop again. What was to
    /// be performed has not been, or not to its end.
    case mainThreadHasEnded
    /// The task that waited was cancelled before the thread came to the call, which is not made any more.
    case cancelled

    /// The same in a sentence.
    public var description: String {
        switch self {
        case .threadHasFinished: "the thread has finished: nothing can be performed on it any more"
        case .threadFinishedMeanwhile: "the thread finished while the caller waited for what was to be performed on it"
        case .mainThreadHasEnded: """
            the main thread's own code is over (an async main, dispatchMain() or pthread_exit has ended it), so nothing runs its run loop \
            again: perform on a thread that runs its loop, or use the main queue
            """
        case .cancelled: "the task that waited was cancelled before the call was made"
        }
    }
}

extension Thread {
    /// Has a thread call `block` from its run loop, as a source 0 of it (performSelector:onThread:withObject:waitUntilDone:modes:). (I4)
    ///
    /// What several calls from one thread have queued is called in the order of the calls. All that waits when the source is called is
    /// called in that pass. `run(mode:before:)` of that thread returns after it, with true. (L6) The sources stay in the loop: from the first
    /// perform on, it does not count as empty in these modes.
    ///
    /// A thread that has not been started keeps what is performed on it until its loop runs. So does one that never runs its loop, until
    /// it ends. A caller who waits for a thread that waits for the caller waits for ever, as with any lock.
    /// - Parameters:
    ///   - thread: whose loop is to call it.
    ///   - waitUntilDone: whether to return only after `block` has returned. On one's own thread it is then called at once, without the loop;
    ///     otherwise one's own loop calls it in its next pass.
    ///   - modes: the modes in which it may be called: the common modes, unless others are named. (I5) With none, nothing happens.
    ///   - block: called once. It is released after that, or when the thread finishes.
    /// - Throws: `threadHasFinished` if the thread has finished; nothing has happened then. `threadFinishedMeanwhile` to a caller who waits
    ///   when it does. `mainThreadHasEnded` in both cases if it is the main thread.
    @available(*, noasync, message: "await perform(on:modes:_:), which does not block the thread; performLater(on:modes:_:) does not wait")
    public class func perform(
        on thread: Thread, waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common], _ block: @escaping @Sendable () -> Void
    ) throws(PerformError) {
        try thread.performs.perform(inModes: modes, waitUntilDone: waitUntilDone, block: block)
    }

    /// Has the main thread call `block` from its run loop (performSelectorOnMainThread:withObject:waitUntilDone:modes:). Otherwise as
    /// `perform(on:waitUntilDone:modes:_:)`.
    ///
    /// The main thread must run its loop. In a program with an async main it does not: the thread's code is over at the first suspension
    /// that leaves it nothing to do, as it is after `dispatchMain()`. Threads of libdispatch serve the main queue and the main actor from then
    /// on, and nothing serves the main loop.
    /// - Throws: `mainThreadHasEnded`, also to a caller who waits when that happens. What waits then and is not waited for is released.
    @available(*, noasync, message: "await performOnMainThread(modes:_:), which does not block the thread; performLaterOnMainThread(modes:_:) does not wait")
    public class func performOnMainThread(
        waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common], _ block: @escaping @Sendable () -> Void
    ) throws(PerformError) {
        try perform(on: mainThread, waitUntilDone: waitUntilDone, modes: modes, block)
    }
}

// MARK: - From async code

extension Thread {
    /// Has a thread call `block` from its run loop, and waits for the result without blocking the calling thread
    /// (performSelector:onThread:withObject:waitUntilDone:modes:). See `perform(on:waitUntilDone:modes:_:)` for the order of calls, and for
    /// threads that have not begun.
    ///
    /// If the task is cancelled before the thread comes to it, the call is not made. One that has begun goes on, and is waited for.
    /// A task may wait for the thread that it runs on.
    /// - Parameters:
    ///   - thread: whose loop is to call it.
    ///   - modes: the modes in which it may be called, at least one.
    ///   - isolation: the actor that the caller is isolated to, where the caller goes on.
    ///   - block: called once. It is released after that, when the task is cancelled, or when the thread finishes.
    /// - Returns: what `block` returns.
    /// - Throws: `threadHasFinished`, `threadFinishedMeanwhile`, `mainThreadHasEnded` or `cancelled`.
    public class func perform<Result: Sendable>(
        on thread: Thread, modes: [RunLoop.Mode] = [.common], isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable () -> Result
    ) async throws(PerformError) -> Result {
        try await thread.performs.perform(inModes: modes, isolation: isolation, block: block)
    }

    /// Has the main thread call `block` from its run loop, and waits for the result without blocking the calling thread. Otherwise as
    /// `perform(on:modes:isolation:_:)`. The main thread must run its loop, which that of a program with an async main does not.
    public class func performOnMainThread<Result: Sendable>(
        modes: [RunLoop.Mode] = [.common], isolation: isolated (any Actor)? = #isolation, _ block: @escaping @Sendable () -> Result
    ) async throws(PerformError) -> Result {
        try await perform(on: mainThread, modes: modes, isolation: isolation, block)
    }

    /// Has a thread call `block` from its run loop, and does not wait: `perform(on:waitUntilDone:modes:_:)` with false, which async code may
    /// call, too.
    /// - Throws: `threadHasFinished`, or `mainThreadHasEnded`.
    public class func performLater(
        on thread: Thread, modes: [RunLoop.Mode] = [.common], _ block: @escaping @Sendable () -> Void
    ) throws(PerformError) {
        try thread.performs.perform(inModes: modes, waitUntilDone: false, block: block)
    }

    /// Has the main thread call `block` from its run loop, and does not wait.
    /// - Throws: `mainThreadHasEnded`.
    public class func performLaterOnMainThread(
        modes: [RunLoop.Mode] = [.common], _ block: @escaping @Sendable () -> Void
    ) throws(PerformError) {
        try performLater(on: mainThread, modes: modes, block)
    }
}
