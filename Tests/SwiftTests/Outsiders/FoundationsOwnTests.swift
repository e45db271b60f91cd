// FoundationsOwnTests.swift: what the tests of swift-corelibs-foundation ask of RunLoop, Timer, Thread and NotificationQueue, with the calls
// that they make. Only the import is not Foundation's. Where Foundation on Linux (toolchain 6.3) would fail a test, a comment says so: there,
// this library does what is documented for a Mac.
import SwiftRunLoopFoundation
import XCTest

/// As the tests of RunLoop: modes, polling, nesting, blocks and ports that count what the loop asks of them.
final class OutsiderRunLoopTests: XCTestCase {
    func testModesHaveTheNamesThatFoundationGivesThem() {
        XCTAssertEqual(RunLoop.Mode.default.rawValue, "kCFRunLoopDefaultMode")
        XCTAssertEqual(RunLoop.Mode.common.rawValue, "kCFRunLoopCommonModes")
        XCTAssertEqual(Set([RunLoop.Mode("a"), RunLoop.Mode(rawValue: "a"), .default]).count, 2)
    }

    func testTheMainThreadHasOneLoopWhichRunsInNoModeOutsideARun() {
        XCTAssertEqual(RunLoop.main, RunLoop.current)
        XCTAssertTrue(RunLoop.main.isEqual(RunLoop.current))
        XCTAssertNil(RunLoop.main.currentMode)
    }

