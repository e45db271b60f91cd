// EventDemand.swift: tasks that ask for the next event of a port or descriptor. The loop's thread looks for an event only while a task asks
// for one.

#if os(Linux)
import Synchronization

/// The iterations over the events of one object, and the tasks that await an event. May be used from any thread.
final class EventDemand<Event: Sendable>: Sendable {
    private struct State {
        var iterations: Set<Int> = []
        var lastIteration = 0
        /// The tasks, in the order in which they came. There is at most one for each iteration.
        var waiters: [(iteration: Int, continuation: CheckedContinuation<Event?, Never>)] = []
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Whether a task awaits an event.
    var isAwaited: Bool { state.withLock { !$0.waiters.isEmpty } }

    /// Whether there is an iteration.
    var hasIterations: Bool { state.withLock { !$0.iterations.isEmpty } }

    /// Begins an iteration, and returns its number.
    func begin() -> Int {
        state.withLock { state in
            state.lastIteration += 1
            if !state.isFinished { state.iterations.insert(state.lastIteration) }
            return state.lastIteration
        }
    }

    /// Ends an iteration. The task that awaits its event receives nil. A second call does nothing.
    /// - Returns: whether the iteration was there.
    @discardableResult
    func end(_ iteration: Int) -> Bool {
        let (wasThere, waiter) = state.withLock { state in
            let index = state.waiters.firstIndex { $0.iteration == iteration }
            return (state.iterations.remove(iteration) != nil, index.map { state.waiters.remove(at: $0).continuation })
        }
        waiter?.resume(returning: nil)
        return wasThere
    }

    /// Ends all iterations permanently.
    func finish() {
        let waiters = state.withLock { state in
            defer { state = State(lastIteration: state.lastIteration, isFinished: true) }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: nil) }
    }

    /// Gives an event to all tasks that await one.
    func giveToAll(_ event: Event) {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: event) }
    }

    /// Gives an event to the task that has waited longest. If no task awaits one, `take` is not called.
    /// - Parameter take: returns the event, or nil if there is none. Called with the lock held.
    func giveToFirst(_ take: () -> Event?) {
        let (waiter, event): (CheckedContinuation<Event?, Never>?, Event?) = state.withLock { state in
            guard !state.waiters.isEmpty, let event = take() else { return (nil, nil) }
            return (state.waiters.removeFirst().continuation, event)
        }
        waiter?.resume(returning: event)
    }

    /// Awaits an event. Returns nil if the iteration has ended or ends meanwhile.
    /// - Parameters:
    ///   - ask: called when the task is waiting, on the calling thread, without the lock.
    ///   - cancel: called if the task is cancelled, on any thread. It ends the iteration.
    func next(
        in iteration: Int, isolation: isolated (any Actor)?, ask: () -> Void, cancel: @Sendable () -> Void
    ) async -> Event? {
        await withTaskCancellationHandler(operation: {
            await withCheckedContinuation(isolation: isolation) { continuation in
                let waits = state.withLock { state in
                    guard state.iterations.contains(iteration) else { return false }
                    precondition(!state.waiters.contains { $0.iteration == iteration }, "two tasks await the events of one iterator")
                    state.waiters.append((iteration, continuation))
                    return true
                }
                if waits { ask() } else { continuation.resume(returning: nil) }
            }
        }, onCancel: cancel, isolation: isolation)
    }
}
#endif
