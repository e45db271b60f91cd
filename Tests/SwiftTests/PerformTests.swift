import CRunLoop
import Runtime
import SwiftRunLoop
import TestSupport
import XCTest

/// The resident thread of the articles: a port keeps its loop alive, a flag set on the thread ends it. (A1, A2)
private class Resident: Thread, @unchecked Sendable {
    nonisolated(unsafe) var stops = false
    let loop = WeakReference<RunLoop>()
    let mode: RunLoop.Mode

    init(mode: RunLoop.Mode = .default) {
        self.mode = mode
        super.init()
    }

    override func main() {
        RunLoop.current.add(Port(), forMode: mode)
        loop.object = RunLoop.current
        while !stops { _ = RunLoop.current.run(mode: mode, before: .distantFuture) }
    }

    /// Performs the stop on the thread, as article 4 does, and waits until it has ended.
    func stop() {
        XCTAssertNoThrow(try performAndWait(inModes: [mode]) { self.stops = true })
        XCTAssert(eventually { self.isFinished })
    }

    static func started(mode: RunLoop.Mode = .default) -> Resident {
        let thread = Resident(mode: mode)
        thread.start()
        return thread
    }
}

/// The error that `body` throws.
private func error(of body: () throws -> Void) -> PerformError? {
    do { try body() } catch { return error as? PerformError }
    return nil
}

private let handledSource = CFRunLoopRunResult.handledSource
private let timedOut = CFRunLoopRunResult.timedOut

/// Keeps the calling thread on one processor, the same for all threads that call this. The module Glibc lacks the two functions.
private func stayOnOneProcessor() {
    typealias Function = @convention(c) (pid_t, Int, UnsafeMutablePointer<UInt>) -> Int32
    var processors = [UInt](repeating: 0, count: 16) // one bit each
    let size = processors.count * MemoryLayout<UInt>.size
    XCTAssertGreaterThan(unsafeBitCast(dlsym(nil, "sched_getaffinity"), to: Function.self)(0, size, &processors), -1)
    let first = processors.firstIndex { $0 != 0 }!, bit = UInt(1) << processors[first].trailingZeroBitCount
    processors = processors.indices.map { $0 == first ? bit : 0 }
    XCTAssertEqual(unsafeBitCast(dlsym(nil, "sched_setaffinity"), to: Function.self)(0, size, &processors), 0)
}

/// One pass of the calling thread's loop in its default mode, without waiting.
@discardableResult
private func pass() -> CFRunLoopRunResult { CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, true) }

final class PerformTests: XCTestCase {
    // MARK: I4: on threads, as a source 0

    func testI4_WaitingBlocksUntilItIsDoneOnTheOtherThread() throws {
        let thread = Resident.started(), log = EventList()
        try thread.performAndWait {
            Thread.sleep(forTimeInterval: 0.02)
            log.add("on \(Thread.current is Resident)")
        }
        log.add("returned")
        XCTAssertEqual(log.all, ["on true", "returned"])
        thread.stop()
    }

    func testI4_NotWaitingReturnsBeforeItIsDone() throws {
        let thread = Resident.started(), log = EventList(), mayGoOn = Shared(false)
        thread.perform {
            XCTAssert(eventually { mayGoOn.value })
            log.add("performed")
        }
        log.add("returned")
        mayGoOn.value = true
        thread.stop()
        XCTAssertEqual(log.all, ["returned", "performed"])
    }

    /// The frames that a debugger shows, innermost first: as on a Mac, and in release builds too.
    func testI4_ItArrivesAsASource0() throws {
        let thread = Resident.started(), log = EventList()
        try thread.performAndWait { PerformTests.logFrames(to: log) }
        assertInOrder(log.all, ["__NSThreadPerformPerform", "__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__", "__CFRunLoopDoSource0",
                                "__CFRunLoopDoSources0", "__CFRunLoopRun", "CFRunLoopRunSpecific", "__NSThread__start__"])
        thread.stop()
    }

    @inline(never)
    private static func logFrames(to log: EventList) {
        let backtrace = try! Backtrace.capture().symbolicated(with: nil)!
        for frame in backtrace.frames { log.add(frame.symbol?.rawName ?? "?") }
    }

    private func assertInOrder(_ frames: [String], _ expected: [String], line: UInt = #line) {
        XCTAssertEqual(frames.filter(expected.contains), expected, "\(frames)", line: line)
    }

