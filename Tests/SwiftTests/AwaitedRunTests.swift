import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Thread
import SwiftRunLoop
import TestSupport
import XCTest

/// `thread.run { }`: a task calls a closure on another thread, and gets its result.
final class AwaitedRunTests: XCTestCase {
    /// Calls the test with each form, and with a worker that is stopped afterwards.
    private func withWorkers(line: UInt = #line, _ test: @escaping @Sendable (RunForm, Worker) async throws -> Void) {
        for form in [RunForm.thread] {
            let worker = Worker.started()
            waitForTask(line: line) { try await test(form, worker) }
            worker.stop()
        }
    }

    private struct Problem: Error {}

    private final class Box {
        var value: Int
        init(_ value: Int) { self.value = value }
    }

    private actor Caller {
        func run(_ form: RunForm, on worker: Worker) async throws -> Bool {
            let isThere = try await form.run(worker) { Thread.current === worker }
            preconditionIsolated()
            return isThere
        }
    }

    func testI4_TheClosureRunsOnTheThreadAndItsResultComesBackToTheCallersActor() {
        withWorkers { form, worker in
            let isThere = try await Caller().run(form, on: worker)
            XCTAssert(isThere)
            let mode = try await form.run(worker) { RunLoop.current.currentMode }
            XCTAssertEqual(mode, .default)
        }
    }

    /// A closure in code of the main actor is not itself isolated to the main actor: it must not check that it is on the main thread.
    @MainActor func testAClosureInCodeOfTheMainActorRunsOnTheOtherThread() async throws {
        for form in [RunForm.thread] {
            let worker = Worker.started()
            let isThere = try await form.run(worker) { Thread.current === worker && !Thread.isMainThread }
            XCTAssert(isThere)
            MainActor.assertIsolated()
            worker.stop()
        }
    }

    /// The caller sends a value that is not Sendable and gives it up, and the thread does the same with its result.
    func testValuesThatAreNotSendableAreGivenAway() {
        withWorkers { form, worker in
            let box = Box(41)
            let returned = try await form.run(worker) {
                box.value += 1
                return Box(box.value)
            }
            XCTAssertEqual(returned.value, 42)
        }
    }

    func testWhatTheClosureThrowsIsThrown() {
        withWorkers { form, worker in
            do {
                try await form.run(worker) { throw Problem() }
                XCTFail("no error")
            } catch { XCTAssert(error is Problem, "\(error)") }
        }
    }

