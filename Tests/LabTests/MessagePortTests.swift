import FoundationEssentials
@testable import RunLoopLab
import class SwiftRunLoop.Port
import class SwiftRunLoop.RunLoop
import TestSupport
import XCTest
#if canImport(Runtime)
import Runtime
#endif

/// Collects the messages that arrive, and then calls `then`.
private final class Receiver: PortDelegate {
    var messages: [PortMessage] = []
    var then: (PortMessage) -> Void = { _ in }

    func handle(_ message: PortMessage) {
        messages.append(message)
        then(message)
    }

    var texts: [String] { messages.map { String(decoding: $0.components?.first ?? Data(), as: UTF8.self) } }
}

private func data(_ text: String) -> [Data] { [Data(text.utf8)] }

extension MessagePort {
    /// Sends without waiting.
    fileprivate func send(_ text: String, msgid: Int = 0, from port: Port? = nil) -> Bool {
        send(before: .distantPast, msgid: msgid, components: data(text), from: port, reserved: 0)
    }
}

/// The lab's ports with messages, in each test's own mode of the main loop, and in the loops of other threads.
final class MessagePortTests: XCTestCase {
    private let loop = RunLoop.main
    private let mode = RunLoop.Mode("MessagePortTests")

    /// One pass without waiting; false if the mode is empty.
    @discardableResult
    private func pass() -> Bool { loop.serve(forMode: mode) }

    private var made: [MessagePort] = []

    /// A port whose messages a receiver collects. The end of the test invalidates it.
    private func portAndReceiver(inLoop: Bool = true) -> (MessagePort, Receiver) {
        let port = MessagePort(), receiver = Receiver()
        port.setDelegate(receiver)
        if inLoop { loop.add(port, forMode: mode) }
        made.append(port)
        return (port, receiver)
    }

    func testAPortInACommonModeIsInEachOfThem() {
        onThread { [mode] in
            let port = MessagePort(), receiver = Receiver(), loop = RunLoop.current
            port.setDelegate(receiver)
            loop.addCommonMode(mode)
            loop.add(port, forMode: .common)
            for (text, mode) in [("one", mode), ("two", .default)] {
                XCTAssert(port.send(text))
                XCTAssert(loop.serve(forMode: mode))
            }
            XCTAssertEqual(receiver.texts, ["one", "two"])
            loop.remove(port, forMode: .common)
            XCTAssertFalse(loop.serve(forMode: mode))
        }
    }

    // MARK: - Messages

    func testAMessageArrivesWithAllThatWasSent() throws {
        let (port, receiver) = portAndReceiver(), replyPort = MessagePort()
        XCTAssert(port.delegate() === receiver)
        XCTAssert(port.send(before: .distantPast, msgid: 7, components: data("a") + data("b"), from: replyPort, reserved: 0))
        XCTAssert(port.send(before: .distantPast, components: nil, from: nil, reserved: 0))
        XCTAssertEqual(receiver.messages.count, 0, "not before the loop runs")
        pass()
        pass()
        let (first, second) = (receiver.messages[0], receiver.messages[1])
        XCTAssertEqual(first.msgid, 7)
        XCTAssertEqual(first.components, data("a") + data("b"))
        XCTAssertEqual(first.sendPort, replyPort)
        XCTAssertEqual(first.receivePort, port)
        XCTAssertEqual(second.msgid, 0)
        XCTAssertNil(second.components)
        XCTAssertNil(second.sendPort)
    }

    func testAnAnswerGoesBackThroughTheMessagesSendPort() {
        let (asked, oracle) = portAndReceiver(), (answered, asker) = portAndReceiver()
        oracle.then = { question in
            let answer = PortMessage(sendPort: question.sendPort, receivePort: question.receivePort, components: data("42"))
            answer.msgid = question.msgid + 1
            XCTAssert(answer.send(before: Date()))
        }
        let question = PortMessage(sendPort: asked, receivePort: answered, components: data("?"))
        question.msgid = 1
        XCTAssert(question.send(before: Date()))
        for _ in 0..<3 { pass() }
        XCTAssertEqual(oracle.texts, ["?"])
        XCTAssertEqual(asker.texts, ["42"])
        XCTAssertEqual(asker.messages.first?.msgid, 2)
        XCTAssertEqual(asker.messages.first?.sendPort, asked)
        XCTAssertFalse(PortMessage(sendPort: nil, receivePort: nil, components: nil).send(before: Date()))
    }

