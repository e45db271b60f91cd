import Glibc
import class SwiftRunLoop.RunLoop
import TestSupport
import XCTest

/// `RunLoop.signals(_:mode:)`.
final class SignalsTests: XCTestCase {
    private static func isDefault(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        return action.__sigaction_handler.sa_handler == nil
    }

    func testEachSignalArrivesByItsNumberAndItsActionReturnsAfterwards() {
        let thread = LoopThread(isKeptAlive: false)
        XCTAssert(Self.isDefault(SIGUSR1) && Self.isDefault(SIGUSR2))
        let others = (1...31).filter { ![SIGUSR1, SIGUSR2].contains($0) && Self.isDefault($0) }
        waitForTask {
            let signals = try thread.loop.signals(SIGUSR1, SIGUSR2)
            XCTAssertFalse(Self.isDefault(SIGUSR1) || Self.isDefault(SIGUSR2))
            XCTAssertEqual(others.filter { !Self.isDefault($0) }, [], "signals that nobody waits for")
            thread.begin()
            kill(getpid(), SIGUSR2)
            var received: [Int32] = []
            for await signal in signals {
                received.append(signal)
                if received.count < 3 { kill(getpid(), SIGUSR1) } else { break }
            }
            XCTAssertEqual(received, [SIGUSR2, SIGUSR1, SIGUSR1])
        }
        XCTAssert(eventually { thread.runResult == .finished }, "the descriptor was the only item of the mode")
        XCTAssert(eventually { Self.isDefault(SIGUSR1) && Self.isDefault(SIGUSR2) })
        thread.stop()
    }

    func testALateTaskReceivesTheNewest64Signals() {
        withLoopThread { thread in
            let signals = try thread.loop.signals(SIGUSR1, SIGUSR2), handled = Shared(0)
            let source = try RunLoop.Source(signals: SIGUSR1, SIGUSR2) { _ in handled.withLock { $0 += 1 } }
            thread.loop.add(source, forMode: .default)
            for number in 1...66 {
                kill(getpid(), number <= 2 ? SIGUSR2 : SIGUSR1)
                XCTAssert(eventually { handled.value == number })
            }
            await thread.finishPass()
            kill(getpid(), SIGUSR2)
            var received: [Int32] = []
            for await signal in signals {
                received.append(signal)
                if signal == SIGUSR2 { break }
            }
            XCTAssertEqual(received, Array(repeating: SIGUSR1, count: received.count - 1) + [SIGUSR2])
            XCTAssert((64...65).contains(received.count), "\(received.count)")
            source.invalidate()
        }
    }

    func testEachSequenceReceivesTheSignalAndTheLastOneGivesItBack() {
        let thread = LoopThread(), other = LoopThread()
        waitForTask {
            var one: AsyncStream<Int32>? = try thread.loop.signals(SIGUSR1), two: AsyncStream<Int32>? = try other.loop.signals(SIGUSR1, SIGUSR2)
            kill(getpid(), SIGUSR1)
            var received: [Int32?] = []
            for stream in [one, two] {
                var iterator = stream!.makeAsyncIterator()
                received.append(await iterator.next())
            }
            XCTAssertEqual(received, [SIGUSR1, SIGUSR1])
            one = nil
            XCTAssert(eventually { !Self.isDefault(SIGUSR1) })
            kill(getpid(), SIGUSR1)
            var iterator = two!.makeAsyncIterator()
            let next = await iterator.next()
            XCTAssertEqual(next, SIGUSR1)
            two = nil
        }
        XCTAssert(eventually { Self.isDefault(SIGUSR1) && Self.isDefault(SIGUSR2) })
        thread.stop()
        other.stop()
    }

    /// A handler that the program has set itself comes back, too.
    func testAFormerHandlerComesBack() throws {
        let thread = LoopThread()
        signal(SIGUSR1, SIG_IGN)
        do {
            let stream = try thread.loop.signals(SIGUSR1)
            withExtendedLifetime(stream) {}
        }
        XCTAssert(eventually {
            var action = sigaction()
            sigaction(SIGUSR1, nil, &action)
            return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1 // SIG_IGN
        })
        signal(SIGUSR1, SIG_DFL)
        thread.stop()
    }

