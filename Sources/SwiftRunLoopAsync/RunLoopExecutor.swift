// RunLoopExecutor.swift: RunLoop.LoopExecutor, for actors and tasks on a run loop's thread. On a Mac only the main loop serves Swift's
// concurrency, through the main queue and for the main actor. Here any loop can.
//
// Claims in ANNOTATIONS.md: (A1)

#if os(Linux)
internal import Dispatch
public import SwiftRunLoop
import Synchronization

extension RunLoop {
    /// Runs the jobs of actors and tasks on the thread of a run loop, between its other calls.
    ///
    ///     actor Archive {
    ///         private let executor = RunLoop.LoopExecutor(name: "archive") // makes its own thread
    ///         nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    ///     }
    ///
    /// As a task's executor: `Task(executorPreference: executor) { … }` or `withTaskExecutorPreference(executor) { … }`.
    ///
    /// Jobs arrive through a version 0 source. The waiting job with the highest priority runs first; jobs of the same priority run in the
    /// order in which they were enqueued. A job of a lower priority does not wait forever: its turn comes after about 64 jobs of higher
    /// priorities. A pass of the loop runs as many jobs as are waiting when it performs the source, so that jobs and timers take turns. A
    /// job never runs inside another one: if a job runs the loop itself (a nested run), the other jobs wait until it has returned.
    ///
    /// All code that the loop's thread calls, such as a timer's closure, counts as isolated to the executor's actors, so `assumeIsolated`
    /// succeeds there. All members may be used from any thread.
    ///
    /// An executor lives as long as you keep a reference to it, or jobs wait for it; then it leaves its loop, and its own thread ends. An
    /// `UnownedSerialExecutor` does not retain it, so an actor must keep its executor in a property.
    ///
    /// ## Leaving the loop
    ///
    /// After `stop()`, the loop's thread runs the waiting jobs, and then the executor leaves the loop. If the thread ends earlier, the
    /// executor leaves the loop at that moment. From then on, a serial dispatch queue runs the jobs, such as the rest of a suspended task.
    /// No job is lost, and no two jobs run at the same time.
    ///
    /// The main thread can end before the process does: with `dispatchMain()`, or with an async main that does not run the main loop
    /// (`RunLoop.runsInAsyncMain`). An executor on the main loop leaves the loop then, so its jobs do not run on the main thread in such a
    /// program.
    public final class LoopExecutor: SerialExecutor, TaskExecutor, CustomStringConvertible {
        private let state = Mutex(State())
        private let name: String
        /// The executor enters this group when it is made, and leaves it together with its loop.
        private let loopHasBeenLeft = DispatchGroup()

        private init(name: String) {
            self.name = name
            loopHasBeenLeft.enter()
        }

        /// Makes an executor for the jobs of a loop that other code runs.
        /// - Parameters:
        ///   - runLoop: the loop.
        ///   - mode: the mode in which the loop runs the jobs. In the main loop's common modes, they take turns with the jobs of the main
        ///     queue and of the main actor.
        public convenience init(runLoop: RunLoop, forMode mode: RunLoop.Mode = .common) {
            self.init(name: "run loop")
            join(runLoop, mode)
        }

        /// Makes an executor with its own thread, which runs its loop in the default mode until `stop()` or until the last reference to the
        /// executor goes.
        ///
        /// If the system cannot create the thread, the executor has left its loop from the start, so a dispatch queue runs its jobs.
        /// - Parameters:
        ///   - name: the thread's name, as `Thread.name`.
        ///   - stackSize: the size of the thread's stack in bytes, as `Thread.stackSize`; 0 stands for the default.
        public convenience init(name: String = "RunLoop.LoopExecutor", stackSize: Int = 0) {
            self.init(name: name)
            let thread = Thread { [weak self] in
                self?.join(RunLoop.current, .default)
                while self?.hasLeftLoop == false { RunLoop.current.run(mode: .default, before: .distantFuture) }
            }
            thread.name = name
            if stackSize > 0 { thread.stackSize = stackSize }
            thread.start()
            if thread.startError != 0 { leaveLoop() }
        }

        /// The last reference has gone, and with it every job: a job's actor or task has one.
        deinit { _ = depart() }