    func testATimerOfTheCommonModesFiresInARunOfTheDefaultMode() {
        let fired = EventList()
        let timer = Timer(timeInterval: 0.01, repeats: false) { _ in fired.add(RunLoop.current.currentMode?.rawValue ?? "no mode") }
        RunLoop.current.add(timer, forMode: .common)
        RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.05))
        XCTAssert(runMain { !timer.isValid })
        XCTAssertEqual(fired.all, ["kCFRunLoopDefaultMode"])
    }

    func testARunUntilADateLastsUntilThatDateWhileATimerRepeats() {
        let end = Date(timeIntervalSinceNow: 0.1), ticks = Shared(0)
        let timer = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: true) { timer in
            ticks.value += 1
            if ticks.value == 3 { timer.invalidate() }
        }
        RunLoop.current.run(until: end)
        XCTAssertGreaterThanOrEqual(Date(), end)
        XCTAssert(runMain { !timer.isValid })
        XCTAssertEqual(ticks.value, 3)
    }

    func testATimersBlockRunsTheLoopAgainAndAnotherTimerFiresInside() {
        let log = EventList(), mode = RunLoop.Mode("OutsiderRunLoopTests.nested")
        let outer = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: false) { _ in
            log.add("outer begins")
            let inner = Timer(timeInterval: 0.01, repeats: false) { _ in log.add("inner in \(RunLoop.current.currentMode!.rawValue)") }
            RunLoop.current.add(inner, forMode: mode)
            let end = Date(timeIntervalSinceNow: 30)
            while inner.isValid, Date() < end { _ = RunLoop.current.run(mode: mode, before: end) }
            log.add("outer ends in \(RunLoop.current.currentMode!.rawValue)")
        }
        XCTAssert(runMain { !outer.isValid })
        XCTAssertEqual(log.all, [
            "outer begins", "inner in OutsiderRunLoopTests.nested", "outer ends in kCFRunLoopDefaultMode",
        ])
    }

    func testTheLimitDateIsThatOfTheTimerThatFiresNext() {
        let mode = RunLoop.Mode("OutsiderRunLoopTests.limit"), first = Date(timeIntervalSinceNow: 500)
        let timers = [first + 500, first].map { Timer(fire: $0, interval: 0, repeats: false) { _ in } }
        for timer in timers { RunLoop.current.add(timer, forMode: mode) }
        XCTAssertEqual(RunLoop.current.limitDate(forMode: mode)?.timeIntervalSince(first) ?? .nan, 0, accuracy: 0.01)
        timers[1].invalidate()
        XCTAssertEqual(RunLoop.current.limitDate(forMode: mode)?.timeIntervalSince(first) ?? .nan, 500, accuracy: 0.01)
        timers[0].invalidate()
        XCTAssertNil(RunLoop.current.limitDate(forMode: mode))
    }

    /// Polling: each run has a date that has come, so none of them sleeps, although the only timer is far away.
    func testAThousandPollsOfALoopReturnWithoutSleeping() {
        let far = Timer.scheduledTimer(withTimeInterval: 1000, repeats: false) { _ in XCTFail("it is not due") }
        let begin = Date()
        for _ in 1...1000 { XCTAssertTrue(RunLoop.current.run(mode: .default, before: Date())) }
        XCTAssertLessThan(Date().timeIntervalSince(begin), 500)
        far.invalidate()
    }

    func testBlocksArePerformedInTheirOrderAndOnlyInTheirModes() {
        let log = EventList(), loop = RunLoop.current
        let modes = ["a", "b"].map { RunLoop.Mode("OutsiderRunLoopTests.\($0)") }
        let keepers = modes.map { mode in
            let keeper = Timer(timeInterval: 1000, repeats: false) { _ in }
            loop.add(keeper, forMode: mode)
            return keeper
        }
        loop.perform(inModes: [modes[1]]) { log.add("b") }
        loop.perform(inModes: modes) { log.add("a or b") }
        loop.perform(inModes: [modes[0]]) { log.add("a") }
        loop.perform { log.add("default") }
        _ = loop.run(mode: modes[0], before: Date())
        XCTAssertEqual(log.takeAll(), ["a or b", "a"])
        _ = loop.run(mode: modes[1], before: Date())
        XCTAssertEqual(log.takeAll(), ["b"])
        XCTAssert(runMain { !log.all.isEmpty })
        XCTAssertEqual(log.takeAll(), ["default"])
        for keeper in keepers { keeper.invalidate() }
    }

    /// The main queue is serial: a nested run does not perform its next block while one is being performed.
    func testANestedRunInABlockOfTheMainQueueLeavesTheNextBlockForLater() {
        let log = EventList()
        DispatchQueue.main.async {
            log.add("first begins")
            DispatchQueue.main.async { log.add("second") }
            RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.02))
            log.add("first ends")
        }
        XCTAssert(runMain { log.all.count == 3 })
        XCTAssertEqual(log.all, ["first begins", "first ends", "second"])
    }

    func testOperationsOfTheMainQueueRunInTheLoopOneAfterTheOther() {
        let log = EventList()
        for number in 1...3 { OperationQueue.main.addOperation { log.add("\(number) \(Thread.isMainThread)") } }
        let last = BlockOperation { log.add("last") }
        OperationQueue.main.addOperation(last)
        XCTAssert(runMain { last.isFinished })
        XCTAssertEqual(log.all, ["1 true", "2 true", "3 true", "last"])
    }

    // MARK: Ports

    /// A port of the program's own, without a descriptor. It records what the loop asks of it, and invalidates itself.
    private final class RecordingPort: Port, @unchecked Sendable {
        let log = EventList()
        private let valid = Shared(true)

        override var isValid: Bool { valid.value }

        override func invalidate() {
            valid.value = false
            NotificationCenter.default.post(name: Port.didBecomeInvalidNotification, object: self)
        }

        override func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) { log.add("schedule \(mode.rawValue)") }

        override func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) { log.add("remove \(mode.rawValue)") }
    }

    func testALoopSchedulesAPortOnceAndRemovesItOnce() {
        let port = RecordingPort(), mode = RunLoop.Mode("OutsiderRunLoopTests.port")
        for _ in 1...2 { RunLoop.current.add(port, forMode: mode) }
        XCTAssertEqual(port.log.takeAll(), ["schedule OutsiderRunLoopTests.port"])
        RunLoop.current.add(port, forMode: .default)
        XCTAssertEqual(port.log.takeAll(), ["schedule kCFRunLoopDefaultMode"])
        for _ in 1...2 { RunLoop.current.remove(port, forMode: mode) }
        XCTAssertEqual(port.log.takeAll(), ["remove OutsiderRunLoopTests.port"])
        RunLoop.current.remove(port, forMode: .default)
        XCTAssertEqual(port.log.takeAll(), ["remove kCFRunLoopDefaultMode"])
        XCTAssertTrue(port.isValid)
    }

    func testALoopReleasesAPortThatItRemovesAndOneThatIsInvalidated() {
        weak var removed: RecordingPort?, invalidated: RecordingPort?
        scope {
            let port = RecordingPort()
            removed = port
            RunLoop.current.add(port, forMode: .default)
            RunLoop.current.remove(port, forMode: .default)
        }
        XCTAssertNil(removed)
        scope {
            let port = RecordingPort()
            invalidated = port
            RunLoop.current.add(port, forMode: .default)
        }
        XCTAssertNotNil(invalidated, "the loop retains it")
        invalidated?.invalidate()
        XCTAssertNil(invalidated)
    }

    /// A scope that ends before the next assertion.
    @inline(never)
    private func scope(_ body: () -> Void) { body() }
}

