import CRunLoop
import enum SwiftRunLoop.PerformError
import class SwiftRunLoop.Port
import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Thread
import XCTest

/// What other threads and tasks do with a loop: its `Thread` and its CFRunLoop are Sendable.
final class OtherThreadsTests: XCTestCase {
    /// Starts a thread that runs its loop until it is stopped, and returns it with its CFRunLoop.
    private func started() -> (Thread, CFRunLoop) {
        let made = Shared<CFRunLoop?>(nil)
        let thread = Thread {
            RunLoop.current.add(Port(), forMode: .default)
            made.value = RunLoop.current.getCFRunLoop()
            RunLoop.current.runUntilStopped()
        }
        thread.start()
        XCTAssert(eventually { made.value != nil })
        return (thread, made.value!)
    }

    func testABlockIsPerformedAfterAWakeUp() throws {
        let (thread, loop) = started()
        for _ in 0..<20 {
            XCTAssert(eventually { CFRunLoopIsWaiting(loop) })
            let calledOn = Shared<Thread?>(nil)
            CFRunLoopPerformBlock(loop, UnsafeRawPointer(kCFRunLoopDefaultMode)) { calledOn.value = Thread.current }
            CFRunLoopWakeUp(loop)
            XCTAssert(eventually { calledOn.value != nil })
            XCTAssert(calledOn.value === thread)
        }
        CFRunLoopStop(loop)
        XCTAssert(eventually { thread.isFinished })
    }

    func testALoopWhoseThreadHasEndedReleasesWhatItIsToPerform() {
        let thread = LoopThread()
        let loop = thread.loop
        thread.stop()
        weak var token: Token?
        do {
            let captured = Token()
            token = captured
            loop.perform { withExtendedLifetime(captured) { XCTFail("the thread has ended") } }
        }
        XCTAssertNil(token)
    }
}
