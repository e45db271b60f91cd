import CRunLoop
@testable import RunLoopLab
import class SwiftRunLoop.RunLoop
import TestSupport
import XCTest

/// The lab's source with all three callbacks: what it is told of its modes, and of the end of its loop.
final class ScheduledSourceTests: XCTestCase {
    private let loop = RunLoop.main
    private let mode = RunLoop.Mode("ScheduledSourceTests")

    private func pass() { loop.serve(forMode: mode) }

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
        XCTAssertEqual(log, ["schedule true ScheduledSourceTests", "perform", "cancel true ScheduledSourceTests", "schedule true ScheduledSourceTests", "cancel true ScheduledSourceTests"])
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

    /// At the thread's end, the `cancel` of a source asks for the loop again. It gets the loop that is ending, which is still released.
    func testR6_ALoopThatIsAskedForWhileItEndsGoesToo() {
        let asked = WeakReference<RunLoop>(), sameCFRunLoop = Shared(false)
        XCTAssert(isReleased { token in
            onThread {
                let cfRunLoop = CFRunLoopGetCurrent()
                let loop = WeakReference(RunLoop.current)
                let source = ScheduledSource(cancel: { ending, _ in
                    asked.object = RunLoop.current
                    sameCFRunLoop.value = ending == cfRunLoop && asked.object === loop.object && asked.object?.getCFRunLoop() == cfRunLoop
                    withExtendedLifetime(token) {}
                })
                source.add(to: .current, forMode: .default)
            }
        })
        XCTAssert(sameCFRunLoop.value)
        XCTAssertNil(asked.object)
    }
}
