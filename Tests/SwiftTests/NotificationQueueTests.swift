import SwiftRunLoop
import SwiftRunLoopFoundation
import TestSupport
import XCTest

/// Foundation's notifications in the queue of this run loop.
final class NotificationQueueTests: XCTestCase {
    private let center = NotificationCenter()
    private let log = EventList()
    private let usual = Notification.Name("name"), other = Notification.Name("other")
    private final class Sender {}

    /// Records each notification that is posted, by the text in it.
    private func observe(_ then: @escaping (String) -> Void = { _ in }) {
        nonisolated(unsafe) let then = then
        _ = center.addObserver(forName: nil, object: nil, queue: nil) { [log] notification in
            let text = notification.userInfo!["text"] as! String
            log.add("posted \(text)")
            then(text)
        }
    }

    private func notification(_ text: String, _ name: Notification.Name? = nil, from sender: Any? = nil) -> Notification {
        Notification(name: name ?? usual, object: sender, userInfo: ["text": text])
    }

    /// Records all activities of the default mode, before the queue's observer is called.
    private func recordActivities() {
        let observer = RunLoop.Observer(order: -1) { [log] _, activity in log.add("\(activity)") }
        RunLoop.current.add(observer, forMode: .default)
    }

    private func timer(_ block: @escaping () -> Void) {
        nonisolated(unsafe) let block = block
        RunLoop.current.add(Timer(timeInterval: 0.01, repeats: false) { _ in block() }, forMode: .default)
    }

    private func runLoop(for seconds: TimeInterval = 0.03) {
        let port = Port() // without a timer or source the mode would not run
        RunLoop.current.add(port, forMode: .default)
        RunLoop.current.run(until: Date(timeIntervalSinceNow: seconds))
        port.invalidate()
    }

    /// A source that signals itself until it has been performed so often.
    private func addSource(performed count: Int) {
        let again = WeakReference<RunLoop.Source>(), source = RunLoop.Source { [log] in
            log.add("source")
            if log.all.count < count { again.object!.signal() }
        }
        again.object = source
        RunLoop.current.add(source, forMode: .default)
        source.signal()
    }

    /// On another thread, with a queue whose notifications are recorded.
    private func withQueue(_ body: @escaping (NotificationQueue) -> Void) {
        onThread { [self] in
            observe()
            body(NotificationQueue(notificationCenter: center))
        }
    }

    // MARK: When each style posts

    func testNowPostsBeforeEnqueueReturns() {
        withQueue { [self] queue in
            queue.enqueue(notification("now"), postingStyle: .now)
            XCTAssertEqual(log.all, ["posted now"])
        }
    }

    /// On a Mac, `asap` posts when the current callout has returned; here, at the next activity, which is BeforeTimers of the next pass.
    func testAsapPostsAfterTheCalloutAndWhenIdleBeforeTheLoopSleeps() {
        withQueue { [self] queue in
            timer { [self] in
                recordActivities()
                queue.enqueue(notification("idle"), postingStyle: .whenIdle, coalesceMask: .none, forModes: nil)
                queue.enqueue(notification("asap"), postingStyle: .asap, coalesceMask: .none, forModes: nil)
                log.add("the callout returns")
                self.timer { RunLoop.current.stop() } // wakes the loop, and ends the run however late the machine is
            }
            RunLoop.current.add(Port(), forMode: .default)
            RunLoop.current.runUntilStopped(in: .default, until: Date(timeIntervalSinceNow: 30))
            let beginning = ["the callout returns", "BeforeTimers", "posted asap", "BeforeSources", "BeforeWaiting", "posted idle", "AfterWaiting"]
            XCTAssertEqual(Array(log.all.prefix(beginning.count)), beginning)
            XCTAssertEqual(log.all.filter { $0.hasPrefix("posted") }.count, 2)
        }
    }

    /// `run(mode:before:)` returns after a source. Notifications that the source's callout has enqueued are posted first, at Exit.
    func testAsapPostsBeforeARunThatHandledASourceReturns() {
        withQueue { [self] queue in
            let wanted = notification("asap")
            nonisolated(unsafe) let enqueue = { queue.enqueue(wanted, postingStyle: .asap) }
            let source = RunLoop.Source { enqueue() }
            RunLoop.current.add(source, forMode: .default)
            source.signal()
            RunLoop.current.run(mode: .default, before: .distantFuture)
            XCTAssertEqual(log.all, ["posted asap"])
        }
    }

