import Glibc
@testable import RunLoopDiagnostics
import SwiftRunLoop
import TestSupport
import XCTest
import class SwiftRunLoop.Port
import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Thread
import class SwiftRunLoop.Timer

/// A C function, so that the names of static and exported functions of both languages are on the stack.
@inline(never)
private func dawdle(_ isDone: () -> Bool) {
    while !isDone() { usleep(1000) }
}

final class StallWatchTests: XCTestCase {
    /// Runs the loop, whose timer does not return before `isDone`, or makes the calls of `then`.
    private func stall(until isDone: @escaping () -> Bool) {
        nonisolated(unsafe) let isDone = isDone
        RunLoop.current.add(Timer(timeInterval: 0.01, repeats: false) { _ in dawdle(isDone) }, forMode: .default)
        RunLoop.current.add(Timer(timeInterval: 0.02, repeats: false) { _ in }, forMode: .default)
        RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 30))
        RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 30))
    }

    func testAStallIsReportedOnceWhileItGoesOnWithTheStackOfTheThread() throws {
        let stalls = Shared<[StallWatch.Stall]>([]), ends = Shared<[TimeInterval]>([])
        onThread { [self] in
            let diagnostics = StallWatch(threshold: 0.1, log: false) { stalls.append($0) } onEnd: { ends.append($0) }
            diagnostics.start()
            let began = Date()
            stall { !stalls.value.isEmpty && Date().timeIntervalSince(began) > 0.3 }
            XCTAssert(eventually { ends.value.count == 1 })
            diagnostics.stop()
            XCTAssertEqual(diagnostics.stallCount, 1)
            XCTAssertGreaterThan(diagnostics.longestCallout, 0.2)
        }
        let found = try XCTUnwrap(stalls.value.first)
        XCTAssertEqual(stalls.value.count, 1)
        XCTAssertEqual(found.activity, .afterWaiting)
        XCTAssertEqual(found.mode, .default)
        XCTAssertGreaterThanOrEqual(found.duration, 0.1)
        XCTAssertGreaterThan(ends.value[0], found.duration)
        let names = found.stack.map { $0.function ?? "" }
        let order = [ "dawdle", "__CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__", "__CFRunLoopDoTimers", "__CFRunLoopRun"]
        let places = order.map { name in names.firstIndex { $0.contains(name) } ?? -1 }
        XCTAssert(places.allSatisfy { $0 >= 0 } && places == places.sorted(), "\(places): \(names)")
    }

    /// The defect: an async main could not use the class.
    func testATaskStartsAWatchOnAThreadsLoop() {
        let stalls = Shared<[StallWatch.Stall]>([]), worker = RunLoop.Worker()
        waitForTask {
            let watch = try await StallWatch.started(on: worker.thread, threshold: 0.05, log: false) { stalls.append($0) }
            worker.perform { dawdle { !stalls.value.isEmpty } }
            XCTAssert(eventually { !stalls.value.isEmpty })
            try await worker.run { watch.stop() }
            XCTAssertEqual(watch.stallCount, 1)
        }
    }

    /// The signal ends a sleep, and with it the stall. The stall has lasted for the threshold, so it is reported, with the stack that the
    /// signal found.
    func testAStallThatTheSampleEndsIsReportedWithItsStack() {
        let stalls = Shared<[StallWatch.Stall]>([])
        onThread {
            let diagnostics = StallWatch(threshold: 0.1, log: false) { stalls.append($0) }
            diagnostics.start()
            RunLoop.current.add(Timer(timeInterval: 0.01, repeats: false) { _ in usleep(500_000) }, forMode: .default)
            RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 30))
            XCTAssert(eventually { !stalls.value.isEmpty })
            diagnostics.stop()
        }
        XCTAssertEqual(stalls.value.count, 1)
        XCTAssert(stalls.value[0].addresses.isEmpty || stalls.value[0].stack.contains { ($0.function ?? "").contains("__CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER") })
    }

    /// The line names the thread, the activity, and the functions up to the callout.
    func testAStallWritesALine() throws {
        let hasStalled = Shared(false)
        let output = try errorOutput {
            onThread { [self] in
                Thread.current.name = "drawing"
                let diagnostics = StallWatch(threshold: 0.1) { _ in hasStalled.value = true }
                diagnostics.start()
                stall { hasStalled.value }
                diagnostics.stop()
            }
        }
        let line = try XCTUnwrap(output.split(separator: "\n").first { $0.hasPrefix("StallWatch: ") })
        XCTAssert(line.contains("thread drawing has made no progress for ") && line.contains("since AfterWaiting in kCFRunLoopDefaultMode: in "), "\(line)")
        XCTAssert(line.contains("dawdle"), "\(line)")
        XCTAssertFalse(line.contains("__CFRUNLOOP"), "\(line)")
    }

    private func errorOutput(of body: () -> Void) throws -> String {
        let pipe = Pipe(), saved = dup(STDERR_FILENO)
        dup2(pipe.fileHandleForWriting.fileDescriptor, STDERR_FILENO)
        body()
        dup2(saved, STDERR_FILENO)
        close(saved)
        try pipe.fileHandleForWriting.close()
        return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }

    /// The defect: a record kept 56 bits of the time. On a system that had been up for 834 days, every callout was a stall of 834 days.
    func testARecordHasTheTimeOfASystemThatHasBeenUpForYears() {
        for days in [0, 1, 833, 835, 200_000] as [UInt64] {
            let time = days * 86_400_000_000_000 + 1000
            for activity in [RunLoop.Observer.Activity.exit, .entry, nil] {
                let record = StallWatch.Record(time: time, activity: activity)
                XCTAssertEqual(record.activity, activity)
                XCTAssert(record.time <= time && time - record.time < 256, "\(days) days: \(record.time)")
            }
        }
    }

    func testALoopThatSleepsOrDoesNotRunIsNoStall() {
        let stalls = Shared(0)
        onThread {
            let diagnostics = StallWatch(threshold: 0.1, log: false) { _ in stalls.value += 1 }
            diagnostics.start()
            RunLoop.current.add(Port(), forMode: .default)
            RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.3)) // asleep
            usleep(300_000) // outside a run
            diagnostics.stop()
        }
        XCTAssertEqual(stalls.value, 0)
    }

    /// A watching thread must not send a signal to a thread that has ended.
    func testTheEndOfTheThreadEndsTheWatchingWithoutStop() {
        let token = WeakReference<StallWatch>()
        for _ in 0..<20 {
            onThread {
                let diagnostics = StallWatch(threshold: 0.001, log: false)
                token.object = diagnostics
                diagnostics.start()
                RunLoop.current.add(Timer(timeInterval: 0.001, repeats: false) { _ in usleep(3000) }, forMode: .default)
                RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 1))
            }
            XCTAssert(eventually { token.object == nil })
        }
    }

    func testStopMayBeCalledInTheClosure() {
        let diagnostics = Shared<StallWatch?>(nil), isStopped = Shared(false)
        onThread { [self] in
            diagnostics.value = StallWatch(threshold: 0.1, log: false) { _ in
                diagnostics.value?.stop()
                isStopped.value = true
            }
            diagnostics.value!.start()
            stall { isStopped.value }
            XCTAssertEqual(diagnostics.value!.stallCount, 1)
            diagnostics.value = nil // its closure retains the box that retains it
        }
    }

    /// The defect: the second of two calls returned while the closure was running.
    func testEachOfTwoStopsWaitsForTheClosure() {
        let isInClosure = Shared(false), mayReturn = Shared(false), stopCount = Shared(0)
        onThread { [self] in
            let diagnostics = StallWatch(threshold: 0.02, log: false) { _ in
                isInClosure.value = true
                XCTAssert(eventually { mayReturn.value })
            }
            diagnostics.start()
            stall { isInClosure.value }
            let stops = (1...2).map { _ in
                startThread {
                    diagnostics.stop()
                    XCTAssert(mayReturn.value)
                    stopCount.withLock { $0 += 1 }
                }
            }
            XCTAssert(stays(forMilliseconds: 30) { stopCount.value == 0 })
            mayReturn.value = true
            for stop in stops { stop.join() }
            diagnostics.stop()
        }
        XCTAssertEqual(stopCount.value, 2)
    }

    func testALoopCountsItsPassesAndTheTimeItHasSlept() {
        onThread {
            let loop = RunLoop.current
            XCTAssert(loop.passCount == 0 && loop.timeAsleep == 0)
            loop.add(Port(), forMode: .default)
            for _ in 1...3 { loop.runUntilStopped(in: .default, until: Date()) }
            XCTAssertEqual(loop.passCount, 3)
            XCTAssertEqual(loop.timeAsleep, 0)
            XCTAssert(eventually { // on a busy machine, a run may be over before it sleeps
                loop.runUntilStopped(in: .default, until: Date(timeIntervalSinceNow: 0.05))
                return loop.timeAsleep > 0.02
            })
            XCTAssertGreaterThan(loop.passCount, 3)
        }
    }

    // MARK: Thread's stack

    @inline(never)
    private func symbols() -> [String] {
        let symbols = Thread.callStackSymbols
        return symbols
    }

    func testTheCallStackSymbolsBeginWithTheCallerAndHaveALineForEachFrame() {
        let lines = symbols()
        XCTAssert(lines[0].hasPrefix("0   ") && lines[0].contains("symbols"), "a private function has a name: \(lines)")
        XCTAssert(lines[1].hasPrefix("1   "), "\(lines)")
        XCTAssert(lines.contains { $0.contains(".so") && $0.contains("XCTest.XCTestCase.") }, "the dynamic linker knows what a library exports: \(lines)")
        let addresses = Thread.callStackReturnAddresses
        XCTAssertEqual(addresses.count, lines.count - 1)
        for (index, line) in lines.enumerated() {
            guard let match = line.wholeMatch(of: /(\d+ +)([^ \/]+)  0x([0-9a-f]{16}) (.+)/), let address = UInt(match.3, radix: 16) else {
                XCTFail(line)
                continue
            }
            XCTAssertEqual(match.1, Substring("\(index)".padding(toLength: 4, withPad: " ", startingAt: 0)))
            if index > 1 { XCTAssertEqual(address, addresses[index - 1], line) } // the two innermost ones are elsewhere by now
            guard let place = Self.place(of: address - 1) else { continue }
            XCTAssertEqual(String(match.2), place.file)
            if let start = place.start { XCTAssert(match.4.hasSuffix(" + \(address - start)"), line) }
        }
    }

    /// What the dynamic linker knows of an address: the file, and the beginning of the function if the file exports it.
    private static func place(of address: UInt) -> (file: String, start: UInt?)? {
        let dladdr = unsafeBitCast(dlsym(nil, "dladdr")!, to: (@convention(c) (UInt, UnsafeMutableRawPointer) -> Int32).self) // not in Swift's Glibc
        var info: (file: UnsafePointer<CChar>?, base: UInt, name: UnsafePointer<CChar>?, start: UInt) = (nil, 0, nil, 0) // Dl_info
        guard dladdr(address, &info) != 0, let path = info.file else { return nil }
        return (String(cString: path).split(separator: "/").last.map(String.init) ?? "", info.name == nil ? nil : info.start)
    }

    @inline(never)
    private func addresses() -> [UInt] {
        let addresses = Thread.callStackReturnAddresses
        return addresses
    }

    func testTheFramesOfACallStackNameEachFunction() {
        let frames = addresses().map { StackFrame(address: $0, isReturnAddress: true) }, names = frames.map { $0.function ?? "?" }
        XCTAssert(names[0].contains("addresses() -> "), "\(names)")
        XCTAssert(names[1].contains(#function.dropLast(2)), "\(names)")
        XCTAssert(names.contains("main") && frames.contains { $0.file?.contains(".so") == true }, "\(frames)")
    }

    // MARK: - The sampler

    private func skipWhereSignalsWait() throws {
        try skip(under: .thread, because: "it calls a handler only when the thread makes a system call, and from another frame")
    }

    /// Calls `sampler` while another thread is in `body`, which ends when its argument is true.
    private func sample(_ body: @escaping (Shared<Bool>) -> Void, from sampler: (SystemThread) -> Void) {
        let thread = Shared<SystemThread?>(nil), isOver = Shared(false)
        let worker = startThread {
            thread.value = .current
            body(isOver)
        }
        XCTAssert(eventually { thread.value != nil })
        sampler(thread.value!)
        isOver.value = true
        worker.join()
    }

    func testA5_TheStackOfAComputingThreadIsReadInPlace() throws {
        try skipWhereSignalsWait()
        sample { isOver in computeUntil { isOver.value } } from: { thread in
            XCTAssert(eventually { computes(thread) })
            for _ in 0..<20 { XCTAssert(computes(thread)) }
        }
    }

    private func names(of thread: SystemThread) -> [String] { thread.addresses.compactMap { StackFrame(address: $0, isReturnAddress: true).function } }

    private func computes(_ thread: SystemThread) -> Bool {
        names(of: thread).contains { $0.contains("computeUntil") }
    }

    /// The read resumes after the signal, and the stack contains it.
    func testA5_AThreadThatWaitsInASystemCallIsNotDisturbed() throws {
        try skipWhereSignalsWait()
        let pipe = TestPipe(), result = Shared("")
        sample { _ in result.value = readText(pipe.reading) } from: { thread in
            XCTAssert(eventually { names(of: thread).contains { $0.hasSuffix("read") } })
            for _ in 0..<100 { XCTAssertFalse(thread.addresses.isEmpty) }
            pipe.write("!")
        }
        XCTAssertEqual(result.value, "!")
    }

    func testA5_AThreadThatBlocksTheSignalIsGivenUp() throws {
        try skipWhereSignalsWait()
        let isReady = Shared(false), isBlocked = Shared(true)
        sample { isOver in
            setUrgentBlocked(true)
            isReady.value = true
            while isBlocked.value { usleep(1000) }
            setUrgentBlocked(false) // the signal arrives only now, when no thread waits for the stack
            while !isOver.value { usleep(1000) }
        } from: { thread in
            XCTAssert(eventually { isReady.value })
            XCTAssertEqual(thread.addresses, [])
            isBlocked.value = false
            XCTAssert(eventually { !thread.addresses.isEmpty })
        }
    }

    // MARK: - The monitor

    /// A monitor of a separate thread, and its reports.
    private final class Watched: @unchecked Sendable {
        let log = EventList()
        private let thread = Worker.started()
        private(set) var monitor: StallWatch!

        init(threshold: Double) throws {
            try skip(under: .thread, because: "it delays signals, so there are no stacks")
            try perform { [self] in
                monitor = StallWatch(threshold: threshold, log: false) { [log] stall in
                    log.add("stall after \(stall.activity)")
                    if stall.duration < threshold || stall.addresses.isEmpty { log.add("too early, or without a stack: \(stall)") }
                } onEnd: { [log] _ in log.add("end") }
                monitor.start()
            }
        }

        func perform(_ body: @escaping @Sendable () -> Void) throws { try thread.performAndWait { body() } }

        /// How often the watching thread has gone to sleep, by the kernel's count.
        var wakeUps: Int {
            for task in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? [] {
                guard let status = try? String(contentsOfFile: "/proc/self/task/\(task)/status", encoding: .utf8), status.hasPrefix("Name:\tStallWatch\n") else { continue }
                return status.firstMatch(of: /\nvoluntary_ctxt_switches:\s+(\d+)/).flatMap { Int($0.1) } ?? 0
            }
            return 0
        }

        func stop() {
            monitor.stop()
            thread.stop()
        }
    }

    func testA5_ASleepingLoopWakesNoWatcher() throws {
        let watched = try Watched(threshold: 0.1)
        func isQuiet(forMilliseconds milliseconds: Int) -> Bool {
            let before = watched.wakeUps
            return stays(forMilliseconds: milliseconds) { watched.wakeUps == before }
        }
        XCTAssert(eventually { watched.wakeUps > 0 }, "the watching thread goes to sleep")
        XCTAssert((0..<20).contains { _ in isQuiet(forMilliseconds: 200) }, "the first wake-ups come to an end")
        let before = watched.log.all
        XCTAssert(isQuiet(forMilliseconds: 1000), "and no others come")
        XCTAssertEqual(watched.log.all, before, "a sleep is no stall")
        watched.stop()
    }

    func testA5_ABusyLoopWakesTheWatcherTwiceAThresholdAtMost() throws {
        let watched = try Watched(threshold: 0.5), start = Date(), passes = Shared(0)
        func time() -> TimeInterval { Date().timeIntervalSince(start) }
        while time() < 1 || (time() < 30 && passes.value <= 100) { try watched.perform { passes.value += 1 } }
        let wakeUps = watched.wakeUps, time = time()
        XCTAssertGreaterThan(passes.value, 100)
        XCTAssertLessThan(Double(wakeUps), 8 + 2 * time / 0.5)
        watched.stop()
    }

    func testA5_EachStallIsReportedOnce() throws {
        let watched = try Watched(threshold: 0.25)
        for _ in 0..<2 {
            let before = watched.log.all.filter { $0 == "end" }.count
            try watched.perform { [log = watched.log] in
                let count = log.all.count
                _ = eventually { log.all.count != count }
                _ = stays(forMilliseconds: 750) { log.all.count == count + 1 } // several thresholds more; the log is checked at the end
            }
            XCTAssert(eventually { watched.log.all.filter { $0 == "end" }.count == before + 1 })
        }
        XCTAssertEqual(watched.log.all, ["stall after BeforeSources", "end", "stall after BeforeSources", "end"])
        watched.stop()
    }

    /// Observers of BeforeWaiting run before the sleep, so their time counts as a stall.
    func testA5_AnObserverThatStallsBeforeTheSleepIsSeen() throws {
        let watched = try Watched(threshold: 0.25)
        try watched.perform { [log = watched.log] in
            let slow = RunLoop.Observer(activities: .beforeWaiting, order: 2_000_000, repeats: false) { _, _ in
                _ = eventually { !log.all.isEmpty }
            }
            RunLoop.current.add(slow, forMode: .default)
        }
        XCTAssert(eventually { watched.log.all == ["stall after BeforeWaiting", "end"] }, "\(watched.log.all)")
        watched.stop()
    }

    /// This mode is not common, but the monitor finds it.
    func testA5_ANestedRunInAModeOfItsOwnMaySleepAndMayStall() throws {
        let watched = try Watched(threshold: 0.25)
        try watched.perform { [log = watched.log] in
            let loop = RunLoop.current, nested = RunLoop.Mode("nested")
            loop.add(Port(), forMode: nested)
            loop.run(mode: nested, before: Date(timeIntervalSinceNow: 0.5))
            log.add("slept")
            loop.add(Timer(timeInterval: 0, repeats: false) { _ in _ = eventually { log.all != ["slept"] } }, forMode: nested)
            loop.run(mode: nested, before: Date(timeIntervalSinceNow: 0.5))
        }
        XCTAssert(eventually { watched.log.all.count == 3 }, "\(watched.log.all)")
        XCTAssertEqual(watched.log.all, ["slept", "stall after AfterWaiting", "end"])
        watched.stop()
    }

    func testA5_AMonitorMayBeStoppedWithinAStall() throws {
        let watched = try Watched(threshold: 0.25)
        try watched.perform {
            _ = eventually { !watched.log.all.isEmpty }
            watched.monitor.stop()
        }
        XCTAssert(stays(forMilliseconds: 500) { watched.log.all == ["stall after BeforeSources"] }, "no report comes after the stop")
        watched.stop()
    }
}

@inline(never)
private func computeUntil(_ isOver: () -> Bool) {
    var number = 1.0
    while !isOver() { number = (number * 1.000001).truncatingRemainder(dividingBy: 255) }
    withExtendedLifetime(number) {}
}

private func setUrgentBlocked(_ isBlocked: Bool) {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGURG)
    pthread_sigmask(isBlocked ? SIG_BLOCK : SIG_UNBLOCK, &set, nil)
}

extension SystemThread {
    /// The addresses on the stack of another thread.
    fileprivate var addresses: [UInt] { stack(mostFrames: 256, milliseconds: 1000) }
}
