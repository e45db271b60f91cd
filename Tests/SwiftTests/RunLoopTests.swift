import CRunLoop
import SwiftRunLoop
import TestSupport
import XCTest

/// RunLoop as Foundation has it, and its additions. Each test has its own mode of the main loop, or its own thread.
final class RunLoopTests: XCTestCase {
    private let loop = RunLoop.main
    private var mode: RunLoop.Mode { RunLoop.Mode("RunLoopTests." + name) }

    private func soon(_ seconds: Double = 0.02) -> Date { Date(timeIntervalSinceNow: seconds) }
    /// Ten minutes from now; a test that waits for it has failed. XCTest makes all test cases before it runs the first, so a stored date may have passed.
    private var late: Date { Date(timeIntervalSinceNow: 600) }

    /// A timer that keeps a mode from being empty, and does nothing within a test.
    private func addKeeper(to loop: RunLoop? = nil, forMode mode: RunLoop.Mode) -> Timer {
        let timer = Timer(timeInterval: 1000, repeats: false) { _ in }
        (loop ?? self.loop).add(timer, forMode: mode)
        return timer
    }

    // MARK: - Getting a loop

    func testR1_CurrentAndMainAreTheSameObjectEveryTime() {
        XCTAssert(RunLoop.current === RunLoop.current)
        XCTAssert(RunLoop.main === RunLoop.main)
        XCTAssert(RunLoop.main === RunLoop.current, "on the main thread")
        XCTAssertEqual(RunLoop.main.getCFRunLoop(), CFRunLoopGetMain())
    }

    func testR2_EachThreadHasALoopOfItsOwnAndAllHaveTheSameMain() {
        let mainIdentity = ObjectIdentifier(RunLoop.main)
        onThread {
            XCTAssert(RunLoop.current === RunLoop.current)
            XCTAssert(RunLoop.current !== RunLoop.main && RunLoop.current.getCFRunLoop() == CFRunLoopGetCurrent())
            XCTAssert(ObjectIdentifier(RunLoop.main) == mainIdentity)
        }
    }

    func testR6_TheObjectAndItsCFRunLoopGoWithTheThread() {
        let weak = WeakReference<RunLoop>()
        onThread {
            weak.object = RunLoop.current
            XCTAssertNotNil(weak.object)
            RunLoop.current.run(mode: .default, before: .distantPast)
        }
        XCTAssertNil(weak.object)
    }

    func testR6_ALoopThatIsHeldBeyondItsThreadHasLetItsItemsGo() {
        nonisolated(unsafe) var loop: RunLoop!
        let weakTimer = WeakReference<Timer>(), weakToken = WeakReference<Token>()
        onThread {
            let token = Token()
            let timer = Timer(timeInterval: 1000, repeats: true) { _ in withExtendedLifetime(token) {} }
            RunLoop.current.add(timer, forMode: .default)
            RunLoop.current.add(timer, forMode: .common)
            weakTimer.object = timer
            weakToken.object = token
            loop = RunLoop.current
        }
        XCTAssertNil(weakTimer.object)
        XCTAssertNil(weakToken.object)
        XCTAssertFalse(loop.run(mode: .default, before: late), "not this thread's")
        let stale = addKeeper(to: loop, forMode: .default)
        weakTimer.object = stale
        loop.perform {}
        loop.stop()
        loop.wakeUp()
        XCTAssertFalse(loop.isWaiting)
        XCTAssertNil(loop.currentMode)
    }

    func testNothingIsKeptByALoopWhoseThreadHasEnded() {
        /// A loop that another thread reads.
        struct Held: @unchecked Sendable {
            let loop: RunLoop
            func hold() {}
        }
        let kept = WeakReference<RunLoop>(), ended = Shared<Held?>(nil)
        onThread {
            let loop = RunLoop.current, held = Held(loop: loop)
            loop.perform { held.hold() } // retains the loop, and is never performed
            kept.object = loop
            ended.value = held
        }
        do {
            let held = ended.value!, loop = held.loop
            loop.perform { held.hold() }
            loop.add(Timer(timeInterval: 1, repeats: false) { _ in held.hold() }, forMode: .default)
            loop.add(RunLoop.Observer { _, _ in held.hold() }, forMode: .default)
        }
        ended.value = nil
        XCTAssertNil(kept.object)
    }

    // MARK: - Modes

