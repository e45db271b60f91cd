// RunLoopExecutor.swift: actors and tasks on a run loop's thread. On a Mac only the main loop serves Swift's concurrency, through the main
// queue and for the main actor. Here any loop can.
//
// Claims in ANNOTATIONS.md: (A1)

internal import Dispatch
internal import Glibc
import Synchronization

/// Runs the jobs of actors and tasks on the thread of a run loop, between its other calls.
///
///     actor Archive {
///         private let executor = RunLoopExecutor(name: "archive") // makes its own thread
///         nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
///         deinit { executor.stop() }
///     }
///
/// As a task's executor: `Task(executorPreference: executor) { … }` or `withTaskExecutorPreference(executor) { … }`.
///
/// Jobs arrive through a version 0 source. The waiting job with the highest priority runs first; jobs of the same priority run in the order
/// in which they came. A job of a lower priority cannot wait forever: after 64 others have run before it, its turn comes. A pass of the
/// loop runs as many jobs as are waiting when it reaches the source, so that jobs and timers take turns. A job never runs inside another
/// one: if a job runs the loop itself (a nested run), the other jobs wait until it has returned.
///
/// All code that the loop's thread calls, such as a timer's closure, counts as isolated to the executor's actors, so `assumeIsolated`
/// succeeds there. All members may be used from any thread.
///
/// **The end.** After `stop()`, the loop's thread runs the waiting jobs and then leaves the loop. If the thread ends by itself, the
/// executor leaves the loop at that moment. A serial dispatch queue runs the jobs that come later, such as the rest of a suspended task,
/// under the same rules: no job is lost, and no two jobs run at the same time.
///
/// The main thread ends when its own code ends, although the process continues: with an async main, at the first suspension that leaves the
/// main thread without work; with `dispatchMain()`, at once. An executor on the main loop leaves the loop then, so its jobs do not run on
/// the main thread in such a program.
///
/// The loop retains the executor until the executor leaves it. An `UnownedSerialExecutor` does not retain it, so an actor must keep its
/// executor in a property.
public final class RunLoopExecutor: SerialExecutor, TaskExecutor, CustomStringConvertible {
    private let state = Mutex(State())
    private let name: String
    /// Left when the executor has left its loop.
    private let loopHasBeenLeft = DispatchGroup()

    private init(name: String) {
        self.name = name
        loopHasBeenLeft.enter()
    }

    /// Makes an executor for the jobs of a loop that other code runs.
    /// - Parameters:
    ///   - runLoop: the loop.
    ///   - mode: the mode in which the loop runs the jobs. In the main loop's common modes, they take turns with the jobs of the main queue
    ///     and of the main actor.
    public convenience init(runLoop: RunLoop, forMode mode: RunLoop.Mode = .common) {
        self.init(name: "run loop")
        join(runLoop, mode)
    }

    /// Makes an executor with its own thread, which runs its loop in the default mode until `stop()`.
    ///
    /// If the system cannot create the thread, the executor has left its loop from the start, so a dispatch queue runs its jobs.
    /// - Parameters:
    ///   - name: the thread's name, as `Thread.name`.
    ///   - stackSize: the size of the thread's stack in bytes, as `Thread.stackSize`; 0 stands for the default.
    public convenience init(name: String = "RunLoopExecutor", stackSize: Int = 0) {
        self.init(name: name)
        let thread = Thread {
            self.join(RunLoop.current, .default)
            while !self.hasLeftLoop { RunLoop.current.run(mode: .default, before: .distantFuture) }
        }
        thread.name = name
        if stackSize > 0 { thread.stackSize = stackSize }
        thread.start()
        if thread.startError != 0 { leaveLoop() }
    }

    /// Adds the source. Its closures capture the executor, so the loop retains the executor.
    private func join(_ runLoop: RunLoop, _ mode: RunLoop.Mode) {
        let isMainLoop = runLoop === RunLoop.main
        if isMainLoop && MainThreadEnd.hasCome { return leaveLoop() }
        let source = Source(cancel: { _, _ in self.leaveLoop() }, perform: { self.runJobs() })
        source.add(to: runLoop, forMode: mode)
        let isIn = source.isIn(runLoop, forMode: mode) // false if the loop's thread has ended
        let loop = Loop(runLoop: runLoop, source: source)
        call(state.withLock { isIn ? $0.join(loop) : nil })
        if !isIn { return leaveLoop() }
        if isMainLoop { leaveWhenMainThreadEnds() }
    }