    func testABusyLoopDoesNotPostWhenIdle() {
        withQueue { [self] queue in
            queue.enqueue(notification("idle"), postingStyle: .whenIdle)
            addSource(performed: 5)
            while log.all.count < 5 { RunLoop.current.run(mode: .default, before: .distantFuture) }
            XCTAssertEqual(log.takeAll(), Array(repeating: "source", count: 5), "the loop had a signalled source in each pass")
            runLoop()
            XCTAssertEqual(log.all, ["posted idle"])
        }
    }

    // MARK: Nothing waits longer than it should

    /// The loop sleeps after the last observer of BeforeWaiting. It must not sleep while a notification waits that such an observer has
    /// enqueued.
    func testWhatAnObserverOfBeforeWaitingEnqueuesIsPostedWithoutAnotherEvent() {
        onThread { [self] in
            let isPosted = Shared(false)
            observe { _ in
                isPosted.value = true
                RunLoop.current.stop()
            }
            let queue = NotificationQueue(notificationCenter: center), wanted = notification("late")
            nonisolated(unsafe) let enqueue = { queue.enqueue(wanted, postingStyle: .whenIdle) }
            let last = RunLoop.Observer(activities: .beforeWaiting, order: .max, repeats: false) { @Sendable _, _ in enqueue() }
            RunLoop.current.add(last, forMode: .default)
            RunLoop.current.add(Port(), forMode: .default)
            XCTAssertEqual(RunLoop.current.runUntilStopped(in: .default, until: Date(timeIntervalSinceNow: 30)), .stopped)
            XCTAssert(isPosted.value)
        }
    }

    /// A program that does idle work in small steps enqueues the next step in each step.
    func testAWhenIdleNotificationThatEnqueuesTheNextOneGetsOnePassForEach() {
        onThread { [self] in
            let queue = NotificationQueue(notificationCenter: center), steps = Shared(0)
            nonisolated(unsafe) let enqueue = { [self] in queue.enqueue(notification("step"), postingStyle: .whenIdle) }
            observe { [log] _ in
                steps.value += 1
                log.add("step \(steps.value)")
                if steps.value < 3 { enqueue() } else { RunLoop.current.stop() }
            }
            recordActivities()
            enqueue()
            RunLoop.current.add(Port(), forMode: .default)
            XCTAssertEqual(RunLoop.current.runUntilStopped(in: .default, until: Date(timeIntervalSinceNow: 30)), .stopped)
            let seen = log.all.filter { $0.hasPrefix("step") || $0 == "BeforeWaiting" }
            XCTAssertEqual(seen, ["BeforeWaiting", "step 1", "BeforeWaiting", "step 2", "BeforeWaiting", "step 3"])
        }
    }

    /// Foundation's tests enqueue for a loop that has nothing else to do.
    func testALoopWithNothingElsePostsWhatWaitsAndIsEmptyThen() {
        for style in [NotificationQueue.PostingStyle.asap, .whenIdle] {
            onThread { [self] in
                let posted = EventList()
                observe { posted.add($0) }
                let queue = NotificationQueue(notificationCenter: center)
                queue.enqueue(notification("\(style)"), postingStyle: style)
                XCTAssertEqual(RunLoop.current.runUntilStopped(in: .default, until: Date(timeIntervalSinceNow: 30)), .finished)
                XCTAssertEqual(posted.all, ["\(style)"])
                XCTAssertFalse(RunLoop.current.run(mode: .default, before: Date()), "nothing is left in the mode")
                queue.enqueue(notification("other"), postingStyle: style, coalesceMask: .none, forModes: [.tracking])
                XCTAssertFalse(RunLoop.current.run(mode: .default, before: Date()), "it waits for another mode")
            }
        }
    }

    // MARK: In a hosted loop