    func testI4_OnTheMainThreadFromAnother() {
        let log = EventList(), done = Shared(false)
        Thread.detachNewThread {
            try! Thread.main.performAndWait { log.add("main \(Thread.isMainThread)") }
            log.add("returned")
            done.value = true
        }
        XCTAssert(runLoop { done.value })
        XCTAssertEqual(log.all, ["main true", "returned"])
    }

    func testI4_WaitingOnOnesOwnThreadRunsAtOnceAndNotWaitingIsQueued() throws {
        let log = EventList()
        Thread.main.perform { log.add("queued") }
        try Thread.main.performAndWait { log.add("at once") }
        try Thread.current.performAndWait(inModes: [RunLoop.Mode("never run")]) { log.add("in any mode") }
        XCTAssertEqual(log.all, ["at once", "in any mode"])
        XCTAssert(RunLoop.current.run(mode: .default, before: .distantPast))
        XCTAssertEqual(log.all, ["at once", "in any mode", "queued"])
    }

    /// A request uses the modes of its call: without a mode, nothing happens.
    func testI4_NoModesNoPerform() throws {
        let log = EventList()
        Thread.main.perform(inModes: []) { log.add("not waiting") }
        RunLoop.current.run(mode: .default, before: .distantPast)
        XCTAssertEqual(log.all, [])
    }

    // MARK: L6: a perform ends run(mode:before:)

    func testL6_APerformEndsTheRunOfItsMode() throws {
        let runs = EventList()
        let thread = Thread {
            RunLoop.current.add(Port(), forMode: .default)
            for _ in 0..<2 { runs.add("\(RunLoop.current.run(mode: .default, before: Date() + 100))") }
        }
        let start = Date()
        thread.start()
        XCTAssert(eventually { thread.isExecuting })
        try thread.performAndWait {}
        XCTAssert(eventually { runs.all == ["true"] })
        try thread.performAndWait {}
        XCTAssert(eventually { runs.all == ["true", "true"] })
        XCTAssertLessThan(Date().timeIntervalSince(start), 90)
    }

    func testL6_WhatAPerformPerformsWaitsForTheNextPass() throws {
        let log = EventList()
        Thread.main.perform {
            log.add("outer")
            Thread.main.perform { log.add("inner") }
        }
        XCTAssertEqual(pass(), handledSource)
        XCTAssertEqual(log.all, ["outer"])
        XCTAssertEqual(pass(), handledSource)
        XCTAssertEqual(log.all, ["outer", "inner"])
        XCTAssertEqual(pass(), timedOut)
    }

    /// As with a modal dialog, the first call runs the loop until the second call, which is already waiting, has been made.
    func testL7_ARunNestedInAPerformGoesOnWithTheOthers() throws {
        let log = EventList()
        Thread.main.perform {
            log.add("begins")
            log.add("\(RunLoop.current.run(mode: .default, before: Date() + 5))")
            log.add("ends")
        }
        Thread.main.perform { log.add("nested") }
        XCTAssertEqual(pass(), handledSource)
        XCTAssertEqual(log.all, ["begins", "nested", "true", "ends"])
        XCTAssertEqual(pass(), timedOut)
    }

    // MARK: I5: modes

    func testI5_WithoutModesItIsPerformedInTheCommonModesAlone() throws {
        let log = EventList(), own = RunLoop.Mode("PerformTests.common"), port = Port()
        RunLoop.current.add(port, forMode: own)
        Thread.main.perform { log.add("performed") }
        XCTAssert(RunLoop.current.run(mode: own, before: Date() + 0.01))
        XCTAssertEqual(log.all, [], "the mode is not common")
        RunLoop.current.addCommonMode(own)
        XCTAssert(RunLoop.current.run(mode: own, before: Date() + 0.01))
        XCTAssertEqual(log.all, ["performed"])
        RunLoop.current.remove(port, forMode: own)
    }

    /// A mode is requested by its own name and as a common mode: the calls are still made in the order of the requests.
    func testI5_TheOrderIsKeptAcrossModes() throws {
        let log = EventList()
        for number in 1...6 {
            Thread.main.perform(inModes: number % 2 == 0 ? [.common] : [.default]) { log.add("\(number)") }
        }
        RunLoop.current.run(mode: .default, before: .distantPast)
        XCTAssertEqual(log.all, ["1", "2", "3", "4", "5", "6"])
        XCTAssertEqual(pass(), timedOut)
    }

