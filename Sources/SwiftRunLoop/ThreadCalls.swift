// ThreadCalls.swift: the way from other threads to a thread's loop.

#if os(Linux)
internal import CRunLoop
internal import Dispatch
import Synchronization

/// How other threads reach the loop of this one.
///
/// If the thread has no loop, the thread that makes the first call makes it. A thread that never asks for its loop, and
/// for which there are no calls, has no loop (R3). The loop is made without a lock, because that may take down the loop
/// of another thread that has ended, which calls clients. The target thread must live meanwhile: before it ends, it
/// waits until no other thread is making its loop (`makers`).
extension Thread {
    /// The thread's lock guards it.
    struct Calls {
        var kept: [Call] = [] // until the thread begins
        var runLoop: RunLoop? // if another thread has asked for it
        var makers = 0
        var lastMaker: DispatchSemaphore? // what the ending thread waits for
    }

    /// Marks the thread as executing, and adds the calls that have been kept for its loop. Call this on the thread.
    func begin(on thread: RunningThread) {
        while let calls = take(orBegin: thread) {
            let runLoop = RunLoop.current
            for call in calls { try? runLoop.calls.add(call, to: runLoop) }
        }
    }

    /// Takes the calls that have been kept. If there are none, the thread is executing from now on.
    private func take(orBegin thread: RunningThread) -> [Call]? {
        state.withLock { state in
            if !state.calls.kept.isEmpty {
                defer { state.calls.kept = [] }
                return state.calls.kept
            }
            state.life = .executing(thread)
            if let name = state.name { setKernelName(of: thread.pthread, to: name) }
            return nil
        }
    }

    /// Marks the thread as finished. From now on, no call can be performed on it, and no code may use its pthread. The
    /// calls that wait end. Call this on the thread or, if it never began, on any thread. A second call does nothing.
    func finish() {
        let lastMaker = state.withLock { state in
            state.life = .finished
            if state.calls.makers > 0 { state.calls.lastMaker = DispatchSemaphore(value: 0) }
            return state.calls.lastMaker
        }
        lastMaker?.wait()
        let calls = state.withLock { state in
            defer { state.calls = Calls() }
            return state.calls
        }
        let error = self === Thread.mainThread ? PerformError.mainThreadHasEnded : .threadFinishedMeanwhile
        for call in calls.kept { call.end(error) }
        guard let runLoop = calls.runLoop else { return }
        loopAtEnd = RunLoop.current // which the thread takes down when it ends
        runLoop.calls.end(error)
    }

    /// Adds a call to the queue of the thread's loop.
    func add(_ call: Call) throws(PerformError) {
        switch place(for: call) {
        case .ended: throw self === Thread.mainThread ? .mainThreadHasEnded : .threadHasFinished
        case .kept: break
        case .loop(let runLoop): try runLoop.calls.add(call, to: runLoop)
        case .unmade(let thread):
            let made = _CFRunLoopGet0(thread.pthread).runLoop // DOES CALLOUT
            state.withLock { state in
                state.calls.runLoop = made
                state.calls.makers -= 1
                if state.calls.makers == 0 { state.calls.lastMaker.take()?.signal() }
            }
            try made.calls.add(call, to: made)
        }
    }

    private enum Place { case ended, kept, loop(RunLoop), unmade(of: RunningThread) }

    private func place(for call: Call) -> Place {
        state.withLock { state in
            switch state.life {
            case .finished: return .ended
            case .created, .starting:
                state.calls.kept.append(call)
                return .kept
            case .executing(let thread):
                // The main thread can end at any moment, without this lock.
                if thread.isEndedMainThread { return .ended }
                if let runLoop = state.calls.runLoop { return .loop(runLoop) }
                state.calls.makers += 1
                return .unmade(of: thread)
            }
        }
    }
}
#endif
