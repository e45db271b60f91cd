import Dispatch
import SwiftRunLoop
import SwiftRunLoopAsync
import TestSupport
import XCTest
import class SwiftRunLoop.Port
import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Thread
import class SwiftRunLoop.Timer

/// The main loop in a process whose main thread runs Foundation's loop. XCTest waits in that loop, which serves ours through the main
/// queue.
final class MainQueueTests: XCTestCase {
    private let mode = RunLoop.Mode("MainQueueTests")

    private func attach(_ mode: RunLoop.Mode, _ body: () throws -> Void) rethrows {
        let attachment = RunLoop.main.attachToMainQueue(forMode: mode)
        defer { attachment.cancel() }
        try body()
    }

    func testXCTestsWaitServesTimersOfOurMainLoop() {
        attach(mode) {
            let isOver = expectation(description: "the timer has fired three times")
            let fired = Shared(0)
            RunLoop.main.add(Timer(timeInterval: 0.002, repeats: true) { timer in
                XCTAssert(Thread.isMainThread)
                fired.value += 1
                if fired.value == 3 {
                    timer.invalidate()
                    isOver.fulfill()
                }
            }, forMode: mode)
            wait(for: [isOver], timeout: 20)
            XCTAssertEqual(fired.value, 3)
        }
    }

    func testXCTestsWaitServesSourcesAndPerforms() {
        attach(mode) {
            let isSignalled = expectation(description: "signal"), source = RunLoop.Source { isSignalled.fulfill() }
            RunLoop.main.add(source, forMode: mode)
            let isPerformed = expectation(description: "perform"), mode = mode
            onThread {
                source.signal()
                RunLoop.main.wakeUp()
                _ = Thread.main.perform(inModes: [mode]) { isPerformed.fulfill() }
            }
            wait(for: [isSignalled, isPerformed], timeout: 20)
            source.invalidate()
        }
    }

    /// The default mode is common, so its port set contains the main queue's port, too, which belongs to the loop that is running.
    func testTheMainQueueIsServedByTheOtherLoopAllTheSame() {
        attach(.default) {
            let isOver = expectation(description: "each block of the main queue has been called")
            isOver.expectedFulfillmentCount = 60
            let turns = Shared(0)
            RunLoop.main.add(Timer(timeInterval: 0.001, repeats: true) { timer in
                turns.value += 1
                if turns.value == 20 { timer.invalidate() }
                DispatchQueue.main.async {
                    isOver.fulfill()
                    DispatchQueue.main.async { isOver.fulfill() }
                }
                onThread { DispatchQueue.main.async { isOver.fulfill() } }
                SwiftRunLoop.RunLoop.main.run(mode: .default, before: .distantPast) // nested in the run that serves the queue
            }, forMode: .default)
            wait(for: [isOver], timeout: 20)
        }
    }

    /// While nothing is due, neither loop keeps the other awake.
    func testAnAttachedLoopWithNothingToDoMakesNoPasses() {
        attach(.default) {
            let passes = Shared(0)
            let observer = RunLoop.Observer(activities: .beforeSources) { _, _ in passes.value += 1 }
            RunLoop.main.add(observer, forMode: .default)
            let port = Port()
            RunLoop.main.add(port, forMode: .default)
            let isOver = expectation(description: "blocks of the main queue")
            isOver.expectedFulfillmentCount = 10
            for turn in 1...10 { DispatchQueue.main.asyncAfter(deadline: .now() + 0.02 * Double(turn)) { isOver.fulfill() } }
            wait(for: [isOver], timeout: 20)
            XCTAssertLessThan(passes.value, 100, "a loop that kept itself awake would have made thousands")
            observer.invalidate()
            port.invalidate()
        }
    }

