import SwiftRunLoop
import SwiftRunLoopFoundation
import XCTest

/// Programs use a NotificationQueue as these tests do: with the default center, the default queue, and a timer that runs the loop.
final class FoundationQueueUseTests: XCTestCase {
    private func count(_ name: Notification.Name, of object: AnyObject? = nil, during body: () -> Void) -> Int {
        let count = Shared(0)
        let token = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) { _ in count.value += 1 }
        body()
        NotificationCenter.default.removeObserver(token)
        return count.value
    }

    private func runLoop(for seconds: TimeInterval) {
        let end = Date(timeIntervalSinceNow: seconds)
        RunLoop.current.add(Timer(timeInterval: seconds, repeats: false) { _ in }, forMode: .default)
        _ = RunLoop.current.run(mode: .default, before: end.addingTimeInterval(0.01))
    }

    func testTwoEnqueuedNotificationsAreOneUnlessCoalescingIsOff() {
        onThread { [self] in
            let name = Notification.Name("\(#function)"), queue = NotificationQueue.default, sender = NSObject()
            let notification = Notification(name: name, object: sender)
            for (mask, expected) in [([], 3), (.onName, 1), (.onSender, 1), ([.onName, .onSender], 1)] as [(NotificationQueue.NotificationCoalescing, Int)] {
                for style in [NotificationQueue.PostingStyle.asap, .whenIdle] {
                    let posted = count(name, of: sender) {
                        for _ in 1...3 { queue.enqueue(notification, postingStyle: style, coalesceMask: mask, forModes: [.default]) }
                        runLoop(for: 0.01)
                    }
                    XCTAssertEqual(posted, expected, "\(mask) \(style)")
                }
            }
        }
    }

    func testNowFromATimerIsPostedForTheModeInWhichTheTimerFires() {
        onThread { [self] in
            let name = Notification.Name("\(#function)"), queue = NotificationQueue(notificationCenter: .default)
            let posted = count(name) {
                RunLoop.current.add(Timer(timeInterval: 0.01, repeats: false) { _ in
                    let queue = NotificationQueue.default, mode = RunLoop.current.currentMode!
                    queue.enqueue(Notification(name: name), postingStyle: .now, coalesceMask: [], forModes: [mode])
                    queue.enqueue(Notification(name: name), postingStyle: .now)
                    queue.enqueue(Notification(name: name), postingStyle: .now, coalesceMask: [], forModes: [.common])
                }, forMode: .default)
                _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 10))
            }
            XCTAssertEqual(posted, 2)
            withExtendedLifetime(queue) {}
        }
    }
}