    /// The C library keeps the main loop and its sources after the end of the main thread, so no source is cancelled there.
    private func leaveWhenMainThreadEnds() {
        let token = MainThreadEnd.whenItComes { self.leaveLoop() }
        if !state.withLock({ $0.remember(mainThreadToken: token) }) { MainThreadEnd.forget(token) }
    }

    // MARK: - The end

    /// Has the executor leave its loop when no jobs are waiting. A thread that the executor has made ends then. A second call does nothing.
    public func stop() {
        call(state.withLock { $0.stop() })
    }

    /// Blocks the calling thread until the executor has left its loop, after `stop()` or because the thread has ended. On the loop's own
    /// thread, which would wait forever, this traps.
    @available(*, noasync, message: "await stopped(), which does not block the thread")
    public func waitUntilStopped() {
        precondition(!state.withLock { $0.isOnLoopThread }, "the executor's own thread cannot wait for the executor to stop")
        loopHasBeenLeft.wait()
    }

    /// Waits until the executor has left its loop or the task is cancelled, without blocking the calling thread.
    ///
    /// You may also await this on the loop's own thread; a dispatch queue runs the code that follows.
    public func stopped(isolation: isolated (any Actor)? = #isolation) async {
        let answer = OneAnswer<Void>()
        loopHasBeenLeft.notify(queue: .global()) { answer.give(()) }
        await answer.wait(isolation: isolation) { answer.give(()) }
    }

    /// Whether the executor has left its loop, so that a dispatch queue runs its jobs.
    public var hasLeftLoop: Bool { state.withLock { $0.hasLeftLoop } }

    /// The source was cancelled: by `runJobs()` after its last job, or by the end of the thread, when jobs may still wait.
    private func leaveLoop() {
        let departure = state.withLock { $0.leaveLoop(queueLabel: name) }
        guard let departure else { return }
        departure.loop?.mainThreadToken.map(MainThreadEnd.forget)
        departure.loop?.source.invalidate()
        loopHasBeenLeft.leave()
        call(departure.callee)
    }

    // MARK: - Jobs

    /// Accepts a job. Swift's runtime calls this.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        call(state.withLock { $0.enqueue(job) })
    }

    private func call(_ callee: Callee?) {
        switch callee {
        case .loop(let loop):
            loop.source.signal()
            loop.runLoop.wakeUp()
        case .queue(let queue):
            queue.async { self.runJobs() }
        case nil:
            break
        }
    }

    /// Runs jobs for the source and, after the end, for the queue. In a stack, this is the frame between the loop's callout and the job.
    @inline(never)
    private func runJobs() {
        for _ in 0..<state.withLock({ $0.begin() }) {
            guard let job = state.withLock({ $0.waiting.next() }) else { break }
            job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
        let (callee, isLast) = state.withLock { $0.end() }
        if isLast { leaveLoop() }
        call(callee)
    }

    // MARK: - Isolation

    /// Whether the calling thread runs the jobs, so that it may use the state of the executor's actors.
    public func isIsolatingCurrentContext() -> Bool? {
        state.withLock { $0.isIsolated }
    }

    /// Traps unless the calling thread runs the jobs.
    public func checkIsolated() {
        precondition(state.withLock { $0.isIsolated }, "not on the thread of \(self)")
    }

    /// The executor's name, and whether it has left its loop.
    public var description: String {
        "<RunLoopExecutor \"\(name)\", \(hasLeftLoop ? "has left its loop" : "in its loop")>"
    }
}

// MARK: - Its state

/// A loop and the source in it. Any thread may call what is called here.
private struct Loop: @unchecked Sendable {
    let runLoop: RunLoop
    let source: Source
    /// For the main loop: the token of the action that `MainThreadEnd` calls.
    var mainThreadToken: Int?
}

