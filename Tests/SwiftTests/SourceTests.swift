@testable import RunLoopLab
import CRunLoop
import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Thread
import class SwiftRunLoop.Timer
import XCTest

/// The sources of SwiftRunLoop, in each test's own mode of the main loop.
final class SourceTests: XCTestCase {
    private let loop = RunLoop.main
    private let mode = RunLoop.Mode("SourceTests")

    /// One pass of the mode, without waiting.
    private func pass() { loop.serve(forMode: mode) }

    /// A loop retains its sources; a source that is in no loop is deallocated.
    func testTheClosureLivesAsLongAsTheLoopOrSwiftHasTheSource() {
        weak var token: Token?
        nonisolated(unsafe) var performed = 0
        var cfSource: CFRunLoopSource?
        func make() {
            let captured = Token()
            token = captured
            let source = RunLoop.Source { withExtendedLifetime(captured) { performed += 1 } }
            loop.add(source, forMode: mode)
            source.signal()
            cfSource = source.cfSource
        }
        make()
        pass()
        XCTAssertEqual(performed, 1, "the loop has kept the source")
        XCTAssertNotNil(token)
        CFRunLoopRemoveSource(loop.getCFRunLoop(), cfSource, mode.cf)
        XCTAssertNotNil(token)
        cfSource = nil
        XCTAssertNil(token)
    }

    func testI1_ScheduleAndCancelAreCalledOnceForEachMode() {
        nonisolated(unsafe) var log: [String] = []
        let main = RunLoop.main.getCFRunLoop()
        let source = ScheduledSource(
            schedule: { runLoop, mode in log.append("schedule \(runLoop == main) \(mode.rawValue)") },
            cancel: { runLoop, mode in log.append("cancel \(runLoop == main) \(mode.rawValue)") },
            perform: { log.append("perform") })
        source.add(to: loop, forMode: mode)
        source.add(to: loop, forMode: mode)
        source.signal()
        XCTAssert(CFRunLoopSourceIsSignalled(source.cfSource))
        pass()
        XCTAssertFalse(CFRunLoopSourceIsSignalled(source.cfSource))
        source.remove(from: loop, forMode: mode)
        source.remove(from: loop, forMode: mode)
        source.add(to: loop, forMode: mode)
        XCTAssert(source.isIn(loop, mode))
        source.invalidate()
        XCTAssertFalse(source.isIn(loop, mode))
        XCTAssertEqual(log, ["schedule true SourceTests", "perform", "cancel true SourceTests", "schedule true SourceTests", "cancel true SourceTests"])
    }

    func testI1_ASourceIsCancelledWhenItsThreadEnds() {
        nonisolated(unsafe) var log: [String] = []
        nonisolated(unsafe) weak var weakLoop: RunLoop?
        nonisolated(unsafe) var kept: ScheduledSource?
        onThread {
            let thread = pthread_self(), runLoop = RunLoop.current
            let source = ScheduledSource(cancel: { cancelled, mode in
                log.append("cancel \(cancelled == weakLoop?.getCFRunLoop()) \(mode.rawValue) \(pthread_equal(thread, pthread_self()) != 0)")
            })
            (weakLoop, kept) = (runLoop, source)
            source.add(to: runLoop, forMode: .default)
        }
        XCTAssertEqual(log, ["cancel true kCFRunLoopDefaultMode true"])
        XCTAssertNil(weakLoop, "the source that is left does not keep the loop")
        XCTAssertEqual(kept.map { CFRunLoopSourceIsValid($0.cfSource) }, true)
        weak let weakSource = kept
        kept = nil
        XCTAssertNil(weakSource)
    }

