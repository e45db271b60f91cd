import CRunLoop
@testable import protocol RunLoopLab.Performing
import Runtime
import SwiftRunLoop
import TestSupport
import XCTest

/// The performSelector methods and the targets of Lab/NSObject, which the articles' programs use.
final class LabPerformTests: XCTestCase {
    private final class Worker: Performing, Sendable {
        let log: EventList
        init(_ log: EventList) { self.log = log }
        func load(_ name: String) { log.add("load \(name) main \(Thread.isMainThread)") }
        func finish() { log.add("finish main \(Thread.isMainThread)") }
    }

    func testI4_MethodsArePerformedOnThreadsWithTheirArguments() throws {
        let thread = RunLoop.Worker(), log = EventList(), worker = Worker(log)
        try worker.perform(Worker.load, with: "a", on: thread.thread, waitUntilDone: false)
        try worker.perform(Worker.finish, on: thread.thread, waitUntilDone: true)
        try worker.performOnMainThread(Worker.load, with: "b", waitUntilDone: true)
        try worker.performOnMainThread(Worker.finish, waitUntilDone: false, modes: [.default])
        XCTAssertEqual(log.all, ["load a main false", "finish main false", "load b main true"])
        RunLoop.current.run(mode: .default, before: .distantPast)
        XCTAssertEqual(log.all.last, "finish main true")
        thread.stop()
        thread.thread.join()
        XCTAssertThrowsError(try worker.perform(Worker.finish, on: thread.thread, waitUntilDone: false))
    }

    // MARK: T5: after a delay, as a timer

    @inline(never)
    private static func logFrames(to log: EventList) {
        let backtrace = try! Backtrace.capture().symbolicated(with: nil)!
        for frame in backtrace.frames { log.add(frame.symbol?.rawName ?? "?") }
    }

    func testT5_AfterADelayItIsATimerOfTheDefaultMode() {
        let log = EventList(), own = RunLoop.Mode("LabPerformTests.delays"), port = Port()
        RunLoop.current.add(port, forMode: own)
        RunLoop.current.perform(afterDelay: 0) { Self.logFrames(to: log) }
        XCTAssertEqual(log.all, [], "not at once")
        RunLoop.current.run(mode: own, before: Date() + 0.01)
        XCTAssertEqual(log.all, [], "not in another mode")
        XCTAssert(runLoop { !log.all.isEmpty })
        let expected = ["__NSFireDelayedPerform", "__CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__", "__CFRunLoopDoTimer",
                        "__CFRunLoopDoTimers", "__CFRunLoopRun", "CFRunLoopRunSpecific"]
        XCTAssertEqual(log.all.filter(expected.contains), expected, "\(log.all)")
        RunLoop.current.remove(port, forMode: own)
    }

    func testT5_InTheModesThatAreNamedAndAfterTheDelay() {
        let log = EventList(), own = RunLoop.Mode("LabPerformTests.named"), start = Date()
        RunLoop.current.perform(afterDelay: 0.03, inModes: [own]) { log.add("performed") }
        RunLoop.current.run(mode: .default, before: Date() + 0.05)
        XCTAssertEqual(log.all, [])
        RunLoop.current.perform(afterDelay: 0.02, inModes: [own]) { log.add("later") }
        XCTAssert(runLoop(in: own) { log.all.count == 2 })
        XCTAssertEqual(log.all, ["performed", "later"])
        XCTAssertGreaterThanOrEqual(Date().timeIntervalSince(start), 0.06)
    }

    /// The closure goes with the loop of its thread.
    func testT5_APerformGoesWhenItsThreadEnds() {
        let captured = WeakReference<Token>()
        onThread {
            let inBlock = Token()
            captured.object = inBlock
            RunLoop.current.perform(afterDelay: 100, inModes: [.default, .common]) { withExtendedLifetime(inBlock) {} }
            RunLoop.current.perform(afterDelay: 0) { XCTFail("this loop never runs") }
        }
        XCTAssertNil(captured.object)
    }

    /// The object is retained until its method has been called, and no longer.
    func testT5_MethodsArePerformedAfterADelayAndRetainTheirObject() {
        let log = EventList(), alive = WeakReference<Worker>()
        do {
            let worker = Worker(log)
            alive.object = worker
            worker.perform(Worker.load, with: "a", afterDelay: 0)
            worker.perform(Worker.finish, afterDelay: 0.005)
        }
        XCTAssertNotNil(alive.object)
        XCTAssert(runLoop { log.all.count == 2 })
        XCTAssertEqual(log.all, ["load a main true", "finish main true"])
        XCTAssertNil(alive.object)
    }

    // MARK: Threads with a target

    func testAThreadCallsAMethodOfItsTargetAndReleasesTheTarget() {
        let weak = WeakReference<Worker>(), log = EventList()
        do {
            let worker = Worker(log)
            weak.object = worker
            let thread = Thread(target: worker, action: Worker.load, object: "a")
            thread.start()
            thread.join()
            let other = Thread(target: worker, action: Worker.finish)
            other.start()
            other.join()
        }
        XCTAssertEqual(log.all, ["load a main false", "finish main false"])
        XCTAssert(eventually { weak.object == nil })
    }
}
