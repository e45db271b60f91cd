import class SwiftRunLoop.Port
import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Thread
import class SwiftRunLoop.Timer
import SwiftRunLoopAsync
import TestSupport
import XCTest

/// What is left of many timers, ports, sources, jobs and workers, whichever way they end: nothing.
final class LeftBehindTests: XCTestCase {
    /// Counts the closures that are there.
    private final class Count: Sendable {
        private let number = Shared(0)
        var value: Int { number.value }

        func token() -> Held { Held(self) }

        final class Held: Sendable {
            private let count: Count

            fileprivate init(_ count: Count) {
                self.count = count
                count.number.withLock { $0 += 1 }
            }

            deinit { count.number.withLock { $0 -= 1 } }
        }
    }

    private static func lines(of loop: RunLoop) -> Int { loop.description.split(separator: "\n").count }

    private static var threads: Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0 }

    /// Makes items in thousands and ends each thousand in another way.
    private func check(_ name: String, _ make: @escaping @Sendable (Count.Held) -> RunLoop.Item) {
        let count = Count(), mode = RunLoop.Mode("LeftBehindTests")
        let ends: [@Sendable (RunLoop, [RunLoop.Item]) -> Void] = [
            { _, items in for item in items { item.invalidate() } },
            { _, items in for item in items.reversed() { item.invalidate() } },
            { loop, items in for item in items { loop.remove(item, forMode: mode) } },
            { loop, items in
                for item in items.shuffled() {
                    loop.remove(item, forMode: mode)
                    item.invalidate()
                }
            },
        ]
        withLoopThread { thread in
            thread.loop.add(Port(), forMode: mode) // the mode is there from now on
            let before = Self.lines(of: thread.loop)
            for round in 0..<100 {
                let items = (0..<1000).map { _ in make(count.token()) }
                for item in items { thread.loop.add(item, forMode: mode) }
                ends[round % ends.count](thread.loop, items)
            }
            XCTAssertEqual(Self.lines(of: thread.loop), before, name)
            XCTAssertEqual(count.value, 0, name)
        }
    }

    func testNothingIsLeftOfAHundredThousandTimers() {
        check("timers") { held in Timer(timeInterval: 1000, repeats: true) { _ in withExtendedLifetime(held) {} } }
    }

    func testNothingIsLeftOfAHundredThousandSources() {
        check("sources") { held in RunLoop.Source { withExtendedLifetime(held) {} } }
    }

    func testNothingIsLeftOfAHundredThousandPorts() {
        final class Holder: Port, @unchecked Sendable {
            let held: Count.Held

            init(_ held: Count.Held) {
                self.held = held
                super.init()
            }
        }
        check("ports") { Holder($0) }
    }

    /// Actors whose executor is a loop that goes on.
    func testNothingIsLeftOfTheJobsOfAHundredThousandActors() {
        actor Short {
            nonisolated let loop: RunLoop
            nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
            private let held: Count.Held

            init(_ loop: RunLoop, _ held: Count.Held) { (self.loop, self.held) = (loop, held) }

            func answer() -> Int { 1 }
        }
        let count = Count()
        withLoopThread { thread in
            var answers = await Short(thread.loop, count.token()).answer()
            await thread.finishPass()
            let before = Self.lines(of: thread.loop)
            for _ in 1..<100_000 { answers += await Short(thread.loop, count.token()).answer() }
            XCTAssertEqual(answers, 100_000)
            XCTAssert(eventually { Self.lines(of: thread.loop) == before && count.value == 0 }, "\(count.value) actors are left")
        }
    }

    /// The workers end in six ways, one of them with a job that has yet to run. A thread costs more than an item, so there are
    /// a few thousand, unless the environment says how many: `.ci/run --all` makes a hundred thousand.
    func testNothingIsLeftOfThousandsOfWorkers() throws {
        try skip(under: .thread, .address, because: "a thread costs ten times as much")
        let workers = ProcessInfo.processInfo.environment["LEFT_BEHIND_WORKERS"].flatMap { Int($0) } ?? 5000
        let count = Count(), descriptors = openDescriptorCount(), threads = Self.threads
        for round in 0..<workers {
            let worker = RunLoop.Worker(name: "left behind", stackSize: 1 << 17), held = count.token()
            worker.loop.add(Timer(timeInterval: 1000, repeats: true) { _ in withExtendedLifetime(held) {} }, forMode: .default)
            switch round % 6 {
            case 0: break // the last reference goes here
            case 1: worker.perform { withExtendedLifetime(worker) {} } // the last reference may go on its own thread
            case 2: worker.stop()
            case 3:
                worker.stop()
                worker.thread.join()
            case 4:
                Task(executorPreference: worker.loop) { withExtendedLifetime(held) {} }
                worker.stop()
            default:
                worker.perform { withExtendedLifetime(held) {} }
                worker.stop()
                worker.stop()
            }
        }
        XCTAssert(eventually { count.value == 0 && Self.threads <= threads + 8 }, "\(count.value) workers and \(Self.threads) threads")
        XCTAssert(eventually { openDescriptorCount() <= descriptors + 16 }, "\(openDescriptorCount()) descriptors, before: \(descriptors)")
    }

    /// Each call takes memory that is to be given back. What would stay of thousands is seen in the memory of the process. (The defect:
    /// something of each loop stayed that had performed calls.)
    func testNothingIsLeftOfTheMemoryOfThousandsOfCalls() throws {
        try skip(under: .thread, .address, because: "it keeps what was freed")
        let mode = RunLoop.Mode("LeftBehindTests.calls"), worker = RunLoop.Worker()
        func check(_ name: String, _ count: Int, line: UInt = #line, _ call: () -> Void) {
            let growths = (1...4).map { _ in // something else may need memory in one of these rounds
                let before = pagesOfThisProcess().inMemory
                for _ in 1...count { call() }
                return pagesOfThisProcess().inMemory - before
            }
            XCTAssertLessThan(growths.min()!, 30, "\(name): \(growths) pages", line: line)
        }
        check("a call that is awaited", 5000) { try! worker.thread.performAndWait {} }
        check("items", 2000) {
            let items = [Timer(timeInterval: 1, repeats: true) { _ in }, RunLoop.Source {}, RunLoop.Observer { _, _ in }, Port()]
            for item in items { worker.loop.add(item, forMode: mode) }
            for item in items { item.invalidate() }
        }
        check("descriptions", 1000) { XCTAssertNotEqual(RunLoop.Source {}.description, "") }
        check("stacks", 100) { XCTAssertGreaterThan(Thread.callStackSymbols.count, 1) }
        check("a thread's loop and its calls", 2000) {
            let thread = Thread { RunLoop.current.run(mode: mode, before: .distantPast) }
            thread.name = "left behind"
            thread.perform(inModes: [mode]) {}
            thread.start()
            thread.join()
        }
        worker.stop()
        worker.thread.join()
    }
}