    /// The closure retains the source, which retains the closure. Invalidation breaks the cycle, on any thread and in the closure itself.
    func testASourceThatCapturesItselfGoesWhenItIsInvalidated() {
        weak var performed: RunLoop.Source?, elsewhere: RunLoop.Source?, descriptor: RunLoop.Source?
        let pipe = TestPipe()
        pipe.closeWriting() // the end of the pipe makes it ready to read
        do {
            let two = Shared<RunLoop.Source?>(nil), three = Shared<RunLoop.Source?>(nil), four = Shared<RunLoop.Source?>(nil)
            two.value = RunLoop.Source { two.value!.invalidate() }
            three.value = RunLoop.Source { withExtendedLifetime(three) {} }
            four.value = try! RunLoop.Source(fileDescriptor: pipe.reading) { _, _ in four.value!.invalidate() }
            for source in [two, three, four] { loop.add(source.value!, forMode: mode) }
            (performed, elsewhere, descriptor) = (two.value, three.value, four.value)
        }
        performed?.signal()
        pass()
        XCTAssertNil(performed)
        let weakSource = Weak(elsewhere)
        onThread { weakSource.object?.invalidate() }
        XCTAssertNil(elsewhere)
        pass()
        XCTAssertNil(descriptor)
    }

    /// At the end of a thread, the items of its loop stay valid, as on a Mac: a closure that captures its own source, timer or observer
    /// keeps both alive until they are invalidated, and no longer.
    func testWhatCapturesItselfStaysAfterItsThreadUntilItIsInvalidated() {
        nonisolated(unsafe) weak var weakSource: RunLoop.Source?
        nonisolated(unsafe) weak var weakTimer: Timer?
        nonisolated(unsafe) weak var weakObserver: RunLoop.Observer?
        onThread {
            struct Held: @unchecked Sendable { var timer: Timer? }
            let held = Shared(Held())
            let ownObserver = Shared<RunLoop.Observer?>(nil), observer = RunLoop.Observer { _, _ in withExtendedLifetime(ownObserver) {} }
            ownObserver.value = observer
            let ownSource = Shared<RunLoop.Source?>(nil), source = RunLoop.Source { withExtendedLifetime(ownSource) {} }
            ownSource.value = source
            let timer = Timer(timeInterval: 100, repeats: true) { _ in withExtendedLifetime(held) {} }
            held.value.timer = timer
            RunLoop.current.add(source, forMode: .default)
            RunLoop.current.add(timer, forMode: .default)
            RunLoop.current.add(observer, forMode: .default)
            (weakSource, weakTimer, weakObserver) = (source, timer, observer)
        }
        XCTAssertEqual([weakSource?.isValid, weakTimer?.isValid, weakObserver?.isValid], [true, true, true])
        weakSource?.invalidate()
        weakTimer?.invalidate()
        weakObserver?.invalidate()
        XCTAssertNil(weakSource)
        XCTAssertNil(weakTimer)
        XCTAssertNil(weakObserver)
    }

    /// One thread removes a source from loops while another invalidates it: `cancel` is called once for each `schedule`, and the closures
    /// are released.
    func testI1_EachScheduleHasItsCancelWhenASourceIsRemovedAndInvalidatedAtOnce() {
        for _ in 0..<200 {
            let counts = Shared([0, 0])
            XCTAssert(isReleased { token in
                let source = ScheduledSource(
                    schedule: { _, _ in counts.withLock { $0[0] += 1 } },
                    cancel: { _, _ in counts.withLock { $0[1] += 1 } }, perform: { withExtendedLifetime(token) {} })
                let loop = loop
                let mode = mode
                source.add(to: loop, forMode: mode)
                let adder = startThread {
                    source.remove(from: loop, forMode: mode)
                    source.add(to: loop, forMode: .default)
                    source.remove(from: loop, forMode: .default)
                }
                source.invalidate()
                adder.join()
                XCTAssertFalse(source.isIn(loop, mode) || source.isIn(loop, .default))
            })
            XCTAssertEqual(counts.value[0], counts.value[1])
        }
    }

    func testSourcesAreEqualByIdentityAndHaveADescription() {
        let source = RunLoop.Source(order: 3) {}, other = RunLoop.Source(order: 3) {}
        XCTAssertEqual(source, source)
        XCTAssertNotEqual(source, other)
        XCTAssertEqual(CFRunLoopSourceGetOrder(source.cfSource), 3)
        XCTAssert("\(source)".contains("order = 3"), "\(source)")
    }
}
