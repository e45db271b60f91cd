import SwiftRunLoop
import XCTest

/// What source code written for Foundation relies on.
final class FoundationSourceTests: XCTestCase {
    /// A port that overrides everything, like the subclasses in Foundation's tests.
    private final class OwnPort: Port, @unchecked Sendable {
        let log: EventList
        init(_ log: EventList) { self.log = log }
        deinit { log.add("deinit") }
        override func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) { log.add("schedule \(mode.rawValue)") }
        override func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) { log.add("remove \(mode.rawValue)") }
        override func invalidate() { log.add("invalidate") }
    }

    func testA1_APortIsScheduledAndRemovedOncePerMode() {
        let log = EventList()
        onThread {
            let loop = RunLoop.current, a = RunLoop.Mode("A"), b = RunLoop.Mode("B")
            let port = OwnPort(log)
            for mode in [a, a, b] { loop.add(port, forMode: mode) }
            for mode in [a, a, RunLoop.Mode("never")] { loop.remove(port, forMode: mode) }
        }
        XCTAssertEqual(log.all, ["schedule A", "schedule B", "remove A", "invalidate", "deinit"])
    }

    func testWhatNSObjectGivesIsThere() {
        let loop = RunLoop.current, timer = Timer(timeInterval: 1, repeats: false) { _ in }, other = Timer(timeInterval: 1, repeats: false) { _ in }
        XCTAssert(timer.isEqual(timer))
        XCTAssertFalse(timer.isEqual(other))
        XCTAssertFalse(timer.isEqual(nil))
        XCTAssertFalse(timer.isEqual(loop))
        XCTAssertEqual(timer.hash, timer.hash)
        XCTAssertEqual(Set([timer, other, timer]).count, 2)
        let port = Port()
        XCTAssertEqual(port.debugDescription, port.description)
        XCTAssert(Thread.main === Thread.mainThread)
    }

    func testASourceOfWhichNothingIsWantedIsSilentEvenAfterAHangUp() {
        var ends: [Int32] = [-1, -1]
        XCTAssertEqual(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends), 0)
        let calls = Shared(0), loop = RunLoop.current
        let source = RunLoop.Source(fileDescriptor: ends[0], events: [.readable, .hangUp]) { source, _ in
            calls.value += 1
            source.events = []
        }
        loop.add(source, forMode: .default)
        close(ends[1])
        loop.run(until: Date(timeIntervalSinceNow: 0.05))
        XCTAssertEqual(calls.value, 1)
        source.events = .hangUp
        loop.run(until: Date(timeIntervalSinceNow: 0.05))
        XCTAssertEqual(calls.value, 2, "the event is requested again, so the handler is called again")
        source.invalidate()
        close(ends[0])
    }

    func testNothingIsKeptByALoopWhoseThreadHasEnded() {
        let kept = Weak<RunLoop>(), ended = Shared<Held?>(nil)
        onThread {
            let loop = RunLoop.current, held = Held(loop: loop)
            loop.perform { held.hold() } // retains the loop, and is never performed
            kept.object = loop
            ended.value = held
        }
        do {
            let held = ended.value!, loop = held.loop
            loop.perform { held.hold() }
            loop.perform(afterDelay: 1) { held.hold() }
            loop.add(RunLoop.Observer { _, _ in held.hold() }, forMode: .default)
        }
        ended.value = nil
        XCTAssertNil(kept.object)
    }
}

/// A loop that another thread reads.
private struct Held: @unchecked Sendable {
    let loop: RunLoop
    func hold() {}
}
