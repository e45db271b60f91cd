import Glibc
import RunLoopDiagnostics
import SwiftRunLoop
import XCTest

/// A C function, so that the names of static and exported functions of both languages are on the stack.
@inline(never)
private func dawdle(_ isDone: () -> Bool) {
    while !isDone() { usleep(1000) }
}

final class RunLoopDiagnosticsTests: XCTestCase {
    /// Runs the loop, whose timer does not return before `isDone`, or makes the calls of `then`.
    private func stall(until isDone: @escaping () -> Bool) {
        nonisolated(unsafe) let isDone = isDone
        RunLoop.current.add(Timer(timeInterval: 0.01, repeats: false) { _ in dawdle(isDone) }, forMode: .default)
        RunLoop.current.add(Timer(timeInterval: 0.02, repeats: false) { _ in }, forMode: .default)
        RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 30))
        RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 30))
    }

    func testAStallIsReportedOnceWhileItGoesOnWithTheStackOfTheThread() throws {
        let stalls = Shared<[RunLoopDiagnostics.Stall]>([]), ends = Shared<[TimeInterval]>([])
        onThread { [self] in
            let diagnostics = RunLoopDiagnostics(threshold: 0.1, log: false) { stalls.append($0) } onEnd: { ends.append($0) }
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

    /// The signal ends a sleep, and with it the stall. The stall has lasted for the threshold, so it is reported, with the stack that the
    /// signal found.
    func testAStallThatTheSampleEndsIsReportedWithItsStack() {
        let stalls = Shared<[RunLoopDiagnostics.Stall]>([])
        onThread {
            let diagnostics = RunLoopDiagnostics(threshold: 0.1, log: false) { stalls.append($0) }
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
                let diagnostics = RunLoopDiagnostics(threshold: 0.1) { _ in hasStalled.value = true }
                diagnostics.start()
                stall { hasStalled.value }
                diagnostics.stop()
            }
        }
        let line = try XCTUnwrap(output.split(separator: "\n").first { $0.hasPrefix("RunLoopDiagnostics: ") })
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
                let record = RunLoopDiagnostics.Record(time: time, activity: activity)
                XCTAssertEqual(record.activity, activity)
                XCTAssert(record.time <= time && time - record.time < 256, "\(days) days: \(record.time)")
            }
        }
    }

    func testALoopThatSleepsOrDoesNotRunIsNoStall() {
        let stalls = Shared(0)
        onThread {
            let diagnostics = RunLoopDiagnostics(threshold: 0.1, log: false) { _ in stalls.value += 1 }
            diagnostics.start()
            RunLoop.current.add(Port(), forMode: .default)
            RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.3)) // asleep
            usleep(300_000) // outside a run
            let mode = RunLoop.Mode("private") // not a common mode, so the observers are not in it
            RunLoop.current.add(Port(), forMode: mode)
            RunLoop.current.add(Timer(timeInterval: 0.001, repeats: false) { _ in
                RunLoop.current.run(mode, until: Date(timeIntervalSinceNow: 0.3))
            }, forMode: .default)
            RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.4))
            diagnostics.stop()
        }
        XCTAssertEqual(stalls.value, 0)
    }

    /// A watching thread must not send a signal to a thread that has ended.
    func testTheEndOfTheThreadEndsTheWatchingWithoutStop() {
        let token = Weak<RunLoopDiagnostics>()
        for _ in 0..<20 {
            onThread {
                let diagnostics = RunLoopDiagnostics(threshold: 0.001, log: false)
                token.object = diagnostics
                diagnostics.start()
                RunLoop.current.add(Timer(timeInterval: 0.001, repeats: false) { _ in usleep(3000) }, forMode: .default)
                RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 1))
            }
            XCTAssert(eventually { token.object == nil })
        }
    }

    func testStopMayBeCalledInTheClosure() {
        let diagnostics = Shared<RunLoopDiagnostics?>(nil), isStopped = Shared(false)
        onThread { [self] in
            diagnostics.value = RunLoopDiagnostics(threshold: 0.1, log: false) { _ in
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
            let diagnostics = RunLoopDiagnostics(threshold: 0.02, log: false) { _ in
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
            for _ in 1...3 { loop.run(.default, until: Date()) }
            XCTAssertEqual(loop.passCount, 3)
            XCTAssertEqual(loop.timeAsleep, 0)
            XCTAssert(eventually { // on a busy machine, a run may be over before it sleeps
                loop.run(.default, until: Date(timeIntervalSinceNow: 0.05))
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
        XCTAssert(lines.last!.contains(String(addresses.last!, radix: 16)))
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
}
