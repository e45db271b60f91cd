import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Thread
import SwiftRunLoop
import XCTest

/// The one queue behind all forms of perform: what it costs, whom it calls, and how each wait ends.
final class CallQueueTests: XCTestCase {
    fileprivate final class Target: Performing {
        var calls: [Int] = []
        func call(_ number: Int) { calls.append(number) }
        func bare() { calls.append(-1) }
    }

    // MARK: Cost

    /// Requests calls of three orders, cancels a third of them, and makes the others.
    /// - Returns: the seconds.
    private func seconds(forCalls count: Int, cancel: (RunLoop, Target, [PerformRequest]) -> Void) -> Double {
        let loop = RunLoop.current, target = Target(), start = processorSeconds()
        let requests = (0..<count).map { loop.perform(Target.call, target: target, argument: $0, order: $0 % 3 == 0 ? 1 : $0 % 3 == 1 ? -1 : 0, modes: [.default]) }
        cancel(loop, target, requests)
        loop.run(mode: .default, before: .distantPast)
        let seconds = processorSeconds() - start
        let left = (0..<count).filter { $0 / 3 % 3 != 0 }
        XCTAssertEqual(target.calls, left.filter { $0 % 3 == 1 } + left.filter { $0 % 3 == 2 } + left.filter { $0 % 3 == 0 })
        XCTAssertFalse(loop.run(mode: .default, before: .distantPast), "nothing waits")
        return seconds
    }

    /// The defect: 16,000 calls took 7.1 seconds, because each was searched for among all others.
    func testTwentyThousandCallsOfThreeOrdersOfWhichAThirdIsCancelledTakeLinearTime() {
        onThread {
            for (name, cancel) in [
                ("one by one", { _, _, requests in for (number, request) in requests.enumerated() where number / 3 % 3 == 0 { request.cancel() } }),
                ("the newest first", { _, _, requests in
                    for (number, request) in requests.enumerated().reversed() where number / 3 % 3 == 0 { request.cancel() }
                }),
                ("by argument", { loop, target, requests in
                    for number in requests.indices where number / 3 % 3 == 0 { loop.cancelPerform(target: target, argument: number) }
                }),
            ] as [(String, (RunLoop, Target, [PerformRequest]) -> Void)] {
                _ = self.seconds(forCalls: 1000, cancel: cancel)
                let few = (0..<3).map { _ in self.seconds(forCalls: 5000, cancel: cancel) }.min()!
                let many = (0..<3).map { _ in self.seconds(forCalls: 20_000, cancel: cancel) }.min()!
                XCTAssertLessThan(many, 8 * few + 0.02, // 4 times as many; a square would be 16 times the cost
                                  "\(name): 5,000 calls take \(few) seconds")
            }
        }
    }

    func testManyTargetsOfWhichAThirdIsCancelledTakeLinearTime() {
        onThread {
            func seconds(_ count: Int) -> Double {
                let loop = RunLoop.current, targets = (0..<count).map { _ in Target() }, start = processorSeconds()
                for (number, target) in targets.enumerated() {
                    loop.perform(Target.bare, target: target, order: number % 3, modes: [.default])
                    target.perform(Target.bare, afterDelay: 0)
                }
                for number in stride(from: 0, to: count, by: 3) {
                    loop.cancelPerformSelectors(withTarget: targets[number])
                    Target.cancelPreviousPerformRequests(withTarget: targets[number])
                }
                let other = count - (count + 2) / 3
                while targets.reduce(0, { $0 + $1.calls.count }) < 2 * other { loop.run(mode: .default, before: Date() + 1) }
                for (number, target) in targets.enumerated() { XCTAssertEqual(target.calls.count, number % 3 == 0 ? 0 : 2) }
                return processorSeconds() - start
            }
            let few = (0..<3).map { _ in seconds(2000) }.min()!, many = (0..<3).map { _ in seconds(8000) }.min()!
            XCTAssertLessThan(many, 8 * few + 0.05, "2,000 targets take \(few) seconds")
        }
    }