/// As the tests of Timer: what a timer is made with, and how often it fires in a loop that runs.
final class OutsiderTimerTests: XCTestCase {
    func testAOneShotTimerHasNoIntervalAndARepeatingOneHasItsOwn() {
        let date = Date(timeIntervalSinceNow: 60)
        let once = Timer(fire: date, interval: 0.3, repeats: false) { _ in }
        let again = Timer(fire: date, interval: 0.5, repeats: true) { _ in }
        XCTAssertEqual([once.timeInterval, again.timeInterval], [0, 0.5])
        XCTAssertTrue(once.isValid && again.isValid)
        XCTAssertEqual(once.fireDate.timeIntervalSince(date), 0, accuracy: 0.01)
        XCTAssertEqual(once.tolerance, 0)
        XCTAssertNil(once.userInfo)
    }

    /// Foundation on Linux says 0, and such a timer fires once.
    func testAnIntervalThatIsNotPositiveCountsAsATenthOfAMillisecond() {
        for interval in [0, -1.0] {
            XCTAssertEqual(Timer(timeInterval: interval, repeats: true) { _ in }.timeInterval, 0.0001, "\(interval)")
        }
    }

    func testAScheduledTimerTicksOnceAndIsInvalidAfterwards() {
        let ticks = EventList()
        let timer = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: false) { timer in ticks.add("valid: \(timer.isValid)") }
        RunLoop.current.add(timer, forMode: .default) // a second time, without effect
        XCTAssert(runMain { !timer.isValid })
        RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.03))
        XCTAssertEqual(ticks.all, ["valid: true"])
    }

    func testARepeatingTimerNeverTicksBeforeItsIntervalHasPassed() {
        let interval = 0.01, begin = Date(), dates = Shared<[Date]>([])
        let timer = Timer.scheduledTimer(withTimeInterval: interval, repeats: true) { timer in
            dates.append(Date())
            if dates.value.count == 5 { timer.invalidate() }
        }
        XCTAssert(runMain { !timer.isValid })
        XCTAssertEqual(dates.value.count, 5)
        for (index, date) in dates.value.enumerated() {
            XCTAssertGreaterThan(date.timeIntervalSince(begin), interval * Double(index + 1) - 0.001, "tick \(index + 1)")
        }
    }

    func testATimerThatInvalidatesItselfInItsFirstTickDoesNotTickAgain() {
        let ticks = Shared(0)
        Timer.scheduledTimer(withTimeInterval: 0.01, repeats: true) { timer in
            ticks.value += 1
            timer.invalidate()
            XCTAssertFalse(timer.isValid)
        }
        XCTAssert(runMain { ticks.value > 0 })
        RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.05))
        XCTAssertEqual(ticks.value, 1)
    }

    /// A program that pauses its timer instead of making a new one.
    func testATimerWhoseFireDateIsInTheDistantFutureWaitsUntilItIsSetAgain() {
        let ticks = Shared(0)
        let timer = Timer.scheduledTimer(withTimeInterval: 0.005, repeats: true) { _ in ticks.value += 1 }
        timer.fireDate = .distantFuture
        RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.05))
        XCTAssertEqual(ticks.value, 0)
        XCTAssertTrue(timer.isValid)
        timer.fireDate = Date()
        XCTAssert(runMain { ticks.value > 1 })
        timer.invalidate()
    }

    func testFireTicksARepeatingTimerAtOnceAndEndsAOneShotTimer() {
        let ticks = EventList()
        let again = Timer(timeInterval: 1000, repeats: true) { _ in ticks.add("again") }
        let once = Timer(timeInterval: 1000, repeats: false) { _ in ticks.add("once") }
        for timer in [again, once, again, once] { timer.fire() }
        XCTAssertEqual(ticks.all, ["again", "once", "again"])
        XCTAssertTrue(again.isValid)
        XCTAssertFalse(once.isValid)
        for _ in 1...2 { again.invalidate() }
        again.fire()
        XCTAssertEqual(ticks.all, ["again", "once", "again"])
    }
}

