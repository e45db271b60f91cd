// AwaitedRun.swift: a closure that a task has called on another thread, from that thread's run loop, and its result.
//
//     thread.run { }       a perform of that thread (PerformQueue.swift): it arrives through a Source0
//     runLoop.run { }      a block of that loop (performInModes:block:), and a wake-up
//
// Claims in ANNOTATIONS.md: (I4, L6)

#if os(Linux)
import Synchronization

extension Thread {
    /// Calls a closure on this thread, from its run loop, and returns the closure's result.
    ///
    ///     let modes = try await worker.run { RunLoop.current.allModes }
    ///
    /// The calling thread is not blocked meanwhile, so you may await a call on the thread on which the task itself runs. The thread makes
    /// the calls in the order in which they were requested, together with those of `perform(on:waitUntilDone:modes:_:)`. A thread that has
    /// not been started keeps the call until its loop runs.
    ///
    /// If the task is cancelled before the call has begun, the thread does not make it. If the call has begun, it continues, and the task
    /// waits for it. May be called from any thread.
    /// - Parameters:
    ///   - modes: the modes in which the call may be made. An empty array traps.
    ///   - isolation: the actor on which the caller continues; the default is the caller's own.
    ///   - body: the closure, called once. What it captures is sent to the thread, and so is its result to the caller: values that are not
    ///     Sendable may cross if the sender does not use them any more. It is released after the call, or when the call is given up.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws; `CancellationError` if the task was cancelled before the call; `PerformError.threadHasFinished` or, if
    ///   the thread ends while the task waits, `PerformError.threadFinishedMeanwhile`. For the main thread, both are
    ///   `PerformError.mainThreadHasEnded`.
    public func run<Success>(
        inModes modes: [RunLoop.Mode] = [.common], isolation: isolated (any Actor)? = #isolation,
        _ body: sending @escaping () throws -> sending Success
    ) async throws -> sending Success {
        let call = AwaitedCall(body)
        do {
            try await performs.perform(inModes: modes, isolation: isolation) { call.call() }
        } catch PerformError.cancelled {
            throw CancellationError()
        }
        return try await call.result(isolation: isolation)
    }
}

extension RunLoop {
    /// Calls a closure on the loop's thread, in one of the next passes, and returns the closure's result.
    ///
    ///     let modes = try await RunLoop.main.run { RunLoop.main.allModes.count }
    ///
    /// The calling thread is not blocked meanwhile. The loop calls the closures in the order in which they were scheduled, together with
    /// those of `perform(inModes:block:)`; this method also wakes the loop. As there, a call does not end a `run(mode:before:)` of the
    /// loop. On the main loop, this is the same as `Thread.main.run(inModes:_:)`.
    ///
    /// If the task is cancelled before the call has begun, the loop does not make it. If the call has begun, it continues, and the task
    /// waits for it. May be called from any thread.
    /// - Parameters:
    ///   - modes: the modes in which the call may be made; `.common` stands for all common modes. An empty array traps.
    ///   - isolation: the actor on which the caller continues; the default is the caller's own.
    ///   - body: the closure, called once. What it captures is sent to the thread, and so is its result to the caller: values that are not
    ///     Sendable may cross if the sender does not use them any more. It is released after the call, or when the call is given up.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws; `CancellationError` if the task was cancelled before the call; `PerformError.threadHasFinished` or, if
    ///   the loop's thread ends while the task waits, `PerformError.threadFinishedMeanwhile`. For the main loop, both are
    ///   `PerformError.mainThreadHasEnded`.
    public func run<Success>(
        inModes modes: [RunLoop.Mode] = [.common], isolation: isolated (any Actor)? = #isolation,
        _ body: sending @escaping () throws -> sending Success
    ) async throws -> sending Success {
        precondition(!modes.isEmpty, "RunLoop.run(inModes:_:) needs at least one mode")
        if self === RunLoop.main { return try await Thread.main.run(inModes: modes, isolation: isolation, body) }
        let call = AwaitedCall(body)
        guard awaitedCalls.insert(call) else { throw PerformError.threadHasFinished }
        defer { awaitedCalls.remove(call) }
        perform(inModes: modes) { call.call() }
        wakeUp()
        return try await call.result(isolation: isolation)
    }
}

// MARK: - A call

/// A closure that one thread calls, and for whose result a task waits.
private final class AwaitedCall<Success>: GivenUpCall, Sendable {
    /// One thread at a time has the only reference to the closure, and then to its result.
    private let body: Mutex<Transferred<() throws -> Success>?>
    private let answer = OneAnswer<Result<Transferred<Success>, any Error>>()

    init(_ body: sending @escaping () throws -> sending Success) {
        self.body = Mutex(Transferred(body))
    }

    private func takeBody() -> Transferred<() throws -> Success>? { body.withLock { $0.take() } }

    /// Calls the closure, unless the call has been cancelled or given up.
    func call() {
        guard let body = takeBody() else { return }
        answer.give(Result { Transferred(try body.value()) })
    }

    func giveUp(_ error: any Error) {
        withExtendedLifetime(takeBody()) { answer.give(.failure(error)) }
    }

    /// Waits for the result. The cancellation of the task takes a call back that has not begun.
    func result(isolation: isolated (any Actor)?) async throws -> sending Success {
        try await answer.wait(isolation: isolation) {
            if let body = self.takeBody() { withExtendedLifetime(body) { self.answer.give(.failure(CancellationError())) } }
        }.get().value
    }
}

/// A call that the end of a thread gives up.
private protocol GivenUpCall: AnyObject, Sendable {
    /// Ends the wait with an error, although the closure may be running: the thread may end inside it.
    func giveUp(_ error: any Error)
}

/// The calls that wait for a loop. When the loop's thread ends, it gives them up.
final class AwaitedCallKeeper: LoopKeeper {
    private struct State {
        var calls: [ObjectIdentifier: any GivenUpCall] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// False if the loop's thread has ended.
    fileprivate func insert(_ call: any GivenUpCall) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.calls[ObjectIdentifier(call)] = call }
            return !state.isClosed
        }
    }

    fileprivate func remove(_ call: any GivenUpCall) {
        state.withLock { _ = $0.calls.removeValue(forKey: ObjectIdentifier(call)) } // the caller retains the call
    }

    func threadEnds(of runLoop: RunLoop) {
        let calls = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.calls
        }
        for call in calls.values { call.giveUp(PerformError.threadFinishedMeanwhile) }
    }
}
#endif
