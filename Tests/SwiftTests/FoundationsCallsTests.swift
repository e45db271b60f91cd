import SwiftRunLoop
import SwiftRunLoopFoundation
import TestSupport
import XCTest
import class SwiftRunLoop.Port
import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Thread
import class SwiftRunLoop.Timer
import class SwiftRunLoopFoundation.NotificationQueue

/// What a test of Foundation's own classes calls, in a test that waits as such tests do: by the main loop's runs, or by XCTest's expectations,
/// which `attachToMainQueue()` serves.
final class FoundationsCallsTests: XCTestCase {
    private nonisolated(unsafe) static var attachment: (any DispatchSourceRead)? // XCTest calls setUp and tearDown on the main thread

    override class func setUp() { attachment = RunLoop.main.attachToMainQueue() }

    override class func tearDown() { attachment?.cancel() }

    // MARK: - Timer

    func testATimerFiresOnceInARunUntilADate() {
        let ticks = Shared(0)
        let timer = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: false) { timer in
            XCTAssertEqual(timer.timeInterval, 0)
            ticks.value += 1
            timer.invalidate()
        }
        RunLoop.current.add(timer, forMode: .default)
        XCTAssert(timer.isValid)
        RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.05))
        XCTAssertEqual(ticks.value, 1)
        XCTAssertFalse(timer.isValid)
    }

    func testATimerRepeatsUntilItInvalidatesItself() {
        let ticks = Shared(0)
        let timer = Timer.scheduledTimer(withTimeInterval: 0.005, repeats: true) { timer in
            XCTAssertEqual(timer.timeInterval, 0.005)
            ticks.value += 1
            if ticks.value == 3 {
                timer.invalidate()
                timer.invalidate() // the second call does nothing
            }
        }
        XCTAssert(runLoop { !timer.isValid })
        RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.02))
        XCTAssertEqual(ticks.value, 3)
    }

    func testATimerMadeWithAFireDateFiresThen() {
        let date = Date(timeIntervalSinceNow: 0.02), fired = Shared<Date?>(nil)
        let timer = Timer(fire: date, interval: 0, repeats: false) { _ in fired.value = Date() }
        XCTAssertEqual(timer.fireDate.timeIntervalSinceReferenceDate, date.timeIntervalSinceReferenceDate, accuracy: 1e-6)
        RunLoop.main.add(timer, forMode: .common)
        XCTAssert(runLoop { fired.value != nil })
        XCTAssertGreaterThanOrEqual(fired.value!, date)
    }

    // MARK: - RunLoop

    func testTheModesHaveFoundationsNames() {
        XCTAssertEqual(RunLoop.Mode.common.rawValue, "kCFRunLoopCommonModes")
        XCTAssertEqual(RunLoop.Mode.default.rawValue, "kCFRunLoopDefaultMode")
        XCTAssert(RunLoop.current === RunLoop.main)
    }

    /// A timer does not end the run of a mode, which lasts until its date.
    func testARunOfAModeLastsUntilItsDateAndFiresTimersMeanwhile() {
        let start = Date(), fired = Shared(false), port = Port()
        RunLoop.main.add(port, forMode: .default)
        RunLoop.main.add(Timer(timeInterval: 0.01, repeats: false) { _ in fired.value = true }, forMode: .default)
        XCTAssert(RunLoop.main.run(mode: .default, before: start + 0.1))
        XCTAssert(fired.value)
        XCTAssertGreaterThanOrEqual(Date().timeIntervalSince(start), 0.1)
        port.invalidate()
    }

    func testTheLimitDateIsTheNextTimersAndWhatIsDueHasFired() {
        let mode = RunLoop.Mode(rawValue: "FoundationsCallsTests.limit"), fired = Shared(false), next = Date(timeIntervalSinceNow: 100)
        RunLoop.main.add(Timer(fire: Date(), interval: 0, repeats: false) { _ in fired.value = true }, forMode: mode)
        let timer = Timer(fire: next, interval: 0, repeats: false) { _ in }
        RunLoop.main.add(timer, forMode: mode)
        let limit = RunLoop.main.limitDate(forMode: mode)
        XCTAssert(fired.value)
        XCTAssertEqual(limit!.timeIntervalSinceReferenceDate, next.timeIntervalSinceReferenceDate, accuracy: 1e-3)
        timer.invalidate()
        XCTAssertNil(RunLoop.main.limitDate(forMode: mode))
    }

    /// A date in the past makes one pass, which serves the main queue, too.
    func testAPassServesTheMainQueue() {
        let called = Shared(false), port = Port()
        RunLoop.main.add(port, forMode: .default)
        DispatchQueue.main.async { called.value = true }
        XCTAssert(runLoop { called.value })
        port.invalidate()
    }

    private final class TestPort: Port, @unchecked Sendable {
        let log = EventList()
        private let invalid = Shared(false)

        override func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) { log.add("schedule \(mode.rawValue)") }

        override func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) { log.add("remove \(mode.rawValue)") }

        override func invalidate() {
            invalid.value = true
            NotificationCenter.default.post(name: Port.didBecomeInvalidNotification, object: self)
        }

        override var isValid: Bool { !invalid.value }
    }

    func testAPortIsScheduledAndRemovedOnceInEachMode() {
        let port = TestPort(), first = RunLoop.Mode(rawValue: "FoundationsCallsTests.1"), second = RunLoop.Mode(rawValue: "FoundationsCallsTests.2")
        for _ in 1...2 {
            RunLoop.main.add(port, forMode: first)
            RunLoop.main.add(port, forMode: second)
        }
        for _ in 1...2 {
            RunLoop.main.remove(port, forMode: first)
            RunLoop.main.remove(port, forMode: second)
        }
        XCTAssertEqual(port.log.all, [
            "schedule FoundationsCallsTests.1", "schedule FoundationsCallsTests.2",
            "remove FoundationsCallsTests.1", "remove FoundationsCallsTests.2",
        ])
        RunLoop.main.add(port, forMode: first)
        port.invalidate()
        XCTAssertFalse(RunLoop.main.contains(port, forMode: first))
    }

    // MARK: - Thread

    func testAThreadIsNamedStartedCancelledAndFinished() {
        let started = expectation(description: "started"), mayEnd = DispatchSemaphore(value: 0)
        let thread = Thread {
            XCTAssertEqual(Thread.current.name, "named")
            XCTAssertFalse(Thread.isMainThread)
            XCTAssertFalse(Thread.current.isMainThread)
            XCTAssertNotNil(Thread.callStackSymbols.first)
            XCTAssertNotNil(Thread.callStackReturnAddresses.first)
            Thread.current.threadDictionary["key"] = 1
            started.fulfill()
            mayEnd.wait()
            XCTAssert(Thread.current.isCancelled)
        }
        thread.name = "named"
        thread.start()
        wait(for: [started], timeout: 20)
        XCTAssert(thread.isExecuting)
        thread.cancel()
        mayEnd.signal()
        thread.join()
        XCTAssert(thread.isFinished)
        XCTAssert(Thread.mainThread.isMainThread)
        XCTAssert(Thread.current === Thread.main)
    }

    func testAThreadSleepsUntilADateAndForSeconds() {
        let start = Date()
        Thread.sleep(until: start + 0.02)
        Thread.sleep(forTimeInterval: 0.02)
        XCTAssertGreaterThanOrEqual(Date().timeIntervalSince(start), 0.039)
    }

    // MARK: - NotificationQueue

    /// Counts the notifications of a name while the body runs.
    private func count(of name: Notification.Name, _ body: (Shared<Int>) -> Void) -> Int {
        let posted = Shared(0)
        let token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in posted.value += 1 }
        body(posted)
        NotificationCenter.default.removeObserver(token)
        return posted.value
    }

    func testNotificationsAreCoalescedAndPostedWhenXCTestWaits() {
        let name = Notification.Name(rawValue: "FoundationsCallsTests.whenIdle"), queue = NotificationQueue.default
        for style in [NotificationQueue.PostingStyle.whenIdle, .asap] {
            let posted = expectation(forNotification: name, object: nil)
            XCTAssertEqual(count(of: name) { posts in
                for _ in 1...3 { queue.enqueue(Notification(name: name), postingStyle: style) }
                XCTAssertEqual(posts.value, 0)
                wait(for: [posted], timeout: 20)
            }, 1)
        }
        XCTAssertEqual(count(of: name) { _ in
            for _ in 1...3 { queue.enqueue(Notification(name: name), postingStyle: .now, coalesceMask: [], forModes: nil) }
        }, 3)
        XCTAssertEqual(count(of: name) { _ in
            queue.enqueue(Notification(name: name), postingStyle: .whenIdle)
            queue.dequeueNotifications(matching: Notification(name: name), coalesceMask: [.onName])
            RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.01))
        }, 0)
    }

    func testANotificationForNowIsPostedInATimersCallIfItsModeRuns() {
        let name = Notification.Name(rawValue: "FoundationsCallsTests.now"), ticked = Shared(0)
        XCTAssertEqual(count(of: name) { _ in
            for modes in [[RunLoop.Mode.default], [RunLoop.Mode("FoundationsCallsTests.other")]] {
                RunLoop.main.add(Timer(timeInterval: 0.001, repeats: false) { _ in
                    NotificationQueue.default.enqueue(Notification(name: name), postingStyle: .now, coalesceMask: [], forModes: modes)
                    ticked.value += 1
                }, forMode: .default)
            }
            XCTAssert(runLoop { ticked.value == 2 })
        }, 1)
    }

    // MARK: - FileHandle and Process

    func testAFileHandleNotifiesWhileXCTestWaits() {
        let pipe = Pipe(), handle = pipe.fileHandleForReading
        /// The data that is posted.
        func expect(_ name: Notification.Name, _ begin: () -> Void, _ then: () -> Void) -> Data? {
            let data = Shared<Data?>(nil)
            let posted = expectation(forNotification: name, object: handle) { notification in
                data.value = notification.userInfo?[NSFileHandleNotificationDataItem] as? Data
                return true
            }
            begin()
            then()
            wait(for: [posted], timeout: 20)
            return data.value
        }
        func write(_ text: String) { pipe.fileHandleForWriting.write(Data(text.utf8)) }
        _ = expect(.NSFileHandleDataAvailable) { MacSpelling.waitForData(handle) } _: { write("one") }
        let read = expect(FileHandle.readCompletionNotification) { MacSpelling.read(handle) } _: {}
        XCTAssertEqual(read, Data("one".utf8))
        let rest = expect(.NSFileHandleReadToEndOfFileCompletion) { MacSpelling.readToEnd(handle) } _: {
            write("two")
            try? pipe.fileHandleForWriting.close()
        }
        XCTAssertEqual(rest, Data("two".utf8))
    }

    func testWaitingForAProcessGivesItsStatus() throws {
        try skip(under: .address, because: "Foundation's Process leaks what it was started with, also without a handler")
        for (script, reason, status) in [
            ("exit 3", Process.TerminationReason.exit, 3), ("kill -TERM $$", .uncaughtSignal, SIGTERM),
        ] {
            let process = try Process.run(URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", script])
            MacSpelling.waitUntilExit(process)
            XCTAssertFalse(process.isRunning)
            XCTAssertEqual(process.terminationReason, reason)
            XCTAssertEqual(process.terminationStatus, status)
        }
    }

    /// A Mac's Foundation exports CoreFoundation. The defect: another import was needed for CFRunLoopRun().
    func testTheFunctionsOfCComeWithFoundation() {
        XCTAssertFalse(MacSpelling.runUntilATimerStops().isValid, "the run ended before the timer fired")
    }
}
