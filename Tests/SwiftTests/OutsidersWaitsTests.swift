import CRunLoop
import Dispatch
import FoundationEssentials
import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Timer
import TestSupport
import XCTest

/// The waits of RxBlocking, PromiseKit and Nimble: the calling thread runs its loop, and a block, a poll, an observer
/// or another thread ends the run when what is waited for has come. Each is made on the main thread and on a worker.
final class OutsidersWaitsTests: XCTestCase {
    /// What a wait is for.
    private enum Outcome { case pending, completed, timedOut, blocked }

    /// A loop, which any thread may use.
    private struct Loop: @unchecked Sendable {
        let loop: CFRunLoop = CFRunLoopGetCurrent()

        func perform(_ block: @escaping @Sendable () -> Void) {
            CFRunLoopPerformBlock(loop, UnsafeRawPointer(kCFRunLoopDefaultMode), block)
        }

        func stop() { CFRunLoopStop(loop) }

        func wakeUp() { CFRunLoopWakeUp(loop) }

        /// Calls a closure on another thread when the loop is asleep, so that this alone can end the wait.
        func whenAsleep(_ body: @escaping @Sendable () -> Void) {
            DispatchQueue.global().async {
                XCTAssert(eventually { CFRunLoopIsWaiting(loop) })
                body()
            }
        }
    }

    /// The ends of the waits, before which no test may wait for its last date.
    private static let tooLate = 600.0

    /// Calls a closure on the main thread and on a worker. A run in it that nothing ends, ends too late, and fails.
    private func onBothThreads(line: UInt = #line, _ body: @escaping @Sendable (Loop) -> Void) {
        let wait = { @Sendable in
            let last = Timer.scheduledTimer(withTimeInterval: 25, repeats: true) { _ in
                XCTFail("nothing has ended the wait", line: line)
                CFRunLoopStop(CFRunLoopGetCurrent())
            }
            body(Loop())
            last.invalidate()
        }
        wait()
        let worker = RunLoop.Worker(name: "waits"), isOver = Shared(false)
        worker.perform {
            wait()
            isOver.value = true
        }
        XCTAssert(eventually { isOver.value }, line: line)
        worker.stop()
        worker.thread.join()
    }

    // MARK: RxBlocking: the loop is stopped by a block, so that a stop before the run is not lost

    func testABlockOfAnotherThreadEndsARunThatABlockHasBegunWorkIn() {
        onBothThreads { loop in
            let elements = Shared<[Int]>([])
            loop.perform {
                loop.whenAsleep {
                    for element in 1...100 { elements.append(element) }
                    loop.perform { loop.stop() }
                    loop.wakeUp()
                }
            }
            loop.wakeUp()
            XCTAssertEqual(CFRunLoopRunInMode(kCFRunLoopDefaultMode, Self.tooLate, false), .stopped)
            XCTAssertEqual(elements.value, Array(1...100))
        }
    }

    func testABlockThatStopsBeforeTheRunBeginsEndsIt() {
        onBothThreads { loop in
            let isOver = Shared(false)
            loop.perform {
                isOver.value = true
                loop.perform { loop.stop() }
                loop.wakeUp()
            }
            loop.wakeUp()
            CFRunLoopRun()
            XCTAssert(isOver.value)
            loop.perform { loop.stop() }
            loop.wakeUp()
            XCTAssertEqual(CFRunLoopRunInMode(kCFRunLoopDefaultMode, Self.tooLate, false), .stopped)
        }
    }