/// As the tests of Thread: a start that a condition announces, names, sleeps, and the dictionary.
final class OutsiderThreadTests: XCTestCase {
    func testTheCurrentThreadIsTheSameObjectEachTimeAndTheMainThreadHere() {
        XCTAssertEqual(Thread.current, Thread.current)
        XCTAssertEqual(Thread.current, Thread.mainThread)
        XCTAssertTrue(Thread.isMainThread && Thread.current.isMainThread)
        XCTAssertTrue(Thread.isMultiThreaded())
    }

    func testAStartedThreadTellsAConditionThatItIsAnotherThread() {
        let condition = NSCondition(), main = Thread.current, seen = EventList()
        let thread = Thread() {
            condition.lock()
            seen.add("main: \(Thread.isMainThread), same: \(Thread.current == main), executing: \(Thread.current.isExecuting)")
            condition.broadcast()
            condition.unlock()
        }
        condition.lock()
        XCTAssertFalse(thread.isExecuting || thread.isFinished)
        thread.start()
        while seen.all.isEmpty, condition.wait(until: Date(timeIntervalSinceNow: 30)) {}
        condition.unlock()
        XCTAssertEqual(seen.all, ["main: false, same: false, executing: true"])
        XCTAssert(eventually { thread.isFinished })
    }

    func testADetachedThreadAndAQueuesThreadAreNotTheMainThread() {
        let seen = EventList()
        Thread.detachNewThread { seen.add("detached: \(Thread.isMainThread)") }
        XCTAssert(eventually { seen.all.count == 1 })
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            seen.add("queue: \(Thread.current.isMainThread)")
            done.signal()
        }
        done.wait()
        XCTAssertEqual(seen.all, ["detached: false", "queue: false"])
    }

    /// A worker as subclasses are written: it runs its loop with a timer in it until it is cancelled.
    private final class Worker: Thread, @unchecked Sendable {
        let ticks = Shared(0), log = EventList()

        override func main() {
            log.add("begins \(Thread.current === self)")
            let timer = Timer.scheduledTimer(withTimeInterval: 0.001, repeats: true) { [ticks] _ in ticks.value += 1 }
            while !isCancelled { _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.005)) }
            timer.invalidate()
            log.add("ends \(Thread.current.isCancelled)")
        }
    }

    func testASubclassRunsTheLoopOfItsThreadUntilItIsCancelled() {
        let worker = Worker()
        worker.start()
        XCTAssert(eventually { worker.ticks.value > 2 })
        XCTAssertTrue(worker.isExecuting)
        worker.cancel()
        XCTAssert(eventually { worker.isFinished })
        XCTAssertEqual(worker.log.all, ["begins true", "ends true"])
    }

    /// Foundation on Linux forgets a name that is given before the start.
    func testNamesAreKeptAndBelongToOneThreadEach() {
        let names = EventList(), main = Thread.current.name
        let thread = Thread { names.add(Thread.current.name ?? "none") }
        thread.name = "worker"
        thread.start()
        XCTAssert(eventually { thread.isFinished })
        XCTAssertEqual(names.all, ["worker"])
        XCTAssertEqual(thread.name, "worker")
        XCTAssertEqual(Thread.current.name, main)
    }

    func testSleepsEndNoSoonerThanTheyShould() {
        let begin = Date(), end = begin + 0.05
        Thread.sleep(until: end)
        XCTAssertGreaterThanOrEqual(Date(), end)
        Thread.sleep(forTimeInterval: 0.05)
        XCTAssertGreaterThanOrEqual(Date().timeIntervalSince(begin), 0.099)
    }

    func testAThreadsDictionaryIsItsOwn() {
        let key = "OutsiderThreadTests", seen = EventList()
        Thread.current.threadDictionary[key] = NSNumber(value: 1)
        let thread = Thread {
            seen.add("\(Thread.current.threadDictionary[key] == nil)")
            Thread.current.threadDictionary[key] = "other"
            seen.add(Thread.current.threadDictionary[key] as? String ?? "none")
        }
        thread.start()
        XCTAssert(eventually { thread.isFinished })
        XCTAssertEqual(seen.all, ["true", "other"])
        XCTAssertEqual((Thread.current.threadDictionary[key] as? NSNumber)?.intValue, 1)
        Thread.current.threadDictionary.removeObject(forKey: key)
        XCTAssertNil(Thread.current.threadDictionary[key])
    }

    func testTheCallStackIsNeitherEmptyNorLongerThanItsBuffer() {
        for count in [Thread.callStackSymbols.count, Thread.callStackReturnAddresses.count] {
            XCTAssertGreaterThan(count, 0)
            XCTAssertLessThanOrEqual(count, 128)
        }
    }
}

