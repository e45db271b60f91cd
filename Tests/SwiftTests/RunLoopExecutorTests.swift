import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Thread
import class SwiftRunLoop.Timer
import Dispatch
import SwiftRunLoop
import TestSupport
import XCTest

/// An actor that lives on a run loop's thread.
///
/// It identifies its thread by `Thread.current`, because the C header declares pthread_self constant. So in a release build the result of
/// pthread_self may be from before an await, when the task was on another thread.
private actor Resident {
    nonisolated let loop: RunLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private(set) var log: [Int] = []
    private var isBusy = false

    init(_ loop: RunLoop) {
        self.loop = loop
    }

    func add(_ number: Int) {
        precondition(!isBusy, "two jobs at the same time")
        isBusy = true
        log.append(number)
        isBusy = false
    }

    func thread() -> Thread { Thread.current }

    func threadName() -> String? { Thread.current.name }

    func performInLoop(_ block: @escaping @Sendable () -> Void) { RunLoop.current.perform(block) }

    func suspendAndReturn(_ body: @Sendable () async -> Void) async -> Thread {
        await body()
        precondition(!isBusy)
        return currentThread()
    }

    nonisolated func assumingIsolated() -> Int { assumeIsolated { $0.log.count } }
}

final class RunLoopExecutorTests: XCTestCase {
    /// An actor on the loop of a worker, which is stopped afterwards.
    private func withActor(name: String = "resident", _ body: (RunLoop, Resident) -> Void) {
        let worker = RunLoop.Worker(name: name, stackSize: 1 << 20)
        body(worker.loop, Resident(worker.loop))
        worker.stop()
        worker.thread.join()
    }

    /// Blocks the loop's thread until the semaphore is signalled.
    private func block(_ loop: RunLoop) -> (task: Task<Void, Never>, gate: DispatchSemaphore) {
        let gate = DispatchSemaphore(value: 0), isBlocked = DispatchSemaphore(value: 0)
        let task = Task(executorPreference: loop, priority: .high) { isBlocked.signal(); gate.waitHere() }
        isBlocked.wait()
        return (task, gate)
    }

    func testAnActorLivesOnTheResidentThread() {
        withActor(name: "named") { _, actor in
            waitForTask {
                let thread = await actor.thread()
                XCTAssertNotEqual(thread, currentThread())
                for _ in 1...10 {
                    await Task.yield()
                    let again = await actor.thread()
                    XCTAssertEqual(again, thread)
                }
                let name = await actor.threadName()
                XCTAssertEqual(name, "named")
                let resumed = await actor.suspendAndReturn { try? await Task.sleep(nanoseconds: 1_000_000) }
                XCTAssertEqual(resumed, thread, "back on its thread after a suspension")
            }
        }
    }

