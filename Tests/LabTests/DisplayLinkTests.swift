import class SwiftRunLoop.RunLoop
import Glibc
@testable import class RunLoopLab.DisplayLink
import SwiftRunLoop
import TestSupport
import XCTest

/// T8. Each test has its own mode of the main loop.
final class DisplayLinkTests: XCTestCase {
    private let mode = RunLoop.Mode("DisplayLinkTests")

    private static func now() -> TimeInterval {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1e9
    }

    func testT8_AFrameIsCalledForOnceInTheDisplaysRhythm() {
        nonisolated(unsafe) var frames: [TimeInterval] = []
        nonisolated(unsafe) var dropped: [Int] = [] // the loop may also be late for the first frame
        let link = DisplayLink(maximumFramesPerSecond: 100) { @Sendable link in
            XCTAssertLessThanOrEqual(link.timestamp, Self.now(), "never before the frame")
            frames.append(link.timestamp)
            dropped.append(link.droppedFrames)
        }
        XCTAssertEqual(link.timestamp, 0, "before the first call")
        link.add(to: .main, forMode: mode)
        XCTAssert(runLoop(in: mode) { frames.count >= 10 })
        link.invalidate()
        let steps = zip(frames, frames.dropFirst()).map { (($1 - $0) / 0.01) }
        for step in steps { XCTAssertEqual(step, step.rounded(), accuracy: 1e-3, "a whole number of frames") }
        XCTAssert(steps.allSatisfy { $0 > 0.5 }, "each frame once: \(steps)")
        XCTAssertEqual(Int(steps.map { $0.rounded() - 1 }.reduce(0, +)), dropped.last! - dropped[0], "what is missing was counted")
    }

    func testT8_FramesMissedWhileTheLoopIsBusyAreDroppedAndCounted() {
        nonisolated(unsafe) var frames: [TimeInterval] = []
        nonisolated(unsafe) var dropped: [Int] = []
        let link = DisplayLink(maximumFramesPerSecond: 100) { @Sendable link in
            frames.append(link.timestamp)
            dropped.append(link.droppedFrames)
            if frames.count == 1 { usleep(55_000) } // five and a half frames
        }
        link.add(to: .main, forMode: mode)
        XCTAssert(runLoop(in: mode) { frames.count >= 2 })
        link.invalidate()
        let missed = Int(((frames[1] - frames[0]) / 0.01).rounded()) - 1
        XCTAssertGreaterThanOrEqual(missed, 4, "the next call is for the frame that is shown by then")
        XCTAssertEqual(dropped[1] - dropped[0], missed)
    }

    func testT8_ItIsCalledInTheModesThatItIsIn() {
        let other = RunLoop.Mode("DisplayLinkTests 2")
        nonisolated(unsafe) var calls = 0
        let link = DisplayLink(maximumFramesPerSecond: 100) { @Sendable _ in calls += 1 }
        link.add(to: .main, forMode: mode)
        link.add(to: .main, forMode: mode)
        link.add(to: .main, forMode: other)
        XCTAssert(runLoop(in: mode) { calls >= 1 })
        calls = 0
        XCTAssert(runLoop(in: other) { calls >= 2 })
        link.invalidate()
        XCTAssertFalse(link.isValid)
        link.add(to: .main, forMode: mode)
        XCTAssertFalse(RunLoop.main.run(mode: mode, before: .distantFuture), "permanently invalid")
    }

    // MARK: Ownership

    func testTheLoopHoldsALinkAndTheLinkItsClosureUntilItIsInvalidated() {
        weak var weakLink: DisplayLink?
        weak var weakCount: Shared<Int>?
        do {
            let count = Shared(0)
            let link = DisplayLink(maximumFramesPerSecond: 200) { link in
                count.value += 1
                if count.value == 3 { link.invalidate() }
            }
            link.add(to: .main, forMode: mode)
            (weakLink, weakCount) = (link, count)
        }
        XCTAssertNotNil(weakLink)
        XCTAssert(runLoop(in: mode) { weakCount == nil })
        XCTAssertNil(weakLink)
    }

    func testALinkGoesWithItsThread() {
        weak var weakLink: DisplayLink?
        nonisolated(unsafe) var calls = 0
        onThread {
            let link = DisplayLink(maximumFramesPerSecond: 200) { @Sendable _ in calls += 1 }
            link.add(to: .current, forMode: .default)
            weakLink = link
            XCTAssert(runLoop { calls >= 2 })
        }
        XCTAssertNil(weakLink)
    }
}
