import Dispatch
import FoundationEssentials
import Glibc
import class SwiftRunLoop.Port
import protocol SwiftRunLoop.PortDelegate
import class SwiftRunLoop.PortMessage
import class SwiftRunLoop.RunLoop
import XCTest

/// `Port.messages`.
final class PortMessagesTests: XCTestCase {
    private final class Receiver: PortDelegate, Sendable {
        let log = EventList()
        func handle(_ message: PortMessage) { log.add("\(message.msgid)") }
    }

    private static func send(_ number: Int, to port: Port, from reply: Port? = nil) -> Bool {
        port.send(before: .distantPast, msgid: number, components: [Data([UInt8(truncatingIfNeeded: number)])], from: reply, reserved: 0)
    }

    func testMessagesArriveInOrderWithTheirContents() {
        withLoopThread { thread in
            let port = Port(), reply = Port(), messages = port.messages
            thread.loop.add(port, forMode: .default)
            for number in 0..<100 { XCTAssert(Self.send(number, to: port, from: reply)) }
            var numbers: [UInt32] = []
            for await message in messages {
                XCTAssertEqual(message.components, [Data([UInt8(message.msgid)])])
                XCTAssert(message.replyPort === reply)
                numbers.append(message.msgid)
                if numbers.count == 100 { break }
            }
            XCTAssertEqual(numbers, Array(0..<100))
        }
    }

    /// While the task is busy, the loop takes no message, and does not spin although messages wait. The port's limit makes the sender wait.
    func testALateTaskHoldsTheSendersUpAndLosesNothing() {
        withLoopThread { thread in
            let port = Port()
            thread.loop.add(port, forMode: .default)
            var messages = port.messages.makeAsyncIterator()
            for number in 0..<Port.messageLimit { XCTAssert(Self.send(number, to: port)) }
            XCTAssertLessThan(thread.passesOfASleep(), 5)
            XCTAssertFalse(Self.send(-1, to: port), "there is no room")
            let last = Task { while !Self.send(Port.messageLimit, to: port) { try await Task.sleep(for: .milliseconds(1)) } }
            for number in 0...Port.messageLimit {
                let message = await messages.next()
                XCTAssertEqual(message?.msgid, UInt32(number))
            }
            try await last.value
        }
    }

    func testACancelledTaskEndsTheSequenceAndTheDelegateReceivesTheNextMessages() {
        let thread = LoopThread(), port = Port(), receiver = Receiver()
        port.setDelegate(receiver)
        thread.loop.add(port, forMode: .default)
        waitForTask {
            let received = EventList()
            let task = Task { for await message in port.messages { received.add("\(message.msgid)") } }
            while !received.all.contains("1") { // the delegate receives what comes before the iterator
                XCTAssert(Self.send(1, to: port))
                try await Task.sleep(for: .milliseconds(1))
            }
            let count = receiver.log.all.count
            task.cancel()
            await task.value
            XCTAssert(Self.send(2, to: port))
            XCTAssert(eventually { receiver.log.all.count > count })
            XCTAssert(eventually { receiver.log.all.last == "2" })
            XCTAssert(port.isValid)
        }
        XCTAssert(thread.loop.contains(port, forMode: .default), "the port stays in its loop")
        thread.stop()
        withExtendedLifetime(receiver) {}
    }

    func testWhenTheSequenceAndItsIteratorsHaveGoneTheMessagesThatWaitGoToTheDelegate() {
        withLoopThread { thread in
            let port = Port(), receiver = Receiver()
            port.setDelegate(receiver)
            thread.loop.add(port, forMode: .default)
            var sequence: AsyncStream<Port.Message>? = port.messages, iterator = sequence?.makeAsyncIterator()
            for number in 1...3 { XCTAssert(Self.send(number, to: port)) }
            let first = await iterator?.next()
            XCTAssertEqual(first?.msgid, 1)
            iterator = nil
            usleep(2000)
            XCTAssertEqual(receiver.log.all, [], "there is still the sequence")
            sequence = nil
            XCTAssert(eventually { receiver.log.all == ["2", "3"] })
            withExtendedLifetime(receiver) {}
        }
    }

    /// Tasks are cancelled while messages arrive, the port is invalidated and the thread ends: each iteration ends, and a task that was
    /// resumed twice would trap.
    func testEachIterationEndsWhateverEndsItFirst() {
        let begun = Shared(0), ended = Shared(0)
        for round in 0..<150 {
            let thread = LoopThread(), port = Port()
            thread.loop.add(port, forMode: .default)
            waitForTask {
                let tasks = (0..<6).map { _ in
                    begun.value += 1
                    return Task {
                        for await _ in port.messages {}
                        ended.withLock { $0 += 1 }
                    }
                }
                if round % 2 == 0 { await Task.yield() }
                _ = Self.send(1, to: port)
                for task in tasks.prefix(3) { task.cancel() }
                if round % 3 == 0 { port.invalidate() } else { thread.perform { RunLoop.current.stop() } }
                for task in tasks { await task.value }
                XCTAssert(eventually { !port.isValid })
                for await _ in port.messages { XCTFail("the port is invalid") }
            }
            thread.stop()
        }
        XCTAssertEqual(begun.value, ended.value)
    }

    /// Four threads send; one task receives, and another is replaced again and again.
    func testNoMessageIsLostOrReceivedTwice() {
        let thread = LoopThread(), port = Port(), messages = port.messages, senders = 4, each = 500
        thread.loop.add(port, forMode: .default)
        let received = Shared<[UInt32]>([])
        let threads = (0..<senders).map { sender in
            startThread {
                for number in 0..<each {
                    XCTAssert(port.send(before: .distantFuture, msgid: sender * each + number, components: nil, from: nil, reserved: 0))
                }
            }
        }
        waitForTask {
            let remaining = Task { for await message in messages { received.append(message.msgid) } }
            while received.value.count < senders * each {
                let task = Task { for await message in port.messages { received.append(message.msgid) } }
                try await Task.sleep(for: .microseconds(50))
                task.cancel()
                await task.value
            }
            remaining.cancel()
            await remaining.value
        }
        for thread in threads { thread.join() }
        XCTAssert(received.value.sorted() == (0..<UInt32(senders * each)).map { $0 })
        thread.stop()
    }

    func testNoPortAndNoLoopLeaksThroughASequence() {
        let thread = LoopThread()
        weak var weakPort: Port?
        do {
            let port = Port()
            weakPort = port
            thread.loop.add(port, forMode: .default)
            waitForTask {
                let task = Task { for await _ in port.messages {} }
                await Task.yield()
                task.cancel()
                await task.value
            }
            thread.loop.remove(port, forMode: .default)
        }
        XCTAssert(eventually { weakPort == nil })
        thread.stop()
        thread.forgetLoop()
        XCTAssert(eventually { thread.runLoop.object == nil })
    }
}