    /// Serves a mode of the calling thread's loop, as a host does, until its descriptor is not readable for a while.
    private func host(_ mode: RunLoop.Mode = .default, forMilliseconds milliseconds: Int32 = 50) -> Int {
        let loop = RunLoop.current
        var wait = pollfd(fd: loop.descriptor(forMode: mode), events: Int16(POLLIN), revents: 0), passes = 0
        while poll(&wait, 1, milliseconds) > 0, passes < 1000 {
            loop.serve(forMode: mode)
            passes += 1
        }
        return passes
    }

    /// A host's passes have no BeforeWaiting. The defect: `whenIdle` was never posted there.
    func testAHostedLoopPostsWhenIdleWhenAPassHasLeftNothingToDo() {
        withQueue { [self] queue in
            _ = RunLoop.current.descriptor(forMode: .default)
            queue.enqueue(notification("idle"), postingStyle: .whenIdle)
            queue.enqueue(notification("asap"), postingStyle: .asap, coalesceMask: .none, forModes: [.common])
            queue.enqueue(notification("idle in common modes"), postingStyle: .whenIdle, coalesceMask: .none, forModes: [.common])
            XCTAssertEqual(host(), 1)
            XCTAssertEqual(log.takeAll(), ["posted asap", "posted idle", "posted idle in common modes"])
            timer { [self] in
                queue.enqueue(notification("from a timer"), postingStyle: .whenIdle)
                log.add("the callout returns")
            }
            XCTAssertLessThan(host(), 5, "the host sleeps afterwards")
            XCTAssertEqual(log.all, ["the callout returns", "posted from a timer"])
        }
    }

    func testAHostedLoopThatHasMoreToDoIsNotIdle() {
        withQueue { [self] queue in
            _ = RunLoop.current.descriptor(forMode: .default)
            queue.enqueue(notification("idle"), postingStyle: .whenIdle)
            addSource(performed: 3)
            _ = host()
            XCTAssertEqual(log.all, ["source", "source", "source", "posted idle"])
        }
    }

    /// A pass receives the wake-up of the loop. What waits for another hosted mode must not wait for that mode's next event.
    func testANotificationForAnotherHostedModeIsPostedWhenThatModeIsServed() {
        withQueue { [self] queue in
            for mode in [RunLoop.Mode.default, .tracking] { XCTAssertGreaterThanOrEqual(RunLoop.current.descriptor(forMode: mode), 0) }
            queue.enqueue(notification("default"), postingStyle: .whenIdle)
            queue.enqueue(notification("tracking"), postingStyle: .whenIdle, coalesceMask: .none, forModes: [.tracking])
            XCTAssertLessThan(host(.default), 5)
            XCTAssertEqual(log.takeAll(), ["posted default"])
            XCTAssertLessThan(host(.tracking), 5)
            XCTAssertEqual(log.takeAll(), ["posted tracking"])
        }
    }

