import SwiftRunLoop
import SwiftRunLoopFoundation
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

    // MARK: When each style posts

    func testNowPostsBeforeEnqueueReturns() {
        onThread { [self] in
            observe()
            NotificationQueue(notificationCenter: center).enqueue(notification("now"), postingStyle: .now)
            XCTAssertEqual(log.all, ["posted now"])
        }
    }

    /// On a Mac, `asap` posts when the current callout has returned; here, at the next activity, which is BeforeTimers of the next pass.
    func testAsapPostsAfterTheCalloutAndWhenIdleBeforeTheLoopSleeps() {
        onThread { [self] in
            observe()
            let queue = NotificationQueue(notificationCenter: center)
            timer { [self] in
                recordActivities()
                queue.enqueue(notification("idle"), postingStyle: .whenIdle, coalesceMask: .none, forModes: nil)
                queue.enqueue(notification("asap"), postingStyle: .asap, coalesceMask: .none, forModes: nil)
                log.add("the callout returns")
                self.timer { RunLoop.current.stop() } // wakes the loop, and ends the run however late the machine is
            }
            RunLoop.current.add(Port(), forMode: .default)
            RunLoop.current.run(.default, until: Date(timeIntervalSinceNow: 30))
            let beginning = ["the callout returns", "BeforeTimers", "posted asap", "BeforeSources", "BeforeWaiting", "posted idle", "AfterWaiting"]
            XCTAssertEqual(Array(log.all.prefix(beginning.count)), beginning)
            XCTAssertEqual(log.all.filter { $0.hasPrefix("posted") }.count, 2)
        }
    }

    /// `run(mode:before:)` returns after a source. Notifications that the source's callout has enqueued are posted first, at Exit.
    func testAsapPostsBeforeARunThatHandledASourceReturns() {
        onThread { [self] in
            observe()
            let queue = NotificationQueue(notificationCenter: center), wanted = notification("asap")
            nonisolated(unsafe) let enqueue = { queue.enqueue(wanted, postingStyle: .asap) }
            let source = RunLoop.Source { enqueue() }
            RunLoop.current.add(source, forMode: .default)
            source.signal()
            RunLoop.current.run(mode: .default, before: .distantFuture)
            XCTAssertEqual(log.all, ["posted asap"])
        }
    }

    func testABusyLoopDoesNotPostWhenIdle() {
        onThread { [self] in
            observe()
            let queue = NotificationQueue(notificationCenter: center)
            queue.enqueue(notification("idle"), postingStyle: .whenIdle)
            let passes = Shared(0)
            let again = Shared<RunLoop.Source?>(nil)
            let source = RunLoop.Source {
                passes.value += 1
                if passes.value < 5 { again.value!.signal() }
            }
            again.value = source
            RunLoop.current.add(source, forMode: .default)
            source.signal()
            while passes.value < 5 { RunLoop.current.run(mode: .default, before: .distantFuture) }
            XCTAssertEqual(log.all, [], "the loop had a signalled source in each pass")
            runLoop()
            XCTAssertEqual(log.all, ["posted idle"])
            again.value = nil
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
            let last = RunLoop.Observer(activities: .beforeWaiting, order: .max, repeats: false) { _, _ in enqueue() }
            RunLoop.current.add(last, forMode: .default)
            RunLoop.current.add(Port(), forMode: .default)
            XCTAssertEqual(RunLoop.current.run(.default, until: Date(timeIntervalSinceNow: 30)), .stopped)
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
            XCTAssertEqual(RunLoop.current.run(.default, until: Date(timeIntervalSinceNow: 30)), .stopped)
            let seen = log.all.filter { $0.hasPrefix("step") || $0 == "BeforeWaiting" }
            XCTAssertEqual(seen, ["BeforeWaiting", "step 1", "BeforeWaiting", "step 2", "BeforeWaiting", "step 3"])
        }
    }

    // MARK: Order and coalescing

    func testNotificationsArePostedInTheirOrder() {
        onThread { [self] in
            observe()
            let queue = NotificationQueue(notificationCenter: center)
            for number in 1...5 {
                queue.enqueue(notification("\(number)"), postingStyle: .asap, coalesceMask: .none, forModes: number.isMultiple(of: 2) ? [.common] : nil)
            }
            runLoop()
            XCTAssertEqual(log.takeAll(), (1...5).map { "posted \($0)" })
        }
    }

    func testCoalescingReplacesTheWaitingNotificationsOfTheSameNameOrSenderOrBoth() {
        onThread { [self] in
            observe()
            let queue = NotificationQueue(notificationCenter: center), one = Sender(), two = Sender()
            let all = [notification("1", from: one), notification("2", from: two), notification("3", other, from: one), notification("4", from: one)]
            func posted(_ mask: NotificationQueue.NotificationCoalescing) -> String {
                for notification in all { queue.enqueue(notification, postingStyle: .asap, coalesceMask: mask, forModes: nil) }
                runLoop()
                return log.takeAll().map { String($0.last!) }.joined()
            }
            XCTAssertEqual(posted(.none), "1234")
            XCTAssertEqual(posted(.onName), "34")
            XCTAssertEqual(posted(.onSender), "24")
            XCTAssertEqual(posted([.onName, .onSender]), "234")
        }
    }

    func testNowReplacesWhatWaits() {
        onThread { [self] in
            observe()
            let queue = NotificationQueue(notificationCenter: center)
            queue.enqueue(notification("asap"), postingStyle: .asap)
            queue.enqueue(notification("idle"), postingStyle: .whenIdle, coalesceMask: .none, forModes: nil)
            queue.enqueue(notification("now"), postingStyle: .now)
            runLoop()
            XCTAssertEqual(log.all, ["posted now"])
        }
    }

    func testDequeueRemovesWhatMatches() {
        onThread { [self] in
            observe()
            let queue = NotificationQueue(notificationCenter: center)
            queue.enqueue(notification("1", from: "a"), postingStyle: .asap, coalesceMask: .none, forModes: nil)
            queue.enqueue(notification("2", from: "b"), postingStyle: .asap, coalesceMask: .none, forModes: nil)
            queue.dequeueNotifications(matching: notification("", from: "a"), coalesceMask: .none)
            queue.dequeueNotifications(matching: notification("", from: "a"), coalesceMask: [.onName, .onSender])
            runLoop()
            XCTAssertEqual(log.all, ["posted 2"])
        }
    }

    // MARK: Modes

    func testANotificationWaitsForItsModes() {
        onThread { [self] in
            observe()
            let queue = NotificationQueue(notificationCenter: center), mode = RunLoop.Mode("other")
            queue.enqueue(notification("other"), postingStyle: .asap, coalesceMask: .none, forModes: [mode])
            runLoop()
            XCTAssertEqual(log.all, [])
            RunLoop.current.add(Timer(timeInterval: 10, repeats: false) { _ in }, forMode: mode)
            RunLoop.current.run(mode: mode, before: Date())
            XCTAssertEqual(log.all, ["posted other"])
        }
    }

    func testACommonNotificationIsPostedInEveryCommonMode() {
        onThread { [self] in
            observe()
            let queue = NotificationQueue(notificationCenter: center)
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
        onThread { [self] in
            observe()
            let queue = NotificationQueue(notificationCenter: center)
            timer { [self] in
                queue.enqueue(notification("panel"), postingStyle: .now, coalesceMask: .none, forModes: [.modalPanel])
                queue.enqueue(notification("common"), postingStyle: .now, coalesceMask: .none, forModes: [.common])
                queue.enqueue(notification("default"), postingStyle: .now, coalesceMask: .none, forModes: [.default])
            }
            runLoop()
            XCTAssertEqual(log.all, ["posted default"])
        }
    }

    // MARK: Life

    func testAnEmptyQueueLeavesNoObserverInTheLoop() {
        onThread { [self] in
            observe()
            let queue = NotificationQueue(notificationCenter: center)
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
            let token = Weak<Token>()
            do {
                let object = Token()
                token.object = object
                NotificationQueue(notificationCenter: center).enqueue(notification("never", from: object), postingStyle: .asap)
            }
            XCTAssertNil(token.object)
            runLoop()
            XCTAssertEqual(log.all, [])
        }
    }

    func testEachThreadHasItsDefaultQueueForTheDefaultCenterWhichEndsWithIt() {
        let main = NotificationQueue.default
        XCTAssertIdentical(main, NotificationQueue.default)
        let other = Weak<NotificationQueue>()
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

    /// Without Foundation, a program's own type can be posted.
    func testATypeOfTheProgramCanBeQueued() {
        final class Center {
            var posted: [Int] = []
        }
        struct Saved: PostableNotification {
            var name = "saved"
            var object: Any?
            var number: Int
            func post(to center: AnyObject?) { (center as! Center).posted.append(number) }
        }
        onThread { [self] in
            let center = Center(), queue = NotificationQueue(notificationCenter: center)
            for number in 1...3 { queue.enqueue(Saved(number: number), postingStyle: .whenIdle) }
            runLoop()
            XCTAssertEqual(center.posted, [3])
        }
    }
}
