import CRunLoop
import FoundationEssentials
import Glibc
import class SwiftRunLoop.RunLoop
import TestSupport
import XCTest

/// `RunLoop.events(of:for:mode:)`.
final class DescriptorEventsTests: XCTestCase {
    private typealias Events = RunLoop.Source.Events

    func testEachEventArrivesAndWhatIsLeftUnreadIsReportedAgain() {
        withLoopThread { thread in
            let pair = TestSockets()
            let events = try thread.loop.events(of: pair.one)
            var received: [String] = []
            pair.send("ab")
            for await event in events {
                XCTAssertEqual(event, .readable)
                received.append(readText(pair.one, 1))
                if received.count == 2 { pair.send("c") }
                if received.count == 3 { break }
            }
            XCTAssertEqual(received, ["a", "b", "c"])
        }
    }

    /// Data that a busy task has not read, and a hang-up that it has not noticed, would wake a loop that waits for them in every pass.
    func testTheLoopSleepsWhileNoTaskAsksForTheNextEvent() {
        withLoopThread { thread in
            let pair = TestSockets()
            let events = try thread.loop.events(of: pair.one, for: [.readable, .hangUp])
            var iterator = events.makeAsyncIterator()
            pair.send("unread")
            XCTAssertLessThan(thread.passesOfASleep(), 5, "nothing is asked for yet")
            let first = await iterator.next()
            XCTAssertEqual(first, .readable)
            XCTAssertLessThan(thread.passesOfASleep(), 5, "data is unread")
            pair.closeOther()
            XCTAssertLessThan(thread.passesOfASleep(), 5, "the other end is gone")
            let second = await iterator.next()
            XCTAssertEqual(second, [.readable, .hangUp])
            XCTAssertLessThan(thread.passesOfASleep(), 5)
        }
    }

    func testWritableEventsComeWhenThereIsRoom() {
        withLoopThread { thread in
            let pair = TestSockets()
            var iterator = try thread.loop.events(of: pair.one, for: .writable).makeAsyncIterator()
            let block = [UInt8](repeating: 1, count: 1 << 16)
            var event = await iterator.next()
            XCTAssertEqual(event, .writable)
            var sent = 0
            while case let count = write(pair.one, block, block.count), count > 0 { sent += count }
            let received = Task.detached { () -> Int in
                var received = 0, buffer = [UInt8](repeating: 0, count: 1 << 16)
                while received < sent { received += max(0, read(pair.other, &buffer, buffer.count)) }
                return received
            }
            event = await iterator.next()
            XCTAssertEqual(event, .writable)
            XCTAssertGreaterThan(write(pair.one, block, 1), 0)
            let count = await received.value
            XCTAssertGreaterThanOrEqual(count, sent) // perhaps with the byte written above
        }
    }

    func testADescriptorForWhichNoLoopCanWaitHasNoSequence() {
        let file = open("/proc/self/exe", O_RDONLY)
        for (descriptor, code) in [(file, POSIXErrorCode.EPERM), (-1, .EBADF)] {
            XCTAssertThrowsError(try RunLoop.main.events(of: descriptor)) { XCTAssertEqual(($0 as? POSIXError)?.code, code) }
        }
        close(file)
    }

    func testTheSequenceOutlivesTheDescriptorThatItWasMadeFor() {
        withLoopThread { thread in
            let pair = TestSockets()
            let events = try thread.loop.events(of: pair.one)
            let copy = dup(pair.one)
            pair.closeOne()
            pair.send("a")
            for await event in events {
                XCTAssertEqual(event, .readable)
                break
            }
            close(copy)
        }
    }

    func testAnEventGoesToAllSequencesOfTheDescriptor() {
        withLoopThread { thread in
            let pair = TestSockets()
            let received = Shared(0)
            let tasks = try (0..<3).map { _ in
                let events = try thread.loop.events(of: pair.one)
                return Task {
                    for await _ in events {
                        received.withLock { $0 += 1 }
                        break
                    }
                }
            }
            pair.send("a")
            for task in tasks { await task.value }
            XCTAssertEqual(received.value, 3)
        }
    }

    /// Sequences begin and end, with tasks that are cancelled at any moment: the task that remains loses no event.
    func testCancelsAtAnyMomentLoseNoEvent() {
        withLoopThread { thread in
            let pair = TestSockets()
            let events = try thread.loop.events(of: pair.one)
            let remaining = Task { () -> Int in
                var count = 0
                for await _ in events {
                    count += readText(pair.one).utf8.count
                    if count >= 200 { break }
                }
                return count
            }
            for round in 0..<200 {
                let other = Task { for await _ in try thread.loop.events(of: pair.one) {} }
                if round % 3 == 0 { await Task.yield() }
                pair.send("x")
                other.cancel()
                try await other.value
            }
            let count = await remaining.value
            XCTAssertEqual(count, 200)
        }
    }
}