    func testACancelledTaskAndTheEndOfTheThreadEndTheSequence() {
        let thread = LoopThread(), received = Shared(0)
        waitForTask {
            let cancelled = Task { for await signal in try thread.loop.signals(SIGUSR1) { XCTFail("\(signal)") } }
            let ended = Task { for await _ in try thread.loop.signals(SIGUSR2) { received.withLock { $0 += 1 } } }
            XCTAssert(eventually { !Self.isDefault(SIGUSR1) && !Self.isDefault(SIGUSR2) })
            cancelled.cancel()
            try await cancelled.value
            XCTAssert(eventually { Self.isDefault(SIGUSR1) })
            kill(getpid(), SIGUSR2)
            XCTAssert(eventually { received.value == 1 })
            thread.stop()
            try await ended.value
            XCTAssertEqual(received.value, 1)
            XCTAssert(eventually { Self.isDefault(SIGUSR2) })
            for await signal in try thread.loop.signals(SIGUSR2) { XCTFail("after the end: \(signal)") }
            XCTAssert(eventually { Self.isDefault(SIGUSR2) })
        }
    }

    /// The pipes are used again, so many sequences one after the other open few descriptors.
    func testSequencesOneAfterTheOtherUseTheSameDescriptors() {
        withLoopThread { thread in
            let guardian = try thread.loop.signals(SIGUSR1) // so that a signal that comes too late does not end the process
            let before = openDescriptorCount()
            for _ in 0..<200 {
                let signals = try thread.loop.signals(SIGUSR1)
                kill(getpid(), SIGUSR1)
                for await signal in signals {
                    XCTAssertEqual(signal, SIGUSR1)
                    break
                }
            }
            withExtendedLifetime(guardian) {}
            XCTAssert(eventually { openDescriptorCount() <= before + 8 }, "\(openDescriptorCount()) descriptors, before: \(before)")
        }
    }

    // MARK: As a source

    func testASourceGetsEachSignalAndItsActionReturnsWithTheSource() throws {
        let mode = RunLoop.Mode("SignalsTests"), received = Shared<[Int32]>([])
        let source = try RunLoop.Source(signals: SIGUSR1, SIGUSR2) { received.append($0) }
        RunLoop.current.add(source, forMode: mode)
        kill(getpid(), SIGUSR2)
        kill(getpid(), SIGUSR1)
        XCTAssert(runLoop(in: mode) { received.value.count == 2 })
        XCTAssertEqual(received.value.sorted(), [SIGUSR1, SIGUSR2].sorted())
        XCTAssertFalse(Self.isDefault(SIGUSR1))
        source.invalidate()
        XCTAssert(Self.isDefault(SIGUSR1) && Self.isDefault(SIGUSR2))
        XCTAssert(isReleased { token in _ = try? RunLoop.Source(signals: SIGUSR1) { _ in withExtendedLifetime(token) {} } })
        XCTAssert(Self.isDefault(SIGUSR1), "a source that is in no loop goes with its last reference")
    }

    /// A handler that has had enough gets no other signal, although more have arrived.
    func testAHandlerThatInvalidatesItsSourceGetsNoOtherSignal() throws {
        let mode = RunLoop.Mode("SignalsTests"), count = Shared(0), made = Shared<RunLoop.Source?>(nil)
        let guardian = try RunLoop.Source(signals: SIGUSR1) { _ in }
        made.value = try RunLoop.Source(signals: SIGUSR1) { _ in
            count.value += 1
            made.value?.invalidate()
        }
        RunLoop.current.add(made.value!, forMode: mode)
        for _ in 0..<3 { kill(getpid(), SIGUSR1) }
        XCTAssert(runLoop(in: mode) { count.value > 0 })
        XCTAssertFalse(RunLoop.current.run(mode: mode, before: Date()))
        XCTAssertEqual(count.value, 1)
        withExtendedLifetime(guardian) {}
        made.value = nil
    }
}
