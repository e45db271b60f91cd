// OneAnswer.swift: an answer that an async function waits for. Another thread gives it, or the cancellation of the task
// does.

#if os(Linux) || canImport(Darwin)
import Synchronization

/// An answer that any thread gives once, before or after the task waits for it. Later answers are ignored.
package final class OneAnswer<Answer: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Answer, Never>)
        case given(Answer)
        case over
    }

    private let state = Mutex(State.open)

    package init() {}

    /// Gives the answer. If the task is waiting, it continues.
    package func give(_ answer: Answer) {
        let continuation: CheckedContinuation<Answer, Never>? = state.withLock { state in
            switch state {
            case .open:
                state = .given(answer)
                return nil
            case .awaited(let continuation):
                state = .over
                return continuation
            case .given, .over: return nil
            }
        }
        continuation?.resume(returning: answer)
    }

    /// Waits for the answer, in the caller's isolation. Call this once. If the task is cancelled meanwhile, `onCancel`
    /// is called on any thread.
    package nonisolated(nonsending) func wait(onCancel: @Sendable () -> Void) async -> Answer {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let given: Answer? = state.withLock { state in
                    if case .given(let answer) = state { return answer }
                    state = .awaited(continuation)
                    return nil
                }
                if let given { continuation.resume(returning: given) }
            }
        } onCancel: {
            onCancel()
        }
    }
}
#endif
