import CRunLoop
import FoundationEssentials
import class SwiftRunLoop.RunLoop
import enum SwiftRunLoop.PerformError
import class SwiftRunLoop.Thread
import class SwiftRunLoop.Timer
import XCTest

/// `RunLoop.LoopClock`.
final class LoopClockTests: XCTestCase {
    func testASleepEndsAtItsInstantAndNotBefore() {
        withLoopThread { thread in
            let clock = thread.loop.clock()
            for milliseconds in [0, 1, 3, 10] {
                let deadline = clock.now.advanced(by: .milliseconds(milliseconds))
                try await clock.sleep(until: deadline)
                XCTAssertGreaterThanOrEqual(clock.now, deadline)
            }
            for _ in 0..<200 {
                let deadline = clock.now.advanced(by: .nanoseconds(Int.random(in: 0..<300_000)))
                try await clock.sleep(until: deadline)
                XCTAssertGreaterThanOrEqual(clock.now, deadline)
            }
            try await clock.sleep(until: clock.now.advanced(by: .seconds(-1000)), tolerance: .seconds(1))
            try await clock.sleep(for: .milliseconds(2))
            try await Task.sleep(for: .milliseconds(2), tolerance: .milliseconds(1), clock: clock)
        }
    }

    /// The sleep is a timer: it has its place among the loop's timers by its date, and the loop resumes the task.
    func testTheLoopItselfEndsTheSleep() {
        let executor = RunLoop.LoopExecutor(name: "LoopClockTests")
        waitForTask {
            try await Task(executorPreference: executor) {
                let own = currentLoop(), thread = currentThread(), clock = own.clock(), log = EventList()
                own.add(Timer(timeInterval: 0.002, repeats: false) { _ in log.add("timer before") }, forMode: .default)
                own.add(Timer(timeInterval: 0.5, repeats: false) { _ in log.add("timer after") }, forMode: .default)
                try await clock.sleep(for: .milliseconds(10))
                log.add("sleep")
                XCTAssert(currentThread() === thread)
                XCTAssertEqual(log.all, ["timer before", "sleep"])
            }.value
        }
        executor.stop()
        executor.waitUntilStopped()
    }

    /// The loop's run ends, because the timer was the only item of the mode.
    func testACancelledSleepThrowsAndItsTimerLeavesTheLoop() {
        let thread = LoopThread(isKeptAlive: false)
        waitForTask {
            let clock = thread.loop.clock(mode: .default)
            let task = Task { try await clock.sleep(for: .seconds(1000)) }
            let other = Task { try await clock.sleep(for: .milliseconds(20)) }
            while !thread.loop.description.contains("valid = Yes") { await Task.yield() }
            thread.begin()
            try await other.value
            task.cancel()
            do {
                try await task.value
                XCTFail("the task was cancelled")
            } catch { XCTAssert(error is CancellationError, "\(error)") }
        }
        XCTAssert(eventually { thread.runResult == .finished })
        thread.stop()
    }

    func testACancelledTaskDoesNotBeginToSleep() {
        waitForTask { // waits without running the main loop
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await RunLoop.main.clock().sleep(for: .seconds(1000))
            }
            let result = await task.result
            XCTAssertThrowsError(try result.get()) { XCTAssert($0 is CancellationError) }
        }
    }

    func testTheEndOfTheThreadEndsASleepWithAnError() {
        let thread = LoopThread()
        waitForTask {
            let loop = thread.loop, clock = loop.clock()
            let task = Task { try await clock.sleep(for: .seconds(1000)) }
            XCTAssert(eventually { CFRunLoopGetNextTimerFireDate(loop.getCFRunLoop(), kCFRunLoopDefaultMode) > CFAbsoluteTimeGetCurrent() + 500 })
            loop.stop()
            let result = await task.result
            XCTAssertThrowsError(try result.get()) { XCTAssertEqual($0 as? PerformError, .threadFinishedMeanwhile) }
            XCTAssert(eventually { loop.hasEnded })
            do {
                try await clock.sleep(for: .zero)
                XCTFail("the thread has ended")
            } catch { XCTAssertEqual(error as? PerformError, .threadHasFinished) }
        }
        thread.stop()
        thread.forgetLoop()
        XCTAssert(eventually { thread.runLoop.object == nil })
    }

    func testInstantsAreOnTheMonotonicClock() {
        let clock = RunLoop.main.clock(), start = clock.now, suspending = SuspendingClock().now
        let later = start.advanced(by: .seconds(90))
        XCTAssertEqual(start.duration(to: later), .seconds(90))
        XCTAssertEqual(later.duration(to: start), .seconds(-90))
        XCTAssertLessThan(start, later)
        XCTAssertEqual(clock.minimumResolution, .nanoseconds(1))
        let elapsed = clock.measure { usleep(2000) }
        XCTAssertGreaterThanOrEqual(elapsed, .milliseconds(2))
        XCTAssertGreaterThanOrEqual(SuspendingClock().now - suspending, elapsed)
        XCTAssertLessThan(start, RunLoop.LoopClock.now)
    }

    /// As generic code over any clock uses it.
    private static func timeout<C: Clock>(after duration: C.Duration, on clock: C, _ body: @escaping @Sendable () async -> Void) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await body()
                return false
            }
            group.addTask { (try? await clock.sleep(until: clock.now.advanced(by: duration), tolerance: nil)) != nil }
            defer { group.cancelAll() }
            return await group.next()!
        }
    }

    func testCodeThatTakesAnyClockTakesThisOne() {
        withLoopThread { thread in
            let clock = thread.loop.clock()
            let one = await Self.timeout(after: .milliseconds(5), on: clock) { try? await clock.sleep(for: .seconds(1000)) }
            XCTAssert(one)
            let other = await Self.timeout(after: .seconds(1000), on: clock) {}
            XCTAssertFalse(other)
        }
    }
}
