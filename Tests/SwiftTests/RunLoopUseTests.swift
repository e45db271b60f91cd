import SwiftRunLoop
import XCTest

/// What people build on a run loop: the designs of the articles, written in Swift as in a program.
final class RunLoopUseTests: XCTestCase {
    // MARK: - Resident threads

    /// A thread that a port keeps alive until `end()`.
    private final class ResidentThread: Thread, @unchecked Sendable {
        private let isToEnd = Shared(false)
        private let mode: RunLoop.Mode
        let loop = Weak<RunLoop>()
        let runs = Shared(0)

        init(mode: RunLoop.Mode = .default) {
            self.mode = mode
            super.init()
        }

        override func main() {
            let loop = RunLoop.current
            self.loop.object = loop
            loop.add(Port(), forMode: mode)
            while !isToEnd.value, loop.run(mode: mode, before: .distantFuture) { runs.value += 1 }
        }

        /// The flag is set on the thread itself: the perform ends the run, and the loop around the runs then sees it. (A2)
        func end() throws {
            try Thread.perform(on: self, waitUntilDone: false) { [isToEnd] in isToEnd.value = true }
            XCTAssert(eventually { isFinished })
        }
    }

    func testA1_AResidentThreadTakesWorkAsOftenAsItComes() throws {
        let log = EventList(), thread = ResidentThread()
        thread.start()
        for number in 1...5 {
            try Thread.perform(on: thread, waitUntilDone: true) { log.add("\(number) on it: \(Thread.current === thread)") }
        }
        XCTAssertEqual(log.all, (1...5).map { "\($0) on it: true" })
        XCTAssertFalse(thread.isFinished)
        XCTAssert(eventually { thread.runs.value == 5 }, "each perform ended one run")
        try thread.end()
    }

    func testA1_WithoutAPortTheThreadEndsAtOnce() {
        let thread = Thread { RunLoop.current.run() }
        thread.start()
        XCTAssert(eventually { thread.isFinished })
    }

    func testA2_AResidentThreadEndsByItsFlagAndItsLoopWithIt() throws {
        let thread = ResidentThread()
        thread.start()
        XCTAssert(eventually { thread.loop.object?.isWaiting == true })
        try thread.end()
        XCTAssert(eventually { thread.loop.object == nil }, "the loop ends with the thread")
        XCTAssertThrowsError(try Thread.perform(on: thread, waitUntilDone: true) {})
    }

    /// CFRunLoopStop on the thread ends one run. The thread ends because of the flag.
    func testA2_StopPerformedOnTheThreadEndsOneRun() throws {
        let isToEnd = Shared(false), runs = Shared(0)
        let thread = Thread {
            RunLoop.current.add(Port(), forMode: .default)
            while !isToEnd.value {
                RunLoop.current.run(mode: .default, before: .distantFuture)
                runs.value += 1
            }
        }
        thread.start()
        try Thread.perform(on: thread, waitUntilDone: true) { RunLoop.current.stop() }
        XCTAssert(eventually { runs.value == 1 })
        XCTAssertFalse(thread.isFinished)
        try Thread.perform(on: thread, waitUntilDone: false) {
            isToEnd.value = true
            RunLoop.current.stop()
        }
        XCTAssert(eventually { thread.isFinished })
        XCTAssertEqual(runs.value, 2)
    }

    // MARK: - Switching modes on a secondary thread

    /// The thread of the article: it runs its loop in the mode that was last requested. A timer of the tracking mode shows whether it runs
    /// there.
    private final class SwitchingThread: Thread, @unchecked Sendable {
        let log = EventList()
        private let wanted = Shared<RunLoop.Mode?>(.default)
        private let declaresTracking: Bool

        init(declaresTracking: Bool) {
            self.declaresTracking = declaresTracking
            super.init()
        }

        override func main() {
            let loop = RunLoop.current
            if declaresTracking { loop.addCommonMode(.tracking) }
            loop.add(Port(), forMode: .default)
            loop.add(Timer(timeInterval: 0.002, repeats: true) { [log] _ in
                log.add("timer, in \(RunLoop.current.currentMode!.rawValue)")
            }, forMode: .tracking)
            while let mode = wanted.value { loop.run(mode: mode, before: .distantFuture) }
        }

        /// Nil ends the thread.
        func change(to mode: RunLoop.Mode?, performedIn modes: [RunLoop.Mode] = [.common]) throws {
            try Thread.perform(on: self, waitUntilDone: false, modes: modes) { [log, wanted] in
                log.add("to \(mode?.rawValue ?? "the end")")
                wanted.value = mode
            }
        }

        /// How often the timer has fired since the last change.
        var ticks: Int { log.all.reversed().prefix { $0 == "timer, in UITrackingRunLoopMode" }.count }

        var lastChange: String? { log.all.last { $0.hasPrefix("to ") } }

        /// The events, with successive ticks as one. The pass that performs the change to the default mode may also find the timer due, so
        /// one tick may follow.
        var transcript: [String] {
            let events = log.all, lateTick = ["to kCFRunLoopDefaultMode", "timer, in UITrackingRunLoopMode"]
            return events.indices.reduce(into: []) { rows, index in
                if index > 0 && Array(events[index - 1...index]) == lateTick { return }
                if rows.last != events[index] { rows.append(events[index]) }
            }
        }
    }

