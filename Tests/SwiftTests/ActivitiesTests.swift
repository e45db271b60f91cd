import FoundationEssentials
import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Timer
import XCTest

/// `RunLoop.activities(_:order:mode:bufferingNewest:)`.
final class ActivitiesTests: XCTestCase {
    private typealias Activity = RunLoop.Observer.Activity

    /// A pass, from the wake-up to the next sleep.
    func testTheActivitiesOfAPassArriveInOrder() {
        withLoopThread { thread in
            XCTAssert(eventually { thread.loop.isWaiting })
            var iterator = thread.loop.activities().makeAsyncIterator()
            thread.loop.wakeUp()
            var seen: [String] = []
            while seen.last != "BeforeWaiting" { seen.append(await iterator.next()!.description) }
            XCTAssertEqual(seen, ["AfterWaiting", "BeforeTimers", "BeforeSources", "BeforeWaiting"])
        }
    }

    func testALateTaskReceivesTheNewestActivities() {
        withLoopThread { thread in
            XCTAssert(eventually { thread.loop.isWaiting })
            var iterator = thread.loop.activities([.beforeTimers, .beforeSources], bufferingNewest: 3).makeAsyncIterator()
            for _ in 0..<10 {
                let isDone = Shared(false)
                thread.perform { isDone.value = true }
                XCTAssert(eventually { isDone.value && thread.loop.isWaiting })
            }
            for expected in [Activity.beforeSources, .beforeTimers, .beforeSources] {
                let activity = await iterator.next()
                XCTAssertEqual(activity, expected)
            }
            let next = Task { () -> Activity? in
                var iterator = thread.loop.activities(.beforeTimers).makeAsyncIterator()
                thread.loop.wakeUp()
                return await iterator.next()
            }
            let activity = await next.value
            XCTAssertEqual(activity, .beforeTimers)
        }
    }

    /// The sequence ends with the thread, after the activities that wait.
    func testTheEndOfTheThreadEndsTheSequenceAfterTheExit() {
        withLoopThread { thread in
            let loop = thread.loop
            XCTAssert(eventually { loop.isWaiting })
            let activities = loop.activities(.exit)
            loop.stop()
            XCTAssert(eventually { loop.hasEnded })
            let seen = await Self.rest(of: activities)
            XCTAssertEqual(seen, [.exit])
            for await _ in loop.activities() { XCTFail("the thread has ended") }
        }
    }

    private static func rest(of activities: AsyncStream<Activity>) async -> [Activity] {
        var seen: [Activity] = []
        for await activity in activities { seen.append(activity) }
        return seen
    }

    /// A mode with observers only is empty.
    func testASequenceDoesNotKeepTheLoopRunning() {
        let thread = LoopThread(isKeptAlive: false)
        waitForTask {
            let activities = thread.loop.activities()
            thread.begin()
            XCTAssert(eventually { thread.runResult == .finished })
            let seen = await Self.rest(of: activities)
            XCTAssertEqual(seen, [])
        }
        thread.stop()
    }

    /// After a `break`, and without any iterator, too.
    func testADroppedSequenceEndsAndTheObserverLeavesTheLoop() {
        withLoopThread { thread in
            var unused: AsyncStream<Activity>? = thread.loop.activities(.exit, order: 4711)
            XCTAssert(thread.loop.description.contains("order = 4711"), thread.loop.description)
            withExtendedLifetime(unused) {}
            unused = nil
            XCTAssertFalse(thread.loop.description.contains("order = 4711"))
            thread.loop.add(Timer(timeInterval: 0.001, repeats: true) { _ in }, forMode: .default) // a loop that sleeps has no activities
            for await activity in thread.loop.activities(order: 4711) {
                XCTAssert(thread.loop.description.contains("order = 4711"), "at \(activity)")
                break
            }
            XCTAssertFalse(thread.loop.description.contains("order = 4711"))
        }
    }
}