    /// The defect: each perform searched the requests that wait for a mode that does not run, so each batch took longer than the previous
    /// one (0.04 s, then 0.8, 1.9, 4.0, 7.0); and each perform left an empty place in their queue.
    func testI5_APerformForAModeThatDoesNotRunDelaysNoOtherAndNothingPilesUpBehindIt() throws {
        let stuck = RunLoop.Mode("PerformTests.does not run")
        Thread.main.perform(inModes: [stuck]) {}
        func seconds(of batch: Int, modes: [RunLoop.Mode]) throws -> TimeInterval {
            let counter = Shared(0), start = Date()
            for _ in 0..<batch { Thread.main.perform(inModes: modes) { counter.value += 1 } }
            pass()
            XCTAssertEqual(counter.value, batch)
            return -start.timeIntervalSinceNow
        }
        for modes: [RunLoop.Mode] in [[.common], [.common, stuck], [stuck, .default]] { // the last two leave gaps in the stuck queue
            XCTAssert(isReleased { token in
                Thread.main.perform(inModes: modes) { withExtendedLifetime(token) {} }
                pass()
            }, "a request that was performed is still in another mode's queue")
            let times = try (1...5).map { _ in try seconds(of: 10_000, modes: modes) }
            XCTAssertLessThan(times.suffix(2).min()!, 10 * times.first! + 0.05, "\(times)") // the other may be late on a busy machine
        }
        let performed = Shared(0), alone = try (1...5).map { _ in try seconds(of: 1000, modes: [.common]) }
        for _ in 0..<10_000 { Thread.main.perform(inModes: [stuck]) { performed.value += 1 } }
        let quick = try (1...5).map { _ in try seconds(of: 1000, modes: [.common]) }
        XCTAssertLessThan(quick.min()!, 8 * alone.min()! + 0.02, "without any that are stuck: \(alone); with ten thousand: \(quick)")
        XCTAssertEqual(performed.value, 0)
        XCTAssert(RunLoop.current.run(mode: stuck, before: .distantPast))
        XCTAssertEqual(performed.value, 10_000)
    }

    /// A request for two modes that is taken in one must leave the other mode's queue, in whatever order the modes run.
    func testI5_RequestsOfManyModesArePerformedOnceInTheOrderOfEachMode() throws {
        let modes = (0..<4).map { RunLoop.Mode("PerformTests.mode \($0)") }, log = EventList()
        var numbers = SystemRandomNumberGenerator(), expected: [(number: Int, modes: Set<RunLoop.Mode>)] = []
        for round in 0..<60 {
            for number in 0..<Int.random(in: 0..<40, using: &numbers) {
                let named = Set(modes.shuffled(using: &numbers).prefix(Int.random(in: 1...3, using: &numbers)))
                expected.append((round * 100 + number, named))
                Thread.main.perform(inModes: Array(named)) { log.add("\(round * 100 + number)") }
            }
            let mode = modes.randomElement(using: &numbers)!
            let due = expected.filter { $0.modes.contains(mode) }
            let before = log.all.count
            if !due.isEmpty { XCTAssert(RunLoop.current.run(mode: mode, before: .distantPast)) }
            XCTAssertEqual(Array(log.all.dropFirst(before)), due.map { "\($0.number)" })
            expected.removeAll { $0.modes.contains(mode) }
        }
        for mode in modes { RunLoop.current.run(mode: mode, before: .distantPast) }
        XCTAssertEqual(Set(log.all).count, log.all.count, "each once")
        for mode in modes { XCTAssertEqual(CFRunLoopRunInMode(mode.cf, 0, true), timedOut, "nothing is left over") }
    }

    // MARK: Many senders

    func testAThousandPerformsFromFourThreadsArriveInOrderOfEachSender() throws {
        let thread = Resident.started()
        let arrivals = Shared<[[Int]]>([[], [], [], []])
        let senders = (0..<4).map { sender in
            Thread {
                for number in 0..<250 {
                    if number % 50 == 49 {
                        try! thread.performAndWait { arrivals.withLock { $0[sender].append(number) } }
                    } else {
                        thread.perform { arrivals.withLock { $0[sender].append(number) } }
                    }
                }
            }
        }
        for sender in senders { sender.start() }
        XCTAssert(eventually { senders.allSatisfy(\.isFinished) })
        thread.stop()
        XCTAssertEqual(arrivals.value, Array(repeating: Array(0..<250), count: 4))
    }