    /// On a Mac each wake-up delivers one mach message. A run that returns after an input source returns after one message (L6).
    func testL6_OneMessageAPassInTheOrderOfSending() {
        let (port, receiver) = portAndReceiver(inLoop: false)
        for text in ["a", "b", "c"] { XCTAssert(port.send(text), "a port that is in no loop yet") }
        loop.add(port, forMode: mode)
        for expected in [["a"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c"]] {
            XCTAssert(pass())
            XCTAssertEqual(receiver.texts, expected)
        }
        XCTAssert(port.send("d"))
        XCTAssert(port.send("e"))
        XCTAssert(loop.run(mode: mode, before: .distantFuture))
        XCTAssertEqual(receiver.texts.last, "d")
        loop.remove(port, forMode: mode)
        XCTAssertFalse(pass())
        loop.add(port, forMode: mode)
        pass()
        XCTAssertEqual(receiver.texts.last, "e", "what was not delivered waits for the next loop")
    }

    func testMessagesFromManyThreadsArriveInOrderOnTheLoopsThreadAndNoneIsLost() {
        let each = 1000, senders = 4
        let port = MessagePort()
        nonisolated(unsafe) var arrived: [[Int]] = Array(repeating: [], count: senders)
        let thread = startThread {
            let receiver = Receiver(), me = pthread_self()
            var count = 0
            receiver.then = { message in
                XCTAssertEqual(pthread_equal(pthread_self(), me) != 0, true)
                arrived[Int(message.msgid)].append(Int(receiver.texts.last!)!)
                receiver.messages = []
                count += 1
            }
            port.setDelegate(receiver)
            RunLoop.current.add(port, forMode: .default)
            while count < each * senders, RunLoop.current.run(mode: .default, before: .distantFuture) {}
        }
        let threads = (0..<senders).map { sender in
            startThread {
                for number in 0..<each { // more messages than there is room for, so the senders wait
                    XCTAssert(port.send(before: .distantFuture, msgid: sender, components: data("\(number)"), from: nil, reserved: 0))
                }
            }
        }
        threads.forEach { $0.join() }
        thread.join()
        for sender in 0..<senders { XCTAssertEqual(arrived[sender], Array(0..<each)) }
    }

    func testTheStackInAHandlerIsThatOfASource1() throws {
        #if canImport(Runtime)
        let (port, receiver) = portAndReceiver()
        var stack: [String] = []
        receiver.then = { _ in
            stack = (try? Backtrace.capture().symbolicated(options: []))?.frames.compactMap { $0.symbol?.name } ?? []
        }
        XCTAssert(port.send("x"))
        pass()
        XCTAssert(stack.contains("__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE1_PERFORM_FUNCTION__"), "\(stack)")
        #else
        throw XCTSkip("the module Runtime came with Swift 6.2")
        #endif
    }

    // MARK: - A full port

    private func fillUp(_ port: MessagePort) {
        for number in 0..<MessagePort.messageLimit { XCTAssert(port.send("\(number)")) }
    }

    func testAFullPortTakesNothingBeforeThereIsRoom() {
        let (port, receiver) = portAndReceiver(inLoop: false)
        fillUp(port)
        XCTAssertFalse(port.send("too much"))
        let start = Date()
        XCTAssertFalse(port.send(before: start.addingTimeInterval(0.03), components: nil, from: nil, reserved: 0))
        XCTAssertGreaterThanOrEqual(Date().timeIntervalSince(start), 0.029)
        XCTAssertFalse(port.send(before: Date(timeIntervalSinceReferenceDate: .nan), components: nil, from: nil, reserved: 0))
        loop.add(port, forMode: mode)
        pass()
        XCTAssert(port.send("last"), "there is room for one again")
        XCTAssertFalse(port.send("too much"))
        for _ in 0..<MessagePort.messageLimit { pass() }
        XCTAssertEqual(receiver.texts, (0..<MessagePort.messageLimit).map { "\($0)" } + ["last"])
    }

    func testASenderThatWaitsGoesOnWhenThereIsRoom() {
        let (port, receiver) = portAndReceiver()
        fillUp(port)
        let results = Shared([Bool]())
        let senders = (0..<3).map { _ in
            startThread { results.append(port.send(before: .distantFuture, components: data("late"), from: nil, reserved: 0)) }
        }
        XCTAssert(stays(forMilliseconds: 20) { results.value == [] }, "they wait")
        pass()
        XCTAssert(eventually { results.value == [true] })
        XCTAssert(stays(forMilliseconds: 5) { results.value == [true] }, "one message has gone, one has come")
        pass()
        pass()
        senders.forEach { $0.join() }
        XCTAssertEqual(results.value, [true, true, true])
        withExtendedLifetime(receiver) {}
    }

    func testASenderThatWaitsIsToldWhenThePortIsInvalidated() {
        let port = MessagePort()
        fillUp(port)
        let results = Shared([Bool]())
        let sender = startThread { results.append(port.send(before: .distantFuture, components: nil, from: nil, reserved: 0)) }
        XCTAssert(stays(forMilliseconds: 20) { results.value == [] }, "it waits")
        port.invalidate()
        sender.join()
        XCTAssertEqual(results.value, [false])
    }

    // MARK: - Validity

    func testAddingAnInvalidPortDoesNothing() {
        let (port, receiver) = portAndReceiver(inLoop: false), descriptors = openDescriptorCount()
        XCTAssert(port.send("lost"))
        port.invalidate()
        port.invalidate()
        XCTAssertFalse(port.isValid)
        XCTAssertFalse(port.send("refused"))
        loop.add(port, forMode: mode)
        port.schedule(in: loop, forMode: mode)
        XCTAssertFalse(pass())
        XCTAssertEqual(openDescriptorCount(), descriptors)
        XCTAssertEqual(receiver.texts, [])
    }

    func testAPortMayBeInvalidatedInItsOwnHandler() {
        let (port, receiver) = portAndReceiver()
        receiver.then = { $0.receivePort!.invalidate() }
        XCTAssert(port.send("first"))
        XCTAssert(port.send("never"))
        pass()
        XCTAssertFalse(pass())
        XCTAssertEqual(receiver.texts, ["first"])
    }

    /// Its `invalidate` does not call super's, but it has a source: the next message finds it invalid.
    func testAPortThatKeepsItsEndToItselfIsLetGoByTheNextMessage() {
        final class Silent: MessagePort, @unchecked Sendable {
            nonisolated(unsafe) var isStillValid = true
            override func invalidate() { isStillValid = false }
            override var isValid: Bool { isStillValid }
        }
        weak var weakPort: MessagePort?
        let receiver = Receiver()
        do {
            let port = Silent()
            weakPort = port
            port.setDelegate(receiver)
            loop.add(port, forMode: mode)
            port.invalidate()
            XCTAssert(port.send("never"))
        }
        pass()
        XCTAssertNil(weakPort)
        XCTAssertEqual(receiver.texts, [])
        XCTAssertFalse(pass())
    }

    // MARK: - Many ports

    /// Threads add the same ports to their loops, remove them, invalidate them and end. Afterwards, nothing of the ports is left.
    func testManyPortsInManyLoopsAllGo() {
        pass()
        let descriptors = openDescriptorCount()
        for round in 0..<10 {
            let held = Shared((0..<60).map { _ in MessagePort() }), weakPorts = held.value.map { WeakReference($0) }
            let threads = (0..<6).map { thread in
                startThread {
                    let ports = held.value
                    let modes = [RunLoop.Mode.default, .common, RunLoop.Mode("MessagePortTests, many")]
                    for step in 0..<400 {
                        let port = ports[(step * 7 + thread * 13 + round) % ports.count]
                        let mode = modes[step % 3]
                        switch (step + thread) % 5 {
                        case 0, 1: RunLoop.current.add(port, forMode: mode)
                        case 2: RunLoop.current.remove(port, forMode: mode)
                        case 3: _ = port.send(before: .distantPast, components: nil, from: nil, reserved: 0)
                        default: if step % 20 == thread { port.invalidate() }
                        }
                        if step % 50 == 0 { RunLoop.current.run(mode: mode == .common ? .default : mode, before: .distantPast) }
                    }
                }
            }
            threads.forEach { $0.join() }
            held.value = []
            XCTAssertEqual(weakPorts.filter { $0.object != nil }.count, 0, "round \(round)")
        }
        XCTAssertLessThanOrEqual(openDescriptorCount(), descriptors) // a thread of an earlier test may have ended meanwhile
    }

    // MARK: - Memory and descriptors

    func testAPortTakesADescriptorWhenItIsFirstAddedAndNotBefore() {
        pass()
        let descriptors = openDescriptorCount()
        var port: MessagePort? = MessagePort()
        XCTAssert(port!.send("x"))
        XCTAssertEqual(openDescriptorCount(), descriptors)
        loop.add(port!, forMode: mode)
        pass() // the mode's first run opens its own descriptors
        let withPort = openDescriptorCount()
        XCTAssertGreaterThan(withPort, descriptors)
        loop.remove(port!, forMode: mode)
        loop.add(port!, forMode: mode)
        XCTAssertEqual(openDescriptorCount(), withPort)
        loop.remove(port!, forMode: mode)
        port = nil
        XCTAssertEqual(openDescriptorCount(), withPort - 1)
    }

    func testALoopKeepsItsPortsAndNobodyKeepsThemAfterwards() {
        weak var removed: Port?, invalidated: Port?, ended: Port?, never: MessagePort?
        do {
            let ports = (0..<3).map { _ in MessagePort() }
            (removed, invalidated, never) = (ports[0], ports[1], ports[2])
            for port in ports {
                port.setDelegate(nil)
                XCTAssert(port.send("undelivered", from: port)) // the port sends to itself; the undelivered message makes no cycle
            }
            loop.add(ports[0], forMode: mode)
            loop.add(ports[1], forMode: mode)
        }
        XCTAssertNil(never)
        XCTAssertNotNil(removed)
        removed.map { loop.remove($0, forMode: mode) }
        XCTAssertNil(removed)
        invalidated?.invalidate()
        XCTAssertNil(invalidated)

        nonisolated(unsafe) weak var onOtherThread: MessagePort?
        let descriptors = openDescriptorCount()
        onThread {
            let port = MessagePort()
            onOtherThread = port
            RunLoop.current.add(port, forMode: .default)
            RunLoop.current.serve(forMode: .default)
        }
        ended = onOtherThread
        XCTAssertNil(ended)
        XCTAssertEqual(openDescriptorCount(), descriptors)
    }

    func testAPortDoesNotKeepItsDelegateNorAMessageThePortForReplies() {
        let port = MessagePort()
        weak var weakReceiver: Receiver?, weakReplyPort: MessagePort?
        do {
            let receiver = Receiver(), replyPort = MessagePort()
            (weakReceiver, weakReplyPort) = (receiver, replyPort)
            port.setDelegate(receiver)
            XCTAssert(port.send("a", from: replyPort))
        }
        XCTAssertNil(weakReceiver)
        XCTAssertNil(weakReplyPort)
        XCTAssertNil(port.delegate())
        loop.add(port, forMode: mode)
        pass() // there is no delegate, so the message is lost, and the loop can sleep
        let late = Receiver()
        port.setDelegate(late)
        XCTAssert(port.send("b"))
        pass()
        pass()
        XCTAssertEqual(late.texts, ["b"])
        port.invalidate()
    }

    func testAPortAndAMessageHaveADescription() {
        let one = MessagePort()
        XCTAssert("\(one)".hasPrefix("<MessagePort 0x"), "\(one)")
        XCTAssert("\(one)".hasSuffix("{valid = Yes}"))
        XCTAssert("\(PortMessage(sendPort: one, receivePort: nil, components: data("abc")))".hasPrefix("<PortMessage: 0x"))
    }

    override func tearDown() {
        for port in made { port.invalidate() }
        made = []
        XCTAssertFalse(pass(), "the test has left something in the mode")
    }
}