/// What runs the jobs, and must be notified when there are any.
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
        /// The executor has left its loop. The queue runs the jobs that come late.
        case afterLoop(DispatchQueue)
    }

    var waiting = JobQueue()
    private var place = Place.beforeLoop
    private var isStopping = false
    /// Whether the callee has been notified, or is about to be, and has not run the jobs since.
    private var isCalled = false
    /// The thread that is running jobs.
    private var runner: pthread_t?

    var hasLeftLoop: Bool { if case .afterLoop = place { true } else { false } }

    var isOnLoopThread: Bool { if case .inLoop(let loop) = place { loop.runLoop.isCurrent } else { false } }

    /// True on the loop's thread between jobs, too.
    var isIsolated: Bool { isOnLoopThread || runner.map { pthread_equal($0, pthread_self()) != 0 } ?? false }

    mutating func join(_ loop: Loop) -> Callee? {
        if hasLeftLoop { return nil }
        place = .inLoop(loop)
        return waiting.isEmpty && !isStopping ? nil : callOnce()
    }

    /// False if the executor has left its loop already.
    mutating func remember(mainThreadToken token: Int) -> Bool {
        guard case .inLoop(var loop) = place else { return false }
        loop.mainThreadToken = token
        place = .inLoop(loop)
        return true
    }

    mutating func enqueue(_ job: UnownedJob) -> Callee? {
        waiting.append(job)
        return callOnce()
    }

    mutating func stop() -> Callee? {
        isStopping = true
        return hasLeftLoop ? nil : callOnce()
    }

    /// One call is enough for all jobs that arrive before it takes effect. Before there is a loop, no call is possible; `join` makes it.
    private mutating func callOnce() -> Callee? {
        if isCalled { return nil }
        switch place {
        case .beforeLoop: return nil
        case .inLoop(let loop):
            isCalled = true
            return .loop(loop)
        case .afterLoop(let queue):
            isCalled = true
            return .queue(queue)
        }
    }

    /// Begins to run jobs. There is no call before `end()`, so a job that runs the loop does not have the other jobs run inside it.
    /// - Returns: the number of jobs to run.
    mutating func begin() -> Int {
        precondition(runner == nil, "a job runs inside another job")
        runner = pthread_self()
        return waiting.count
    }

    /// - Returns: the callee if more jobs wait, and whether that was the last job in the loop.
    mutating func end() -> (Callee?, isLast: Bool) {
        runner = nil
        isCalled = false
        if !waiting.isEmpty { return (callOnce(), false) }
        return (nil, isStopping && !hasLeftLoop)
    }

    /// - Returns: the loop, if the executor had joined one, and the callee if jobs wait; nil if the executor has left before.
    mutating func leaveLoop(queueLabel: String) -> (loop: Loop?, callee: Callee?)? {
        if hasLeftLoop { return nil }
        let loop: Loop? = if case .inLoop(let loop) = place { loop } else { nil }
        place = .afterLoop(DispatchQueue(label: queueLabel))
        runner = nil // a job may have ended the thread
        isCalled = false
        return (loop, waiting.isEmpty ? nil : callOnce())
    }
}

/// Waiting jobs: the highest priority first, and first in, first out within a priority. A line that has been passed over often enough comes
/// before the lines above it.
private struct JobQueue {
    /// The jobs of one priority. Those before `first` have been taken.
    private struct Line {
        var priority: UInt8
        var jobs: [UnownedJob] = []
        var first = 0
        /// The number of jobs of higher priorities that have run while the first job here waits.
        var timesPassedOver = 0

        var isEmpty: Bool { first == jobs.count }

        mutating func takeFirst() -> UnownedJob {
            defer {
                first += 1
                timesPassedOver = 0
                forgetWhatHasGone()
            }
            return jobs[first]
        }

        /// Moves the jobs to the front occasionally: so rarely that each job is moved once on average.
        private mutating func forgetWhatHasGone() {
            guard first * 2 >= jobs.count, first >= 64 || first == jobs.count else { return }
            jobs.removeFirst(first)
            first = 0
        }
    }

    /// A task that always has more work would otherwise keep all lower priorities waiting as long as it lives, and these may hold what it
    /// waits for.
    private static let patience = 64

    /// Highest priority first. There is one line for each priority seen so far, so only a few.
    private var lines: [Line] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ job: UnownedJob) {
        let priority = job.priority.rawValue
        let index = lines.firstIndex { $0.priority <= priority } ?? lines.endIndex
        if index == lines.endIndex || lines[index].priority != priority { lines.insert(Line(priority: priority), at: index) }
        lines[index].jobs.append(job)
        count += 1
    }

    mutating func next() -> UnownedJob? {
        guard let highest = lines.firstIndex(where: { !$0.isEmpty }) else { return nil }
        let index = lines[highest...].firstIndex { !$0.isEmpty && $0.timesPassedOver >= Self.patience } ?? highest
        for lower in lines.indices[(index + 1)...] where !lines[lower].isEmpty { lines[lower].timesPassedOver += 1 }
        count -= 1
        return lines[index].takeFirst()
    }
}