    /// For a second, neither loop has work. A host that polled, or a descriptor that stayed ready, would use all of it.
    func testAnAttachedLoopWithNothingToDoUsesNoProcessor() {
        attach(.default) {
            let timer = Timer(timeInterval: 1000, repeats: true) { _ in }
            RunLoop.main.add(timer, forMode: .default)
            let isOver = expectation(description: "a timer of ours fires after a second")
            let used = Shared(0.0)
            let before = clock()
            RunLoop.main.add(Timer(timeInterval: 1, repeats: false) { _ in
                used.value = Double(clock() - before) / Double(CLOCKS_PER_SEC)
                isOver.fulfill()
            }, forMode: .default)
            wait(for: [isOver], timeout: 20)
            XCTAssertLessThan(used.value, 0.2, "seconds")
            timer.invalidate()
        }
    }

    /// While an async test is suspended, XCTest waits for it in Foundation's loop.
    @MainActor func testAnAsyncTestMayAwaitATimerOfOurMainLoop() async {
        let mode = mode, attachment = attached(mode)
        await withCheckedContinuation { continuation in
            RunLoop.main.add(Timer(timeInterval: 0.002, repeats: false) { _ in continuation.resume() }, forMode: mode)
        }
        XCTAssert(Thread.isMainThread)
        attachment.cancel()
    }

    func testTheJobsThatTheJobsOfAnAttachedLoopLeaveAreRun() {
        attach(.default) {
            let isOver = expectation(description: "a task has yielded five times")
            Task(executorPreference: RunLoop.main) {
                for _ in 1...5 { await Task.yield() }
                isOver.fulfill()
            }
            wait(for: [isOver], timeout: 20)
        }
    }

    private func attached(_ mode: RunLoop.Mode) -> any DispatchSourceRead { RunLoop.main.attachToMainQueue(forMode: mode) }

    /// A run of the loop itself has the results of one that nobody hosts, and sleeps. The defect (F198): the host's block ended a run that
    /// returns after a source, and a run until a date served the host over and over.
    func testARunOfAnAttachedLoopIsThatOfAnyLoop() {
        attach(mode) {
            let port = Port(), fired = Shared(0), mode = mode
            RunLoop.main.add(port, forMode: mode)
            defer { port.invalidate() }
            func run(_ seconds: Double, _ body: (Date) -> Void) -> (time: Double, processor: Double) {
                let start = Date(), processor = clock()
                body(Date(timeIntervalSinceNow: seconds))
                return (-start.timeIntervalSinceNow, Double(clock() - processor) / Double(CLOCKS_PER_SEC))
            }
            for isAlone in [true, false] {
                if !isAlone {
                    RunLoop.main.add(Timer(timeInterval: 0.02, repeats: false) { _ in fired.value += 1 }, forMode: mode)
                }
                let one = run(0.2) { XCTAssertTrue(RunLoop.main.run(mode: mode, before: $0)) }
                XCTAssertGreaterThanOrEqual(one.time, 0.2, "a timer or the host has ended the run")
                XCTAssertLessThan(one.processor, 0.1)
            }
            XCTAssertEqual(fired.value, 1)
            RunLoop.main.add(Timer(timeInterval: 0.02, repeats: false) { _ in fired.value += 1 }, forMode: mode)
            let until = run(0.2) { XCTAssertEqual(RunLoop.main.runUntilStopped(in: mode, until: $0), .timedOut) }
            XCTAssertGreaterThanOrEqual(until.time, 0.2)
            XCTAssertLessThan(until.processor, 0.1)
            XCTAssertEqual(fired.value, 2)
        }
    }

    func testWithoutAnAttachmentXCTestsWaitDoesNotServeOurLoop() {
        attach(mode) {}
        let fired = Shared(0), isOver = expectation(description: "time has passed")
        let timer = Timer(timeInterval: 0.001, repeats: true) { _ in fired.value += 1 }
        RunLoop.main.add(timer, forMode: mode)
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.05) { isOver.fulfill() }
        wait(for: [isOver], timeout: 20)
        XCTAssertEqual(fired.value, 0)
        timer.invalidate()
    }
}
