// RunLoopExecutor.swift: actors and tasks that live on a run loop's thread. On a Mac only the main loop serves Swift's concurrency, through
// the main queue and for the main actor; here any loop can.

internal import Dispatch
internal import Glibc
import Synchronization

/// Runs the jobs of actors and tasks on the thread of a run loop, between its other calls.
///
///     actor Archive {
///         private let executor = RunLoopExecutor(name: "archive") // has a thread of its own
///         nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
///         deinit { executor.stop() }
///     }
///
/// As a task's executor: `Task(executorPreference: executor) { … }` or `withTaskExecutorPreference(executor) { … }`.
///
/// Jobs arrive by a source 0. Of those that wait, the one with the highest priority is run first; those of one priority are run in the order
/// in which they came. A job of a lower priority is not kept waiting for ever: when 64 others have been run before it, it is its turn. A pass of the loop runs as many as were waiting when it came to the source, so that jobs and timers take turns. A job
/// is never run inside another: if one runs the loop itself (a nested run), the rest waits until it has returned.
///
/// Whatever is called on the loop's thread, a timer's closure for example, counts as isolated to the executor's actors: there
/// `assumeIsolated` holds. All members may be used from any thread.
///
/// **The end.** `stop()` lets the loop's thread run what waits, and then leaves the loop. If the thread ends by itself, the executor leaves at
/// that moment. A job that comes later, such as the rest of a task that was suspended, is run by a serial dispatch queue, under the same
/// rules: none is ever lost, and no two are run at the same time.
///
/// The main thread ends when its own code is over, although the process goes on: with an async main that is at the first suspension that
/// leaves the main thread nothing to do, with `dispatchMain()` at once. An executor on the main loop leaves then, so its jobs do not run
/// on the main thread in such a program.
///
/// The loop holds the executor until then. An `UnownedSerialExecutor` does not hold it: an actor keeps its executor in a property.
public final class RunLoopExecutor: SerialExecutor, TaskExecutor, CustomStringConvertible {
    private let state = Mutex(State())
    private let name: String
    /// Left when the executor has left its loop.
    private let loopHasBeenLeft = DispatchGroup()

    private init(name: String) {
        self.name = name
        loopHasBeenLeft.enter()
    }

    /// Makes an executor for the jobs of a loop that somebody else runs. They are run when the loop runs in `mode`; in the main loop's
    /// common modes, they take turns with the main queue's and the main actor's.
    public convenience init(runLoop: RunLoop, forMode mode: RunLoop.Mode = .common) {
        self.init(name: "run loop")
        join(runLoop, mode)
    }

    /// Makes an executor with a resident thread of its own, which lives until `stop()` and runs its loop in the default mode. (A1)
    /// - Parameters:
    ///   - name: the thread's name, as `Thread.name`.
    ///   - stackSize: the thread's, in bytes, as `Thread.stackSize`; 0 stands for the usual size.
    ///
    /// If the system has no thread left, the executor has left its loop from the start, so that a dispatch queue runs its jobs.
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

    /// Adds the source. Its closures hold the executor: this is what the loop holds it by.
    private func join(_ runLoop: RunLoop, _ mode: RunLoop.Mode) {
        let isMainLoop = runLoop === RunLoop.main
        if isMainLoop && MainThreadEnd.hasCome { return leaveLoop() }
        let source = Source(cancel: { _, _ in self.leaveLoop() }, perform: { self.runJobs() })
        source.add(to: runLoop, forMode: mode)
        let isIn = source.isIn(runLoop, forMode: mode) // not in a loop whose thread has ended
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

    /// Has the executor leave its loop when no job waits any more. A thread that the executor has made ends then. Stopping again does nothing.
    public func stop() {
        call(state.withLock { $0.stop() })
    }

    /// Waits until the executor has left its loop, after `stop()` or because the thread has ended. On the loop's own thread, where this
    /// would wait for ever, it stops the program.
    @available(*, noasync, message: "await stopped(), which does not block the thread")
    public func waitUntilStopped() {
        precondition(!state.withLock { $0.isOnLoopThread }, "the executor's own thread cannot wait for the executor to stop")
        loopHasBeenLeft.wait()
    }

    /// Waits until the executor has left its loop, without blocking the calling thread, or until the task is cancelled. May be awaited on the
    /// loop's own thread, too: what comes after it is run by a dispatch queue then.
    public func stopped(isolation: isolated (any Actor)? = #isolation) async {
        let answer = OneAnswer<Void>()
        loopHasBeenLeft.notify(queue: .global()) { answer.give(()) }
        await answer.wait(isolation: isolation) { answer.give(()) }
    }

    /// Whether the executor has left its loop, so that jobs are run by a dispatch queue.
    public var hasLeftLoop: Bool { state.withLock { $0.hasLeftLoop } }

    /// The source was cancelled: by `runJobs()` after its last job, or by the end of the thread, with jobs that perhaps wait.
    private func leaveLoop() {
        let departure = state.withLock { $0.leaveLoop(queueLabel: name) }
        guard let departure else { return }
        departure.loop?.mainThreadToken.map(MainThreadEnd.forget)
        departure.loop?.source.invalidate()
        loopHasBeenLeft.leave()
        call(departure.callee)
    }

    // MARK: - Jobs

    /// Swift's runtime hands over a job.
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

    /// What the source performs, and the queue after the end. In a stack, the frame between the loop's callout and the job.
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

    /// Whether the calling thread is the one that runs the jobs, so that it may touch what the executor's actors isolate.
    public func isIsolatingCurrentContext() -> Bool? {
        state.withLock { $0.isIsolated }
    }

    /// Stops the program unless the calling thread is the one that runs the jobs.
    public func checkIsolated() {
        precondition(state.withLock { $0.isIsolated }, "not on the thread of \(self)")
    }

    /// The executor's name, and where its jobs are run.
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
        precondition(runner == nil, "a job within a job")
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

/// Jobs that wait: the highest priority first, and first in, first out within a priority. A line that has been passed over often enough
/// comes before those above it.
private struct JobQueue {
    /// The jobs of one priority. Those before `first` have gone.
    private struct Line {
        var priority: UInt8
        var jobs: [UnownedJob] = []
        var first = 0
        /// How many jobs of higher priorities have been run since the first one here waits.
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

        /// Moves the jobs to the front now and then: seldom enough that a job is moved once on average.
        private mutating func forgetWhatHasGone() {
            guard first * 2 >= jobs.count, first >= 64 || first == jobs.count else { return }
            jobs.removeFirst(first)
            first = 0
        }
    }

    /// A task that always has more to do would otherwise keep all of lower priorities waiting for as long as it lives, and they may hold
    /// what it waits for.
    private static let patience = 64

    /// Highest priority first. There are as many as priorities have been seen, so a handful.
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
