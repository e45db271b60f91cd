import CRunLoop
import Dispatch
import FoundationEssentials
import class SwiftRunLoop.Port
import class SwiftRunLoop.RunLoop
import TestSupport
import XCTest

/// Observers in each test's own mode of the main loop, which a source keeps from being empty.
final class ObserverTests: XCTestCase {
    private typealias Activity = RunLoop.Observer.Activity
    private let loop = RunLoop.main
    private let mode = RunLoop.Mode("ObserverTests")
    private let source = RunLoop.Source {}

    override func setUp() {
        loop.add(source, forMode: mode)
    }

    override func tearDown() {
        source.invalidate()
        XCTAssertFalse(loop.serve(forMode: mode), "the test has left something in the mode")
    }

    private func pass() { loop.serve(forMode: mode) }

    /// The values of the C library, which are those of the articles. (D28: Foundation's own on Linux are wrong.)
    func testO1_D28_TheActivitiesHaveTheirValues() {
        let all: [(Activity, UInt, String)] = [
            (.entry, 1, "Entry"), (.beforeTimers, 2, "BeforeTimers"),
            (.beforeSources, 4, "BeforeSources"), (.beforeWaiting, 32, "BeforeWaiting"),
            (.afterWaiting, 64, "AfterWaiting"), (.exit, 128, "Exit"),
            (.allActivities, 0x0FFFFFFF, "AllActivities"),
        ]
        for (activity, value, name) in all {
            XCTAssertEqual(activity.rawValue, value)
            XCTAssertEqual("\(activity)", name)
            XCTAssert(Activity.allActivities.contains(activity))
        }
        XCTAssertEqual("\([.beforeWaiting, .exit] as Activity)", "BeforeWaiting|Exit")
    }

    func testO1_D28_EachActivityIsReportedAsWhatItIs() {
        nonisolated(unsafe) var log: [Activity] = []
        let observer = RunLoop.Observer { @Sendable in log.append($1) }
        loop.add(observer, forMode: mode)
        pass() // does not sleep, so it announces neither BeforeWaiting nor AfterWaiting
        XCTAssertEqual(log, [.entry, .beforeTimers, .beforeSources, .exit])
        log = []
        CFRunLoopRunInMode(mode.cf, 0.01, false)
        XCTAssertEqual(log, [.entry, .beforeTimers, .beforeSources, .beforeWaiting, .afterWaiting, .exit])
        observer.invalidate()
    }

    func testO1_AnObserverIsToldOfWhatItAskedForAlone() {
        nonisolated(unsafe) var log: [Activity] = []
        let observer = RunLoop.Observer(activities: [.entry, .exit]) { @Sendable in log.append($1) }
        XCTAssertEqual(CFRunLoopObserverGetActivities(observer.cfObserver), ([.entry, .exit] as Activity).rawValue)
        loop.add(observer, forMode: mode)
        loop.add(observer, forMode: mode)
        pass()
        XCTAssertEqual(log, [.entry, .exit])
        loop.remove(observer, forMode: mode)
        pass()
        XCTAssertEqual(log.count, 2)
        XCTAssert(observer.isValid)
    }

    func testO2_ObserversAreCalledInTheirOrderRepeatedlyOrOnce() {
        nonisolated(unsafe) var log: [String] = []
        let observers = [("late", 10, true), ("early", -10, true), ("once", 0, false), ("as late, added later", 10, true)].map { name, order, repeats in
            RunLoop.Observer(activities: .beforeTimers, order: order, repeats: repeats) { @Sendable _, _ in log.append(name) }
        }
        XCTAssertEqual(observers.map { CFRunLoopObserverGetOrder($0.cfObserver) }, [10, -10, 0, 10])
        XCTAssertEqual(observers.map { CFRunLoopObserverDoesRepeat($0.cfObserver) }, [true, true, false, true])
        observers.forEach { loop.add($0, forMode: mode) }
        pass()
        XCTAssertEqual(log, ["early", "once", "late", "as late, added later"])
        XCTAssertEqual(observers.map(\.isValid), [true, true, false, true])
        log = []
        pass()
        XCTAssertEqual(log, ["early", "late", "as late, added later"])
        observers.forEach { $0.invalidate() }
        pass()
        XCTAssertEqual(log.count, 3)
    }

