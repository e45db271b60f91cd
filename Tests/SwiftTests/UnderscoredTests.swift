import SwiftRunLoop
import XCTest

/// The members of Foundation's RunLoop that XCTest and Nimble use.
final class UnderscoredTests: XCTestCase {
    func testTheModesOfAnApplicationHaveTheirNamesOnAMac() {
        XCTAssertEqual(RunLoop.Mode.eventTracking.rawValue, "NSEventTrackingRunLoopMode")
        XCTAssertEqual(RunLoop.Mode.modalPanel.rawValue, "NSModalPanelRunLoopMode")
    }

    /// Like XCTWaiter of corelibs: it runs the default mode with a date, and another thread stops the loop.
    func testStopEndsTheRunOfAWaiter() {
        onThread {
            let loop = RunLoop.current
            loop.add(Timer(timeInterval: 0.01, repeats: false) { _ in RunLoop.current._stop() }, forMode: .default)
            let isFarAway = Date(timeIntervalSinceNow: 30)
            XCTAssert(loop.run(mode: .default, before: isFarAway))
            XCTAssertLessThan(Date(), isFarAway)
        }
    }

    func testObserveReportsEachActivityUnderItsName() {
        onThread {
            let log = EventList(), loop = RunLoop.current
            loop.add(Timer(timeInterval: 0.01, repeats: false) { _ in log.add("timer") }, forMode: .default)
            let all = loop._observe(RunLoop._Activities.allActivities, in: .default, order: 7) { log.add("\($0)") }
            let once = loop._observe(RunLoop._Activity.beforeWaiting, in: .default, repeats: false) { log.add("once \($0)") }
            XCTAssertEqual(all.order, 7)
            XCTAssert(all.isValid && once.isValid)
            loop.run(mode: .default, before: Date(timeIntervalSinceNow: 30)) // until the mode is empty
            XCTAssertEqual(log.takeAll(), ["entry", "beforeTimers", "beforeSources", "once beforeWaiting", "beforeWaiting", "afterWaiting", "timer", "exit"])
            XCTAssertFalse(once.isValid)
            all.invalidate()
            XCTAssertFalse(all.isValid)
        }
    }

    private final class Input: RunLoop._Source {
        let log: EventList
        init(_ log: EventList) {
            self.log = log
            super.init(order: 3)
        }
        override func didSchedule(in mode: RunLoop.Mode) { log.add("scheduled in \(mode.rawValue)") }
        override func didCancel(in mode: RunLoop.Mode) { log.add("cancelled in \(mode.rawValue)") }
        override func perform() { log.add("performed") }
    }

    func testASubclassOfSourceIsRetainedByItsLoopAndPerformed() {
        onThread {
            let log = EventList(), kept = Weak<Input>(), loop = RunLoop.current
            do {
                let source = Input(log)
                XCTAssertEqual(source.order, 3)
                kept.object = source
                loop._add(source, forMode: .default)
                loop._add(source, forMode: .default) // the source is in the mode already
                source.signal()
            }
            XCTAssertNotNil(kept.object)
            loop.run(mode: .default, before: .distantFuture)
            loop._remove(kept.object!, for: .default)
            XCTAssertEqual(log.takeAll(), ["scheduled in kCFRunLoopDefaultMode", "performed", "cancelled in kCFRunLoopDefaultMode"])
            XCTAssertNil(kept.object)
        }
    }

    func testAnInvalidatedSourceLeavesItsLoop() {
        onThread {
            let log = EventList(), kept = Weak<Input>()
            do {
                let source = Input(log)
                kept.object = source
                RunLoop.current._add(source, forMode: .default)
                source.invalidate()
                XCTAssertFalse(source.isValid)
            }
            XCTAssertNil(kept.object)
            XCTAssertEqual(log.all, ["scheduled in kCFRunLoopDefaultMode", "cancelled in kCFRunLoopDefaultMode"])
        }
    }
}