    private let expected = [
        "to UITrackingRunLoopMode", "timer, in UITrackingRunLoopMode", "to kCFRunLoopDefaultMode",
        "to UITrackingRunLoopMode", "timer, in UITrackingRunLoopMode", "to kCFRunLoopDefaultMode", "to the end",
    ]

    func testA3_FirstWay_TrackingDeclaredCommonOnTheThread() throws {
        let thread = SwitchingThread(declaresTracking: true)
        thread.start()
        for _ in 1...2 {
            try thread.change(to: .tracking)
            XCTAssert(eventually { thread.ticks >= 3 })
            try thread.change(to: .default)
            XCTAssert(eventually { thread.lastChange == "to kCFRunLoopDefaultMode" })
            XCTAssert(stays(forMilliseconds: 10) { thread.ticks <= 1 }, "the timer stands still in the default mode")
        }
        try thread.change(to: nil)
        XCTAssert(eventually { thread.isFinished })
        XCTAssertEqual(thread.transcript, expected)
    }

    func testA3_SecondWay_PerformedInTheModesThatAreMeant() throws {
        let thread = SwitchingThread(declaresTracking: false)
        thread.start()
        for _ in 1...2 {
            try thread.change(to: .tracking)
            XCTAssert(eventually { thread.ticks >= 3 })
            try thread.change(to: .default, performedIn: [.tracking])
            XCTAssert(eventually { thread.lastChange == "to kCFRunLoopDefaultMode" })
        }
        try thread.change(to: nil)
        XCTAssert(eventually { thread.isFinished })
        XCTAssertEqual(thread.transcript, expected)
    }

    /// This attempt fails: on a secondary thread the tracking mode is not common, so the request to leave it never arrives.
    func testA3_WithoutEitherTheThreadStaysInTracking() throws {
        let thread = SwitchingThread(declaresTracking: false)
        thread.start()
        try thread.change(to: .tracking)
        XCTAssert(eventually { thread.ticks >= 1 })
        try thread.change(to: .default)
        let ticks = thread.ticks
        XCTAssert(eventually { thread.ticks >= ticks + 5 }, "it continues to track")
        XCTAssertEqual(thread.transcript, Array(expected.prefix(2)))
        try thread.change(to: nil, performedIn: [.tracking])
        XCTAssert(eventually { thread.isFinished })
    }

    // MARK: - Work at its time

    /// An image is set by a perform for the default mode only, so it waits until the user no longer scrolls.
    func testA4_AnImageSetInTheDefaultModeWaitsWhileTheLoopTracks() {
        final class ImageView: Performing {
            var image = "none"
            func setImage(_ name: String) { image = name }
        }
        let log = EventList()
        onThread {
            let loop = RunLoop.current, view = ImageView()
            view.perform(ImageView.setImage, with: "large", afterDelay: 0, inModes: [.default])
            loop.add(Timer(timeInterval: 0.002, repeats: true) { _ in }, forMode: .tracking)
            loop.run(mode: .tracking, before: Date(timeIntervalSinceNow: 0.02))
            log.add(view.image)
            while view.image == "none" { loop.run(mode: .default, before: Date(timeIntervalSinceNow: 0.02)) }
            log.add(view.image)
        }
        XCTAssertEqual(log.all, ["none", "large"])
    }

    func testA6_UrgentWorkIsInTheCommonModesAndTheRestInTheDefaultMode() throws {
        let log = EventList(), tracks = Shared(true), isToEnd = Shared(false)
        let thread = Thread {
            let loop = RunLoop.current
            loop.addCommonMode(.tracking)
            loop.add(Port(), forMode: .common)
            while !isToEnd.value { loop.run(mode: tracks.value ? .tracking : .default, before: .distantFuture) }
        }
        thread.start()
        try Thread.perform(on: thread, waitUntilDone: false, modes: [.default]) { log.add("ordinary") }
        try Thread.perform(on: thread, waitUntilDone: true) { log.add("urgent") }
        XCTAssertEqual(log.all, ["urgent"], "the user scrolls")
        try Thread.perform(on: thread, waitUntilDone: true) { tracks.value = false }
        try Thread.perform(on: thread, waitUntilDone: true, modes: [.default]) { isToEnd.value = true }
        XCTAssert(eventually { thread.isFinished })
        XCTAssertEqual(log.all, ["urgent", "ordinary"])
    }

    /// Large work is split into batches, and the loop serves other items between them.
    func testA7_WorkInBatchesLeavesRoomForTheRest() {
        final class Importer: Performing {
            let log: EventList
            var left = Array(1...6)

            init(log: EventList) { self.log = log }

            func importBatch() {
                for item in left.prefix(2) { log.add("item \(item)") }
                left.removeFirst(2)
                RunLoop.current.perform { [log] in log.add("something else") }
                if !left.isEmpty { perform(Importer.importBatch, afterDelay: 0) }
            }
        }
        let log = EventList()
        onThread {
            let importer = Importer(log: log)
            importer.perform(Importer.importBatch, afterDelay: 0)
            while !importer.left.isEmpty { RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05)) }
            RunLoop.current.run(mode: .default, before: .distantPast)
        }
        XCTAssertEqual(log.all, (1...3).flatMap { ["item \(2 * $0 - 1)", "item \(2 * $0)", "something else"] })
    }
}
