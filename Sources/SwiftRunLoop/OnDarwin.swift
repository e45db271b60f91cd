// OnDarwin.swift: this module on Darwin, where the system has this run loop and Foundation has its Swift layer.
// `import SwiftRunLoop` is `import Foundation` there, so that one line serves a program that is built for both. What
// this layer adds for async code is an extension of Foundation's RunLoop.

#if canImport(Darwin)
internal import CoreFoundation
@_exported public import Foundation
import Synchronization

extension RunLoop {
    /// Calls a closure on the loop's thread, in one of the next passes, and returns the closure's result.
    ///
    /// If the task is cancelled before the call has begun, the loop does not make it. If the call has begun, it
    /// continues, and the task waits for it. An empty array of modes traps.
    /// - Throws: what `body` throws; `CancellationError` if the task was cancelled before the call, or if the loop ends
    ///   without it.
    public nonisolated(nonsending) func run<Success: Sendable>(
        inModes modes: [RunLoop.Mode] = [.common], _ body: @escaping @Sendable () throws -> Success
    ) async throws -> Success {
        precondition(!modes.isEmpty, "RunLoop.run(inModes:_:) needs at least one mode")
        let call = Call<Success>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if !call.isAwaited(by: continuation) { return continuation.resume(throwing: CancellationError()) }
                perform(inModes: modes) { [inLoop = CallInLoop(call: call)] in inLoop.make(body) }
                CFRunLoopWakeUp(getCFRunLoop())
            }
        } onCancel: {
            call.giveUp()
        }
    }

    /// Ends the innermost run of the loop after its current pass (CFRunLoopStop).
    public func stop() { CFRunLoopStop(getCFRunLoop()) }

    /// Wakes the loop's thread if it is asleep in the loop (CFRunLoopWakeUp).
    public func wakeUp() { CFRunLoopWakeUp(getCFRunLoop()) }
}

/// A call that a task awaits. It is taken once: to be made, or to be given up.
private final class Call<Success: Sendable>: Sendable {
    typealias Continuation = CheckedContinuation<Success, any Error>

    private let state = Mutex<(continuation: Continuation?, isOver: Bool)>((nil, false))

    /// False if the call has been given up before.
    func isAwaited(by continuation: Continuation) -> Bool {
        state.withLock { state in
            state.continuation = continuation
            return !state.isOver
        }
    }

    /// The caller is to resume the task; nil if somebody else does.
    func take() -> Continuation? {
        state.withLock { state in
            defer { state.isOver = true }
            return state.isOver ? nil : state.continuation
        }
    }

    /// The task has been cancelled, or the loop has ended.
    func giveUp() { take()?.resume(throwing: CancellationError()) }
}

/// The loop's reference to a call. If the loop releases it without a call, the call is given up.
private final class CallInLoop<Success: Sendable>: Sendable {
    private let call: Call<Success>

    init(call: Call<Success>) { self.call = call }

    func make(_ body: () throws -> Success) { call.take()?.resume(with: Result(catching: body)) }

    deinit { call.giveUp() }
}
#endif
