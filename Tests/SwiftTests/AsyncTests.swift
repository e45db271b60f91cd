import CRunLoop
import SwiftRunLoop
import XCTest

/// Calls that async code awaits instead of blocking a thread: performs, sent messages, the end of an executor.
final class AsyncTests: XCTestCase {
    /// A thread that runs its loop until it is stopped.
    private final class Serving: Thread, @unchecked Sendable {
        private let stops = Shared(false)
        override func main() {
            RunLoop.current.add(Port(), forMode: .default)
            while !stops.value { RunLoop.current.run(mode: .default, before: .distantFuture) }
        }

        func stop() {
            try? Thread.perform(on: self, waitUntilDone: false) { [stops] in stops.value = true }
            XCTAssert(eventually { self.isFinished })
        }

        static func started() -> Serving {
            let thread = Serving()
            thread.start()
            return thread
        }
    }

    /// Waits on the main thread, while tasks run elsewhere.
    private func wait(_ body: @escaping @Sendable () async -> Void, line: UInt = #line) {
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            await body()
            done.signal()
        }
        XCTAssertEqual(done.wait(timeout: .now() + 60), .success, "not within a minute", line: line)
    }

    private actor Caller {
        func perform(on thread: Serving) async -> [String] {
            let before = ObjectIdentifier(self)
            let result = try? await thread.run { (Thread.current === thread, 42) }
            self.preconditionIsolated()
            XCTAssertEqual(before, ObjectIdentifier(self))
            return ["\(result?.0 == true)", "\(result?.1 ?? 0)"]
        }
    }

    func testI4_AnAwaitedPerformReturnsTheResultToTheCallersActor() {
        let thread = Serving.started()
        wait {
            let seen = await Caller().perform(on: thread)
            XCTAssertEqual(seen, ["true", "42"])
        }
        thread.stop()
    }

    /// On the thread of an executor, a blocking wait for another task of that thread would be a deadlock.
    func testATaskMayAwaitAPerformOnItsOwnThread() {
        let executor = RunLoop.LoopExecutor()
        wait {
            let isSame = await Task(executorPreference: executor) { () -> Bool in
                let own = currentThread()
                return (try? await own.run { Thread.current === own }) == true
            }.value
            XCTAssert(isSame)
            await executor.stop()
            XCTAssert(executor.hasLeftLoop)
        }
    }

    func testI4_ManyAwaitedPerformsAreEachMadeOnce() {
        let thread = Serving.started(), made = Shared(0)
        wait {
            await withTaskGroup(of: Int.self) { group in
                for number in 0..<500 {
                    group.addTask { (try? await thread.run { () -> Int in made.value += 1; return number }) ?? -1 }
                }
                var numbers: [Int] = []
                for await number in group { numbers.append(number) }
                XCTAssertEqual(numbers.sorted(), Array(0..<500))
            }
        }
        XCTAssertEqual(made.value, 500)
        thread.stop()
    }

    func testACancelledTaskTakesItsPerformBack() {
        let thread = Serving.started(), gate = DispatchSemaphore(value: 0), log = EventList()
        try? Thread.perform(on: thread, waitUntilDone: false) { gate.wait() }
        wait {
            let token = Weak<Token>()
            let task = Task { () -> (any Error)? in
                let captured = Token()
                token.object = captured
                do { try await thread.run { withExtendedLifetime(captured) { log.add("performed") } } } catch { return error }
                return nil
            }
            while token.object == nil { await Task.yield() }
            task.cancel()
            let error = await task.value
            XCTAssert(error is CancellationError, "\(String(describing: error))")
            XCTAssertNil(token.object, "the closure is released")
            gate.signal()
            try? await thread.run { log.add("later") }
        }
        XCTAssertEqual(log.all, ["later"])
        thread.stop()
    }

    /// One task is cancelled before its call begins. Another is cancelled when its call has begun, so it waits for the call.
    func testWhenACancelTakesEffect() {
        let thread = Serving.started(), begun = DispatchSemaphore(value: 0), gate = DispatchSemaphore(value: 0), log = EventList()
        wait {
            let early = Task { () -> String in
                while !Task.isCancelled { await Task.yield() }
                do { return try await thread.run(inModes: [RunLoop.Mode("never runs")]) { "performed" } } catch { return "\(error is CancellationError)" }
            }
            early.cancel()
            log.add(await early.value)
            let late = Task { () -> String in
                (try? await thread.run { () -> String in
                    begun.signal()
                    gate.wait()
                    return "performed"
                }) ?? "cancelled"
            }
            await waitFor(begun)
            late.cancel()
            gate.signal()
            log.add(await late.value)
        }
        XCTAssertEqual(log.all, ["true", "performed"])
        thread.stop()
    }

    func testAnAwaitedPerformEndsWithTheThread() {
        let mayEnd = DispatchSemaphore(value: 0)
        let thread = Thread { mayEnd.wait() }
        thread.start()
        let target = thread
        wait {
            let task = Task { () -> PerformError? in
                do { try await target.run {} } catch { return error as? PerformError }
                return nil
            }
            try? await Task.sleep(nanoseconds: 10_000_000)
            mayEnd.signal()
            let error = await task.value
            XCTAssert(error == .threadFinishedMeanwhile || error == .threadHasFinished, "\(String(describing: error))")
        }
        XCTAssert(eventually { thread.isFinished })
    }
}

private func currentThread() -> Thread { Thread.current }

private func waitFor(_ semaphore: DispatchSemaphore) async {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            semaphore.wait()
            continuation.resume()
        }
    }
}