    /// A job may be done before the call that enqueues it has returned, and the last reference to the loop gone with it.
    func testALoopMayGoWithAJobThatIsStillBeingEnqueued() {
        let ends = Shared(0)
        waitForTask {
            for _ in 0..<50 {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<20 {
                        group.addTask {
                            let actor = Resident(RunLoop.Worker().loop) // the worker ends here, and its thread soon
                            for number in 0..<20 { await actor.add(number) }
                            let count = await actor.log.count
                            ends.withLock { $0 += count }
                        }
                    }
                }
            }
        }
        XCTAssertEqual(ends.value, 20_000)
    }

    /// The first job may come while the thread ends: then one queue must run all jobs, one after another.
    func testTheFirstJobMayComeWhileTheThreadEnds() {
        let overlaps = Shared(0)
        for _ in 0..<500 {
            let loop = Shared<RunLoop?>(nil), mayEnd = Shared(false), isBusy = Shared(false), mayGoOn = Shared(false)
            let thread = startThread {
                loop.value = .current
                while !mayEnd.value {}
            }
            while loop.value == nil {}
            let ending = loop.value!
            mayEnd.value = true
            while !ending.hasEnded {}
            let first = Task(executorPreference: ending) {
                isBusy.value = true
                while !mayGoOn.value {}
                isBusy.value = false
            }
            while !isBusy.value {}
            thread.join()
            let second = Task(executorPreference: ending) { if isBusy.value { overlaps.withLock { $0 += 1 } } }
            usleep(10)
            mayGoOn.value = true
            waitForTask { await first.value; await second.value }
        }
        XCTAssertEqual(overlaps.value, 0)
    }

    func testJobsKeepTheirOrderWithinAPriorityAndTheHighestGoesFirst() {
        withActor { loop, _ in
            let log = Shared<[String]>([]), (first, gate) = block(loop)
            var tasks = [first]
            for (name, priority) in [("low", TaskPriority.low), ("medium", .medium), ("high", .high), ("background", .background)] {
                for number in 1...5 {
                    tasks.append(Task(executorPreference: loop, priority: priority) { log.append("\(name) \(number)") })
                }
            }
            gate.signal()
            waitForTask { [tasks] in for task in tasks { await task.value } }
            let expected = ["high", "medium", "low", "background"].flatMap { name in (1...5).map { "\(name) \($0)" } }
            XCTAssertEqual(log.value, expected)
        }
    }

    /// What waits behind jobs of higher priorities has its turn after 64 of them, and its next turn after 64 others.
    func testTheTurnOfALowerPriorityComesAfter64JobsOfHigherOnes() {
        withActor { loop, _ in
            let jobs = Shared(0), turns = Shared([Int]()), (first, gate) = block(loop)
            let high = Task(executorPreference: loop, priority: .high) {
                while turns.value.count < 8 {
                    jobs.value += 1
                    await Task.yield()
                }
            }
            let low = Task(executorPreference: loop, priority: .low) {
                for _ in 1...8 {
                    turns.append(jobs.value)
                    await Task.yield()
                }
            }
            gate.signal()
            waitForTask { for task in [first, high, low] { await task.value } }
            XCTAssertEqual(zip(turns.value, turns.value.dropFirst()).map { $1 - $0 }, Array(repeating: 64, count: 7), "\(turns.value)")
        }
    }

    /// Tasks of all priorities work at the same time: each makes progress, and those of higher priorities make more.
    func testUnderLoadsOfAllPrioritiesEachGetsOnAndTheHighestFastest() {
        let priorities: [TaskPriority] = [.high, .medium, .low, .background], turns = Shared<[UInt8: Int]>([:])
        withActor { loop, _ in
            let (first, gate) = block(loop)
            let loads = priorities.map { priority in
                Task(executorPreference: loop, priority: priority) {
                    while turns.withLock({ $0.values.reduce(0, +) }) < 20_000 {
                        turns.withLock { $0[priority.rawValue, default: 0] += 1 }
                        await Task.yield()
                    }
                }
            }
            gate.signal()
            waitForTask { for task in [first] + loads { await task.value } }
        }
        let all = priorities.map { turns.value[$0.rawValue] ?? 0 }
        for count in all { XCTAssertGreaterThan(count, 20_000 / 100, "\(all)") }
        XCTAssertGreaterThan(all[0], 20_000 / 2, "\(all)")
    }

    func testTenThousandJobsFromManyTasks() {
        withActor { _, actor in
            waitForTask {
                await withTaskGroup(of: Void.self) { group in
                    for task in 0..<20 {
                        group.addTask { for number in 0..<500 { await actor.add(task * 500 + number) } }
                    }
                }
                let log = await actor.log
                XCTAssertEqual(log.sorted(), Array(0..<10_000), "each once")
                for task in 0..<20 {
                    XCTAssertEqual(log.filter { $0 / 500 == task }, Array(task * 500..<(task + 1) * 500), "a task's own in their order")
                }
            }
        }
    }

    /// Jobs and the loop's other work take turns: a task that always has more to do does not delay a timer.
    func testATaskThatNeverRestsLeavesTheLoopItsTimers() {
        withActor { loop, _ in
            let hasFired = DispatchSemaphore(value: 0)
            let task = Task(executorPreference: loop) {
                addTimer(after: 0.01) { hasFired.signal() }
                while !Task.isCancelled { await Task.yield() }
            }
            XCTAssertEqual(hasFired.wait(timeout: .now() + 30), .success)
            task.cancel()
        }
    }

    /// The host sleeps whenever the loop asks for nothing.
    func testAHostedLoopRunsTheJobsThatJobsLeave() {
        onThread {
            let loop = RunLoop.current, descriptor = loop.descriptor(forMode: .default), turns = Shared(0)
            Task(executorPreference: loop) {
                for _ in 1...5 {
                    turns.value += 1
                    await Task.yield()
                }
            }
            while turns.value < 5 {
                var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&waited, 1, 10_000) == 1 else { break }
                loop.serve(forMode: .default)
            }
            XCTAssertEqual(turns.value, 5)
        }
    }

    /// As with the main queue on the main loop, a job that runs the loop is not interrupted by another job.
    func testNoJobRunsInsideAnother() {
        withActor { loop, _ in
            let log = Shared<[String]>([])
            waitForTask {
                let inner = await Task(executorPreference: loop) {
                    log.append("outer")
                    let inner = Task(executorPreference: loop) { log.append("inner") }
                    runCurrentLoop()
                    log.append("outer ends")
                    return inner
                }.value
                await inner.value
            }
            XCTAssertEqual(log.value, ["outer", "outer ends", "inner"])
        }
    }

    // MARK: Isolation

    func testWhatTheLoopCallsIsIsolatedToTheActor() {
        withActor { loop, actor in
            let count = Shared(-1), called = DispatchSemaphore(value: 0)
            XCTAssertEqual(loop.isIsolatingCurrentContext(), false)
            waitForTask {
                await actor.add(1)
                await actor.performInLoop {
                    count.value = actor.assumingIsolated()
                    called.signal()
                }
            }
            XCTAssertEqual(called.wait(timeout: .now() + 30), .success)
            XCTAssertEqual(count.value, 1)
        }
    }

    // MARK: The end of the thread

    /// What waits when a worker is stopped is done first, on its thread.
    func testTheJobsThatWaitForAStoppedWorkerAreRunOnItsThread() {
        let worker = RunLoop.Worker(), actor = Resident(worker.loop), (blocking, gate) = block(worker.loop), sent = Shared(0)
        let tasks = (0..<100).map { number in
            Task {
                sent.withLock { $0 += 1 }
                await actor.add(number)
                return await actor.thread() == worker.thread
            }
        }
        XCTAssert(eventually { sent.value == 100 })
        waitForTask {
            worker.stop()
            gate.signal()
            await worker.thread.finished()
            await blocking.value
            for task in tasks { _ = await task.value }
            let log = await actor.log
            XCTAssertEqual(log.sorted(), Array(0..<100))
        }
    }

    func testATaskMayAwaitTheEndOfItsOwnThread() {
        let worker = RunLoop.Worker()
        waitForTask {
            let isFinished = await Task(executorPreference: worker.loop) {
                worker.stop()
                await worker.thread.finished()
                return worker.thread.isFinished
            }.value
            XCTAssert(isFinished)
        }
    }

    // MARK: As a task's preference

    func testATaskAndItsChildrenRunOnTheThreadOfThePreferredExecutor() {
        waitForTask {
            let worker = RunLoop.Worker(name: "preferred")
            let name = await withTaskExecutorPreference(worker.loop) {
                let own = await nonisolatedThread(), actor = Resident(worker.loop)
                let ofActor = await actor.thread()
                XCTAssertEqual(ofActor, own)
                for _ in 1...3 {
                    await Task.yield()
                    async let child = nonisolatedThread()
                    let ofChild = await child
                    XCTAssertEqual(ofChild, own)
                }
                return await actor.threadName()
            }
            XCTAssertEqual(name, "preferred")
        }
    }

    // MARK: Jobs after the end

    /// The rest of a suspended task is enqueued after the loop's thread has ended. It is run all the same, isolated to its actor.
    func testJobsAfterTheEndAreRunElsewhereOneAtATime() {
        let worker = RunLoop.Worker(), actor = Resident(worker.loop), isSuspended = DispatchSemaphore(value: 0)
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let suspended = Task {
            await actor.suspendAndReturn {
                isSuspended.signal()
                for await _ in stream {}
            }
        }
        isSuspended.wait()
        worker.stop()
        worker.thread.join()
        continuation.finish()
        waitForTask {
            let resumed = await suspended.value
            XCTAssertNotEqual(resumed, worker.thread)
            await withTaskGroup(of: Void.self) { group in
                for task in 0..<10 { group.addTask { for number in 0..<100 { await actor.add(task * 100 + number) } } }
            }
            let log = await actor.log
            XCTAssertEqual(log.sorted(), Array(0..<1000))
            XCTAssertEqual(actor.loop.isIsolatingCurrentContext(), false)
            let isolated = await actor.isIsolatedHere()
            XCTAssertEqual(isolated, true)
        }
    }

    func testStoppingWhileManyTasksSendJobsLosesNone() {
        for _ in 1...20 {
            let worker = RunLoop.Worker()
            let actor = Resident(worker.loop)
            let tasks = (0..<8).map { task in Task.detached { for number in 0..<50 { await actor.add(task * 50 + number) } } }
            worker.stop()
            waitForTask {
                for task in tasks { await task.value }
                let log = await actor.log
                XCTAssertEqual(log.sorted(), Array(0..<400))
            }
            worker.thread.join()
        }
    }

    /// A thread that never runs its loop ends while jobs wait.
    func testJobsSurviveTheEndOfTheLoopsThread() {
        let made = Shared<RunLoop?>(nil), mayEnd = DispatchSemaphore(value: 0)
        let thread = startThread {
            made.value = RunLoop.current
            mayEnd.wait()
        }
        XCTAssert(eventually { made.value != nil })
        let actor = Resident(made.value!), isDone = Shared(false)
        let task = Task {
            await actor.add(1)
            isDone.value = true
        }
        XCTAssert(eventually { made.value!.hasWork(in: [.default]) }, "the job's source waits in the loop")
        XCTAssert(stays(forMilliseconds: 10) { !isDone.value })
        mayEnd.signal()
        thread.join()
        waitForTask {
            await task.value
            let log = await actor.log
            XCTAssertEqual(log, [1])
        }
    }

    /// The job itself ends the thread, and the others are run.
    func testAJobThatEndsItsThreadTakesNoOtherJobAlong() throws {
        try skip(under: .address, because: "what the stack of such a thread retains is never released")
        let worker = RunLoop.Worker(), actor = Resident(worker.loop), (_, gate) = block(worker.loop)
        Task(executorPreference: worker.loop) { endThread() }
        let task = Task { await actor.add(1) }
        gate.signal()
        waitForTask {
            await worker.thread.finished()
            await task.value
        }
    }

    func testAJobThatComesAfterOneThatEndedItsThreadRuns() throws {
        try skip(under: .address, because: "what the stack of such a thread retains is never released")
        let worker = RunLoop.Worker(), actor = Resident(worker.loop)
        Task(executorPreference: worker.loop) { endThread() }
        worker.thread.join()
        waitForTask { await actor.add(1) }
    }

    func testTheLoopOfAThreadThatHasEndedIsAnExecutorToo() {
        nonisolated(unsafe) var loop: RunLoop!
        onThread { loop = RunLoop.current }
        let actor = Resident(loop)
        waitForTask { await actor.add(1) }
    }

    // MARK: What is left behind

    /// The defect: a loop retained the executors on it, so that 4,000 actors left 4,000 sources.
    func testActorsOnALoopThatGoesOnLeaveNothingInIt() {
        withLoopThread { thread in
            func lines() -> Int { thread.loop.description.split(separator: "\n").count }
            await Resident(thread.loop).add(0) // from now on, the loop has a set of common items, empty or not
            await thread.finishPass()
            let before = lines()
            for number in 0..<4000 { await Resident(thread.loop).add(number) }
            XCTAssert(eventually { lines() == before }, "\(before) lines before; \(lines()) now")
        }
    }

    /// A run ends when the last job has run: the jobs' source keeps the mode from being empty only until then.
    func testARunEndsWithTheLastJob() {
        let thread = LoopThread(isKeptAlive: false), actor = Resident(thread.loop)
        let task = Task { for number in 0..<10 { await actor.add(number) } }
        XCTAssert(eventually { thread.loop.hasWork(in: [.default]) })
        thread.begin()
        XCTAssert(eventually { thread.runResult == .finished })
        thread.stop()
        waitForTask { await task.value }
    }

    /// The defect: the thread retained its executor, so that 200 actors which did not call `stop()` left 200 threads.
    func testTheThreadOfAWorkerEndsWithTheActorThatHasIt() {
        @Sendable func threads() -> Int {
            let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
            return tasks.count { task in // Foundation leaks its buffer if the thread ends while its name is read
                let file = open("/proc/self/task/\(task)/comm", O_RDONLY)
                defer { close(file) }
                var name = [UInt8](repeating: 0, count: 16)
                return read(file, &name, name.count) > 0 && name.starts(with: "dropped\n".utf8)
            }
        }
        actor Owner {
            private let worker = RunLoop.Worker(name: "dropped")
            nonisolated var unownedExecutor: UnownedSerialExecutor { worker.loop.asUnownedSerialExecutor() }
            /// The name of the actor's thread, and how many such threads there are while it runs.
            func look(_ count: @Sendable () -> Int) -> (name: String?, threads: Int) { (Thread.current.name, count()) }
        }
        let made = Shared(0), most = Shared(0)
        waitForTask {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let (name, count) = await Owner().look { number % 20 == 0 ? threads() : 0 }
                        if name == "dropped" { made.withLock { $0 += 1 } }
                        most.withLock { $0 = max($0, count) }
                    }
                }
            }
        }
        XCTAssertEqual(made.value, 200, "each actor has run on its own thread")
        XCTAssertGreaterThan(most.value, 0, "the threads can be counted")
        XCTAssert(eventually { threads() == 0 }, "\(threads()) threads are left")
    }

    /// What the loop keeps of its jobs goes with it.
    func testALoopThatHasRunJobsIsDeallocatedWithItsThread() {
        let thread = LoopThread()
        waitForTask { await Resident(thread.loop).add(1) }
        thread.stop()
        thread.forgetLoop()
        XCTAssert(eventually { thread.runLoop.object == nil })
    }

    // MARK: On the main loop

    /// One run of the main loop serves an actor on that loop, the main actor and the main queue.
    func testX6_TheMainLoopServesAllThree() {
        let actor = Resident(.main)
        let log = Shared<Set<String>>([]), onMainThread = Shared(true)
        let main = Thread.current
        Task.detached {
            let thread = await actor.thread()
            await MainActor.run {
                if Thread.current != main { onMainThread.value = false }
                log.withLock { log in _ = log.insert("main actor") }
                if thread == main { log.withLock { log in _ = log.insert("executor") } }
            }
        }
        DispatchQueue.main.async {
            if Thread.current != main { onMainThread.value = false }
            log.withLock { log in _ = log.insert("main queue") }
        }
        XCTAssert(runLoop { log.value.count == 3 })
        XCTAssertEqual(log.value, ["executor", "main actor", "main queue"])
        XCTAssert(onMainThread.value)
    }
}

extension RunLoop {
    /// Whether something in each of the modes keeps a run going.
    fileprivate func hasWork(in modes: [Mode]) -> Bool { modes.allSatisfy { !isFinished(inMode: $0) } }
}

private func endThread() { Thread.exit() }

extension Resident {
    fileprivate func isIsolatedHere() -> Bool? { loop.isIsolatingCurrentContext() }
}

private func nonisolatedThread() async -> Thread { currentThread() }

private func addTimer(after seconds: TimeInterval, _ block: @escaping @Sendable () -> Void) {
    RunLoop.current.add(Timer(timeInterval: seconds, repeats: false) { _ in block() }, forMode: .default)
}

private func runCurrentLoop() {
    for _ in 1...3 { RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.005)) }
}

extension DispatchSemaphore {
    /// For a job that is meant to block its thread.
    fileprivate func waitHere() { wait() }
}