    func testS8_TheNamesOfTheModes() {
        XCTAssertEqual([RunLoop.Mode.default, .common, .tracking, .eventTracking, .modalPanel].map(\.rawValue),
                       ["kCFRunLoopDefaultMode", "kCFRunLoopCommonModes", "UITrackingRunLoopMode", "NSEventTrackingRunLoopMode",
                        "NSModalPanelRunLoopMode"])
        XCTAssertEqual(RunLoop.Mode("a"), RunLoop.Mode(rawValue: "a"))
        XCTAssertNotEqual(RunLoop.Mode("a"), RunLoop.Mode("b"))
        XCTAssertEqual(Set([RunLoop.Mode("a"), RunLoop.Mode(rawValue: "a"), .default]).count, 2)
    }

    /// Characters outside of ASCII and outside of 16 bits, and the empty name, are preserved.
    func testS3_AModeOfAnyNameIsMadeByItsFirstItem() {
        for name in ["", "Größe", "日本語", "🎡🎢", "e\u{301}", String(repeating: "long ", count: 1000)] {
            let mode = RunLoop.Mode(self.mode.rawValue + name)
            XCTAssertFalse(loop.allModes.contains(mode))
            let keeper = addKeeper(forMode: mode)
            XCTAssert(loop.allModes.contains(mode), name)
            let seen = Shared<RunLoop.Mode?>(nil)
            loop.perform(inModes: [mode]) { seen.value = RunLoop.main.currentMode }
            XCTAssert(loop.run(mode: mode, before: Date()))
            XCTAssertEqual(seen.value, mode)
            keeper.invalidate()
        }
    }

    // MARK: - Staying and leaving

    func testL1_ARunInAnEmptyModeReturnsFalseAtOnce() {
        let start = Date()
        XCTAssertFalse(loop.run(mode: mode, before: late), "a mode that has never been used")
        addKeeper(forMode: mode).invalidate()
        XCTAssertFalse(loop.run(mode: mode, before: late), "a mode that is there, and empty")
        XCTAssertLessThan(Date().timeIntervalSince(start), 60)
    }

    func testL6_RunModeReturnsTrueAtTheDate() {
        let keeper = addKeeper(forMode: mode), start = Date()
        XCTAssert(loop.run(mode: mode, before: soon(0.03)))
        XCTAssertGreaterThanOrEqual(Date().timeIntervalSince(start), 0.029)
        keeper.invalidate()
    }

    /// The C library takes a limit that is not a number for no limit. The defect: the run never ended.
    func testL6_ADateThatIsNotANumberIsPast() {
        let keeper = addKeeper(forMode: mode), noNumber = soon(.nan)
        XCTAssert(loop.run(mode: mode, before: noNumber))
        loop.acceptInput(forMode: mode, before: noNumber)
        loop.run(until: noNumber)
        keeper.invalidate()
        XCTAssertFalse(loop.run(mode: mode, before: noNumber), "an empty mode")
    }

    func testL6_RunModeReturnsAfterOneInputSource() {
        let log = EventList()
        let source = RunLoop.Source { log.add("source") }
        loop.add(source, forMode: mode)
        source.signal()
        XCTAssert(loop.run(mode: mode, before: late))
        XCTAssertEqual(log.all, ["source"])
        source.invalidate()
        XCTAssertFalse(loop.run(mode: mode, before: late))
    }

    func testL6_RunModeReturnsTrueWhenItsLastTimerHasGone() {
        let fired = Shared(0)
        loop.add(Timer(timeInterval: 0.001, repeats: false) { _ in fired.value += 1 }, forMode: mode)
        XCTAssert(loop.run(mode: mode, before: late))
        XCTAssertEqual(fired.value, 1)
        XCTAssertFalse(loop.run(mode: mode, before: late))
    }

    func testL5_StopEndsOneOfTheRunsOfRunAndTheNextBegins() {
        let entries = Shared(0), stops = Shared(0)
        onThread {
            let loop = RunLoop.current
            let observer = CFRunLoopObserverCreateWithHandler(nil, CFOptionFlags(1), true, 0) { _, _ in entries.value += 1 }
            CFRunLoopAddObserver(loop.getCFRunLoop(), observer, kCFRunLoopDefaultMode)
            loop.add(Timer(timeInterval: 0.002, repeats: true) { timer in
                stops.value += 1
                if stops.value == 5 { timer.invalidate() }
                RunLoop.current.stop()
            }, forMode: .default)
            loop.run()
        }
        XCTAssertEqual(stops.value, 5, "run() went on until nothing was left")
        XCTAssertEqual(entries.value, 5)
    }