    /// On one processor, a thread that has waited makes its next request just between two calls of the loop.
    func testRequestsThatComeAsACallEndsAreAllPerformedHoweverTheLoopRuns() {
        let ways: [(String, @Sendable () -> Void)] = [
            ("runs that end with a source", { while !Thread.current.isCancelled { RunLoop.current.run(mode: .default, before: .distantFuture) } }),
            ("one run", { RunLoop.current.runUntilStopped() }),
            ("a run nested in BeforeWaiting", {
                let observer = CFRunLoopObserverCreateWithHandler(nil, CFRunLoopActivity.beforeWaiting.rawValue, true, 0) { _, _ in
                    if _CFRunLoopGetDepth() == 1, !Thread.current.isCancelled { CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.01, true) }
                }
                CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, kCFRunLoopDefaultMode)
                RunLoop.current.runUntilStopped()
            }),
        ]
        for (name, way) in ways {
            for callerCount in [1, 3] {
                let thread = Thread {
                    stayOnOneProcessor()
                    RunLoop.current.add(Port(), forMode: .default)
                    way()
                }
                thread.start()
                let calls = Shared(0), callers = (0..<callerCount).map { caller in
                    Thread {
                        stayOnOneProcessor()
                        for turn in 0..<200 {
                            try! thread.performAndWait {
                                calls.value += 1
                                if caller == 0 && turn % 10 == 0 { pass() } // a nested run, which performs what waits
                            }
                        }
                    }
                }
                for caller in callers { caller.start() }
                guard eventually({ callers.allSatisfy(\.isFinished) }) else {
                    return XCTFail("\(name), \(callerCount) callers: the next request is not performed after \(calls.value) calls")
                }
                XCTAssertEqual(calls.value, 200 * callerCount, name)
                thread.cancel()
                XCTAssert(eventually { // a stop that the nested run performs ends only that run
                    thread.perform { RunLoop.current.stop() }
                    return thread.isFinished
                }, name)
            }
        }
    }

    // MARK: Threads that have not begun, or have ended

    func testWhatIsPerformedBeforeTheStartIsDoneWhenTheLoopRuns() throws {
        let log = EventList(), thread = Resident()
        thread.perform { log.add("first") }
        thread.perform { log.add("second") }
        thread.start()
        thread.stop()
        XCTAssertEqual(log.all, ["first", "second"])
    }

    func testPerformingOnAFinishedThreadIsAnError() {
        let thread = Thread {}, log = EventList()
        thread.start()
        XCTAssert(eventually { thread.isFinished })
        XCTAssertEqual(error { try thread.performAndWait { log.add("performed") } }, .threadHasFinished)
        XCTAssertFalse(thread.perform { log.add("performed") })
        let cancelled = Thread {}
        cancelled.cancel()
        cancelled.start()
        XCTAssertEqual(error { try cancelled.performAndWait {} }, .threadHasFinished)
        XCTAssertEqual(log.all, [])
        XCTAssertEqual("\(PerformError.threadHasFinished)", "the thread has finished: nothing can be performed on it any more")
    }

    /// The thread never runs its loop, and ends while another thread waits for it.
    func testAWaitEndsWithTheThread() {
        let mayEnd = Shared(false), log = EventList()
        let thread = Thread { XCTAssert(eventually { mayEnd.value }) }
        thread.start()
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 0.02)
            mayEnd.value = true
        }
        let thrown = error { try thread.performAndWait { log.add("performed") } }
        XCTAssert(thrown == .threadFinishedMeanwhile || thrown == .threadHasFinished, "\(String(describing: thrown))")
        XCTAssertEqual(log.all, [])
    }

    /// A deinitializer waits for one whose call the thread has not made. The defect: the call ended with the loop, after the closure was gone.
    func testAWaitEndsBeforeTheThreadsClosureIsReleased() {
        final class WaitsForTheOther: Sendable {
            let log: EventList, hasBeenTold: DispatchSemaphore
            init(_ log: EventList, _ hasBeenTold: DispatchSemaphore) { (self.log, self.hasBeenTold) = (log, hasBeenTold) }
            deinit { log.add(hasBeenTold.wait(timeout: .now() + 10) == .success ? "told" : "not told") }
        }
        let log = EventList(), hasBeenTold = DispatchSemaphore(value: 0), gate = DispatchSemaphore(value: 0), own = Shared<pthread_t?>(nil)
        let thread = { [waiting = WaitsForTheOther(log, hasBeenTold)] in
            Thread { [waiting] in
                own.value = pthread_self()
                gate.wait()
                withExtendedLifetime(waiting) {}
            }
        }()
        thread.start()
        XCTAssert(eventually { own.value != nil })
        Thread.detachNewThread {
            _ = try? thread.performAndWait {}
            hasBeenTold.signal()
        }
        XCTAssert(eventually { _CFRunLoopGet0b(own.value!) != nil }, "the call has not been added")
        gate.signal()
        thread.join()
        XCTAssertEqual(log.all, ["told"])
    }

    func testAWaitEndsWhenThePerformEndsTheThread() throws {
        try skip(under: .address, because: "Thread.exit() leaks what the abandoned frames retain")
        let thread = Resident.started()
        XCTAssertEqual(error { try thread.performAndWait { Thread.exit() } }, .threadFinishedMeanwhile)
        XCTAssert(eventually { thread.isFinished })
    }

    /// Threads end at any moment while others perform on them and add timers: each wait ends, because the call was made or with an
    /// error, and a call that was not made is released.
    func testI4_ThreadsThatEndWhileOthersPerformNeitherHangNorLeak() {
        let errors = Shared(0)
        var captured: [WeakReference<Token>] = [], loops: [WeakReference<RunLoop>] = [], threads: [WeakReference<Resident>] = []
        for round in 0..<60 {
            let thread = Resident.started(), inBlock = Token()
            captured.append(WeakReference(inBlock))
            loops.append(thread.loop)
            threads.append(WeakReference(thread))
            let senders = (0..<3).map { _ in
                Thread {
                    for number in 0... {
                        let isMade = number % 2 == 0
                            ? (try? thread.performAndWait { withExtendedLifetime(inBlock) {} }) != nil
                            : thread.perform { withExtendedLifetime(inBlock) {} }
                        if !isMade { return errors.withLock { $0 += 1 } }
                        let timer = Timer(timeInterval: 0.0001, repeats: false) { _ in withExtendedLifetime(inBlock) {} }
                        thread.loop.object?.add(timer, forMode: .default)
                    }
                }
            }
            for sender in senders { sender.start() }
            usleep(UInt32(round % 4) * 300)
            thread.perform { thread.stops = true }
            XCTAssert(eventually { thread.isFinished && senders.allSatisfy(\.isFinished) }, "a sender hangs")
        }
        XCTAssertEqual(errors.value, 180, "each sender ended with an error")
        XCTAssert(eventually { captured.allSatisfy { $0.object == nil } }, "blocks are left")
        XCTAssert(eventually { loops.allSatisfy { $0.object == nil } }, "loops are left")
        XCTAssert(eventually { threads.allSatisfy { $0.object == nil } }, "threads are left")
    }

    /// Another thread creates the loop of a thread that never asks for it. That loop still ends with its thread.
    func testR6_ALoopMadeForAPerformGoesWithItsThread() throws {
        let captured = WeakReference<Token>(), isKnown = Shared(false), mayEnd = Shared(false)
        nonisolated(unsafe) var thread = pthread_t()
        let target = Thread {
            thread = pthread_self()
            isKnown.value = true
            XCTAssert(eventually { mayEnd.value })
        }
        target.start()
        XCTAssert(eventually { isKnown.value })
        do {
            let inBlock = Token()
            captured.object = inBlock
            target.perform { withExtendedLifetime(inBlock) {} }
        }
        weak var runLoop: RunLoop?
        do {
            let loop = try XCTUnwrap(_CFRunLoopGet0b(thread)), twin = try XCTUnwrap(_CFGetTwin(unsafeBitCast(loop, to: UnsafeRawPointer.self)))
            runLoop = Unmanaged<RunLoop>.fromOpaque(twin).takeUnretainedValue()
        }
        XCTAssertNotNil(runLoop)
        mayEnd.value = true
        XCTAssert(eventually { target.isFinished && captured.object == nil })
        XCTAssert(eventually { runLoop == nil })
    }
}
