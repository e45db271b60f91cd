import CRunLoop
import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Thread
@testable import SwiftRunLoop
import TestSupport
import XCTest

/// The one queue behind all forms of perform: what it costs, whom it calls, and how each wait ends.
final class CallQueueTests: XCTestCase {
    /// A thread may have found the queue before it ended.
    func testAQueueThatHasEndedTakesNoCall() {
        let worker = Worker.started()
        worker.loop.calls.end(.threadFinishedMeanwhile)
        XCTAssertFalse(worker.perform { XCTFail("made") })
        worker.loop.wakeUp()
        worker.stop()
    }

    /// Whoever waits for a call may count on what its closure has captured being gone.
    func testAClosureIsReleasedBeforeItsCompletionIsCalled() {
        func call(_ isReleased: Shared<Bool?>) -> Call {
            let captured = WeakReference<Token>(), inClosure = Token()
            captured.object = inClosure
            return Call(modes: [.default], completion: { _ in isReleased.value = captured.object == nil }) { withExtendedLifetime(inClosure) {} }
        }
        let ended = Shared<Bool?>(nil), made = Shared<Bool?>(nil), worker = Worker.started()
        call(ended).end(CancellationError())
        XCTAssertEqual(ended.value, true)
        try! worker.loop.calls.add(call(made), to: worker.loop)
        XCTAssert(eventually { made.value != nil })
        XCTAssertEqual(made.value, true)
        worker.stop()
    }

    // MARK: Tasks

    /// The defect: of 1,000 calls of tasks that were cancelled already, the main loop made 709. The loops run meanwhile, and calls of other
    /// tasks are made, so that this test cannot pass because nothing runs.
    func testNoCallOfATaskThatIsCancelledAlreadyIsMade() {
        let worker = Worker.started()
        for form in RunForm.allCases {
            let made = Shared(0), others = Shared(0), cancelled = Shared(0), isOver = Shared(false)
            Task.detached {
                async let isCancelled: Void = Task {
                    withUnsafeCurrentTask { $0!.cancel() }
                    for _ in 0..<10_000 {
                        do { try await form.run(worker) { made.withLock { $0 += 1 } } } catch {
                            if error is CancellationError { cancelled.withLock { $0 += 1 } }
                        }
                    }
                }.value
                async let isNot: Void = Task { for _ in 0..<100 { try? await form.run(worker) { others.withLock { $0 += 1 } } } }.value
                _ = await (isCancelled, isNot)
                isOver.value = true
            }
            XCTAssert(runLoop { isOver.value }, "\(form)")
            XCTAssertEqual(made.value, 0, "\(form)")
            XCTAssertEqual(cancelled.value, 10_000, "\(form)")
            XCTAssertEqual(others.value, 100, "\(form)")
        }
        worker.stop()
    }

    /// Each wait ends once: with the call, with the cancellation of the task or with the thread.
    func testEachWaitEndsOnceHoweverCallsCancellationsAndTheThreadsEndMeet() {
        for form in [RunForm.thread] {
            for round in 0..<20 {
                let worker = Worker.started(), made = Shared(0)
                waitForTask {
                    let ends = await withTaskGroup(of: String.self) { group in
                        for number in 0..<60 {
                            group.addTask {
                                let call = Task { () -> String in
                                    do {
                                        try await form.run(worker, in: number % 4 == 0 ? RunLoop.Mode("never runs") : .common) { made.withLock { $0 += 1 } }
                                        return "made"
                                    } catch { return error is CancellationError ? "cancelled" : error is PerformError ? "ended" : "\(error)" }
                                }
                                if number % 3 == 0 { call.cancel() }
                                return await call.value
                            }
                        }
                        if round % 2 == 0 { try? await Task.sleep(nanoseconds: UInt64(round) * 20_000) }
                        worker.stop()
                        return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
                    }
                    XCTAssertEqual(ends["made", default: 0], made.value)
                    XCTAssertEqual(ends.values.reduce(0, +), 60)
                    XCTAssertEqual(Set(ends.keys).subtracting(["made", "cancelled", "ended"]), [])
                    XCTAssertGreaterThan(ends["ended", default: 0], 0, "those in the mode that never runs")
                }
            }
        }
    }

    // MARK: The sources

    /// A call in two modes that has been made in one leaves no signal in the other, which would end a run that has handled nothing.
    func testACallOfSeveralModesIsMadeOnceAndEndsOneRun() {
        onThread {
            let other = RunLoop.Mode("CallQueueTests.other"), log = EventList()
            Thread.current.perform(inModes: [.default, other]) { log.add("made") }
            XCTAssertEqual(RunLoop.current.runUntilStopped(in: .default, until: .distantPast), .timedOut)
            XCTAssertEqual(log.all, ["made"])
            XCTAssertEqual(CFRunLoopRunInMode(other.cf, 0, true), .timedOut)
        }
    }

    /// The defect of a queue that signals its source before each call: the last signal stays.
    func testABatchOfCallsLeavesNoSignalAndTheModeIsNeverEmpty() {
        onThread {
            let log = EventList()
            for number in 1...3 {
                Thread.current.perform {
                    log.add("\(number)")
                    XCTAssertEqual(CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, true), number < 3 ? .handledSource : .timedOut)
                }
            }
            XCTAssertEqual(CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, true), .handledSource)
            XCTAssertEqual(CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, true), .timedOut)
            XCTAssertEqual(log.all, ["1", "2", "3"])
        }
    }

    /// A task that takes its call back leaves nothing behind in a mode that does not run, and a later call finds its way there.
    func testCallsThatAreTakenBackLeaveNothing() {
        let worker = Worker.started(), mode = RunLoop.Mode("runs late")
        waitForTask {
            for _ in 0..<1000 {
                let call = Task { try await worker.run(inModes: [mode]) {} }
                await Task.yield()
                call.cancel()
                _ = await call.result
            }
            let text = try await worker.run { RunLoop.current.description }
            XCTAssertLessThanOrEqual(text.components(separatedBy: "__NSThreadPerformPerform").count - 1, 3)
            let isMade = Shared(false)
            worker.perform(inModes: [mode]) { isMade.value = true }
            _ = try await worker.run { RunLoop.current.run(mode: mode, before: Date(timeIntervalSinceNow: 10)) }
            XCTAssert(isMade.value)
        }
        worker.stop()
    }
}