    func testManyRunsAreEachMadeOnceInTheirOrder() {
        withWorkers { form, worker in
            let made = Shared([Int]())
            for number in 0..<200 { try await form.run(worker) { made.append(number) } }
            XCTAssertEqual(made.value, Array(0..<200))
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<200 { group.addTask { try await form.run(worker) { number } } }
                var numbers: [Int] = []
                for try await number in group { numbers.append(number) }
                XCTAssertEqual(numbers.sorted(), Array(0..<200))
            }
        }
    }

    /// A blocking wait would be a deadlock here.
    func testATaskMayAwaitARunOnItsOwnThread() {
        waitForTask {
            let worker = RunLoop.Worker()
            let isSame = try await withTaskExecutorPreference(worker.loop) {
                let own = currentThread()
                return try await own.run { Thread.current === own }
            }
            XCTAssert(isSame)
        }
    }

    /// Whether the closure returns or throws, the worker makes the calls that wait, and ends.
    func testAWorkerHasEndedWhenTheCallWithItReturns() {
        waitForTask {
            for throwsError in [false, true] {
                let log = EventList(), thread = Shared<Thread?>(nil)
                do {
                    try await withWorker(name: "AwaitedRunTests") { worker in
                        thread.value = worker.thread
                        XCTAssertEqual("\(worker)", "<RunLoop.Worker \"AwaitedRunTests\", is running>")
                        worker.thread.perform {
                            Thread.sleep(forTimeInterval: 0.02)
                            log.add("the call that waits")
                        }
                        if throwsError { throw CancellationError() }
                    }
                } catch { log.add("thrown") }
                XCTAssertEqual(log.all, ["the call that waits"] + (throwsError ? ["thrown"] : []))
                XCTAssert(thread.value!.isFinished)
            }
        }
    }

    // MARK: Cancellation

    func testACancelledTaskTakesBackARunThatHasNotBegun() {
        for form in [RunForm.thread] {
            let worker = Worker.started(), log = EventList(), token = WeakReference<Token>()
            waitForTask {
                let task = Task { () -> Bool in
                    let captured = Token()
                    token.object = captured
                    do {
                        try await form.run(worker, in: RunLoop.Mode("never runs")) { withExtendedLifetime(captured) { log.add("called") } }
                    } catch { return error is CancellationError }
                    return false
                }
                while token.object == nil { await Task.yield() }
                task.cancel()
                let isCancelled = await task.value
                XCTAssert(isCancelled)
                XCTAssertNil(token.object, "the closure is released")
            }
            worker.stop()
            XCTAssertEqual(log.all, [])
        }
    }

    /// Without the call, the mode is empty: a run there has nothing to handle, and returns at once.
    func testARunThatIsTakenBackLeavesItsModeEmpty() {
        let worker = Worker.started(), mode = RunLoop.Mode("AwaitedRunTests")
        waitForTask {
            let task = Task { try await worker.run(inModes: [mode]) { XCTFail("called") } }
            XCTAssert(eventually { worker.loop.allModes.contains(mode) })
            task.cancel()
            _ = await task.result
            let hasRun = try await worker.run { RunLoop.current.run(mode: mode, before: .distantFuture) }
            XCTAssertFalse(hasRun)
        }
        worker.stop()
    }

    func testACancelledTaskWaitsForARunThatHasBegun() {
        withWorkers { form, worker in
            let begun = DispatchSemaphore(value: 0), gate = DispatchSemaphore(value: 0)
            let task = Task { () -> String in
                try await form.run(worker) { () -> String in
                    begun.signal()
                    gate.wait()
                    return "called"
                }
            }
            await waitFor(begun)
            task.cancel()
            gate.signal()
            let answer = try await task.value
            XCTAssertEqual(answer, "called")
        }
    }

    // MARK: The end of the thread

    func testARunEndsWithTheThread() {
        for form in [RunForm.thread] {
            let worker = Worker.started(), token = WeakReference<Token>()
            waitForTask {
                async let meanwhile = SwiftTests.error(of: {
                    let captured = Token()
                    token.object = captured
                    try await form.run(worker, in: RunLoop.Mode("never runs")) { withExtendedLifetime(captured) {} }
                })
                while token.object == nil { await Task.yield() }
                try await Task.sleep(nanoseconds: 2_000_000)
                worker.stop()
                let first = await meanwhile
                XCTAssert(first == .threadFinishedMeanwhile || first == .threadHasFinished, "\(String(describing: first))")
                XCTAssert(eventually { token.object == nil }, "the closure is released")
                let second = await SwiftTests.error { try await form.run(worker) {} }
                XCTAssertEqual(second, .threadHasFinished)
            }
        }
    }

    /// The closure never returns, so no code after it can give the answer.
    func testARunThatEndsItsThreadThrows() throws {
        try skip(under: .address, because: "a thread that ends inside functions leaks what they retain")
        for form in [RunForm.thread] {
            let worker = Worker.started()
            waitForTask {
                let error = await SwiftTests.error { try await form.run(worker) { Thread.exit() } }
                XCTAssertEqual(error, .threadFinishedMeanwhile)
            }
            XCTAssert(eventually { worker.isFinished })
        }
    }

    // MARK: The main loop

    func testTheMainLoopMakesRunsToo() {
        let log = EventList()
        Task.detached {
            log.add("\(try await Thread.main.run { Thread.isMainThread })")
        }
        XCTAssert(runLoop { log.all.count == 1 })
        XCTAssertEqual(log.all, ["true"])
    }
}

private func error(of body: @Sendable () async throws -> Void) async -> PerformError? {
    do { try await body() } catch { return error as? PerformError }
    return nil
}

private func waitFor(_ semaphore: DispatchSemaphore) async {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            semaphore.wait()
            continuation.resume()
        }
    }
}
