import Dispatch
import FoundationEssentials
import class SwiftRunLoop.RunLoop
import TestSupport
import XCTest

/// `RunLoop.ticks(every:tolerance:mode:)`.
final class TicksTests: XCTestCase {
    private static let interval = Duration.milliseconds(5)

    /// Whether a time is a whole number of intervals, apart from the rounding of dates and the adjustment of the system's clock meanwhile.
    private static func isRhythm(_ seconds: TimeInterval) -> Bool {
        let count = seconds / 0.005
        return count > 0.5 && abs(count - count.rounded()) < 0.02
    }

    func testTicksBringTheDatesOfTheTimerInItsRhythm() {
        withLoopThread { thread in
            let start = Date()
            var dates: [Date] = []
            for await date in thread.loop.ticks(every: Self.interval) {
                XCTAssertLessThanOrEqual(date, Date())
                dates.append(date)
                if dates.count == 4 { break }
            }
            XCTAssertGreaterThanOrEqual(dates[0], start + 0.004)
            for (one, next) in zip(dates, dates.dropFirst()) { XCTAssert(Self.isRhythm(next.timeIntervalSince(one)), "\(dates)") }
        }
    }

    func testTheIntervalMayBeGivenInSecondsWithATolerance() {
        withLoopThread { thread in
            let interval = Duration.seconds(0.005), start = Date()
            var dates: [Date] = []
            for await date in thread.loop.ticks(every: .seconds(0.005)) {
                dates.append(date)
                if dates.count == 3 { break }
            }
            for (one, next) in zip(dates, dates.dropFirst()) { XCTAssert(Self.isRhythm(next.timeIntervalSince(one)), "\(dates)") }
            for await date in thread.loop.ticks(every: interval, tolerance: .milliseconds(1), mode: .common) {
                XCTAssertGreaterThan(date, start)
                break
            }
            let slow = Task { for await _ in thread.loop.ticks(every: .seconds(1000)) { XCTFail("after \(Date().timeIntervalSince(start)) seconds") } }
            slow.cancel()
            await slow.value
        }
    }

    /// The task is late by many intervals. It receives one date for all of them, the most recent; the rhythm does not change.
    func testALateTaskReceivesOneTickForAllThatHavePassed() {
        withLoopThread { thread in
            var ticks = thread.loop.ticks(every: Self.interval).makeAsyncIterator(), counted = thread.loop.ticks(every: Self.interval).makeAsyncIterator()
            let first = await ticks.next()!
            // how much later the dates of the second sequence are; a late first one may be of the next round
            let offset = (await counted.next()!.timeIntervalSince(first) + 1).truncatingRemainder(dividingBy: 0.005)
            for _ in 0..<8 { _ = await counted.next() }
            let last = await counted.next()!, second = await ticks.next()!, third = await ticks.next()!
            XCTAssertGreaterThan(second.timeIntervalSince(first), 0.005 * 5, "it is one of the latest dates")
            XCTAssertLessThan(last.timeIntervalSince(second) - offset, 0.0025, "it is the latest date: none waits behind it")
            XCTAssert(Self.isRhythm(second.timeIntervalSince(first)))
            XCTAssert(Self.isRhythm(third.timeIntervalSince(second)))
        }
    }

    /// A task that has not begun to iterate is late as well: the sequence keeps one date, even when the loop has ended.
    func testOneTickWaitsForATaskThatHasNotBegun() {
        let thread = LoopThread()
        let ticks = thread.loop.ticks(every: Self.interval)
        let start = thread.loop.counts.passes
        XCTAssert(eventually { thread.loop.counts.passes > start + 5 })
        thread.stop()
        waitForTask {
            var count = 0
            for await _ in ticks { count += 1 }
            XCTAssertEqual(count, 1)
        }
    }

    /// An actor on the thread of the loop itself: the iteration stays isolated, and the thread serves both the timer and the actor.
    private actor Listener {
        private let worker = RunLoop.Worker(name: "TicksTests")
        nonisolated var unownedExecutor: UnownedSerialExecutor { worker.loop.asUnownedSerialExecutor() }
        private var dates: [Date] = []

        func listen() async -> Int {
            let loop = currentLoop()
            for await date in loop.ticks(every: TicksTests.interval) {
                XCTAssertEqual(currentLoop(), loop)
                dates.append(date)
                if dates.count == 3 { break }
            }
            return dates.count
        }
    }

    func testAnActorOnTheLoopsOwnThreadMayIterate() {
        waitForTask {
            let count = await Listener().listen()
            XCTAssertEqual(count, 3)
        }
    }

    /// The loop is in a mode with another name, so nothing fires there.
    func testTicksComeOnlyInTheirMode() {
        withLoopThread { thread in
            let other = RunLoop.Mode("TicksTests")
            let received = Shared(0)
            let task = Task { for await _ in thread.loop.ticks(every: Self.interval, mode: other) { received.value += 1 } }
            var ticks = thread.loop.ticks(every: Self.interval).makeAsyncIterator()
            for _ in 0..<5 { _ = await ticks.next() }
            XCTAssertEqual(received.value, 0)
            task.cancel()
            await task.value
        }
    }
}
