// Perform.swift: closures that a thread's run loop calls for other threads and for tasks. On a Mac,
// performSelector:onThread: is a method of every NSObject; here a Thread takes a closure. The calls wait in the queue
// of the loop (CallQueue.swift).
//
// Claims in ANNOTATIONS.md: (I1, I4, I5, L6)

#if os(Linux)
/// The reason why a thread did not make a call: it has finished, or did so while the caller waited.
public enum PerformError: Error, CustomStringConvertible {
    /// The thread has finished, so it makes no more calls.
    case threadHasFinished

    /// The thread finished while the caller waited. It did not make the call, or did not complete it.
    case threadFinishedMeanwhile

    /// The main thread has ended, in `dispatchMain()`, by pthread_exit or in an async main that does not run the main
    /// loop (`RunLoop.runsInAsyncMain`), so no thread runs that loop. The call was not made, or was not completed.
    case mainThreadHasEnded

    /// The reason in a sentence.
    public var description: String {
        switch self {
        case .threadHasFinished: "the thread has finished: nothing can be performed on it any more"
        case .threadFinishedMeanwhile: "the thread finished while the caller waited, and did not complete the call"
        case .mainThreadHasEnded: """
            the main thread has ended (in dispatchMain(), by pthread_exit or in an async main without \
            RunLoop.runsInAsyncMain), so no thread runs the main loop: use a thread that runs its loop, or the main \
            queue
            """
        }
    }
}

extension Thread {
    /// Calls a closure on this thread, from its run loop (performSelector:onThread:withObject:waitUntilDone:modes:).
    ///
    /// The thread makes the calls in the order in which they were requested. They arrive through a version 0 source:
    /// when the thread performs the source, it makes all the calls that are waiting at that moment, and
    /// `run(mode:before:)` of that thread then returns true. The source stays in the loop, so from the first call on,
    /// these modes do not count as empty.
    ///
    /// A thread that has not been started keeps the calls until its loop runs. A thread that never runs its loop keeps
    /// them until it ends. Then the closure is released. May be called from any thread.
    /// - Parameters:
    ///   - modes: the modes in which the call may be made. If the array is empty, nothing happens.
    ///   - block: called once. Its captures are sent to the thread.
    /// - Returns: false if the thread has ended, and will not make the call.
    @discardableResult
    public func perform(inModes modes: [RunLoop.Mode] = [.common], _ block: sending @escaping () -> Void) -> Bool {
        if modes.isEmpty { return !isFinished }
        return (try? add(Call(modes: modes, block))) != nil
    }

    /// Calls a closure on this thread, from its run loop, and waits for its result
    /// (performSelector:onThread:withObject:waitUntilDone:modes:).
    ///
    /// If this is the calling thread, it makes the call at once, without its loop. If two threads wait for each other,
    /// they wait forever. What the closure captures is sent to the thread, and so is its result to the caller. See
    /// `perform(inModes:_:)`.
    /// - Parameter modes: the modes in which the call may be made. An empty array traps.
    /// - Throws: what `body` throws; `PerformError.threadHasFinished` or, if the thread ends while the caller waits,
    ///   `PerformError.threadFinishedMeanwhile`. For the main thread, both are `PerformError.mainThreadHasEnded`.
    @available(*, noasync, message: "await run(inModes:_:), which does not block")
    @discardableResult
    public func performAndWait<Success>(
        inModes modes: [RunLoop.Mode] = [.common], _ body: sending @escaping () throws -> sending Success
    ) throws -> sending Success {
        require(!modes.isEmpty, "Thread.performAndWait(inModes:_:) needs at least one mode")
        if isCaller { return try body() }
        let outcome = Outcome<Success>(), completion = outcome.completion { outcome.isOver.signal() }
        try add(outcome.call(inModes: modes, Transferred(body), completion: completion))
        outcome.isOver.wait()
        return try outcome.get()
    }

    /// Calls a closure on this thread, from its run loop, and returns the closure's result.
    ///
    ///     let modes = try await worker.run { RunLoop.current.allModes }
    ///
    /// The calling thread is not blocked meanwhile, so you may await a call on the thread on which the task itself
    /// runs. The thread makes the calls in the order in which they were requested, together with those of
    /// `perform(inModes:_:)`.
    ///
    /// If the task is cancelled before the call has begun, the thread does not make it. If the call has begun, it
    /// continues, and the task waits for it. May be called from any thread.
    ///
    /// What the closure captures is sent to the thread, and so is its result to the caller: values that are not
    /// Sendable may cross if the sender does not use them any more.
    /// - Parameter modes: the modes in which the call may be made. An empty array traps.
    /// - Throws: what `body` throws, `CancellationError` if the task was cancelled before the call, and
    ///   `PerformError.threadHasFinished`. If the thread ends while the task waits, it is
    ///   `PerformError.threadFinishedMeanwhile`. For the main thread, both are `PerformError.mainThreadHasEnded`.
    public nonisolated(nonsending) func run<Success>(
        inModes modes: [RunLoop.Mode] = [.common], _ body: sending @escaping () throws -> sending Success
    ) async throws -> sending Success {
        require(!modes.isEmpty, "Thread.run(inModes:_:) needs at least one mode")
        let outcome = Outcome<Success>(), call = outcome.call(inModes: modes, Transferred(body))
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // False if the task was cancelled before: then nobody calls the completion.
                guard call.complete(with: outcome.completion { continuation.resume() }) else {
                    return continuation.resume()
                }
                do {
                    try add(call)
                    if self === Thread.mainThread { RunLoop.main.reportIfUnserved() }
                } catch { call.end(error) }
            }
        } onCancel: {
            call.end(CancellationError())
        }
        return try outcome.get()
    }
}

/// The outcome of a call: the loop's thread or `Call.end` writes it, and then the caller, who has waited, reads it.
private final class Outcome<Success>: @unchecked Sendable {
    let isOver = Semaphore()
    private var result: Result<Transferred<Success>, any Error>?

    /// Makes the call of a closure, which only the loop's thread calls.
    func call(
        inModes modes: [RunLoop.Mode], _ body: Transferred<() throws -> sending Success>,
        completion: Call.Completion? = nil
    ) -> Call {
        Call(modes: modes, completion: completion) { self.result = Result { Transferred(try body.value()) } }
    }

    /// The completion of the call. It keeps the error with which the call has ended.
    func completion(_ notify: @escaping @Sendable () -> Void) -> Call.Completion {
        { error in
            if let error { self.result = .failure(error) }
            notify()
        }
    }

    func get() throws -> sending Success {
        guard let result else { throw CancellationError() }
        return try result.get().value
    }
}
#endif