    /// Calls of low numbers that request themselves again forever do not keep a call of a high number waiting.
    func testACallOfAHighNumberIsMadeInTheNextPassUnderALoadThatNeverEnds() {
        onThread {
            final class Load {
                var calls = 0
                func again() {
                    calls += 1
                    for order in [-1, 0] where calls < 10_000 { RunLoop.current.perform(Load.again, target: self, order: order, modes: [.default]) }
                }
            }
            let load = Load(), patient = Target()
            RunLoop.current.perform(Load.again, target: load, order: 0, modes: [.default])
            for _ in 0..<5 { RunLoop.current.run(mode: .default, before: .distantPast) }
            RunLoop.current.perform(Target.bare, target: patient, order: .max, modes: [.default])
            let before = load.calls
            RunLoop.current.run(mode: .default, before: .distantPast)
            XCTAssertEqual(patient.calls, [-1])
            XCTAssertGreaterThan(load.calls, before, "the load goes on")
        }
    }

    // MARK: Nothing of a client's runs under the lock

    func testArgumentsAreComparedAndReleasedAndCallsEndedWithoutTheLock() {
        onThread {
            let loop = RunLoop.current, target = Target(), log = EventList()
            /// Each of its methods uses the queue, which would not return if it were locked.
            final class Argument: Hashable {
                let log: EventList, number: Int
                init(_ log: EventList, _ number: Int) { (self.log, self.number) = (log, number) }
                func use(_ name: String) {
                    log.add(name)
                    let request = RunLoop.current.perform(Target.bare, target: Target(), order: 0, modes: [.default])
                    request.cancel()
                }
                static func == (left: Argument, right: Argument) -> Bool {
                    left.use("==")
                    return left.number == right.number
                }
                func hash(into hasher: inout Hasher) {
                    use("hash")
                    hasher.combine(number % 2)
                }
                deinit { use("deinit") }
            }
            struct Value: Hashable { let argument: Argument } // an object is compared by identity
            final class Taker { func take(_ value: Value) { value.argument.use("call") } }
            let taker = Taker()
            for number in 0..<4 { loop.perform(Taker.take, target: taker, argument: Value(argument: Argument(log, number)), order: 0, modes: [.default, .common]) }
            loop.cancelPerform(target: taker, argument: Value(argument: Argument(log, 2)))
            XCTAssertEqual(Set(log.takeAll()), ["hash", "==", "deinit"])
            loop.run(mode: .default, before: .distantPast)
            XCTAssertEqual(log.all.count { $0 == "call" }, 3)
            XCTAssertEqual(log.all.count { $0 == "deinit" }, 3)
            XCTAssertEqual(target.calls, [])
        }
    }

    // MARK: Tasks

    /// The defect: of 1,000 calls of tasks that were cancelled already, the main loop made 709. The loops run meanwhile, and calls of other
    /// tasks are made, so that this test cannot pass because nothing runs.
    func testNoCallOfATaskThatIsCancelledAlreadyIsMade() {
        let worker = Worker.started()
        for form in RunForm.allCases {
            let made = Shared(0), others = Shared(0), cancelled = Shared(0), isOver = Shared(false)
            Task.detached {
                async let isCancelled: Void = Task {
                    withUnsafeCurrentTask { $0!.cancel() }
                    for _ in 0..<10_000 {
                        do { try await form.run(worker) { made.withLock { $0 += 1 } } } catch {
                            if error is CancellationError { cancelled.withLock { $0 += 1 } }
                        }
                    }
                }.value
                async let isNot: Void = Task { for _ in 0..<100 { try? await form.run(worker) { others.withLock { $0 += 1 } } } }.value
                _ = await (isCancelled, isNot)
                isOver.value = true
            }
            XCTAssert(runLoop { isOver.value }, "\(form)")
            XCTAssertEqual(made.value, 0, "\(form)")
            XCTAssertEqual(cancelled.value, 10_000, "\(form)")
            XCTAssertEqual(others.value, 100, "\(form)")
        }
        worker.stop()
    }