/// As the tests of NotificationQueue: posting styles, coalescing, modes, and the queue of another thread.
final class OutsiderNotificationQueueTests: XCTestCase {
    private var token: NSObjectProtocol?
    private let posted = EventList()
    private let saved = Notification.Name("OutsiderNotificationQueueTests")

    /// Records what a center posts under the name.
    private func observe() {
        let posted = posted
        token = NotificationCenter.default.addObserver(forName: saved, object: nil, queue: nil) { posted.add($0.userInfo!["text"] as! String) }
    }

    override func tearDown() {
        if let token { NotificationCenter.default.removeObserver(token) }
    }

    private func note(_ text: String, from object: Any? = nil) -> Notification {
        Notification(name: saved, object: object, userInfo: ["text": text])
    }

    func testAThreadHasOneDefaultQueueAndAnotherThreadHasAnother() {
        let here = NotificationQueue.default
        XCTAssertEqual(here, NotificationQueue.default)
        nonisolated(unsafe) var there: NotificationQueue?
        onThread { there = NotificationQueue.default }
        XCTAssertNotNil(there)
        XCTAssertNotEqual(there, here)
    }

    func testNowPostsBeforeEnqueueReturnsAndCoalescesNothingThatIsPosted() {
        observe()
        let sender = NSObject()
        for number in 1...3 {
            NotificationQueue.default.enqueue(note("\(number)", from: sender), postingStyle: .now)
            XCTAssertEqual(posted.all.last, "\(number)")
        }
        XCTAssertEqual(posted.all, ["1", "2", "3"])
    }

    func testAQueueForACenterPostsToThatCenterAlone() {
        let center = NotificationCenter(), other = EventList()
        let there = center.addObserver(forName: saved, object: nil, queue: nil) { note in other.add(note.userInfo!["text"] as! String) }
        observe()
        let queue = NotificationQueue(notificationCenter: center)
        queue.enqueue(note("now"), postingStyle: .now)
        queue.enqueue(note("soon"), postingStyle: .asap, coalesceMask: [], forModes: nil)
        XCTAssertEqual(other.all, ["now"])
        XCTAssert(runMain { other.all.count == 2 })
        XCTAssertEqual(other.all, ["now", "soon"])
        XCTAssertEqual(posted.all, [])
        center.removeObserver(there)
    }

