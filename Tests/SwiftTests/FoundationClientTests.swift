import SwiftRunLoop
import XCTest

/// Programs that were written for Foundation's RunLoop, Timer and Thread, with the import changed. Each test is about one call or a few, as
/// a client makes them.
final class FoundationClientTests: XCTestCase {
    // MARK: RunLoop

    func testTheModesHaveFoundationsNames() {
        XCTAssertEqual(RunLoop.Mode.default.rawValue, "kCFRunLoopDefaultMode")
        XCTAssertEqual(RunLoop.Mode.common.rawValue, "kCFRunLoopCommonModes")
        XCTAssertEqual(RunLoop.Mode(rawValue: "kCFRunLoopDefaultMode"), .default)
        XCTAssertNotEqual(RunLoop.Mode("a"), RunLoop.Mode("b"))
    }

    func testTheCurrentLoopOfTheMainThreadIsTheMainLoop() {
        XCTAssert(RunLoop.current === RunLoop.main)
        XCTAssertEqual(RunLoop.current.getCFRunLoop(), RunLoop.main.getCFRunLoop())
        XCTAssertNil(RunLoop.current.currentMode)
        onThread { XCTAssertFalse(RunLoop.current === RunLoop.main) }
    }

    func testATimerOfTheCommonModesFiresInTheDefaultModeAndOneOfAnotherModeDoesNot() {
        onThread {
            let fired = EventList(), loop = RunLoop.current
            loop.add(Timer(timeInterval: 0.001, repeats: false) { _ in fired.add("other") }, forMode: RunLoop.Mode("other"))
            loop.add(Timer(timeInterval: 0.002, repeats: false) { _ in fired.add("default") }, forMode: .default)
            loop.add(Timer(timeInterval: 0.003, repeats: false) { _ in fired.add("common in \(RunLoop.current.currentMode!.rawValue)") }, forMode: .common)
            loop.run() // until the default mode is empty
            XCTAssertEqual(fired.all, ["default", "common in kCFRunLoopDefaultMode"])
        }
    }

    func testARunOfAModeReturnsTrueAtItsDateAndNotBefore() {
        onThread {
            let ticks = Shared(0), loop = RunLoop.current
            loop.add(Timer(timeInterval: 0.001, repeats: true) { _ in ticks.value += 1 }, forMode: .default)
            let end = Date(timeIntervalSinceNow: 0.03)
            XCTAssertTrue(loop.run(mode: .default, before: end), "a timer does not end the run")
            XCTAssertGreaterThanOrEqual(Date(), end)
            XCTAssertGreaterThan(ticks.value, 0)
            XCTAssertFalse(loop.run(mode: RunLoop.Mode("empty"), before: .distantFuture), "nothing to wait for")
        }
    }

    func testARunWithADateThatHasPassedServesWhatIsDueAndReturns() {
        onThread {
            let fired = EventList(), loop = RunLoop.current
            loop.add(Timer(timeInterval: 1000, repeats: false) { _ in fired.add("far") }, forMode: .default)
            let begin = Date()
            for _ in 1...10 { XCTAssertTrue(loop.run(mode: .default, before: Date())) }
            XCTAssertLessThan(Date().timeIntervalSince(begin), 500, "no run waits for the timer")
            loop.add(Timer(fire: .distantPast, interval: 0, repeats: false) { _ in fired.add("due") }, forMode: .default)
            XCTAssertTrue(loop.run(mode: .default, before: .distantPast))
            XCTAssertEqual(fired.all, ["due"])
        }
    }

    func testLimitDateIsTheDateOfTheNextTimerAndNilForAnEmptyMode() {
        onThread {
            let loop = RunLoop.current, near = Date(timeIntervalSinceNow: 500), far = Date(timeIntervalSinceNow: 1000)
            XCTAssertNil(loop.limitDate(forMode: .default))
            let timers = [far, near].map { Timer(fire: $0, interval: 0, repeats: false) { _ in } }
            for timer in timers { loop.add(timer, forMode: .default) }
            XCTAssertEqual(loop.limitDate(forMode: .default)!.timeIntervalSince(near), 0, accuracy: 0.001)
            timers[1].invalidate()
            XCTAssertEqual(loop.limitDate(forMode: .default)!.timeIntervalSince(far), 0, accuracy: 0.001)
            timers[0].invalidate()
            XCTAssertNil(loop.limitDate(forMode: .default))
            loop.add(Port(), forMode: .default)
            XCTAssertEqual(loop.limitDate(forMode: .default), .distantFuture, "no timer to limit the wait for the port")
        }
    }

