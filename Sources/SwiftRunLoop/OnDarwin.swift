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
        try Task.checkCancellation()
        let call = Call(body)
        perform(inModes: modes) { [inLoop = CallInLoop(call: call)] in inLoop.call.make() }
        CFRunLoopWakeUp(getCFRunLoop())
        return try await call.answer.wait { call.giveUp() }.get()
    }

    /// Ends the innermost run of the loop after its current pass (CFRunLoopStop).
    public func stop() { CFRunLoopStop(getCFRunLoop()) }

    /// Wakes the loop's thread if it is asleep in the loop (CFRunLoopWakeUp).
    public func wakeUp() { CFRunLoopWakeUp(getCFRunLoop()) }
}

/// A closure that a loop is to call, and the answer for the task that awaits it: the result or, if the call is given
/// up, an error.
private final class Call<Success: Sendable>: Sendable {
    let answer = OneAnswer<Result<Success, any Error>>()
    private let body: Mutex<(@Sendable () throws -> Success)?>

    init(_ body: @escaping @Sendable () throws -> Success) { self.body = Mutex(body) }

    /// Calls the closure on the loop's thread, unless the call has been given up.
    func make() {
        guard let body = body.withLock({ $0.take() }) else { return }
        answer.give(Result { try body() })
    }

    /// The task has been cancelled, or the loop has ended.
    func giveUp() {
        if body.withLock({ $0.take() }) != nil { answer.give(.failure(CancellationError())) }
    }
}

/// The loop's reference to a call. If the loop releases it without a call, the call is given up.
private final class CallInLoop<Success: Sendable>: Sendable {
    let call: Call<Success>

    init(call: Call<Success>) { self.call = call }

    deinit { call.giveUp() }
}
#endif
