import CRunLoop
import Runtime
import SwiftRunLoop
import TestSupport
import XCTest

/// Timer as Foundation has it, and which object retains which. Each test has its own mode of the main loop, or its
/// own thread. Bounds on times are wide, because a timer may be late on a busy machine; but it is never early.
final class TimerTests: XCTestCase {
    private let loop = RunLoop.main
    private var mode: RunLoop.Mode { RunLoop.Mode("TimerTests." + name) }
    /// Ten minutes from now; a test that waits for it has failed. XCTest makes all test cases before it runs the first, so a stored date may have passed.
    private var late: Date { Date(timeIntervalSinceNow: 600) }

    private func run(_ seconds: Double) { loop.run(mode: mode, before: Date(timeIntervalSinceNow: seconds)) }

    /// Runs until the mode is empty.
    private func runOut() { while loop.run(mode: mode, before: late) {} }

    // MARK: - Making

    func testT1_TheScheduledFormAddsToTheCurrentLoopsDefaultMode() {
        let log = EventList()
        onThread {
            _ = Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in log.add(RunLoop.current.currentMode!.rawValue) }
            RunLoop.current.run()
        }
        XCTAssertEqual(log.all, ["kCFRunLoopDefaultMode"])
    }

    func testD25_ATimerMadeWithAnIntervalFiresAfterIt() {
        for repeats in [false, true] {
            let start = Date(), firedAfter = Shared(0.0)
            let timer = Timer(timeInterval: 0.05, repeats: repeats) { timer in
                firedAfter.value = Date().timeIntervalSince(start)
                timer.invalidate()
            }
            loop.add(timer, forMode: mode)
            runOut()
            XCTAssertGreaterThanOrEqual(firedAfter.value, 0.049)
        }
        let timer = Timer(timeInterval: 100, repeats: false) { _ in }
        XCTAssertEqual(timer.fireDate.timeIntervalSinceNow, 100, accuracy: 10)
    }

    func testD27_ARepeatingTimerWithoutAnIntervalRepeatsEvery100Microseconds() {
        for interval in [0, -1, -Double.infinity] {
            let fired = Shared(0)
            let timer = Timer(timeInterval: interval, repeats: true) { timer in
                fired.value += 1
                if fired.value == 5 { timer.invalidate() }
            }
            XCTAssertEqual(timer.timeInterval, 0.0001)
            loop.add(timer, forMode: mode)
            runOut()
            XCTAssertEqual(fired.value, 5)
        }
    }

    func testTimeIntervalIsZeroForATimerThatDoesNotRepeat() {
        XCTAssertEqual(Timer(timeInterval: 5, repeats: false) { _ in }.timeInterval, 0)
        XCTAssertEqual(Timer(timeInterval: 5, repeats: true) { _ in }.timeInterval, 5)
        XCTAssertEqual(Timer(fire: Date(), interval: 7, repeats: true) { _ in }.timeInterval, 7)
    }

    // MARK: - Firing

    func testTheClosureIsGivenItsOwnTimerWhichIsValid() {
        let given = WeakReference<Timer>(), valid = Shared<[Bool]>([])
        let timer = Timer(timeInterval: 0.001, repeats: false) {
            given.object = $0
            valid.value.append($0.isValid)
        }
        loop.add(timer, forMode: mode)
        runOut()
        XCTAssert(given.object === timer)
        XCTAssertEqual(valid.value, [true])
        XCTAssertFalse(timer.isValid)
    }

    func testFireCallsAtOnceAndInvalidatesATimerThatDoesNotRepeat() {
        let fired = Shared(0)
        let once = Timer(timeInterval: 100, repeats: false) { timer in
            XCTAssert(timer.isValid)
            fired.value += 1
        }
        once.fire()
        XCTAssertEqual(fired.value, 1)
        XCTAssertFalse(once.isValid)
        once.fire()
        XCTAssertEqual(fired.value, 1, "invalid")
    }

    func testFireLeavesTheScheduleOfATimerThatRepeats() {
        let fired = Shared(0)
        let timer = Timer(timeInterval: 100, repeats: true) { _ in fired.value += 1 }
        loop.add(timer, forMode: mode)
        let date = timer.fireDate
        timer.fire()
        timer.fire()
        XCTAssertEqual(fired.value, 2)
        XCTAssert(timer.isValid)
        XCTAssertEqual(timer.fireDate.timeIntervalSince(date), 0, accuracy: 0.001)
        timer.invalidate()
        timer.fire()
        XCTAssertEqual(fired.value, 2)
    }

    // MARK: - Fire dates

    func testFireDateCanBeMovedAheadAndBack() {
        let fired = Shared(0)
        let timer = Timer(timeInterval: 1000, repeats: true) { _ in fired.value += 1 }
        loop.add(timer, forMode: mode)
        run(0)
        XCTAssertEqual(fired.value, 0)
        timer.fireDate = Date(timeIntervalSinceNow: -1)
        run(0.01)
        XCTAssertEqual(fired.value, 1)
        XCTAssertEqual(timer.fireDate.timeIntervalSinceNow, 1000, accuracy: 50)
        timer.fireDate = .distantFuture
        run(0.01)
        XCTAssertEqual(fired.value, 1)
        timer.invalidate()
        XCTAssertEqual(timer.fireDate, Date(timeIntervalSinceReferenceDate: 0), "as Foundation's")
    }

    func testT4_TheToleranceIsKeptAndATimerIsNeverEarly() {
        let firedAfter = Shared(0.0), start = Date()
        let timer = Timer(timeInterval: 0.03, repeats: false) { _ in firedAfter.value = Date().timeIntervalSince(start) }
        XCTAssertEqual(timer.tolerance, 0)
        timer.tolerance = 0.02
        XCTAssertEqual(timer.tolerance, 0.02)
        loop.add(timer, forMode: mode)
        runOut()
        XCTAssertGreaterThanOrEqual(firedAfter.value, 0.029)
        XCTAssertLessThan(firedAfter.value, 30)
        let repeating = Timer(timeInterval: 1, repeats: true) { _ in }
        repeating.tolerance = 100
        XCTAssertEqual(repeating.tolerance, 0.5, "at most half the interval")
        repeating.tolerance = -1
        XCTAssertEqual(repeating.tolerance, -1, "as on a Mac; it counts as 0")
    }

    // MARK: - In loops

    func testATimerOfOneLoopStaysThereAlone() {
        let log = EventList(), mode = mode
        var timer: Timer? = Timer(timeInterval: 0.001, repeats: false) { _ in log.add("fired on main: \(RunLoop.current === RunLoop.main)") }
        loop.add(timer!, forMode: mode)
        let passed = WeakReference(timer)
        onThread {
            RunLoop.current.add(passed.object!, forMode: .default)
            log.add("\(RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01)))")
        }
        timer = nil
        XCTAssertNotNil(passed.object, "its loop still holds it")
        runOut()
        XCTAssertEqual(log.all, ["false", "fired on main: true"])
        XCTAssertNil(passed.object)
    }

    /// The test still retains the RunLoop of the ended thread, and with it the C loop.
    func testATimerMayGoOnInAnotherLoopWhileSomebodyHoldsTheLoopOfItsEndedThread() {
        let fired = Shared(0), timer = Timer(timeInterval: 0.001, repeats: false) { _ in fired.value += 1 }
        nonisolated(unsafe) var ended: RunLoop!
        onThread {
            ended = RunLoop.current
            for mode in [RunLoop.Mode.default, RunLoop.Mode("TimerTests 2"), .common] { RunLoop.current.add(timer, forMode: mode) }
        }
        XCTAssert(timer.isValid)
        loop.add(timer, forMode: mode)
        runOut()
        XCTAssertEqual(fired.value, 1)
        ended.add(Timer(timeInterval: 0.001, repeats: false) { _ in }, forMode: .default)
        XCTAssertFalse(ended.description.contains("CFRunLoopTimer"), "nothing is left in it, and nothing comes in")
    }

    func testAddingAnInvalidTimerDoesNothing() {
        weak var weakTimer: Timer?
        do {
            let timer = Timer(timeInterval: 0.001, repeats: true) { _ in XCTFail("invalid") }
            weakTimer = timer
            timer.invalidate()
            loop.add(timer, forMode: mode)
            XCTAssertFalse(loop.run(mode: mode, before: late))
        }
        XCTAssertNil(weakTimer)
    }

    // MARK: - Ownership

    /// The timer that `holding` has made, and what its closure captures.
    private weak var made: Timer?
    private weak var token: Token?

    /// A timer whose closure retains the token; nothing here retains either.
    private func holding(repeats: Bool = true, _ body: @escaping @Sendable (Timer) -> Void = { _ in }) -> Timer {
        let captured = Token()
        let timer = Timer(timeInterval: 0.001, repeats: repeats) { timer in withExtendedLifetime(captured) { body(timer) } }
        (made, token) = (timer, captured)
        return timer
    }

    private func assertGone(line: UInt = #line) {
        XCTAssertNil(made, line: line)
        XCTAssertNil(token, line: line)
    }

    func testD26_ATimerThatNoLoopHasGoesWithItsLastReference() {
        withExtendedLifetime(holding()) { XCTAssertNotNil(token) }
        assertGone()
    }

    func testD26_TheLoopHoldsATimerUntilItIsInvalidatedAndNoLonger() {
        loop.add(holding(), forMode: mode)
        run(0.01)
        XCTAssertNotNil(made)
        made?.invalidate()
        assertGone()
    }

    func testD26_AOneShotTimerGoesWhenItHasFired() {
        let log = EventList()
        loop.add(holding(repeats: false) { log.add("fired, valid: \($0.isValid)") }, forMode: mode)
        runOut()
        XCTAssertEqual(log.all, ["fired, valid: true"])
        assertGone()
    }

    /// The closure captures its timer: a cycle as long as the timer is valid, and no longer.
    func testD26_AClosureThatCapturesItsTimerGoesToo() {
        weak var weakTimer: Timer?
        do {
            struct Holder: @unchecked Sendable { var timer: Timer? }
            let holder = Shared(Holder())
            let timer = Timer(timeInterval: 0.001, repeats: true) { _ in holder.value.timer?.invalidate() }
            holder.value.timer = timer
            weakTimer = timer
            loop.add(timer, forMode: mode)
        }
        runOut()
        XCTAssertNil(weakTimer)
    }

    func testD26_ATimerInvalidatedInItsOwnClosureLivesUntilTheClosureReturns() {
        let log = EventList()
        loop.add(holding { timer in
            timer.invalidate()
            log.add("valid: \(timer.isValid)")
        }, forMode: mode)
        runOut()
        XCTAssertEqual(log.all, ["valid: false"])
        assertGone()
    }

    /// Another thread invalidates timers while this one adds and fires them: none is leaked, and none is used after its deallocation.
    func testD26_InvalidationOnAnotherThreadWhileTheLoopAddsAndFires() {
        let weakTimers = (0..<50).map { _ in
            let timers = (0..<20).map { _ in Timer(timeInterval: 0, repeats: true) { _ in } }
            let weakTimers = timers.map { WeakReference($0) }
            let other = startThread { for timer in timers { timer.invalidate() } }
            for timer in timers { loop.add(timer, forMode: mode) }
            run(0)
            other.join()
            return weakTimers
        }.flatMap { $0 }
        XCTAssertEqual(weakTimers.filter { $0.object != nil }.count, 0)
        XCTAssertFalse(loop.run(mode: mode, before: late))
    }

    // MARK: - As an NSObject

    func testATimerIsEqualToItselfAloneAndDescribesItself() {
        let one = Timer(timeInterval: 5, repeats: true) { _ in }, two = Timer(timeInterval: 5, repeats: true) { _ in }
        XCTAssertEqual(one, one)
        XCTAssertNotEqual(one, two)
        XCTAssertEqual(Set([one, two, one]).count, 2)
        XCTAssert(one.description.hasPrefix("<CFRunLoopTimer "), one.description)
        XCTAssert(one.description.contains("valid = Yes"), one.description)
        one.invalidate()
        XCTAssert(one.description.contains("valid = No"), one.description)
    }

    // MARK: - The stack

    /// The caller of the closure has the name that a stack shows on a Mac.
    func testX3_TheFrameBetweenTheCalloutAndTheClosureIsNamed() throws {
        let symbols = Shared<[String]>([])
        loop.add(Timer(timeInterval: 0.001, repeats: false) { _ in symbols.value = currentStack() }, forMode: mode)
        runOut()
        XCTAssert(symbols.value.contains { $0.contains("__NSFireTimer") }, "\(symbols.value)")
    }
}

/// The names of the functions that are being executed, the innermost first.
private func currentStack() -> [String] {
    (try? Backtrace.capture().symbolicated(options: []))?.frames.compactMap { $0.symbol?.name } ?? []
}