    /// Counts the loop's calls.
    private final class CountingPort: Port, @unchecked Sendable {
        let calls = EventList()
        override func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {
            calls.add("schedule \(mode.rawValue)")
            super.schedule(in: runLoop, forMode: mode)
        }
        override func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
            calls.add("remove \(mode.rawValue)")
            super.remove(from: runLoop, forMode: mode)
        }
    }

    func testAPortIsScheduledOnceInAModeAndKeepsItsLoopRunning() {
        onThread {
            let loop = RunLoop.current, port = CountingPort(), mode = RunLoop.Mode("mode")
            loop.add(port, forMode: mode)
            loop.add(port, forMode: mode)
            XCTAssertEqual(port.calls.takeAll(), ["schedule mode"])
            XCTAssertTrue(loop.run(mode: mode, before: Date(timeIntervalSinceNow: 0.01)))
            loop.remove(port, forMode: mode)
            loop.remove(port, forMode: mode)
            XCTAssertEqual(port.calls.takeAll(), ["remove mode"])
            XCTAssertTrue(port.isValid, "a port that is removed stays valid")
            XCTAssertFalse(loop.run(mode: mode, before: .distantFuture))
            loop.add(port, forMode: mode)
            port.invalidate()
            XCTAssertFalse(port.isValid)
            XCTAssertFalse(loop.run(mode: mode, before: .distantFuture), "an invalid port is in no mode")
        }
    }

    /// A run within a block of the main queue does not perform the queue's next block.
    func testABlockOfTheMainQueueWaitsForTheOneThatRunsTheLoop() {
        let log = EventList()
        DispatchQueue.main.async {
            log.add("outer begins")
            DispatchQueue.main.async { log.add("inner") }
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
            log.add("outer ends")
        }
        XCTAssert(runMain { log.all.count == 3 })
        XCTAssertEqual(log.all, ["outer begins", "outer ends", "inner"])
    }

    func testPerformedBlocksRunOnceInTheirModesAndInOrder() {
        onThread {
            let log = EventList(), loop = RunLoop.current, mode = RunLoop.Mode("mode")
            loop.add(Port(), forMode: mode)
            loop.perform { log.add("default") }
            loop.perform(inModes: [mode, .default]) { log.add("either") }
            loop.perform(inModes: [mode]) { log.add("mode") }
            XCTAssertTrue(loop.run(mode: mode, before: Date()))
            XCTAssertEqual(log.takeAll(), ["either", "mode"])
            _ = loop.run(mode: .default, before: Date())
            XCTAssertEqual(log.takeAll(), ["default"])
        }
    }

    // MARK: Timer

    func testATimerIsMadeWithADateAnIntervalAndABlock() {
        let date = Date(timeIntervalSinceNow: 100)
        let once = Timer(fire: date, interval: 0, repeats: false) { _ in }, again = Timer(timeInterval: 0.5, repeats: true) { _ in }
        XCTAssertEqual(once.fireDate.timeIntervalSince(date), 0, accuracy: 0.001)
        XCTAssertEqual(once.timeInterval, 0)
        XCTAssertEqual(again.timeInterval, 0.5)
        XCTAssertTrue(once.isValid && again.isValid)
        XCTAssertNil(once.userInfo)
        again.tolerance = 0.1
        XCTAssertEqual(again.tolerance, 0.1)
    }

    func testAScheduledTimerFiresOnceAndIsInvalid() {
        onThread {
            let log = EventList()
            let timer = Timer.scheduledTimer(withTimeInterval: 0.002, repeats: false) { timer in log.add("valid \(timer.isValid)") }
            RunLoop.current.run()
            XCTAssertEqual(log.all, ["valid true"])
            XCTAssertFalse(timer.isValid)
        }
    }

    func testARepeatingTimerFiresInItsIntervalUntilItInvalidatesItself() {
        onThread {
            let dates = Shared<[Date]>([]), begin = Date()
            Timer.scheduledTimer(withTimeInterval: 0.005, repeats: true) { timer in
                dates.append(Date())
                if dates.value.count == 3 { timer.invalidate() }
            }
            RunLoop.current.run() // returns when the timer has left the mode
            XCTAssertEqual(dates.value.count, 3)
            for (index, date) in dates.value.enumerated() {
                XCTAssertGreaterThanOrEqual(date.timeIntervalSince(begin), 0.005 * Double(index + 1), "never early")
            }
        }
    }

    func testFireCallsTheBlockAndAnInvalidTimerDoesNothing() {
        let calls = Shared(0), timer = Timer(timeInterval: 1000, repeats: true) { _ in calls.value += 1 }
        timer.fire()
        timer.fire()
        XCTAssertEqual(calls.value, 2)
        timer.invalidate()
        timer.invalidate()
        timer.fire()
        XCTAssertEqual(calls.value, 2)
        RunLoop.current.add(timer, forMode: .default)
        XCTAssertFalse(RunLoop.current.contains(timer, forMode: .default))
    }

    func testAFireDateThatIsSetMovesTheTimer() {
        onThread {
            let fired = EventList(), loop = RunLoop.current
            let timer = Timer(timeInterval: 1000, repeats: false) { _ in fired.add("fired") }
            loop.add(timer, forMode: .default)
            timer.fireDate = .distantPast
            loop.run()
            XCTAssertEqual(fired.all, ["fired"])
        }
    }

    // MARK: Thread

    func testAThreadThatIsStartedIsTheCurrentThreadInItsBlockAndThenFinished() {
        let condition = NSCondition(), inside = Shared<[Bool]>([])
        let thread = Thread {
            condition.lock()
            inside.value = [Thread.current.isExecuting, Thread.current.isFinished, Thread.current.isCancelled, Thread.isMainThread, Thread.current === Thread.main]
            condition.signal()
            condition.unlock()
        }
        XCTAssertFalse(thread.isExecuting || thread.isFinished || thread.isCancelled)
        condition.lock()
        thread.start()
        while inside.value.isEmpty, condition.wait(until: Date(timeIntervalSinceNow: 30)) {}
        condition.unlock()
        XCTAssertEqual(inside.value, [true, false, false, false, false])
        XCTAssert(eventually { thread.isFinished })
        XCTAssertFalse(thread.isExecuting)
    }

    func testTheMainThreadIsKnownEverywhere() {
        XCTAssertTrue(Thread.isMainThread && Thread.current.isMainThread && Thread.main.isMainThread && Thread.isMultiThreaded())
        let main = Thread.main
        onThread {
            XCTAssertFalse(Thread.isMainThread || Thread.current.isMainThread)
            XCTAssert(Thread.main === main && Thread.main !== Thread.current)
        }
    }

    /// The kernel keeps 15 bytes of a name; the Thread keeps all of it.
    func testANameGivenBeforeTheStartOrOnTheThreadIsItsNameAndTheKernels() {
        @Sendable func kernelName() -> String {
            ((try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? "").trimmingCharacters(in: .newlines)
        }
        let names = EventList()
        let thread = Thread {
            names.add(Thread.current.name ?? "none")
            names.add(kernelName())
            Thread.current.name = "a name that is too long"
            names.add(kernelName())
            names.add(Thread.current.name ?? "none")
        }
        XCTAssert((thread.name ?? "").isEmpty)
        thread.name = "before"
        thread.start()
        XCTAssert(eventually { thread.isFinished })
        XCTAssertEqual(names.all, ["before", "before", "a name that is ", "a name that is too long"])
    }

    func testSleepsLastAtLeastTheirTimeAndEndAtTheirDate() {
        let begin = Date()
        Thread.sleep(forTimeInterval: 0.01)
        XCTAssertGreaterThanOrEqual(Date().timeIntervalSince(begin), 0.01)
        let date = Date(timeIntervalSinceNow: 0.01)
        Thread.sleep(until: date)
        XCTAssertGreaterThanOrEqual(Date(), date)
        Thread.sleep(until: .distantPast)
    }

    func testACancelledThreadKnowsItAndEndsItself() {
        let thread = Thread { while !Thread.current.isCancelled { Thread.sleep(forTimeInterval: 0.001) } }
        thread.start()
        XCTAssert(eventually { thread.isExecuting })
        thread.cancel()
        XCTAssertTrue(thread.isCancelled)
        XCTAssert(eventually { thread.isFinished })
    }

    func testExitEndsTheThreadThatCallsIt() throws {
        try skip(under: .address, because: "Thread.exit() leaks what the abandoned frames retain")
        let log = EventList()
        let thread = Thread {
            log.add("before")
            if !log.all.isEmpty { Thread.exit() }
            log.add("after")
        }
        thread.start()
        XCTAssert(eventually { thread.isFinished })
        XCTAssertEqual(log.all, ["before"])
    }

    func testAThreadHasItsDictionaryAndItsCallStack() {
        Thread.current.threadDictionary["key"] = "value"
        onThread { XCTAssertNil(Thread.current.threadDictionary["key"]) }
        XCTAssertEqual(Thread.current.threadDictionary["key"] as? String, "value")
        Thread.current.threadDictionary.removeObject(forKey: "key")
        XCTAssertNil(Thread.current.threadDictionary["key"])
        XCTAssertGreaterThan(Thread.callStackReturnAddresses.count, 1)
        XCTAssertGreaterThan(Thread.callStackSymbols.count, 1)
    }
}