    func testAWaitForWhatNeverComesTimesOut() {
        onBothThreads { loop in
            let begin = ContinuousClock.now
            loop.perform {}
            loop.wakeUp()
            XCTAssertEqual(CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.05, false), .timedOut)
            XCTAssertGreaterThanOrEqual(ContinuousClock.now - begin, .milliseconds(49))
        }
    }

    func testAWaitInABlockOfAWaitEndsItsOwnRunAlone() {
        onBothThreads { loop in
            let log = EventList()
            loop.perform {
                loop.whenAsleep {
                    loop.perform { loop.stop() }
                    loop.wakeUp()
                }
                log.add("inner \(CFRunLoopRunInMode(kCFRunLoopDefaultMode, Self.tooLate, false))")
                loop.whenAsleep {
                    loop.perform { loop.stop() }
                    loop.wakeUp()
                }
                log.add("the block returns")
            }
            log.add("outer \(CFRunLoopRunInMode(kCFRunLoopDefaultMode, Self.tooLate, false))")
            XCTAssertEqual(log.takeAll(), ["inner stopped", "the block returns", "outer stopped"])
        }
    }

    // MARK: PromiseKit: a source that does nothing keeps the run until a closure of the promise's queue stops it

    func testASourceKeepsTheRunUntilTheLastPromiseOfAChainIsFulfilled() {
        onBothThreads { loop in
            let log = EventList(), isPending = Shared(true), isMain = loop.loop == CFRunLoopGetMain()
            /// On the queue on which a promise's closures are called: the main queue, or that of a worker's loop.
            @Sendable func deliver(_ closure: @escaping @Sendable () -> Void) {
                if isMain { return DispatchQueue.main.async(execute: closure) }
                loop.perform(closure)
                loop.wakeUp()
            }
            var context = CFRunLoopSourceContext()
            let source = CFRunLoopSourceCreate(nil, 0, &context)
            CFRunLoopAddSource(loop.loop, source, kCFRunLoopDefaultMode)
            loop.whenAsleep {
                deliver {
                    log.add("first")
                    DispatchQueue.global().async {
                        deliver {
                            log.add("second")
                            isPending.value = false
                            loop.stop()
                        }
                    }
                }
            }
            while isPending.value { CFRunLoopRun() }
            CFRunLoopRemoveSource(loop.loop, source, kCFRunLoopDefaultMode)
            XCTAssertEqual(log.takeAll(), ["first", "second"])
        }
    }

    // MARK: Nimble: one run of one mode after the other, which a poll or another thread stops

    /// Runs the loop, run after run, until there is an outcome.
    private static func wait(for outcome: Shared<Outcome>) {
        while outcome.value == .pending { RunLoop.current.run(mode: .default, before: .distantFuture) }
    }

    func testAPollInTheLoopEndsTheWaitWhenTheConditionHolds() {
        onBothThreads { loop in
            let outcome = Shared(Outcome.pending), condition = Shared(false), asked = Shared(0)
            let poll = { @Sendable in
                asked.withLock { $0 += 1 }
                guard condition.value else { return }
                outcome.value = .completed
                CFRunLoopStop(CFRunLoopGetCurrent())
            }
            DispatchQueue.global().async {
                XCTAssert(eventually { asked.value > 1 })
                condition.value = true
            }
            if loop.loop == CFRunLoopGetMain() {
                let source = DispatchSource.makeTimerSource(queue: .main)
                source.schedule(deadline: .now(), repeating: .milliseconds(5))
                source.setEventHandler(handler: poll)
                source.resume()
                Self.wait(for: outcome)
                source.cancel()
            } else {
                let timer = Timer.scheduledTimer(withTimeInterval: 0.005, repeats: true) { _ in poll() }
                Self.wait(for: outcome)
                timer.invalidate()
            }
            XCTAssertEqual(outcome.value, .completed)
        }
    }

    func testAClosureOnAnotherThreadEndsTheWait() {
        onBothThreads { loop in
            let outcome = Shared(Outcome.pending)
            loop.whenAsleep {
                outcome.value = .completed
                loop.stop()
            }
            Self.wait(for: outcome)
            XCTAssertEqual(outcome.value, .completed)
        }
    }

    /// What Nimble does when the time is over: a block tells that the loop runs, and a stop lets it run. If the block
    /// has not been called some time later, the loop is blocked.
    private static func timeIsOver(_ loop: Loop, after patience: DispatchTimeInterval, _ outcome: Shared<Outcome>) {
        let isRunning = DispatchSemaphore(value: 0)
        @Sendable func end(_ end: Outcome) {
            if outcome.withLock({ outcome in
                defer { if outcome == .pending { outcome = end } }
                return outcome == .pending
            }) { loop.stop() }
        }
        loop.perform {
            isRunning.signal()
            end(.timedOut)
        }
        loop.stop()
        if isRunning.wait(timeout: .now() + patience) == .timedOut { end(.blocked) }
    }

    func testABlockAndAStopEndAWaitWhoseTimeIsOver() {
        onBothThreads { loop in
            let outcome = Shared(Outcome.pending)
            loop.whenAsleep { Self.timeIsOver(loop, after: .seconds(20), outcome) }
            Self.wait(for: outcome)
            XCTAssertEqual(outcome.value, .timedOut)
        }
    }

    func testTheBlockOfALoopThatIsBlockedComesTooLate() {
        onBothThreads { loop in
            let outcome = Shared(Outcome.pending)
            loop.perform {
                DispatchQueue.global().async { Self.timeIsOver(loop, after: .milliseconds(20), outcome) }
                XCTAssert(eventually { outcome.value != .pending })
            }
            Self.wait(for: outcome)
            XCTAssertEqual(outcome.value, .blocked)
            // The block that came too late waits for the next run, and changes nothing.
            CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false)
            XCTAssertEqual(outcome.value, .blocked)
        }
    }

    // MARK: A wait until the loop has nothing to do

    func testAnObserverEndsTheWaitBeforeTheLoopSleeps() {
        onBothThreads { loop in
            let log = EventList(), idle = CFRunLoopActivity.beforeWaiting.rawValue
            for number in 1...3 { loop.perform { log.add("block \(number)") } }
            let observer = CFRunLoopObserverCreateWithHandler(nil, idle, true, 0) { _, _ in
                log.add("idle")
                CFRunLoopStop(CFRunLoopGetCurrent())
            }
            CFRunLoopAddObserver(loop.loop, observer, kCFRunLoopCommonModes)
            XCTAssertEqual(CFRunLoopRunInMode(kCFRunLoopDefaultMode, Self.tooLate, false), .stopped)
            CFRunLoopObserverInvalidate(observer)
            XCTAssertEqual(log.takeAll(), ["block 1", "block 2", "block 3", "idle"])
        }
    }
}