    /// The shape of a test of Foundation's own: an idle notification, a timer that wakes the loop, and a wait of XCTest, which runs another
    /// loop.
    func testTheDefaultQueuePostsWhenIdleWhileXCTestWaits() {
        let attachment = RunLoop.main.attachToMainQueue()
        defer { attachment.cancel() }
        for (style, text) in [(NotificationQueue.PostingStyle.whenIdle, "idle"), (.asap, "asap")] {
            let posted = expectation(description: "posted"), fired = expectation(description: "fired")
            let token = NotificationCenter.default.addObserver(forName: usual, object: nil, queue: nil) { [log] _ in
                log.add(text)
                posted.fulfill()
            }
            NotificationQueue.default.enqueue(notification(text), postingStyle: style)
            Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in fired.fulfill() }
            wait(for: [posted, fired], timeout: 30)
            NotificationCenter.default.removeObserver(token)
            XCTAssertEqual(log.takeAll(), [text])
        }
    }

    // MARK: Many

    /// A sender that counts how often it has been compared.
    private struct Counted: Hashable {
        let number: Int
        let count: Shared<Int>
        static func == (one: Counted, other: Counted) -> Bool {
            one.count.withLock { $0 += 1 }
            return one.number == other.number
        }
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    /// The defect: each call compared its notification with all that waited. 8,000 calls took 9 to 22 seconds.
    func testTheWorkForEachNotificationDoesNotGrowWithThoseThatWait() {
        withQueue { [self] queue in
            let comparisons = Shared(0), number = 8000
            func counted(_ index: Int) -> Notification {
                notification("\(index)", .init("\(index)"), from: Counted(number: index, count: comparisons))
            }
            func enqueueAll(_ mask: NotificationQueue.NotificationCoalescing, _ mode: RunLoop.Mode) {
                for index in 0..<number { queue.enqueue(counted(index), postingStyle: .whenIdle, coalesceMask: mask, forModes: [mode]) }
            }
            enqueueAll(.none, RunLoop.Mode("NotificationQueueTests")) // these keep waiting
            for mask in [.onName, .onSender, [.onName, .onSender]] as [NotificationQueue.NotificationCoalescing] {
                enqueueAll(mask, .default) // the first replaces all that wait, the others what the one before has added
            }
            RunLoop.current.runUntilStopped()
            XCTAssertEqual(log.all, (0..<number).map { "posted \($0)" })
            for index in 0..<number {
                queue.enqueue(counted(index), postingStyle: .asap, coalesceMask: .none, forModes: [.default, .common])
                queue.dequeueNotifications(matching: counted(index), coalesceMask: .onName)
            }
            XCTAssertFalse(RunLoop.current.run(mode: .default, before: Date()), "nothing waits any more")
            XCTAssertLessThan(comparisons.value, 100 * number, "one for each look into the index, and a few more for equal hashes")
        }
    }

    /// Each posts one notification, while many wait for a mode that does not run.
    func testAPassDoesNotGoThroughTheNotificationsOfOtherModes() {
        withQueue { [self] queue in
            let start = Date()
            for number in 0..<8000 {
                queue.enqueue(notification("\(number)"), postingStyle: .asap, coalesceMask: .none, forModes: [.modalPanel])
            }
            for number in 0..<8000 {
                queue.enqueue(notification("\(number)"), postingStyle: .asap, coalesceMask: .none, forModes: nil)
                RunLoop.current.run(mode: .default, before: Date())
            }
            XCTAssertEqual(log.takeAll(), (0..<8000).map { "posted \($0)" })
            XCTAssertLessThan(Date().timeIntervalSince(start), 60, "128 million looks at a notification take longer")
        }
    }

    // MARK: Order and coalescing

    func testNotificationsArePostedInTheirOrder() {
        withQueue { [self] queue in
            for number in 1...5 {
                queue.enqueue(notification("\(number)"), postingStyle: .asap, coalesceMask: .none, forModes: number.isMultiple(of: 2) ? [.common] : nil)
            }
            runLoop()
            XCTAssertEqual(log.takeAll(), (1...5).map { "posted \($0)" })
        }
    }

    func testCoalescingReplacesTheWaitingNotificationsOfTheSameNameOrSenderOrBoth() {
        withQueue { [self] queue in
            let one = Sender(), two = Sender()
            let all = [notification("1", from: one), notification("2", from: two), notification("3", other, from: one), notification("4", from: one)]
            for style in [NotificationQueue.PostingStyle.asap, .whenIdle] {
                func posted(_ mask: NotificationQueue.NotificationCoalescing) -> String {
                    for notification in all { queue.enqueue(notification, postingStyle: style, coalesceMask: mask, forModes: nil) }
                    runLoop()
                    return log.takeAll().map { String($0.last!) }.joined()
                }
                XCTAssertEqual(posted(.none), "1234")
                XCTAssertEqual(posted(.onName), "34")
                XCTAssertEqual(posted(.onSender), "24")
                XCTAssertEqual(posted([.onName, .onSender]), "234")
            }
        }
    }

    func testNowReplacesWhatWaits() {
        withQueue { [self] queue in
            queue.enqueue(notification("asap"), postingStyle: .asap)
            queue.enqueue(notification("idle"), postingStyle: .whenIdle, coalesceMask: .none, forModes: nil)
            queue.enqueue(notification("now"), postingStyle: .now)
            runLoop()
            XCTAssertEqual(log.all, ["posted now"])
        }
    }

    func testDequeueRemovesWhatMatches() {
        withQueue { [self] queue in
            queue.enqueue(notification("1", from: "a"), postingStyle: .asap, coalesceMask: .none, forModes: nil)
            queue.enqueue(notification("2", from: "b"), postingStyle: .asap, coalesceMask: .none, forModes: nil)
            queue.dequeueNotifications(matching: notification("", from: "a"), coalesceMask: .none)
            queue.dequeueNotifications(matching: notification("", from: "a"), coalesceMask: [.onName, .onSender])
            runLoop()
            XCTAssertEqual(log.all, ["posted 2"])
        }
    }

    // MARK: Modes

    func testACommonNotificationIsPostedInEveryCommonMode() {
        withQueue { [self] queue in
            RunLoop.current.addCommonMode(.tracking)
            RunLoop.current.add(Timer(timeInterval: 10, repeats: false) { _ in }, forMode: .common)
            for mode in [RunLoop.Mode.default, .tracking] {
                queue.enqueue(notification(mode.rawValue), postingStyle: .asap, coalesceMask: .none, forModes: [.common])
                RunLoop.current.run(mode: mode, before: Date())
                XCTAssertEqual(log.takeAll(), ["posted \(mode.rawValue)"])
            }
        }
    }

    /// If the queue posted it in a mode for which it was not enqueued, a notification could arrive in the middle of a modal panel.
    /// Foundation on Linux takes `.common` for a mode that never runs here.
    func testNowIsNotPostedWhileTheLoopRunsInAnotherMode() {
        withQueue { [self] queue in
            timer { [self] in
                queue.enqueue(notification("panel"), postingStyle: .now, coalesceMask: .none, forModes: [.modalPanel])
                queue.enqueue(notification("common"), postingStyle: .now, coalesceMask: .none, forModes: [.common])
                queue.enqueue(notification("default"), postingStyle: .now, coalesceMask: .none, forModes: [.default])
                queue.enqueue(notification("no mode named"), postingStyle: .now)
            }
            runLoop()
            XCTAssertEqual(log.all, ["posted default", "posted no mode named"])
        }
    }

    // MARK: Life

    func testAnEmptyQueueLeavesNoObserverInTheLoop() {
        withQueue { [self] queue in
            XCTAssertFalse(RunLoop.current.description.contains("CFRunLoopObserver"))
            queue.enqueue(notification("1"), postingStyle: .whenIdle)
            XCTAssert(RunLoop.current.description.contains("CFRunLoopObserver"))
            runLoop()
            XCTAssertEqual(log.all, ["posted 1"])
            XCTAssertFalse(RunLoop.current.description.contains("CFRunLoopObserver"))
        }
    }

    func testADeallocatedQueueTakesItsNotificationsAlong() {
        onThread { [self] in
            observe()
            XCTAssert(isReleased { sender in
                NotificationQueue(notificationCenter: center).enqueue(notification("never", from: sender), postingStyle: .asap)
            })
            runLoop()
            XCTAssertEqual(log.all, [])
        }
    }

    func testEachThreadHasItsDefaultQueueForTheDefaultCenterWhichEndsWithIt() {
        let main = NotificationQueue.default
        XCTAssertIdentical(main, NotificationQueue.default)
        let other = WeakReference<NotificationQueue>()
        onThread { [self] in
            XCTAssertNotIdentical(NotificationQueue.default, main)
            other.object = NotificationQueue.default
            let token = NotificationCenter.default.addObserver(forName: self.other, object: nil, queue: nil) { [log] _ in log.add("posted") }
            NotificationQueue.default.enqueue(Notification(name: self.other), postingStyle: .asap)
            runLoop()
            NotificationCenter.default.removeObserver(token)
        }
        XCTAssertEqual(log.all, ["posted"])
        XCTAssertNil(other.object)
    }

    func testQueuesAreHashableByIdentityUnlessASubclassDecidesOtherwise() {
        final class Named: NotificationQueue {
            var name = ""
            override func isEqual(_ object: Any?) -> Bool { (object as? Named)?.name == name }
            override var hash: Int { name.hashValue }
        }
        let one = NotificationQueue(), two = NotificationQueue(), named = [Named(), Named()]
        XCTAssert(one == one && one != two)
        XCTAssertEqual(Set([one, two, one]).count, 2)
        XCTAssertEqual([one: "one", two: "two"][two], "two")
        XCTAssertEqual(Set(named).count, 1)
    }
}
