import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Thread
import class SwiftRunLoop.Timer
import Dispatch
import SwiftRunLoop
import XCTest

/// An actor that lives on a run loop's thread.
///
/// It identifies its thread by `Thread.current`, because the C header declares pthread_self constant. So in a release build the result of
/// pthread_self may be from before an await, when the task was on another thread.
private actor Resident {
    nonisolated let executor: RunLoop.LoopExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private(set) var log: [Int] = []
    private var isBusy = false

    init(_ executor: RunLoop.LoopExecutor) {
        self.executor = executor
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
    /// An actor on the thread of an executor, which is stopped afterwards.
    private func withActor(name: String = "resident", _ body: (RunLoop.LoopExecutor, Resident) -> Void) {
        let executor = RunLoop.LoopExecutor(name: name, stackSize: 1 << 20)
        body(executor, Resident(executor))
        executor.stop()
        executor.waitUntilStopped()
        XCTAssert(executor.hasLeftLoop)
    }

    /// Blocks the executor's thread until the semaphore is signalled.
    private func block(_ executor: RunLoop.LoopExecutor) -> (task: Task<Void, Never>, gate: DispatchSemaphore) {
        let gate = DispatchSemaphore(value: 0), isBlocked = DispatchSemaphore(value: 0)
        let task = Task(executorPreference: executor, priority: .high) { isBlocked.signal(); gate.waitHere() }
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

    func testJobsKeepTheirOrderWithinAPriorityAndTheHighestGoesFirst() {
        withActor { executor, _ in
            let log = Shared<[String]>([]), (first, gate) = block(executor)
            var tasks = [first]
            for (name, priority) in [("low", TaskPriority.low), ("medium", .medium), ("high", .high), ("background", .background)] {
                for number in 1...5 {
                    tasks.append(Task(executorPreference: executor, priority: priority) { log.append("\(name) \(number)") })
                }
            }
            gate.signal()
            waitForTask { [tasks] in for task in tasks { await task.value } }
            let expected = ["high", "medium", "low", "background"].flatMap { name in (1...5).map { "\(name) \($0)" } }
            XCTAssertEqual(log.value, expected)
        }
    }

    /// Tasks of all priorities work at the same time: each makes progress, and those of higher priorities make more.
    func testUnderLoadsOfAllPrioritiesEachGetsOnAndTheHighestFastest() {
        let priorities: [TaskPriority] = [.high, .medium, .low, .background], turns = Shared<[UInt8: Int]>([:])
        withActor { executor, _ in
            let (first, gate) = block(executor)
            let loads = priorities.map { priority in
                Task(executorPreference: executor, priority: priority) {
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
        withActor { executor, _ in
            let hasFired = DispatchSemaphore(value: 0)
            let task = Task(executorPreference: executor) {
                addTimer(after: 0.01) { hasFired.signal() }
                while !Task.isCancelled { await Task.yield() }
            }
            XCTAssertEqual(hasFired.wait(timeout: .now() + 30), .success)
            task.cancel()
        }
    }

    /// As with the main queue on the main loop, a job that runs the loop is not interrupted by another job.
    func testNoJobRunsInsideAnother() {
        withActor { executor, _ in
            let log = Shared<[String]>([])
            waitForTask {
                let inner = await Task(executorPreference: executor) {
                    log.append("outer")
                    let inner = Task(executorPreference: executor) { log.append("inner") }
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
        withActor { executor, actor in
            let count = Shared(-1), called = DispatchSemaphore(value: 0)
            XCTAssertEqual(executor.isIsolatingCurrentContext(), false)
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

    // MARK: Leaving the loop

    /// The wait ends when the thread has run its jobs, not before, and not because the waiting task is cancelled.
    func testAnAwaitedStopReturnsWhenTheJobsHaveRun() {
        let executor = RunLoop.LoopExecutor(), actor = Resident(executor), (blocking, gate) = block(executor)
        let tasks = (0..<100).map { number in Task { await actor.add(number) } }
        waitForTask {
            let isStopping = Shared(false)
            let stopping = Task {
                isStopping.value = true
                await executor.stop()
                return executor.hasLeftLoop
            }
            stopping.cancel()
            while !isStopping.value { await Task.yield() }
            XCTAssertFalse(executor.hasLeftLoop)
            gate.signal()
            let hasLeft = await stopping.value
            XCTAssert(hasLeft)
            await blocking.value
            for task in tasks { await task.value }
            let log = await actor.log
            XCTAssertEqual(log.sorted(), Array(0..<100))
            await executor.stop() // a second stop returns at once
        }
    }

    func testATaskMayAwaitTheStopOfItsOwnExecutor() {
        let executor = RunLoop.LoopExecutor()
        waitForTask {
            let hasLeft = await Task(executorPreference: executor) {
                await executor.stop()
                return executor.hasLeftLoop
            }.value
            XCTAssert(hasLeft)
        }
    }

    // MARK: As a task's preference

    func testATaskAndItsChildrenRunOnTheThreadOfThePreferredExecutor() {
        waitForTask {
            let executor = RunLoop.LoopExecutor(name: "preferred")
            let name = await withTaskExecutorPreference(executor) {
                let own = await nonisolatedThread(), actor = Resident(executor)
                let ofActor = await actor.thread()
                XCTAssertEqual(ofActor, own)
                for _ in 1...3 {
                    await Task.yield()
                    async let child = nonisolatedThread()
                    let ofChild = await child
                    XCTAssertEqual(ofChild, own)
                }
                XCTAssertFalse(executor.hasLeftLoop)
                return await actor.threadName()
            }
            XCTAssertEqual(name, "preferred")
            await executor.stop()
            XCTAssert(executor.hasLeftLoop)
        }
    }

    // MARK: Jobs after the end

    /// The rest of a suspended task is enqueued after the executor has left its loop. It is run all the same, isolated to its actor.
    func testJobsAfterTheEndAreRunElsewhereOneAtATime() {
        let executor = RunLoop.LoopExecutor(), actor = Resident(executor), isSuspended = DispatchSemaphore(value: 0)
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let thread = Shared<Thread?>(nil)
        let suspended = Task {
            thread.value = await actor.thread()
            return await actor.suspendAndReturn {
                isSuspended.signal()
                for await _ in stream {}
            }
        }
        isSuspended.wait()
        executor.stop()
        executor.waitUntilStopped()
        continuation.finish()
        waitForTask {
            let resumed = await suspended.value
            XCTAssertNotEqual(resumed, thread.value)
            await withTaskGroup(of: Void.self) { group in
                for task in 0..<10 { group.addTask { for number in 0..<100 { await actor.add(task * 100 + number) } } }
            }
            let log = await actor.log
            XCTAssertEqual(log.sorted(), Array(0..<1000))
            XCTAssertEqual(actor.executor.isIsolatingCurrentContext(), false)
            let isolated = await actor.isIsolatedHere()
            XCTAssertEqual(isolated, true)
        }
    }

    func testStoppingWhileManyTasksSendJobsLosesNone() {
        for _ in 1...20 {
            let executor = RunLoop.LoopExecutor()
            let actor = Resident(executor)
            let tasks = (0..<8).map { task in Task.detached { for number in 0..<50 { await actor.add(task * 50 + number) } } }
            executor.stop()
            waitForTask {
                for task in tasks { await task.value }
                let log = await actor.log
                XCTAssertEqual(log.sorted(), Array(0..<400))
            }
            executor.waitUntilStopped()
        }
    }

    /// An executor on the loop of a thread that ends without stopping the executor.
    func testJobsSurviveTheEndOfTheLoopsThread() {
        let made = Shared<RunLoop.LoopExecutor?>(nil), mayEnd = DispatchSemaphore(value: 0)
        let thread = startThread {
            made.value = RunLoop.LoopExecutor(runLoop: .current)
            mayEnd.wait()
        }
        XCTAssert(eventually { made.value != nil })
        let executor = made.value!
        let actor = Resident(executor)
        let task = Task { await actor.add(1) }
        XCTAssert(stays(forMilliseconds: 10) { !executor.hasLeftLoop })
        mayEnd.signal()
        thread.join()
        XCTAssert(executor.hasLeftLoop)
        waitForTask {
            await task.value
            let log = await actor.log
            XCTAssertEqual(log, [1])
        }
        executor.waitUntilStopped()
    }

    func testALoopWhoseThreadHasEndedIsLeftAtOnce() {
        nonisolated(unsafe) var loop: RunLoop!
        onThread { loop = RunLoop.current }
        let executor = RunLoop.LoopExecutor(runLoop: loop)
        XCTAssert(executor.hasLeftLoop)
        let actor = Resident(executor)
        waitForTask { await actor.add(1) }
    }

    func testTheExecutorGoesAfterItsEnd() {
        weak var weakExecutor: RunLoop.LoopExecutor?
        do {
            withActor { executor, actor in
                weakExecutor = executor
                waitForTask { await actor.add(1) }
            }
        }
        XCTAssert(eventually { weakExecutor == nil }) // its thread is still ending
    }

    /// The defect: a loop retained the executors on it, so that 4,000 actors left 4,000 sources.
    func testActorsOnALoopThatGoesOnLeaveNothingInIt() {
        actor Short {
            nonisolated let executor: RunLoop.LoopExecutor
            nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
            init(_ loop: RunLoop) { executor = RunLoop.LoopExecutor(runLoop: loop) }
            func answer() -> Int { 1 }
        }
        withLoopThread { thread in
            func lines() -> Int { thread.loop.description.split(separator: "\n").count }
            var answers = await Short(thread.loop).answer()
            XCTAssert(eventually { !thread.loop.description.contains("LoopExecutor") })
            let before = lines()
            for _ in 0..<4000 { answers += await Short(thread.loop).answer() }
            XCTAssertEqual(answers, 4001)
            XCTAssert(eventually { lines() == before }, "\(before) lines before; \(lines()) now")
        }
    }

    /// The defect: the thread retained its executor, so that 200 actors which did not call `stop()` left 200 threads.
    func testTheThreadOfAnExecutorEndsWithItsLastReference() {
        @Sendable func threads() -> Int {
            let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
            return tasks.count { task in // Foundation leaks its buffer if the thread ends while its name is read
                let file = open("/proc/self/task/\(task)/comm", O_RDONLY)
                defer { close(file) }
                var name = [UInt8](repeating: 0, count: 16)
                return read(file, &name, name.count) > 0 && name.starts(with: "dropped\n".utf8)
            }
        }
        let made = Shared(0), most = Shared(0)
        waitForTask {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let actor = Resident(RunLoop.LoopExecutor(name: "dropped"))
                        await actor.add(number)
                        let name = await actor.threadName()
                        if name == "dropped" { made.withLock { $0 += 1 } }
                        if number % 20 == 0 { most.withLock { $0 = max($0, threads()) } }
                    }
                }
            }
        }
        XCTAssertEqual(made.value, 200, "each actor has run on its own thread")
        XCTAssertGreaterThan(most.value, 0, "the threads can be counted")
        XCTAssert(eventually { threads() == 0 }, "\(threads()) threads are left")
    }

    // MARK: On the main loop

    /// One run of the main loop serves an executor on that loop, the main actor and the main queue.
    func testX6_TheMainLoopServesAllThree() {
        let executor = RunLoop.LoopExecutor(runLoop: .main)
        let actor = Resident(executor)
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
        executor.stop()
        XCTAssert(runLoop { executor.hasLeftLoop })
    }
}

extension Resident {
    fileprivate func isIsolatedHere() -> Bool? { executor.isIsolatingCurrentContext() }
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
