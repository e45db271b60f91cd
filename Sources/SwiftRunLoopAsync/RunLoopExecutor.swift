// RunLoopExecutor.swift: any run loop as the executor of actors and tasks. On a Mac only the main loop serves Swift's
// concurrency, through the main queue and for the main actor.
//
// Claims in ANNOTATIONS.md: (A1)

#if os(Linux)
internal import Dispatch
public import SwiftRunLoop
import Synchronization

/// A loop runs the jobs of actors and tasks on its thread, between its other calls.
///
///     actor Archive {
///         private let worker = RunLoop.Worker(name: "archive")
///         nonisolated var unownedExecutor: UnownedSerialExecutor { worker.loop.asUnownedSerialExecutor() }
///     }
///
/// As a task's executor: `Task(executorPreference: worker.loop) { … }`.
///
/// The loop must run in one of its common modes. While jobs wait, a version 0 source is in these modes. The job with
/// the highest priority runs first; jobs of one priority run in the order in which they were enqueued, and the turn of
/// a lower priority comes after about 64 jobs of higher ones. A pass runs as many jobs as wait when it performs the
/// source, so that jobs and timers take turns. If a job runs the loop itself, the other jobs wait until it has
/// returned.
///
/// All code that the loop's thread calls, such as a timer's closure, counts as isolated to the actors of the loop, so
/// `assumeIsolated` succeeds there.
///
/// An `UnownedSerialExecutor` retains nothing, so an actor keeps its worker or loop in a property. When the loop's
/// thread has ended, a serial dispatch queue runs the jobs, such as the rest of a suspended task: no job is lost, and
/// no two run at the same time. The main thread can end before the process does: with `dispatchMain()`, or with an
/// async main that does not run the main loop (`RunLoop.runsInAsyncMain`).
extension RunLoop: SerialExecutor, TaskExecutor {
    /// Accepts a job. Swift's runtime calls this on any thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        // Once another thread can take the job, it may end, and with it the last reference to the loop.
        let job = UnownedJob(job)
        whileRetained { jobs.enqueue(job, for: self) }
    }

    /// Whether the calling thread runs the loop's jobs, so that it may use the state of the actors whose executor it
    /// is.
    public func isIsolatingCurrentContext() -> Bool? { jobs.isIsolated(to: self) }

    /// Traps unless the calling thread runs the loop's jobs.
    public func checkIsolated() {
        require(jobs.isIsolated(to: self), "this code must run on the thread of the run loop that is its executor")
    }

    private var jobs: LoopJobs { companion { LoopJobs() } }
}

/// The jobs of one loop.
private final class LoopJobs: LoopCompanion {
    /// Who runs the jobs, and what that one does. Only an idle one is notified, because one call is enough for all jobs
    /// that arrive before it takes effect, and because a job that runs the loop must not have others run inside it.
    private enum Runner {
        case idle

        /// It has been notified, or is about to be, and has not begun to run jobs.
        case notified
        case running(on: pthread_t)
    }

    private struct State: @unchecked Sendable { // the lock guards the jobs
        var waiting = JobQueue()
        var runner = Runner.idle

        /// What runs the jobs after the end of the loop.
        var queue: DispatchQueue?
        var source: RunLoop.Source? // in the loop's common modes while jobs wait or run there
    }

    private let state = Mutex(State())

    /// A loop is an executor while its thread lives, also between jobs; after its end, the queue is.
    func isIsolated(to runLoop: RunLoop) -> Bool {
        state.withLock { state in
            if case .running(let thread) = state.runner, pthread_equal(thread, pthread_self()) != 0 { return true }
            return state.queue == nil && runLoop.isCurrent
        }
    }

    func enqueue(_ job: UnownedJob, for runLoop: RunLoop) {
        let isAsleep = state.withLock { state in
            state.waiting.append(job)
            if case .idle = state.runner { return notify(&state, runLoop) }
            return false
        }
        if isAsleep, !runLoop.hasEnded {
            runLoop.wakeUp()
            runLoop.reportIfUnserved()
        }
    }

    /// Has the waiting jobs run. The loop calls nobody here, so the lock may be held. The source leaves the loop with
    /// the lock, too: otherwise it might leave after another thread has added it again.
    /// - Returns: whether the caller must wake the loop.
    @discardableResult
    private func notify(_ state: inout State, _ runLoop: RunLoop) -> Bool {
        state.runner = .notified
        if let queue = state.queue {
            queue.async { self.runJobs(of: runLoop) }
            return false
        }
        let source = state.source ?? RunLoop.Source { [weak self] in self?.runJobs(of: .current) }
        state.source = source
        runLoop.add(source, forMode: .common)
        source.signal()
        return true
    }

    /// Runs the jobs that wait now. In a stack, this is the frame between the loop's callout and the job.
    @inline(never)
    private func runJobs(of runLoop: RunLoop) {
        let count = state.withLock { state in
            if case .running = state.runner { fatalError("RunLoop: a job runs inside another job") }
            state.runner = .running(on: pthread_self())
            return state.waiting.count
        }
        for _ in 0..<count {
            guard let job = state.withLock({ $0.waiting.takeNext() }) else { break }
            // Safe because no other code has the job. No wrapper: its frame would be in the stack of every job.
            unsafe job.runSynchronously(
                isolatedTo: runLoop.asUnownedSerialExecutor(), taskExecutor: runLoop.asUnownedTaskExecutor())
        }
        state.withLock { state in
            state.runner = .idle
            if state.waiting.count > 0 {
                notify(&state, runLoop) // a loop that has performed a source makes another pass before it sleeps
            } else if let source = state.source {
                runLoop.remove(source, forMode: .common)
            }
        }
    }

    func loopEnds(_ runLoop: RunLoop) {
        state.withLock { state in
            if let source = state.source.take() { runLoop.remove(source, forMode: .common) }
            state.queue = DispatchQueue(label: "RunLoop.jobs")
            state.runner = .idle // a job that was running has ended the thread
            if state.waiting.count > 0 { notify(&state, runLoop) }
        }
    }
}
#endif
