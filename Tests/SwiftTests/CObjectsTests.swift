import CRunLoop
import FoundationEssentials
import Glibc
import class SwiftRunLoop.Port
import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Timer
import TestSupport
import XCTest

/// Each object and its C object are twins: as long as either is in use, both live; then both go.
final class CObjectsTests: XCTestCase {
    private let loop = RunLoop.main
    private let mode = RunLoop.Mode("CObjectsTests")

    override func tearDown() {
        XCTAssertFalse(loop.serve(forMode: mode), "the test has left something in the mode")
    }

    func testEveryItemGivesItsCObject() {
        let port = Port(), source = RunLoop.Source {}, timer = Timer(timeInterval: 1000, repeats: true) { _ in }
        let observer = RunLoop.Observer { _, _ in }
        loop.add(port, forMode: mode)
        loop.add(source, forMode: mode)
        loop.add(timer, forMode: mode)
        loop.add(observer, forMode: mode)
        let cfLoop = CFRunLoopGetMain(), name = mode.cf
        XCTAssert(CFRunLoopContainsSource(cfLoop, port.cfSource, name))
        XCTAssert(CFRunLoopContainsSource(cfLoop, source.cfSource, name))
        XCTAssert(CFRunLoopContainsTimer(cfLoop, timer.cfTimer, name))
        XCTAssert(CFRunLoopContainsObserver(cfLoop, observer.cfObserver, name))
        port.invalidate()
        source.invalidate()
        timer.invalidate()
        observer.invalidate()
    }

    /// Code that has the C timer has the Timer, too.
    func testAReferenceToTheCObjectRetainsTheSwiftObject() {
        weak var timer: Timer?, source: RunLoop.Source?, observer: RunLoop.Observer?
        nonisolated(unsafe) var fired = 0
        var cfTimer: CFRunLoopTimer?, cfSource: CFRunLoopSource?, cfObserver: CFRunLoopObserver?
        do {
            let (one, two) = (Timer(timeInterval: 0.001, repeats: true) { _ in fired += 1 }, RunLoop.Source {})
            let three = RunLoop.Observer { _, _ in }
            (timer, source, observer) = (one, two, three)
            (cfTimer, cfSource, cfObserver) = (one.cfTimer, two.cfSource, three.cfObserver)
        }
        XCTAssertNotNil(timer)
        XCTAssertNotNil(source)
        XCTAssertNotNil(observer)
        XCTAssert(timer?.cfTimer == cfTimer && source?.cfSource == cfSource && observer?.cfObserver == cfObserver)
        XCTAssert(cfTimer!.description.hasPrefix("<CFRunLoopTimer 0x"), cfTimer!.description)
        loop.add(timer!, forMode: mode)
        XCTAssert(eventually {
            loop.serve(forMode: mode)
            return fired > 2
        })
        timer!.invalidate()
        (cfTimer, cfSource, cfObserver) = (nil, nil, nil)
        XCTAssertNil(timer)
        XCTAssertNil(source)
        XCTAssertNil(observer)
    }

    /// What a Create function returns belongs to the variable; nothing is left when that goes.
    func testWhatCreateReturnsIsReleasedBySwift() {
        let alive = Shared(0)
        for _ in 0..<1000 {
            let token = CountedToken(alive)
            let timer = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + 1000, 0, 0, 0) { _ in withExtendedLifetime(token) {} }
            let observer = CFRunLoopObserverCreateWithHandler(nil, CFRunLoopActivity.entry.rawValue, true, 0) { _, _ in
                withExtendedLifetime(token) {}
            }
            XCTAssert(CFRunLoopTimerIsValid(timer) && CFRunLoopObserverIsValid(observer))
        }
        XCTAssertEqual(alive.value, 0)
    }

    func testARunLoopAndItsCLoopGoTogetherAfterTheThread() {
        weak var runLoop: RunLoop?
        nonisolated(unsafe) var kept: RunLoop?
        onThread { kept = RunLoop.current }
        runLoop = kept
        let source = RunLoop.Source {}, observer = RunLoop.Observer { _, _ in }, timer = Timer(timeInterval: 1, repeats: true) { _ in }
        kept!.add(source, forMode: mode)
        kept!.add(observer, forMode: mode)
        kept!.add(timer, forMode: mode)
        XCTAssertFalse(kept!.contains(source, forMode: mode), "nothing would take it out")
        XCTAssertFalse(kept!.contains(observer, forMode: mode))
        XCTAssertFalse(kept!.contains(timer, forMode: mode))
        XCTAssertEqual(retainCount(kept!.getCFRunLoop()), 2, "the twin's, and that of the argument")
        kept = nil
        XCTAssertNil(runLoop)
    }

    /// The defect: such an object got the loop that was being deallocated, and the RunLoop that it made for it never went.
    func testWhatGoesWithALoopMayAskForTheCurrentLoop() throws {
        try skip(under: .thread, because: "no code built with it may run in the last round of destructors of thread data")
        final class Asking: @unchecked Sendable {
            let asked: WeakReference<RunLoop>
            init(_ asked: WeakReference<RunLoop>) { self.asked = asked }
            deinit { asked.object = RunLoop.current }
        }
        let asked = WeakReference<RunLoop>()
        onThread {
            let asking = Asking(asked)
            let timer = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + 1000, 0, 0, 0) { _ in withExtendedLifetime(asking) {} }
            CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, kCFRunLoopDefaultMode)
        }
        XCTAssert(eventually { asked.object == nil })
    }

    /// 100,000 objects: made and dropped, added and removed, invalidated in their loop, left in a loop that ends.
    func testNothingIsLeftOf100000ObjectsInEveryOrderOfEnds() {
        let alive = Shared(0)
        let rounds = 2500
        func make(_ end: Int) {
            let token = CountedToken(alive), mode = RunLoop.Mode.default, loop = RunLoop.current
            let timer = Timer(timeInterval: 1000, repeats: true) { _ in withExtendedLifetime(token) {} }
            let source = RunLoop.Source { withExtendedLifetime(token) {} }
            let observer = RunLoop.Observer { _, _ in withExtendedLifetime(token) {} }
            let port = CountedPort(token)
            if end == 0 { return }
            loop.add(timer, forMode: end == 1 ? .common : mode)
            loop.add(source, forMode: end == 1 ? .common : mode)
            loop.add(observer, forMode: end == 1 ? .common : mode)
            if rounds % 10 == 0 || end == 3 { loop.add(port, forMode: mode) }
            if end == 1 {
                loop.remove(timer, forMode: .common)
                loop.remove(source, forMode: .common)
                loop.remove(observer, forMode: .common)
                loop.remove(port, forMode: mode)
            } else if end == 2 {
                timer.invalidate()
                source.invalidate()
                observer.invalidate()
                port.invalidate()
            } // else: the thread ends
        }
        for _ in 0..<rounds / 10 {
            onThread {
                for _ in 0..<10 {
                    for end in 0..<4 { make(end) }
                }
            }
        }
        XCTAssertEqual(alive.value, 0, "of \(rounds * 4 * 4) objects")
    }
}

/// Counts the tokens that live.
private final class CountedToken: @unchecked Sendable {
    private let alive: Shared<Int>

    init(_ alive: Shared<Int>) {
        self.alive = alive
        alive.withLock { $0 += 1 }
    }

    deinit { alive.withLock { $0 -= 1 } }
}

private final class CountedPort: Port, @unchecked Sendable {
    private let token: CountedToken

    init(_ token: CountedToken) { self.token = token }
}