    func testL5_StopDoesNotEndRunUntilBeforeItsDate() {
        let stops = Shared(0)
        onThread {
            let start = Date()
            RunLoop.current.add(Timer(timeInterval: 0.002, repeats: true) { _ in
                stops.value += 1
                RunLoop.current.stop()
            }, forMode: .default)
            RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.05))
            XCTAssertGreaterThanOrEqual(Date().timeIntervalSince(start), 0.049)
        }
        XCTAssertGreaterThan(stops.value, 0)
    }

    func testL1_RunUntilReturnsWhenNothingIsLeft() {
        let fired = Shared(0)
        onThread {
            let start = Date()
            RunLoop.current.run()
            RunLoop.current.run(until: Date(timeIntervalSinceNow: 600))
            RunLoop.current.add(Timer(timeInterval: 0.001, repeats: false) { _ in fired.value += 1 }, forMode: .default)
            RunLoop.current.run(until: Date(timeIntervalSinceNow: 600))
            XCTAssertLessThan(Date().timeIntervalSince(start), 60)
        }
        XCTAssertEqual(fired.value, 1)
    }

    func testR7_ALoopIsNotRunOnAnotherThread() {
        let keeper = addKeeper(forMode: mode), log = EventList(), mode = mode, late = late
        loop.perform(inModes: [mode]) { log.add("performed") }
        onThread {
            log.add("\(RunLoop.main.run(mode: mode, before: late))")
            log.add("\(RunLoop.main.limitDate(forMode: mode) as Date?)")
            RunLoop.main.acceptInput(forMode: mode, before: late)
            RunLoop.main.run(until: late)
            RunLoop.main.run()
        }
        XCTAssertEqual(log.all, ["false", "nil"])
        loop.run(mode: mode, before: Date())
        XCTAssertEqual(log.all, ["false", "nil", "performed"])
        keeper.invalidate()
    }

    // MARK: - One pass

    func testLimitDateServesWhatIsDueAndTellsTheNextDate() {
        let log = EventList()
        XCTAssertNil(loop.limitDate(forMode: mode), "nothing in it")
        loop.add(Timer(fire: .distantPast, interval: 0, repeats: false) { _ in log.add("due") }, forMode: mode)
        let next = Timer(fire: Date(timeIntervalSinceNow: 50), interval: 0, repeats: false) { _ in log.add("not due") }
        loop.add(next, forMode: mode)
        loop.perform(inModes: [mode]) { log.add("block") }
        let limit = loop.limitDate(forMode: mode)
        XCTAssertEqual(log.all, ["block", "due"])
        XCTAssertEqual(limit?.timeIntervalSince(next.fireDate) ?? .infinity, 0, accuracy: 0.001)
        next.invalidate()
        XCTAssertNil(loop.limitDate(forMode: mode))
        let source = RunLoop.Source {}
        loop.add(source, forMode: mode)
        let sleeps = Shared(0), observer = RunLoop.Observer(activities: .beforeWaiting) { _, _ in sleeps.value += 1 }
        loop.add(observer, forMode: mode)
        XCTAssertEqual(loop.limitDate(forMode: mode), .distantFuture, "a source, and no timer")
        XCTAssertEqual(sleeps.value, 0, "it does not wait")
        observer.invalidate()
        source.invalidate()
    }

    func testAcceptInputReturnsAfterASourceAndAtTheDate() {
        let log = EventList(), source = RunLoop.Source { log.add("source") }
        loop.add(source, forMode: mode)
        source.signal()
        loop.acceptInput(forMode: mode, before: late)
        XCTAssertEqual(log.all, ["source"])
        let start = Date()
        loop.acceptInput(forMode: mode, before: soon(0.02))
        XCTAssertGreaterThanOrEqual(Date().timeIntervalSince(start), 0.019)
        source.invalidate()
        loop.acceptInput(forMode: mode, before: late) // returns at once, because the mode is empty
    }

    // MARK: - Blocks

    func testX7_PerformIsForTheDefaultModeAndCommonForAllCommonModes() {
        let log = EventList()
        onThread {
            let loop = RunLoop.current, mode = RunLoop.Mode("m"), common = RunLoop.Mode("c")
            loop.addCommonMode(common)
            for mode in [mode, common, .default] {
                loop.add(Timer(timeInterval: 1000, repeats: true) { _ in }, forMode: mode)
            }
            loop.perform { log.add("default") }
            loop.perform(inModes: [.common]) { log.add("common") }
            for mode in [mode, common, .default] {
                log.add("in \(mode.rawValue)")
                loop.run(mode: mode, before: .distantPast)
            }
        }
        XCTAssertEqual(log.all, ["in m", "in c", "common", "in kCFRunLoopDefaultMode", "default"])
    }

    /// What the C library hands over is released. A tenth of what it hands over here would be more than the limit.
    func testTheLoopsOwnCallsLeaveNoMemoryBehind() throws {
        try skip(under: .thread, .address, because: "it keeps what was freed")
        let modes = [mode, RunLoop.Mode("RunLoopTests.another")], growths = Shared([Int]())
        startThread { // its loop has these modes alone
            for _ in 1...4 { // other threads may need memory in one of these rounds
                let before = pagesOfThisProcess().inMemory
                for _ in 1...10_000 {
                    RunLoop.current.perform(inModes: modes) {}
                    RunLoop.current.run(mode: modes[0], before: .distantPast)
                    XCTAssertTrue(RunLoop.current.allModes.contains(modes[0]))
                }
                growths.value.append(pagesOfThisProcess().inMemory - before)
            }
        }.join()
        XCTAssertLessThan(growths.value.min()!, 30)
    }

    func testX7_AClosureOfTheMainActorIsPerformedOnTheMainLoop() {
        let calls = Shared(0)
        loop.perform { @MainActor in calls.value += 1 }
        loop.perform(inModes: [mode, .default]) { @MainActor in calls.value += 1 }
        loop.run(mode: .default, before: soon())
        XCTAssertEqual(calls.value, 2)
    }

    /// As in Foundation, the block waits for something else to wake the loop.
    func testX7_PerformDoesNotWakeTheLoopButWakeUpDoes() {
        let keeper = addKeeper(forMode: mode), log = EventList(), mode = mode
        let other = startThread {
            XCTAssert(eventually { RunLoop.main.isWaiting })
            RunLoop.main.perform(inModes: [mode]) {
                log.add("performed")
                RunLoop.main.stop()
            }
            log.add("still waiting: \(stays(forMilliseconds: 20) { RunLoop.main.isWaiting })")
            RunLoop.main.wakeUp()
        }
        XCTAssert(loop.run(mode: mode, before: late))
        other.join()
        XCTAssertEqual(log.all, ["still waiting: true", "performed"])
        XCTAssertFalse(loop.isWaiting)
        keeper.invalidate()
    }

    func testX7_ABlockGoesWhenItHasBeenPerformedOrWithTheThread() {
        let keeper = addKeeper(forMode: mode)
        XCTAssert(isReleased { token in
            loop.perform(inModes: [mode]) { withExtendedLifetime(token) {} }
            loop.run(mode: mode, before: Date())
        })
        keeper.invalidate()
        XCTAssert(isReleased { token in onThread { RunLoop.current.perform { withExtendedLifetime(token) {} } } })
    }

    // MARK: - As an NSObject

    func testALoopIsEqualToItselfAlone() {
        onThread { XCTAssertNotEqual(RunLoop.current, RunLoop.main) }
        XCTAssertEqual(RunLoop.current, RunLoop.main)
        XCTAssertEqual(Set([RunLoop.main, RunLoop.current]).count, 1)
    }

    func testS2_TheDescriptionIsTheCLoops() {
        let keeper = addKeeper(forMode: mode)
        let text = loop.description
        XCTAssert(text.hasPrefix("<CFRunLoop "), text)
        XCTAssert(text.contains(mode.rawValue))
        XCTAssert(text.contains("<CFRunLoopTimer "))
        XCTAssertEqual("\(loop)".prefix(20), text.prefix(20))
        keeper.invalidate()
    }
}

extension RunLoop.Mode {
    /// The name for functions of the C library; it is never released.
    var cf: CFRunLoopMode {
        var names = Self.names.value
        if let made = names[rawValue] { return CFRunLoopMode(bitPattern: made)! }
        let made: CFRunLoopMode = CFStringCreateWithCString(nil, rawValue, CFStringBuiltInEncodings.UTF8.rawValue)
        names[rawValue] = UInt(bitPattern: made)
        Self.names.value = names
        return made
    }

    private static let names = Shared<[String: UInt]>([:]) // where a leak check finds them
}