        /// Adds the source. The loop does not retain the executor: a source of each actor that has gone would stay in a loop that goes on.
        private func join(_ runLoop: RunLoop, _ mode: RunLoop.Mode) {
            if runLoop.hasEnded { return leaveLoop() }
            let source = RunLoop.Source(cancel: { [weak self] _, _ in self?.leaveLoop() }, perform: { [weak self] in self?.runJobs() })
            runLoop.add(source, forMode: mode)
            let isIn = runLoop.contains(source, forMode: mode) // false if the loop's thread has ended
            let loop = Loop(runLoop: runLoop, source: source)
            notify(state.withLock { isIn ? $0.join(loop) : nil })
            if !isIn { return leaveLoop() }
        }

        // MARK: - Leaving the loop

        /// Runs the waiting jobs on the loop, and then takes the executor out of the loop.
        ///
        /// A thread that the executor has made ends then. This does not wait. A second call does nothing.
        public func stop() {
            notify(state.withLock { $0.stop() })
        }

        /// Runs the waiting jobs on the loop, takes the executor out of the loop, and returns when that is done.
        ///
        /// A thread that the executor has made ends then. This does not block the calling thread, and you may await it on the loop's own
        /// thread; a dispatch queue runs the code that follows. The cancellation of the task does not end the wait.
        public func stop(isolation: isolated (any Actor)? = #isolation) async {
            notify(state.withLock { $0.stop() })
            let answer = OneAnswer<Void>()
            loopHasBeenLeft.notify(queue: .global()) { answer.give(()) }
            await answer.wait {}
        }

        /// Blocks the calling thread until the executor has left its loop, after `stop()` or because the loop's thread has ended.
        ///
        /// On the loop's own thread, which would wait forever, this traps.
        @available(*, noasync, message: "await stop(), which does not block the thread")
        public func waitUntilStopped() {
            precondition(!state.withLock { $0.isOnLoopThread }, "waitUntilStopped() must not be called on the executor's own thread")
            loopHasBeenLeft.wait()
        }

        /// Whether the executor has left its loop, so that a dispatch queue runs its jobs.
        public var hasLeftLoop: Bool { state.withLock { $0.hasLeftLoop } }

        /// Called by `runJobs()` after its last job, and by the source's `cancel` when the thread ends. In that case jobs may still wait.
        private func leaveLoop() {
            notify(depart())
        }

        /// Takes the executor out of the loop.
        /// - Returns: the queue, if jobs wait.
        private func depart() -> Callee? {
            guard let departure = state.withLock({ $0.leaveLoop(queueLabel: name) }) else { return nil }
            departure.loop?.source.invalidate()
            // A run ends if its mode has become empty, which a sleeping loop does not notice.
            if let runLoop = departure.loop?.runLoop, !runLoop.hasEnded { runLoop.wakeUp() }
            loopHasBeenLeft.leave()
            return departure.callee
        }

        // MARK: - Jobs

        /// Accepts a job.
        ///
        /// Swift's runtime calls this.
        public func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            notify(state.withLock { $0.enqueue(job) })
        }

        private func notify(_ callee: Callee?) {
            switch callee {
            case .loop(let loop):
                loop.source.signal()
                if !loop.runLoop.hasEnded { loop.runLoop.wakeUp() } // else the source's `cancel` has its jobs run elsewhere
            case .queue(let queue):
                queue.async { self.runJobs() }
            case nil:
                break
            }
        }

        /// Runs jobs on the loop's thread or, after the loop, on the queue. In a stack, this is the frame between the loop's callout and
        /// the job.
        @inline(never)
        private func runJobs() {
            for _ in 0..<state.withLock({ $0.begin() }) {
                guard let job = state.withLock({ $0.waiting.takeNext() }) else { break }
                // Safe because no other code has the job. No wrapper: its frame would be in the stack of every job.
                unsafe job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            }
            let (callee, isLast) = state.withLock { $0.end() }
            if isLast { leaveLoop() }
            notify(callee)
        }

        // MARK: - Isolation

        /// Whether the calling thread runs the jobs, so that it may use the state of the executor's actors.
        public func isIsolatingCurrentContext() -> Bool? {
            state.withLock { $0.isIsolated }
        }

