import CRunLoop
import SwiftRunLoopFoundation
import XCTest

/// Waits in the main loop, each of which must end by an event. Within this time: on a busy machine a thread may not run for seconds.
private let generous = 30.0

/// Calls a closure on another thread when the main thread is asleep in its loop, so that only a wake-up can bring it back.
private func whenTheMainLoopSleeps(_ body: @escaping @Sendable () -> Void) {
    Thread.detachNewThread {
        XCTAssert(eventually { CFRunLoopIsWaiting(CFRunLoopGetMain()) })
        body()
    }
}

/// Serves what a program has left in the main queue, such as a stop that came too late.
private func emptyTheMainQueue() {
    let isEmpty = Shared(false)
    DispatchQueue.main.async { isEmpty.value = true }
    XCTAssert(runMain { isEmpty.value })
}

/// Programs that wait as XCTest does (Expectations.swift).
final class OutsiderExpectationTests: XCTestCase {
    override func tearDown() { XCTAssertEqual(Waiter.depth, 0) }

    func testAFulfilmentOnAnotherThreadWakesTheLoopAndEndsTheWait() {
        let expectation = Expectation(), waiter = Waiter(), begin = Date()
        whenTheMainLoopSleeps { expectation.fulfill() }
        XCTAssertEqual(waiter.wait(for: [expectation], timeout: 4 * generous, slice: 2 * generous), .completed)
        XCTAssertLessThan(Date().timeIntervalSince(begin), generous, "no slice was waited for")
        XCTAssertEqual(waiter.runs, 1)
    }

    func testAPredicateIsAskedByATimerUntilItHolds() {
        let asked = Shared(0)
        let expectation = PredicateExpectation {
            asked.value += 1
            return asked.value == 3
        }
        XCTAssertEqual(Waiter().wait(for: [expectation], timeout: generous), .completed)
        RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.02))
        XCTAssertEqual(asked.value, 3, "the timer has left the loop")
    }

    func testANotificationThatTheLoopPostsWhenItIsIdleEndsTheWait() {
        let name = Notification.Name("OutsiderExpectationTests"), expectation = NotificationExpectation(name)
        NotificationQueue.default.enqueue(Notification(name: name), postingStyle: .whenIdle)
        XCTAssertFalse(expectation.isFulfilled)
        XCTAssertEqual(Waiter().wait(for: [expectation], timeout: generous), .completed)
    }

    func testAWaitInACallbackOfAWaitCompletesFirst() {
        let log = EventList(), outer = Expectation()
        Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in
            let inner = Expectation()
            Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in
                log.add("depth \(Waiter.depth)")
                outer.fulfill() // stops the innermost run, which is not that of the outer wait
                Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in inner.fulfill() }
            }
            log.add("inner \(Waiter().wait(for: [inner], timeout: generous))")
        }
        let result = Waiter().wait(for: [outer], timeout: generous)
        log.add("outer \(result)")
        XCTAssertEqual(log.all, ["depth 2", "inner completed", "outer completed"])
    }

    func testTheTimeoutOfAWaitInterruptsTheWaitInsideIt() {
        let log = EventList(), never = Expectation()
        RunLoop.current.perform { log.add("inner \(Waiter().wait(for: [Expectation()], timeout: 10 * generous))") }
        log.add("outer \(Waiter().wait(for: [never], timeout: 1))")
        XCTAssertEqual(log.all, ["inner interrupted", "outer timedOut"])
    }

    func testTwoThreadsWaitInTheirOwnLoopsAndFulfilEachOther() {
        let forMain = Expectation(), forThread = Expectation(), log = EventList()
        let thread = Thread {
            forMain.fulfill()
            log.add("thread \(Waiter().wait(for: [forThread], timeout: generous)), depth \(Waiter.depth)")
        }
        thread.start()
        XCTAssertEqual(Waiter().wait(for: [forMain], timeout: generous), .completed)
        forThread.fulfill()
        XCTAssert(eventually { thread.isFinished })
        XCTAssertEqual(log.all, ["thread completed, depth 0"])
    }
}

/// Programs that wait as RxBlocking does (BlockingSequence.swift).
final class OutsiderBlockingTests: XCTestCase {
    private static let queue = DispatchQueue(label: "OutsiderBlockingTests")

    /// Sends numbers from another thread.
    private func numbers(_ range: ClosedRange<Int>) -> EventSource<Int> {
        EventSource { observer in
            Self.queue.async {
                for number in range { observer(.next(number)) }
                observer(.completed)
            }
        }
    }

    /// Sends numbers from a timer in the loop of the thread that subscribes.
    private static func ticks(_ count: Int) -> EventSource<Int> {
        EventSource { observer in
            let number = Shared(0)
            Timer.scheduledTimer(withTimeInterval: 0.001, repeats: true) { timer in
                number.value += 1
                observer(.next(number.value))
                if number.value < count { return }
                observer(.completed)
                timer.invalidate()
            }
        }
    }

    func testElementsFromAnotherThreadAreCollectedInTheirOrderOnTheMainThreadAndOnAnother() throws {
        XCTAssertEqual(try numbers(1...100).toBlockingArray(), Array(1...100))
        XCTAssertEqual(try numbers(1...100).toBlockingArray(timeout: generous), Array(1...100))
        let collected = Shared<[Int]>([]), numbers = numbers(1...100)
        onThread { collected.value = (try? numbers.toBlockingArray()) ?? [] }
        XCTAssertEqual(collected.value, Array(1...100))
    }

