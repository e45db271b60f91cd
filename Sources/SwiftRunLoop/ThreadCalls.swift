// ThreadCalls.swift: the way from other threads to the calls of a thread's loop.

#if os(Linux)
internal import CRunLoop
internal import Dispatch
import Synchronization

/// A thread as other threads reach its loop.
///
/// If the thread has no loop, the thread that makes the first call makes it. A thread that never asks for its loop, and
/// for which there are no calls, has no loop (R3). The loop is made without a lock, because that may take down the loop
/// of another thread that has ended, which calls clients. The target thread must live meanwhile: before it ends, it
/// waits until no other thread is making its loop (`makers`).
final class ThreadCalls: Sendable {
    private enum Life { case notBegun, running(RunningThread), ended }

    private struct State {
        var life: Life
        var kept: [Call] = [] // until the thread begins
        var runLoop: RunLoop? // if another thread has asked for it
        var makers = 0
        var lastMaker: DispatchSemaphore? // what the ending thread waits for
    }

    private let isMainThreads: Bool
    private let state: Mutex<State>

    /// Nil stands for a thread that has not begun.
    init(on thread: RunningThread? = nil) {
        isMainThreads = thread?.isMainThread ?? false
        state = Mutex(State(life: thread.map(Life.running) ?? .notBegun))
    }

    /// Whether it is the main thread's, and that has ended, although the process continues.
    var isEndedMainThreads: Bool { isMainThreads && _CFMainThreadHasEnded() }

    /// The thread, if it is running.
    var running: RunningThread? {
        if isEndedMainThreads { return nil }
        return state.withLock { state in
            if case .running(let thread) = state.life { thread } else { nil }
        }
    }

    /// Adds the calls that have been kept for the thread's loop. Call this on the thread.
    func begin(on thread: RunningThread) {
        while let calls = take(orBegin: thread) {
            let runLoop = CFRunLoop.current.runLoop
            for call in calls { try? runLoop.calls.add(call, to: runLoop) }
        }
    }

    /// Takes the calls that have been kept. If there are none, the thread is running from now on.
    private func take(orBegin thread: RunningThread) -> [Call]? {
        state.withLock { state in
            if state.kept.isEmpty { state.life = .running(thread) }
            defer { state.kept = [] }
            return state.kept.isEmpty ? nil : state.kept
        }
    }

    /// Refuses calls from now on, and ends those that wait. Call this on the thread or, if that never began, on any
    /// thread.
    func end() {
        let lastMaker = state.withLock { state in
            state.life = .ended
            if state.makers > 0 { state.lastMaker = DispatchSemaphore(value: 0) }
            return state.lastMaker
        }
        lastMaker?.wait()
        let (calls, runLoop) = state.withLock { state in
            defer { (state.kept, state.runLoop) = ([], nil) }
            return (state.kept, state.runLoop)
        }
        let error = isMainThreads ? PerformError.mainThreadHasEnded : .threadFinishedMeanwhile
        for call in calls { call.end(error) }
        guard let runLoop else { return }
        _ = CFRunLoop.current // so that the thread takes its loop down when it ends
        runLoop.calls.end(error)
    }

    /// Adds a call to the queue of the thread's loop.
    func add(_ call: Call) throws(PerformError) {
        switch place(for: call) {
        case .ended: throw isMainThreads ? .mainThreadHasEnded : .threadHasFinished
        case .kept: break
        case .loop(let runLoop): try runLoop.calls.add(call, to: runLoop)
        case .unmade(let thread):
            let made = CFRunLoop.ofThread(thread.pthread).runLoop // DOES CALLOUT
            state.withLock { state in
                state.runLoop = made
                state.makers -= 1
                if state.makers == 0 { state.lastMaker.take()?.signal() }
            }
            try made.calls.add(call, to: made)
        }
    }

    private enum Place { case ended, kept, loop(RunLoop), unmade(of: RunningThread) }

    private func place(for call: Call) -> Place {
        if isEndedMainThreads { return .ended }
        return state.withLock { state in
            switch state.life {
            case .ended: return .ended
            case .notBegun:
                state.kept.append(call)
                return .kept
            case .running(let thread):
                if let runLoop = state.runLoop { return .loop(runLoop) }
                state.makers += 1
                return .unmade(of: thread)
            }
        }
    }
}
#endif
