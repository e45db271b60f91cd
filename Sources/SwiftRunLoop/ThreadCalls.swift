// ThreadCalls.swift: the way from other threads to the calls of a thread's loop.

#if os(Linux)
internal import CRunLoop

/// A thread as other threads reach its loop.
///
/// If the thread has no loop, the thread that makes the first call makes it. A thread that never asks for its loop, and
/// for which there are no calls, has no loop (R3). The loop is made without a lock, because that may take down the loop
/// of another thread that has ended, which calls clients. The target thread must live meanwhile: before it ends, it
/// waits until no other thread is making its loop (`makers`).
@safe final class ThreadCalls: @unchecked Sendable {
    private enum Life {
        case notBegun
        case running(RunningThread)
        case ended
    }

    private let isMainThreads: Bool
    private let monitor = Monitor() // guards all that follows
    private var life: Life
    private var kept: [Call] = [] // until the thread begins
    private var runLoop: RunLoop? // if another thread has asked for it
    private var makers = 0

    /// Nil stands for a thread that has not begun.
    init(on thread: RunningThread? = nil) {
        isMainThreads = thread?.isMainThread ?? false
        life = thread.map(Life.running) ?? .notBegun
    }

    /// Whether it is the main thread's, and that has ended, although the process continues.
    var isEndedMainThreads: Bool { isMainThreads && _CFMainThreadHasEnded() }

    /// The thread, if it is running.
    var running: RunningThread? {
        if isEndedMainThreads { return nil }
        return monitor.locked {
            if case .running(let thread) = life { thread } else { nil }
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
        monitor.locked {
            if kept.isEmpty { life = .running(thread) }
            defer { kept = [] }
            return kept.isEmpty ? nil : kept
        }
    }

    /// Refuses calls from now on, and ends those that wait. Call this on the thread or, if that never began, on any
    /// thread.
    func end() {
        let (calls, runLoop) = monitor.locked {
            life = .ended
            while makers > 0 { _ = monitor.wait(until: .distantFuture) }
            defer { (kept, self.runLoop) = ([], nil) }
            return (kept, self.runLoop)
        }
        let error = isMainThreads ? PerformError.mainThreadHasEnded : .threadFinishedMeanwhile
        for call in calls { call.end(error) }
        guard let runLoop else { return }
        _ = CFRunLoop.current // so that the thread takes its loop down when it ends
        runLoop.calls.end(error)
    }

    /// Adds a call to the queue of the thread's loop.
    func add(_ call: Call) throws(PerformError) {
        switch monitor.locked({ place(for: call) }) {
        case .ended: throw isMainThreads ? .mainThreadHasEnded : .threadHasFinished
        case .kept: break
        case .loop(let runLoop): try runLoop.calls.add(call, to: runLoop)
        case .unmade(let thread):
            let made = CFRunLoop.ofThread(thread.pthread).runLoop // DOES CALLOUT
            monitor.locked {
                runLoop = made
                makers -= 1
                if makers == 0 { monitor.wakeAll() }
            }
            try made.calls.add(call, to: made)
        }
    }

    private enum Place { case ended, kept, loop(RunLoop), unmade(of: RunningThread) }

    /// Call with the monitor locked.
    private func place(for call: Call) -> Place {
        if isEndedMainThreads { return .ended }
        switch life {
        case .ended: return .ended
        case .notBegun:
            kept.append(call)
            return .kept
        case .running(let thread):
            if let runLoop { return .loop(runLoop) }
            makers += 1
            return .unmade(of: thread)
        }
    }
}
#endif