    /// The stop comes from the block that begins the subscription, before the run has done anything else.
    func testASourceThatIsOverAtOnceEndsTheRunThatHasNotBegun() throws {
        let log = EventList()
        let source = EventSource<Int> { observer in
            log.add("subscribed")
            observer(.next(1))
            observer(.completed)
        }
        let begin = Date()
        XCTAssertEqual(try source.toBlockingArray(timeout: 2 * generous), [1])
        XCTAssertEqual(try source.toBlockingArray(), [1])
        XCTAssertEqual(log.all, ["subscribed", "subscribed"])
        XCTAssertLessThan(Date().timeIntervalSince(begin), generous)
    }

    func testAStopBeforeTheRunIsNotLost() throws {
        let lock = LoopLock(timeout: 2 * generous), begin = Date()
        lock.stop()
        lock.stop()
        XCTAssertNoThrow(try lock.run())
        XCTAssertLessThan(Date().timeIntervalSince(begin), generous)
    }

    /// After the block that subscribes, the loop of the other thread is empty. A run that is in progress notices that only after its sleep.
    func testASourceThatIsNeverOverTimesOutOnTheMainThreadAndOnAnotherWhoseLoopIsEmpty() {
        let log = EventList()
        func wait() {
            let begin = Date()
            do { log.add("\(try EventSource<Int> { _ in }.toBlockingArray(timeout: 0.05))") } catch { log.add("\(error)") }
            XCTAssertGreaterThanOrEqual(Date().timeIntervalSince(begin), 0.049)
        }
        wait()
        onThread(wait)
        XCTAssertEqual(log.all, ["timeout", "timeout"])
    }

    func testABlockingWaitWithinAnotherStopsItsOwnRunOnly() throws {
        let log = EventList()
        let outer = EventSource<Int> { observer in
            Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in
                log.add("inner \((try? Self.ticks(2).toBlockingArray(timeout: generous)) ?? [])")
                Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in
                    observer(.next(1))
                    observer(.completed)
                }
                log.add("the callback returns")
            }
        }
        log.add("outer \(try outer.toBlockingArray(timeout: generous))")
        XCTAssertEqual(log.all, ["inner [1, 2]", "the callback returns", "outer [1]"])
    }
}

/// Programs that wait as PromiseKit does (Promise.swift).
final class OutsiderPromiseTests: XCTestCase {
    override func tearDown() { emptyTheMainQueue() }

    func testAHangRunsTheMainLoopUntilAChainOfPromisesHasItsValue() throws {
        let log = EventList()
        let promise = after(seconds: 0.005).then { () -> Promise<Int> in
            log.add("first \(Thread.isMainThread)")
            return .value(1)
        }.then(on: .global()) { number -> Promise<Int> in
            log.add("second \(Thread.isMainThread)")
            return after(seconds: 0.001).then { .value(number + 1) }
        }
        XCTAssertTrue(promise.isPending)
        XCTAssertEqual(try hang(promise), 2)
        XCTAssertEqual(log.all, ["first true", "second false"])
    }

    /// Other code in the callbacks of the loop stops it: the hang must run it again.
    func testAHangGoesOnWhenOtherCodeStopsTheLoop() throws {
        let stops = Shared(0)
        let timer = Timer.scheduledTimer(withTimeInterval: 0.001, repeats: true) { _ in
            stops.value += 1
            CFRunLoopStop(CFRunLoopGetCurrent())
        }
        let promise = Promise<Int> { seal in
            DispatchQueue.global().async { seal(.success(eventually { stops.value >= 3 } ? 3 : 0)) }
        }
        XCTAssertEqual(try hang(promise), 3)
        timer.invalidate()
    }

    func testAHangWithinATimersCallbackOfAHangReturnsFirst() throws {
        let log = EventList()
        let outer = Promise<Int> { seal in
            Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in
                log.add("inner \((try? hang(after(seconds: 0.005).then { .value(1) })) ?? 0)")
                seal(.success(2))
            }
        }
        log.add("outer \(try hang(outer))")
        XCTAssertEqual(log.all, ["inner 1", "outer 2"])
    }

    func testAHangInSlicesWaitsOnAnotherThreadForATimerOfThatThread() {
        let log = EventList()
        onThread {
            let promise = Promise<String> { seal in
                let thread = Thread.current
                Timer.scheduledTimer(withTimeInterval: 0.005, repeats: false) { _ in seal(.success("same thread: \(Thread.current === thread)")) }
            }
            log.add((try? hangInSlices(promise)) ?? "error")
        }
        XCTAssertEqual(log.all, ["same thread: true"])
    }

    func testAWaitBlocksAThreadWhoseLoopDoesNotRunWhileTheMainLoopKeepsThePromise() {
        let log = EventList(), isOver = Shared(false)
        let promise = after(seconds: 0.005).then { () -> Promise<Int> in .value(5) }
        let thread = Thread {
            RunLoop.current.perform { log.add("performed") }
            log.add("\((try? promise.wait()) ?? 0)")
            isOver.value = true
        }
        thread.start()
        XCTAssert(runMain { isOver.value })
        XCTAssertEqual(log.all, ["5"])
    }
}
