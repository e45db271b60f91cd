@testable import class RunLoopLab.WeakProxy
import SwiftRunLoop
import TestSupport
import XCTest

/// The forms of Timer with a target and an action, which the articles' programs use: Lab/NSObject/TimerTarget.swift. Each test has its own
/// mode of the main loop.
final class TimerTargetTests: XCTestCase {
    private let loop = RunLoop.main
    private var mode: RunLoop.Mode { RunLoop.Mode("TimerTargetTests." + name) }

    private func run(_ seconds: Double) { loop.run(mode: mode, before: Date(timeIntervalSinceNow: seconds)) }

    /// Runs until the mode is empty; for ten minutes at most, which is a failure.
    private func runOut() { while loop.run(mode: mode, before: Date(timeIntervalSinceNow: 600)) {} }

    /// Counts the calls of its methods.
    private class Target {
        var log: [String] = []
        func tick(_ timer: Timer) { log.append("tick \(timer.userInfo ?? "nil")") }
    }

    func testT1_TheScheduledFormAddsToTheCurrentLoopsDefaultMode() {
        let log = EventList()
        onThread {
            let target = Target()
            Timer.scheduledTimer(timeInterval: 0.002, target: target, action: Target.tick, userInfo: "strong", repeats: false)
            RunLoop.current.run(mode: .default, before: .distantFuture)
            target.log.forEach(log.add)
        }
        XCTAssertEqual(log.all, ["tick strong"])
    }

    func testT6_ATargetIsHeldUntilTheTimerIsInvalidated() {
        weak var weakTarget: Target?
        weak var weakInfo: Token?
        func make() -> Timer {
            let target = Target(), info = Token()
            weakTarget = target
            weakInfo = info
            return Timer(timeInterval: 0.001, target: target, action: Target.tick, userInfo: info, repeats: true)
        }
        let timer = make()
        loop.add(timer, forMode: mode)
        run(0.02)
        XCTAssertNotNil(weakTarget)
        XCTAssertFalse(weakTarget?.log.isEmpty ?? true)
        XCTAssert(timer.userInfo as? Token === weakInfo && weakInfo != nil)
        timer.invalidate()
        XCTAssertNil(weakTarget)
        XCTAssertNil(weakInfo)
        XCTAssertNil(timer.userInfo)
    }

    func testT6_ATargetOfATimerThatFiresOnceIsLetGoAfterIt() {
        weak var weakTarget: Target?
        do {
            let target = Target()
            weakTarget = target
            loop.add(Timer(fireAt: Date(), interval: 0, target: target, action: Target.tick, userInfo: nil, repeats: false), forMode: mode)
        }
        XCTAssertNotNil(weakTarget)
        runOut()
        XCTAssertNil(weakTarget)
    }

    func testT6_TheTargetOfAProxyIsCalledWhileItLivesAndItsEndEndsTheTimer() {
        var target: Target? = Target()
        weak let weakTarget = target
        let timer = Timer(timeInterval: 0.001, target: WeakProxy(target!, Target.tick), action: WeakProxy.fire, userInfo: 7, repeats: true)
        loop.add(timer, forMode: mode)
        while target!.log.isEmpty { run(0.005) }
        XCTAssertEqual(target!.log[0], "tick 7")
        target = nil
        XCTAssertNil(weakTarget, "not held")
        XCTAssert(timer.isValid)
        runOut()
        XCTAssertFalse(timer.isValid)
    }

    /// The cycle of the articles: an object retains its timer, and the timer retains its target. With a proxy as the target there is no cycle.
    func testT6_AnObjectThatHoldsItsTimerGoesIfAProxyIsTheTarget() {
        final class Clock: Target {
            var timer: Timer?
            deinit { timer?.invalidate() }
        }
        weak var strong: Clock?
        weak var weakly: Clock?
        do {
            let first = Clock(), second = Clock()
            first.timer = Timer(timeInterval: 100, target: first, action: Clock.tick, userInfo: nil, repeats: true)
            second.timer = Timer(timeInterval: 100, target: WeakProxy(second, Clock.tick), action: WeakProxy.fire, userInfo: nil, repeats: true)
            loop.add(first.timer!, forMode: mode)
            loop.add(second.timer!, forMode: mode)
            (strong, weakly) = (first, second)
        }
        XCTAssertNil(weakly)
        XCTAssertNotNil(strong)
        strong?.timer?.invalidate()
        XCTAssertNil(strong)
        XCTAssertFalse(loop.run(mode: mode, before: Date(timeIntervalSinceNow: 600)))
    }
}