    func testNowPostsInATimersBlockOnlyInTheModesThatItNames() {
        observe()
        let mode = RunLoop.Mode("OutsiderNotificationQueueTests")
        nonisolated(unsafe) let notes = [note("this mode"), note("another mode"), note("no mode")]
        let timer = Timer(timeInterval: 0.001, repeats: false) { _ in
            let queue = NotificationQueue.default
            queue.enqueue(notes[0], postingStyle: .now, coalesceMask: [], forModes: [mode])
            queue.enqueue(notes[1], postingStyle: .now, coalesceMask: [], forModes: [RunLoop.Mode("another")])
            queue.enqueue(notes[2], postingStyle: .now, coalesceMask: [], forModes: nil) // the default mode
        }
        RunLoop.current.add(timer, forMode: mode)
        let end = Date(timeIntervalSinceNow: 30)
        while timer.isValid, Date() < end { _ = RunLoop.current.run(mode: mode, before: end) }
        XCTAssertFalse(timer.isValid)
        XCTAssertEqual(posted.all, ["this mode"])
    }

    func testAsapPostsFromTheNextRunAndNotBefore() {
        observe()
        NotificationQueue.default.enqueue(note("asap"), postingStyle: .asap)
        XCTAssertEqual(posted.all, [])
        XCTAssert(runMain { !posted.all.isEmpty })
        XCTAssertEqual(posted.all, ["asap"])
    }

    /// Foundation on Linux posts the notification that is for an idle loop first.
    func testWhenIdlePostsWhenTheLoopIsAboutToSleepAndAsapBeforeThat() {
        observe()
        NotificationQueue.default.enqueue(note("idle"), postingStyle: .whenIdle, coalesceMask: [], forModes: nil)
        NotificationQueue.default.enqueue(note("asap"), postingStyle: .asap, coalesceMask: [], forModes: nil)
        XCTAssert(runMain { posted.all.count == 2 })
        XCTAssertEqual(posted.all, ["asap", "idle"])
    }

    /// Foundation on Linux posts the last one first.
    func testWaitingNotificationsOfOneNameAndSenderAreOne() {
        observe()
        let sender = NSObject(), another = NSObject()
        for number in 1...3 { NotificationQueue.default.enqueue(note("\(number)", from: sender), postingStyle: .asap) }
        NotificationQueue.default.enqueue(note("another sender", from: another), postingStyle: .asap)
        XCTAssert(runMain { posted.all.count == 2 })
        RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.02))
        XCTAssertEqual(posted.all, ["3", "another sender"])
    }

    /// Foundation on Linux posts the last one first.
    func testCoalescingOnTheNameAloneOrOnTheSenderAloneComparesOnlyThat() {
        observe()
        let sender = NSObject(), queue = NotificationQueue.default
        let otherName = Notification.Name("OutsiderNotificationQueueTests.other"), posted = posted
        let other = NotificationCenter.default.addObserver(forName: otherName, object: nil, queue: nil) { _ in posted.add("other name") }
        queue.enqueue(note("replaced by name", from: sender), postingStyle: .asap, coalesceMask: .onName, forModes: nil)
        queue.enqueue(note("same name", from: NSObject()), postingStyle: .asap, coalesceMask: .onName, forModes: nil)
        queue.enqueue(note("replaced by sender", from: sender), postingStyle: .asap, coalesceMask: [], forModes: nil)
        queue.enqueue(Notification(name: otherName, object: sender), postingStyle: .asap, coalesceMask: .onSender, forModes: nil)
        XCTAssert(runMain { posted.all.count == 2 })
        RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.02))
        XCTAssertEqual(posted.all, ["same name", "other name"])
        NotificationCenter.default.removeObserver(other)
    }

    func testADequeuedNotificationIsNotPosted() {
        observe()
        let queue = NotificationQueue.default
        queue.enqueue(note("dequeued"), postingStyle: .whenIdle)
        queue.dequeueNotifications(matching: note("any"), coalesceMask: .onName)
        queue.enqueue(note("last"), postingStyle: .whenIdle)
        XCTAssert(runMain { !posted.all.isEmpty })
        XCTAssertEqual(posted.all, ["last"])
    }

    /// A queue that a program makes lives as long as the program holds it.
    func testAQueueIsReleasedWithItsOwnersReference() {
        weak var queue: NotificationQueue?
        onThread {
            let made = NotificationQueue(notificationCenter: NotificationCenter())
            queue = made
            made.enqueue(Notification(name: Notification.Name("waits")), postingStyle: .whenIdle)
        }
        XCTAssertNil(queue)
    }
}
