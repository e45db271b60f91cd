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
        XCTAssert(eventually { thread.loop.currentMode == .default && thread.loop.isWaiting })
        thread.loop.stop()
        XCTAssert(eventually { thread.runResult == .stopped })
        thread.stop()
    }

    func testItemsOfEachKindAreAddedAndRemovedFromAnotherThread() {
        let thread = LoopThread()
        let loop = thread.loop, log = EventList(), mode = RunLoop.Mode.default
        let timer = Timer(timeInterval: 0.001, repeats: false) { _ in log.add("timer") }
        loop.add(timer, forMode: mode)
        XCTAssert(eventually { log.all == ["timer"] })

        let source = RunLoop.Source { log.add("source") }
        loop.add(source, forMode: mode)
        XCTAssert(loop.contains(source, forMode: mode))
        source.signal()
        loop.wakeUp()
        XCTAssert(eventually { log.all == ["timer", "source"] })
        loop.remove(source, forMode: mode)
        XCTAssertFalse(loop.contains(source, forMode: mode))

        let descriptor = CFEventDescriptorCreate(true)
        let descriptorSource = RunLoop.DescriptorSource(fileDescriptor: descriptor) {
            CFEventDescriptorClear(descriptor)
            log.add("descriptor")
        }
        loop.add(descriptorSource, forMode: mode)
        XCTAssert(loop.contains(descriptorSource, forMode: mode))
        XCTAssert(eventually { log.all.last == "descriptor" })
        loop.remove(descriptorSource, forMode: mode)
        XCTAssertFalse(loop.contains(descriptorSource, forMode: mode))
        descriptorSource.invalidate()
        close(descriptor)

        let observer = RunLoop.Observer(activities: .afterWaiting, repeats: false) { _, _ in log.add("observer") }
        loop.add(observer, forMode: mode)
        XCTAssert(eventually { // repeated, because a pass that polls has no AfterWaiting
            loop.wakeUp()
            return log.all.last == "observer"
        })
        XCTAssertFalse(loop.contains(observer, forMode: mode))

        let port = Port()
        loop.add(port, forMode: mode)
        XCTAssert(loop.contains(port, forMode: mode))
        loop.remove(port, forMode: mode)
        XCTAssertFalse(loop.contains(port, forMode: mode))
        thread.stop()
    }

    func testTwoHandlesAreEqualIfTheirLoopIsTheSame() {
        let thread = LoopThread()
        XCTAssertEqual(RunLoop.main.remote, RunLoop.main.remote)
        XCTAssertNotEqual(RunLoop.main.remote, thread.loop)
        XCTAssertEqual(Set([RunLoop.main.remote, RunLoop.main.remote, thread.loop]).count, 2)
        XCTAssertEqual(RunLoop.main.remote.description.prefix(20), RunLoop.main.description.prefix(20))
        thread.stop()
    }
}