        /// Traps unless the calling thread runs the jobs.
        public func checkIsolated() {
            precondition(state.withLock { $0.isIsolated }, "this code must run on the thread of \(self)")
        }

        /// The executor's name, and whether it has left its loop.
        public var description: String {
            "<RunLoop.LoopExecutor \"\(name)\", \(hasLeftLoop ? "has left its loop" : "in its loop")>"
        }
    }
}

// MARK: - Its state

/// A loop and the source in it. The executor calls only members that any thread may call.
private struct Loop: @unchecked Sendable {
    let runLoop: RunLoop
    let source: RunLoop.Source
}

/// The loop or queue that runs the jobs, and that must be notified when there are any.
private enum Callee: Sendable {
    case loop(Loop)
    case queue(DispatchQueue)
}

/// The data that the lock guards.
private struct State: @unchecked Sendable {
    /// Where the jobs are run. An executor goes through these states from top to bottom; it may skip `inLoop`.
    private enum Place {
        /// The executor has no loop yet. Jobs wait.
        case beforeLoop
        case inLoop(Loop)
        /// The executor has left its loop. The queue runs the jobs that come later.
        case afterLoop(DispatchQueue)
    }

    /// What the callee is doing. Only an idle one is notified, because one call is enough for all jobs that arrive before it takes effect,
    /// and because a job that runs the loop must not have other jobs run inside it.
    private enum CalleeState {
        case idle
        /// It has been notified, or is about to be, and has not begun to run jobs.
        case notified
        case running(on: pthread_t)
    }

    var waiting = JobQueue()
    private var place = Place.beforeLoop
    private var calleeState = CalleeState.idle
    private var isStopping = false

    var hasLeftLoop: Bool { if case .afterLoop = place { true } else { false } }

    var isOnLoopThread: Bool { if case .inLoop(let loop) = place { loop.runLoop.isCurrent } else { false } }

    /// True on the loop's thread between jobs, too.
    var isIsolated: Bool {
        if isOnLoopThread { return true }
        return if case .running(let thread) = calleeState { pthread_equal(thread, pthread_self()) != 0 } else { false }
    }

    mutating func join(_ loop: Loop) -> Callee? {
        if hasLeftLoop { return nil }
        place = .inLoop(loop)
        return waiting.isEmpty && !isStopping ? nil : notifyIdleCallee()
    }

    mutating func enqueue(_ job: UnownedJob) -> Callee? {
        waiting.append(job)
        return notifyIdleCallee()
    }

    mutating func stop() -> Callee? {
        isStopping = true
        return hasLeftLoop ? nil : notifyIdleCallee()
    }

    /// - Returns: the callee, if the caller is to notify it. There is none before the loop, so `join` calls this again.
    private mutating func notifyIdleCallee() -> Callee? {
        guard case .idle = calleeState else { return nil }
        let callee: Callee
        switch place {
        case .beforeLoop: return nil
        case .inLoop(let loop): callee = .loop(loop)
        case .afterLoop(let queue): callee = .queue(queue)
        }
        calleeState = .notified
        return callee
    }

    /// Begins to run jobs.
    /// - Returns: the number of jobs to run.
    mutating func begin() -> Int {
        if case .running = calleeState { preconditionFailure("RunLoop.LoopExecutor: a job runs inside another job") }
        calleeState = .running(on: pthread_self())
        return waiting.count
    }

    /// - Returns: the callee if more jobs wait, and whether that was the last job in the loop.
    mutating func end() -> (Callee?, isLast: Bool) {
        calleeState = .idle
        if !waiting.isEmpty { return (notifyIdleCallee(), false) }
        return (nil, isStopping && !hasLeftLoop)
    }

    /// - Returns: the loop, if the executor had joined one, and the callee if jobs wait; nil if the executor has left before.
    mutating func leaveLoop(queueLabel: String) -> (loop: Loop?, callee: Callee?)? {
        if hasLeftLoop { return nil }
        let loop: Loop? = if case .inLoop(let loop) = place { loop } else { nil }
        place = .afterLoop(DispatchQueue(label: queueLabel))
        calleeState = .idle // a job that was running has ended the thread
        return (loop, waiting.isEmpty ? nil : notifyIdleCallee())
    }
}
#endif
