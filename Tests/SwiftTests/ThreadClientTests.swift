import SwiftRunLoop
import SwiftRunLoopFoundation
import TestSupport
import XCTest

/// What programs expect of Thread, Port and related classes because NSObject, NSThread and NSMutableDictionary have it on a Mac.
final class ThreadClientTests: XCTestCase {
    // MARK: Notifications

    /// Records the notifications of one name in the default center while `body` runs.
    private func notifications(_ name: Notification.Name, during body: () -> Void) -> [(object: AnyObject?, isOnMain: Bool, isExecuting: Bool)] {
        nonisolated(unsafe) var seen: [(object: AnyObject?, isOnMain: Bool, isExecuting: Bool)] = []
        let lock = NSLock()
        let token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
            let entry = (notification.object as AnyObject?, Thread.isMainThread, Thread.current.isExecuting)
            lock.withLock { seen.append(entry) }
        }
        body()
        NotificationCenter.default.removeObserver(token)
        return lock.withLock { seen }
    }

    func testOnlyTheFirstThreadOfAProcessIsAnnounced() {
        Thread {}.start() // at the latest
        let announced = Shared(0)
        let token = NotificationCenter.default.addObserver(forName: .NSWillBecomeMultiThreaded, object: nil, queue: nil) { _ in
            announced.value += 1
        }
        for _ in 0..<2 { Thread {}.start() }
        XCTAssertEqual(announced.value, 0)
        NotificationCenter.default.removeObserver(token)
    }

    func testAThreadPostsThatItWillExitOnItselfBeforeItHasFinished() {
        let thread = Thread {}
        let posted = notifications(.NSThreadWillExit) {
            thread.start()
            XCTAssert(eventually { thread.isFinished })
        }.filter { $0.object === thread }
        XCTAssertEqual(posted.count, 1)
        XCTAssert(posted.first.map { !$0.isOnMain && $0.isExecuting } == true)
    }

    private final class Exiting: Thread, @unchecked Sendable { // without a closure, which the stack would retain forever
        override func main() { Thread.exit() }
    }

    func testAThreadThatExitsPostsItOnce() {
        let thread = Exiting()
        let posted = notifications(.NSThreadWillExit) {
            thread.start()
            XCTAssert(eventually { thread.isFinished })
            usleep(20_000)
        }.filter { $0.object === thread }
        XCTAssertEqual(posted.count, 1)
    }

    func testAnInvalidatedPortPostsItOnceAfterItHasLeftItsLoop() {
        let port = Port()
        var posted = notifications(Port.didBecomeInvalidNotification) {
            onThread {
                RunLoop.current.add(port, forMode: .default)
                port.invalidate()
                port.invalidate()
            }
        }
        XCTAssertEqual(posted.count, 1)
        XCTAssertIdentical(posted.first?.object, port)
        posted = notifications(Port.didBecomeInvalidNotification) {
            onThread {
                _ = Thread.current // the observer asks for it at the end, when it is too late to create it
                RunLoop.current.add(Port(), forMode: .default)
            } // when the thread ends, its loop invalidates the ports
        }
        XCTAssertEqual(posted.count, 1)
        posted = notifications(Port.didBecomeInvalidNotification) { _ = Port() }
        XCTAssertEqual(posted.count, 0, "nobody can use a port that is being deallocated")
    }

    // MARK: The end

    /// When `join` returns, the thread's data and its loop are gone.
    func testJoinWaitsForTheThreadsLastDestructor() {
        for _ in 0..<50 {
            let loop = WeakReference<RunLoop>(), token = WeakReference<Token>()
            let thread = Thread {
                let held = Token()
                (loop.object, token.object) = (RunLoop.current, held)
                Thread.current.threadDictionary["held"] = held
                RunLoop.current.add(Timer(timeInterval: 100, repeats: true) { _ in withExtendedLifetime(held) {} }, forMode: .default)
            }
            thread.start()
            thread.join()
            XCTAssert(thread.isFinished)
            XCTAssertNil(token.object)
            XCTAssertNil(loop.object)
            thread.join() // at once
        }
        let cancelled = Thread { XCTFail("it never runs") }
        cancelled.cancel()
        cancelled.start()
        cancelled.join()
    }

    func testManyThreadsAndTasksWaitForOneEnd() {
        let gate = DispatchSemaphore(value: 0), thread = Thread { gate.wait() }, ended = Shared(0)
        thread.start()
        let joiners = (0..<3).map { _ in
            startThread {
                thread.join()
                ended.withLock { $0 += 1 }
            }
        }
        waitForTask {
            async let one: Void = thread.finished()
            async let two: Void = thread.finished()
            XCTAssertEqual(ended.value, 0)
            gate.signal()
            _ = await (one, two)
            await thread.finished()
        }
        for joiner in joiners { joiner.join() }
        XCTAssertEqual(ended.value, 3)
    }

    // MARK: The thread's dictionary

    /// On Linux a String and an NSString are different keys for AnyHashable; for an NSMutableDictionary they are the same.
    func testAKeyOfAThreadDictionaryIsTheSameAsAStringAndAsAnNSString() {
        let dictionary: NSMutableDictionary = Thread.current.threadDictionary, key = "same key" as NSString
        dictionary.setObject(1, forKey: key)
        XCTAssertEqual(dictionary["same key"] as? Int, 1)
        dictionary["same key"] = 2
        XCTAssertEqual(dictionary.object(forKey: key) as? Int, 2)
        XCTAssert(Thread.current.threadDictionary === dictionary)
        dictionary.removeObject(forKey: key)
        XCTAssertNil(Thread.current.threadDictionary["same key"])
    }

    // MARK: Identity

    private final class NumberedPort: Port, @unchecked Sendable {}

    func testAnObjectIsEqualToItselfAlone() {
        let one = NumberedPort(), other = NumberedPort(), plain = Port()
        XCTAssert(one == one && one != other && (one as Port) == (one as Port) && (one as Port) != plain)
        XCTAssertEqual(Set<Port>([one, one, other, plain]).count, 3)
        XCTAssertEqual(Set<RunLoop.Item>([one, RunLoop.Source {}, Timer(timeInterval: 1, repeats: false) { _ in }]).count, 3)
        XCTAssertEqual(Set([RunLoop.main, RunLoop.main]).count, 1)
        XCTAssert(Thread.main === Thread.mainThread && Thread.main == Thread.mainThread)
    }
}
