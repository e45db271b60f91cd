import class SwiftRunLoop.RunLoop
import Glibc
@testable import class RunLoopLab.DisplayLink
import SwiftRunLoop
import XCTest

/// T8. Each test has its own mode of the main loop.
final class DisplayLinkTests: XCTestCase {
    private let mode = RunLoop.Mode("DisplayLinkTests")

    /// Runs the mode until `isDone`, for seconds at most.
    private func run(until isDone: () -> Bool, file: StaticString = #filePath, line: UInt = #line) {
        let limit = Date(timeIntervalSinceNow: 10)
        while !isDone(), Date() < limit { RunLoop.main.run(mode: mode, before: Date(timeIntervalSinceNow: 0.01)) }
        XCTAssert(isDone(), "not within seconds", file: file, line: line)
    }

    private static func now() -> TimeInterval {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1e9
    }

    func testT8_AFrameIsCalledForOnceInTheDisplaysRhythm() {
        nonisolated(unsafe) var frames: [TimeInterval] = []
        nonisolated(unsafe) var dropped: [Int] = [] // the loop may also be late for the first frame
        let link = DisplayLink(maximumFramesPerSecond: 100) { link in
            XCTAssertLessThanOrEqual(link.timestamp, Self.now(), "never before the frame")
            XCTAssertEqual(link.duration, 0.01, accuracy: 1e-9)
            XCTAssertEqual(link.targetTimestamp - link.timestamp, 0.01, accuracy: 1e-6)
            frames.append(link.timestamp)
            dropped.append(link.droppedFrames)
        }
        XCTAssertEqual([link.timestamp, link.targetTimestamp, link.duration], [0, 0, 0], "before the first call")
        link.add(to: .main, forMode: mode)
        run { frames.count >= 10 }
        link.invalidate()
        let steps = zip(frames, frames.dropFirst()).map { (($1 - $0) / 0.01) }
        for step in steps { XCTAssertEqual(step, step.rounded(), accuracy: 1e-3, "a whole number of frames") }
        XCTAssert(steps.allSatisfy { $0 > 0.5 }, "each frame once: \(steps)")
        XCTAssertEqual(Int(steps.map { $0.rounded() - 1 }.reduce(0, +)), dropped.last! - dropped[0], "what is missing was counted")
    }

    func testT8_FramesMissedWhileTheLoopIsBusyAreDroppedAndCounted() {
        nonisolated(unsafe) var frames: [TimeInterval] = []
        nonisolated(unsafe) var dropped: [Int] = []
        let link = DisplayLink(maximumFramesPerSecond: 100) { link in
            frames.append(link.timestamp)
            dropped.append(link.droppedFrames)
            if frames.count == 1 { usleep(55_000) } // five and a half frames
        }
        link.add(to: .main, forMode: mode)
        run { frames.count >= 2 }
        link.invalidate()
        let missed = Int(((frames[1] - frames[0]) / 0.01).rounded()) - 1
        XCTAssertGreaterThanOrEqual(missed, 4, "the next call is for the frame that is shown by then")
        XCTAssertEqual(dropped[1] - dropped[0], missed)
    }

    func testT8_APreferredRateTakesEachSecondOrThirdFrame() {
        // On a display of 60: preferred rate → actual rate.
        let rates = [0: 60, -1: 60, 60: 60, 100: 60, 46: 60, 35: 30, 30: 30, 26: 30, 24: 20, 20: 20, 10: 10, 1: 1]
        for (preferred, frames) in rates {
            let link = DisplayLink { _ in }
            link.preferredFramesPerSecond = preferred
            XCTAssert(link.description.contains(" \(frames) of 60 "), "\(preferred): \(link)")
        }
        nonisolated(unsafe) var targets: [TimeInterval] = []
        let link = DisplayLink(maximumFramesPerSecond: 200) { link in targets.append(link.targetTimestamp - link.timestamp) }
        link.preferredFramesPerSecond = 50
        link.add(to: .main, forMode: mode)
        run { targets.count >= 3 }
        link.invalidate()
        for target in targets { XCTAssertEqual(target, 0.02, accuracy: 1e-6) }
        XCTAssertEqual(link.duration, 0.005, accuracy: 1e-9, "the display's, whatever is preferred")
    }

