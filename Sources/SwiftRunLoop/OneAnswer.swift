// OneAnswer.swift: what an async function waits for when another thread has the answer, or the task is cancelled first.

import Synchronization

/// An answer that is given once, by any thread, before or after the task waits for it. Later ones are ignored.
final class OneAnswer<Answer: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Answer, Never>)
        case given(Answer)
        case over
    }

    private let state = Mutex(State.open)

    /// Gives the answer, and lets the task go on if it waits.
    func give(_ answer: Answer) {
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

    /// Waits for the answer. To be called once. Stays in the caller's isolation.
    /// - Parameters:
    ///   - onCancel: called when the task is cancelled meanwhile, on any thread; it may give an answer.
    func wait(isolation: isolated (any Actor)?, onCancel: @Sendable () -> Void) async -> Answer {
        await withTaskCancellationHandler(operation: {
            await withCheckedContinuation(isolation: isolation) { continuation in
                let given: Answer? = state.withLock { state in
                    if case .given(let answer) = state { return answer }
                    state = .awaited(continuation)
                    return nil
                }
                if let given { continuation.resume(returning: given) }
            }
        }, onCancel: onCancel, isolation: isolation)
    }
}