    func testAnObserverMayGoOnInAnotherLoopWhileSomebodyHoldsTheLoopOfItsEndedThread() {
        let observer = RunLoop.Observer { _, _ in }
        nonisolated(unsafe) var ended: RunLoop?
        onThread {
            ended = RunLoop.current
            for mode in [RunLoop.Mode.default, RunLoop.Mode("ObserverTests 2"), .common] { RunLoop.current.add(observer, forMode: mode) }
        }
        ended!.add(observer, forMode: .default)
        XCTAssertFalse(ended!.contains(observer, forMode: .default))
        loop.add(observer, forMode: mode)
        XCTAssert(loop.contains(observer, forMode: mode))
        observer.invalidate()
    }

    /// Another thread adds observers to a loop while the loop's thread ends. None is left in the loop, which the test still retains.
    func testAnObserverAddedWhileTheLoopsThreadEndsIsNotLeftInIt() throws {
        try skip(under: .thread, because: "its deadlock detector aborts at locks that are taken in destructors of thread data")
        for round in 0..<300 {
            nonisolated(unsafe) var runLoop: RunLoop?
            let isReady = DispatchSemaphore(value: 0), mayEnd = DispatchSemaphore(value: 0)
            let thread = startThread {
                runLoop = RunLoop.current
                isReady.signal()
                mayEnd.wait()
            }
            isReady.wait()
            mayEnd.signal()
            for _ in 0..<round { sched_yield() }
            let observers = (0..<20).map { _ in RunLoop.Observer { _, _ in } }
            for observer in observers { runLoop!.add(observer, forMode: .default) }
            thread.join()
            XCTAssertEqual(observers.filter { runLoop!.contains($0, forMode: .default) }.count, 0, "round \(round)")
        }
    }

    func testTheHandlerGetsTheObserverEvenWhenOnlyTheLoopHasIt() {
        nonisolated(unsafe) var seen: [RunLoop.Observer] = []
        weak var weakObserver: RunLoop.Observer?
        nonisolated(unsafe) var cfObserver: CFRunLoopObserver?
        do {
            let observer = RunLoop.Observer(activities: .entry) { @Sendable observer, _ in
                seen.append(observer)
                if seen.count == 2 { observer.invalidate() }
            }
            weakObserver = observer
            cfObserver = observer.cfObserver
            loop.add(observer, forMode: mode)
            pass()
            XCTAssert(seen[0] === observer)
            seen = []
        }
        XCTAssertNotNil(weakObserver, "nothing but the loop has it")
        pass()
        XCTAssertEqual(seen.map(\.cfObserver), [cfObserver])
        XCTAssert(seen[0] === weakObserver)
        pass()
        XCTAssertEqual(seen.count, 2)
        XCTAssertEqual(Set(seen).count, 1)
        pass()
        XCTAssertEqual(seen.count, 2, "it has invalidated itself")
    }

    func testTheHandlerIsReleasedWithTheObserverAndWhenThatIsInvalidated() {
        var held: [RunLoop.Observer] = []
        let loop = loop, mode = mode
        let ends: [(String, repeats: Bool, (RunLoop.Observer) -> Void)] = [
            ("never added", true, { XCTAssert($0.isValid) }),
            ("removed", true, { observer in
                loop.add(observer, forMode: mode)
                loop.remove(observer, forMode: mode)
            }),
            ("invalidated, and still held", true, { observer in
                held.append(observer)
                loop.add(observer, forMode: mode)
                loop.serve(forMode: mode)
                observer.invalidate()
            }),
            ("called once", false, { observer in
                loop.add(observer, forMode: mode)
                loop.serve(forMode: mode)
            }),
        ]
        for (name, repeats, end) in ends {
            XCTAssert(isReleased { token in
                end(RunLoop.Observer(activities: .entry, repeats: repeats) { _, _ in withExtendedLifetime(token) {} })
            }, name)
        }
        XCTAssertEqual(held.count, 1)
    }

    func testAnObserverHasADescription() {
        let observer = RunLoop.Observer(activities: .entry, order: 5) { _, _ in }
        XCTAssert("\(observer)".contains("activities = 0x1, repeats = Yes, order = 5"), "\(observer)")
    }
}