    func testT8_APausedLinkIsNotCalledAndDropsNothing() {
        nonisolated(unsafe) var calls = 0
        let link = DisplayLink(maximumFramesPerSecond: 100) { link in
            calls += 1
            link.isPaused = true
        }
        link.isPaused = true
        link.add(to: .main, forMode: mode)
        XCTAssert(RunLoop.main.run(mode: mode, before: Date(timeIntervalSinceNow: 0.03)), "it keeps the loop alive")
        XCTAssertEqual(calls, 0)
        link.isPaused = false
        run { calls == 1 }
        let dropped = link.droppedFrames
        RunLoop.main.run(mode: mode, before: Date(timeIntervalSinceNow: 0.05))
        XCTAssertEqual(calls, 1, "paused in its own call")
        let resumed = Date()
        link.isPaused = false
        run { calls == 2 }
        let frames = Int(Date().timeIntervalSince(resumed) * 100) // more than one on a busy machine
        XCTAssertLessThanOrEqual(link.droppedFrames - dropped, 1 + frames, "five frames passed while it was paused")
        link.invalidate()
    }

    func testT8_ItIsCalledInTheModesThatItIsIn() {
        let other = RunLoop.Mode("DisplayLinkTests 2")
        nonisolated(unsafe) var calls = 0
        let link = DisplayLink(maximumFramesPerSecond: 100) { _ in calls += 1 }
        link.add(to: .main, forMode: mode)
        link.add(to: .main, forMode: mode)
        link.add(to: .main, forMode: other)
        run { calls >= 1 }
        link.remove(from: .main, forMode: mode)
        XCTAssertFalse(RunLoop.main.run(mode: mode, before: .distantFuture), "nothing left in the one mode")
        calls = 0
        let limit = Date(timeIntervalSinceNow: 10)
        while calls < 2, Date() < limit { RunLoop.main.run(mode: other, before: Date(timeIntervalSinceNow: 0.01)) }
        XCTAssertGreaterThanOrEqual(calls, 2)
        link.remove(from: .main, forMode: other)
        XCTAssertFalse(RunLoop.main.run(mode: other, before: .distantFuture))
        XCTAssert(link.isValid)
        calls = 0
        link.add(to: .main, forMode: mode)
        run { calls >= 1 }
        link.invalidate()
        XCTAssertFalse(link.isValid)
        link.add(to: .main, forMode: mode)
        XCTAssertFalse(RunLoop.main.run(mode: mode, before: .distantFuture), "permanently invalid")
    }

    // MARK: Ownership

    private final class View {
        var steps = 0
        var end = Int.max
        func step(_ link: DisplayLink) {
            steps += 1
            if steps == end { link.invalidate() }
        }
    }

    func testTheLoopHoldsALinkAndTheLinkItsTargetUntilItIsInvalidated() {
        weak var weakLink: DisplayLink?
        weak var weakView: View?
        do {
            nonisolated(unsafe) let view = View()
            view.end = 3
            let link = DisplayLink(maximumFramesPerSecond: 200, target: view, action: View.step)
            link.add(to: .main, forMode: mode)
            (weakLink, weakView) = (link, view)
        }
        XCTAssertNotNil(weakLink)
        run { weakView == nil }
        XCTAssertNil(weakLink)
    }

    func testALinkInNoLoopIsHeldByNobody() {
        weak var weakLink: DisplayLink?
        do {
            let link = DisplayLink { _ in }
            link.add(to: .main, forMode: mode)
            link.remove(from: .main, forMode: mode)
            weakLink = link
        }
        XCTAssertNil(weakLink)
    }

    func testALinkGoesWithItsThread() {
        weak var weakLink: DisplayLink?
        nonisolated(unsafe) var calls = 0
        onThread {
            let link = DisplayLink(maximumFramesPerSecond: 200) { _ in calls += 1 }
            link.add(to: .current, forMode: .default)
            weakLink = link
            while calls < 2 { RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01)) }
        }
        XCTAssertGreaterThanOrEqual(calls, 2)
        XCTAssertNil(weakLink)
    }
}
