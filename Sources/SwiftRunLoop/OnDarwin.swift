// OnDarwin.swift: this module on Darwin, where the system has this run loop and Foundation has its Swift layer. `import SwiftRunLoop` is
// `import Foundation` there, so that one line serves a program that is built for both. What this layer adds for async code is an extension of
// Foundation's RunLoop.

#if canImport(Darwin)
internal import CoreFoundation
@_exported public import Foundation
import Synchronization

extension RunLoop {
    /// Calls a closure on the loop's thread, in one of the next passes, and returns the closure's result.
    ///
    ///     let modes = try await RunLoop.main.run { RunLoop.main.currentMode }
    ///
    /// If the task is cancelled before the call has begun, the loop does not make it. If the call has begun, it continues, and the task waits
    /// for it.
    /// - Parameters:
    ///   - modes: the modes in which the call may be made; `.common` stands for all common modes. An empty array traps.
    ///   - isolation: the actor on which the caller continues; the default is the caller's own.
    ///   - body: the closure, called once.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws; `CancellationError` if the task was cancelled before the call, or if the loop ends without it.
    public func run<Success: Sendable>(
        inModes modes: [RunLoop.Mode] = [.common], isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable () throws -> Success
    ) async throws -> Success {
        precondition(!modes.isEmpty, "RunLoop.run(inModes:_:) needs at least one mode")
        let call = Call(body)
        return try await withTaskCancellationHandler(operation: {
            try await withCheckedThrowingContinuation(isolation: isolation) { continuation in
                guard call.begin(continuation) else { return }
                let block = CallInLoop(call: call)
                perform(inModes: modes) { block.call.make() }
                CFRunLoopWakeUp(getCFRunLoop())
            }
        }, onCancel: { call.giveUp() }, isolation: isolation)
    }

    /// Ends the innermost run of the loop after its current pass (CFRunLoopStop).
    public func stop() { CFRunLoopStop(getCFRunLoop()) }

    /// Wakes the loop's thread if it is asleep in the loop (CFRunLoopWakeUp).
    public func wakeUp() { CFRunLoopWakeUp(getCFRunLoop()) }
}

/// A closure that a loop is to call, and the task that awaits its result. The task continues once: with the result, or when the call is given
/// up because the task has been cancelled or the loop has ended.
private final class Call<Success: Sendable>: Sendable {
    private struct State {
        var body: (@Sendable () throws -> Success)?
        var continuation: CheckedContinuation<Success, any Error>?
    }

    private let state: Mutex<State>

    init(_ body: @escaping @Sendable () throws -> Success) {
        state = Mutex(State(body: body))
    }

    /// False if the call has been given up before; then the task has its error.
    func begin(_ continuation: CheckedContinuation<Success, any Error>) -> Bool {
        let begins = state.withLock { state in
            if state.body != nil { state.continuation = continuation }
            return state.body != nil
        }
        if !begins { continuation.resume(throwing: CancellationError()) }
        return begins
    }

    /// Calls the closure on the loop's thread, unless the call has been given up.
    func make() {
        guard let body = state.withLock({ $0.body.take() }) else { return }
        let result = Result { try body() }
        state.withLock { $0.continuation.take() }?.resume(with: result)
    }

    func giveUp() {
        let (body, continuation) = state.withLock { state in
            guard let body = state.body.take() else { return (nil, nil) as ((@Sendable () throws -> Success)?, CheckedContinuation<Success, any Error>?) }
            return (body, state.continuation.take())
        }
        withExtendedLifetime(body) { continuation?.resume(throwing: CancellationError()) }
    }
}

/// The loop's reference to a call. If the loop releases it without a call, the call is given up.
private final class CallInLoop<Success: Sendable>: Sendable {
    let call: Call<Success>

    init(call: Call<Success>) {
        self.call = call
    }

    deinit {
        call.giveUp()
    }
}
#endif
