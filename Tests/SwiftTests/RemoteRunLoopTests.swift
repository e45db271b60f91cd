import CRunLoop
import FoundationEssentials
import Glibc
import enum SwiftRunLoop.PerformError
import class SwiftRunLoop.Port
import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Thread
import class SwiftRunLoop.Timer
import XCTest

/// `RunLoop.remote`: a loop, used from other threads and from tasks.
final class RemoteRunLoopTests: XCTestCase {
    func testAPerformIsCalledOnTheLoopsThreadAndWakesIt() {
        let thread = LoopThread()
        let loop = thread.loop
        for _ in 0..<20 {
            XCTAssert(eventually { loop.isWaiting })
            let calledOn = Shared<RunLoop.Remote?>(nil)
            XCTAssert(loop.perform { calledOn.value = RunLoop.current.remote })
            XCTAssert(eventually { calledOn.value != nil })
            XCTAssertEqual(calledOn.value, loop)
        }
        thread.stop()
    }

    func testAPerformReturnsFalseWhenTheThreadHasEndedAndReleasesTheClosure() {
        let thread = LoopThread()
        let loop = thread.loop
        thread.stop()
        weak var token: Token?
        do {
            let captured = Token()
            token = captured
            XCTAssertFalse(loop.perform { withExtendedLifetime(captured) {} })
        }
        XCTAssertNil(token)
    }

    func testARunReturnsTheResultOfACallOnTheLoopsThread() {
        let thread = LoopThread()
        waitForTask {
            let loop = thread.loop
            let isCurrent = try await loop.run { RunLoop.current.remote == loop }
            XCTAssert(isCurrent)
            loop.stop()
            XCTAssert(eventually { loop.perform {} == false })
            do {
                try await loop.run { XCTFail("the thread has ended") }
                XCTFail("the thread has ended")
            } catch { XCTAssertEqual(error as? PerformError, .threadHasFinished) }
        }
        thread.stop()
    }

    func testStopEndsTheRun() {
        let thread = LoopThread()
        XCTAssert(eventually { thread.loop.isWaiting })
        thread.loop.stop()
        XCTAssert(eventually { thread.runResult == .stopped })
        thread.stop()
    }

    func testTwoHandlesAreEqualIfTheirLoopIsTheSame() {
        let thread = LoopThread()
        XCTAssertEqual(RunLoop.main.remote, RunLoop.main.remote)
        XCTAssertNotEqual(RunLoop.main.remote, thread.loop)
        XCTAssertEqual(Set([RunLoop.main.remote, RunLoop.main.remote, thread.loop]).count, 2)
        thread.stop()
    }
}