    /// Each wait ends once: with the call, with the cancellation of the task or with the thread.
    func testEachWaitEndsOnceHoweverCallsCancellationsAndTheThreadsEndMeet() {
        for form in [RunForm.thread, .loop] {
            for round in 0..<20 {
                let worker = Worker.started(), made = Shared(0)
                waitForTask {
                    let ends = await withTaskGroup(of: String.self) { group in
                        for number in 0..<60 {
                            group.addTask {
                                let call = Task { () -> String in
                                    do {
                                        try await form.run(worker, in: number % 4 == 0 ? RunLoop.Mode("never runs") : .common) { made.withLock { $0 += 1 } }
                                        return "made"
                                    } catch { return error is CancellationError ? "cancelled" : error is PerformError ? "ended" : "\(error)" }
                                }
                                if number % 3 == 0 { call.cancel() }
                                return await call.value
                            }
                        }
                        if round % 2 == 0 { try? await Task.sleep(nanoseconds: UInt64(round) * 20_000) }
                        worker.stop()
                        return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
                    }
                    XCTAssertEqual(ends["made", default: 0], made.value)
                    XCTAssertEqual(ends.values.reduce(0, +), 60)
                    XCTAssertEqual(Set(ends.keys).subtracting(["made", "cancelled", "ended"]), [])
                    XCTAssertGreaterThan(ends["ended", default: 0], 0, "those in the mode that never runs")
                }
            }
        }
    }

    // MARK: The sources

    /// A call whose source was the only item of its mode leaves the mode empty, even if another thread cancels it.
    func testTheSourceOfOrderedCallsLeavesWithTheLastOne() {
        onThread {
            let loop = RunLoop.current, target = Target(), mode = RunLoop.Mode("CallQueueTests")
            let requests = (0..<3).map { loop.perform(Target.call, target: target, argument: $0, order: -$0, modes: [mode, .default]) }
            requests[1].cancel()
            XCTAssertEqual(requests.map(\.isPending), [true, false, true])
            XCTAssert(loop.run(mode: mode, before: .distantPast))
            XCTAssertEqual(target.calls, [2, 0])
            XCTAssertFalse(requests.contains(where: \.isPending))
            XCTAssertFalse(loop.run(mode: mode, before: .distantPast))
            XCTAssertFalse(loop.run(mode: .default, before: .distantPast))
            let other = loop.perform(Target.bare, target: target, order: 0, modes: [mode])
            Thread.detachNewThread { other.cancel() }
            XCTAssert(eventually { !other.isPending })
            XCTAssert(eventually { !loop.description.contains("__NSThreadPerformPerform") })
            XCTAssertEqual(loop.run(mode: mode, before: .distantPast), false)
        }
    }

    /// The order of a call for a thread is 0.
    func testCallsForTheThreadAreSortedAmongTheOrderedOnes() {
        onThread {
            let log = EventList(), loop = RunLoop.current
            final class Logger { func add(_ name: String) { log.add(name) }; let log: EventList; init(_ log: EventList) { self.log = log } }
            let logger = Logger(log)
            try? Thread.perform(on: .current, waitUntilDone: false, modes: [.default]) { log.add("thread") }
            loop.perform(Logger.add, target: logger, argument: "late", order: 1, modes: [.default])
            loop.perform(Logger.add, target: logger, argument: "early", order: -1, modes: [.common])
            loop.perform(Logger.add, target: logger, argument: "same", order: 0, modes: [.common])
            loop.run(mode: .default, before: .distantPast)
            XCTAssertEqual(log.all, ["early", "thread", "same", "late"])
        }
    }
}
