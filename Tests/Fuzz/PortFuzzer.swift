// PortFuzzer.swift: what the lab's ports are sent, and what descriptors give, is what a loop delivers.
// Compiled with: Sources/SwiftRunLoop/*.swift Sources/SwiftRunLoop/Unsafe/*.swift .build/fuzz/objects/Message*.swift
//
// An input is a program, a letter each with its operands, over one port for messages and one for a pipe, in a loop with two modes. Beside
// them runs a model: a list of messages on their way, and the bytes in the pipe. After each pass both must say the same. A program is text:
// `+0ds1abcdehellor0` adds the port to mode 0, sets its delegate, sends a message with one component of five (e) bytes, and makes a pass.

internal import CRunLoop
internal import FoundationEssentials
internal import Glibc

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPorts(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    signalsAreIgnored
    let program = PortProgram(Array(UnsafeBufferPointer(start: data, count: count)))
    program.run()
    program.end()
    return 0
}

/// A write to a pipe that nobody reads is an error, not a signal.
private let signalsAreIgnored: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

private struct SentMessage: Equatable {
    var msgid: UInt32
    var components: [Data]?
    var hasReplyPort: Bool
}

/// Gets the messages.
private final class Receiver: PortDelegate {
    var received: [SentMessage] = []

    func handle(_ message: PortMessage) {
        received.append(SentMessage(msgid: message.msgid, components: message.components, hasReplyPort: message.sendPort != nil))
    }
}

private final class PortProgram {
    private var input: ArraySlice<UInt8>
    private let loop = RunLoop.current
    private let modes = [RunLoop.Mode("fuzzed"), RunLoop.Mode("fuzzed too")]

    private var port = MessagePort()
    private let replyPort = MessagePort(), receiver = Receiver()
    private var portModes: Set<RunLoop.Mode> = [], onTheWay: [SentMessage] = [], hasDelegate = false, isValid = true

    private var reader: Int32 = -1, writer: Int32 = -1
    private var watch: RunLoop.Source!
    private var watchModes: Set<RunLoop.Mode> = [], inPipe: [UInt8] = [], read: [UInt8] = [], handled = 0

    init(_ bytes: [UInt8]) {
        input = bytes[...]
        var ends: [Int32] = [0, 0]
        holds(pipe(&ends) == 0, "there is a pipe")
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        (reader, writer) = (ends[0], ends[1])
        nonisolated(unsafe) unowned let program = self // all of it happens on this thread
        watch = try! RunLoop.Source(fileDescriptor: reader) { _, events in program.bytesAreThere(events) }
    }

    // MARK: - The program

    func run() {
        while let step = input.popFirst() {
            switch step {
            case UInt8(ascii: "s"): send(times: 1)
            case UInt8(ascii: "S"): send(times: 8 * Int(next()))
            case UInt8(ascii: "r"): pass(mode())
            case UInt8(ascii: "+"): add(mode())
            case UInt8(ascii: "-"): remove(mode())
            case UInt8(ascii: "d"): port.setDelegate(receiver); hasDelegate = true
            case UInt8(ascii: "n"): port.setDelegate(nil); hasDelegate = false
            case UInt8(ascii: "i"): invalidate()
            case UInt8(ascii: "p"): replace()
            case UInt8(ascii: "w"): write()
            case UInt8(ascii: "c"): closeWriter()
            case UInt8(ascii: "e"): watch.events = RunLoop.Source.Events(rawValue: UInt(next() & 7))
            case UInt8(ascii: "a"): let mode = mode(); loop.add(watch, forMode: mode); watchModes.insert(mode)
            case UInt8(ascii: "z"): let mode = mode(); loop.remove(watch, forMode: mode); watchModes.remove(mode)
            default: break
            }
        }
    }

    func end() {
        for port in [port, replyPort] { port.invalidate() }
        watch.invalidate()
        for mode in modes { pass(mode, ended: true) }
        close(reader)
        if writer >= 0 { close(writer) }
    }

    private func next() -> UInt8 { input.popFirst() ?? 0 }

    private func mode() -> RunLoop.Mode { modes[Int(next() & 1)] }

    private func bytes() -> Data {
        let count = min(Int(next() & 31), input.count)
        defer { input = input.dropFirst(count) }
        return Data(input.prefix(count))
    }

    // MARK: - Messages

    private func send(times: Int) {
        let kind = next(), msgid = (0..<4).reduce(UInt32(0)) { number, _ in number << 8 | UInt32(next()) }
        let components: [Data]? = kind & 3 == 3 ? nil : (0..<kind & 3).map { _ in bytes() }
        let message = SentMessage(msgid: msgid, components: components, hasReplyPort: kind & 4 != 0)
        for _ in 0..<times {
            let wasSent = port.send(before: .distantPast, msgid: Int(msgid), components: components, from: kind & 4 != 0 ? replyPort : nil, reserved: 0)
            holds(wasSent == (isValid && onTheWay.count < MessagePort.messageLimit), "a message is taken as long as there is room")
            if wasSent { onTheWay.append(message) }
        }
    }

    private func add(_ mode: RunLoop.Mode) {
        loop.add(port, forMode: mode)
        if isValid { portModes.insert(mode) }
    }

    private func remove(_ mode: RunLoop.Mode) {
        loop.remove(port, forMode: mode)
        portModes.remove(mode)
    }

    private func invalidate() {
        port.invalidate()
        (isValid, portModes, onTheWay) = (false, [], [])
    }

    private func replace() {
        invalidate()
        port = MessagePort()
        (isValid, hasDelegate) = (true, false)
    }

    // MARK: - The pipe

    private func write() {
        let data = bytes()
        guard writer >= 0, inPipe.count + data.count <= 4096 else { return }
        let count = data.withUnsafeBytes { Glibc.write(writer, $0.baseAddress, $0.count) }
        holds(count == data.count, "there is room in the pipe")
        inPipe += data
    }

    private func closeWriter() {
        if writer >= 0 { close(writer) }
        writer = -1
    }

    /// Reads a part, so that what is left must be told again.
    private func bytesAreThere(_ events: RunLoop.Source.Events) {
        handled += 1
        holds(events.isSubset(of: watch.events.union(.hangUp)), "nothing is told that was not asked for")
        holds(!events.contains(.hangUp) || writer < 0, "a hang-up is told when there is one")
        guard events.contains(.readable) else { return }
        var buffer = [UInt8](repeating: 0, count: 7)
        let count = Glibc.read(reader, &buffer, buffer.count)
        holds(count >= 0, "what is told to be readable is")
        read += buffer.prefix(max(count, 0))
    }

    // MARK: - A pass

    /// A pass serves one port: the one for messages or the pipe's.
    private func pass(_ mode: RunLoop.Mode, ended: Bool = false) {
        let messages = receiver.received.count, calls = handled, bytesBefore = read.count
        let wasReady = portModes.contains(mode) && !onTheWay.isEmpty, isTold = watchModes.contains(mode) && hasHappened
        let result = CFRunLoopRunInMode(mode.cfString, 0, true)
        if ended { return holds(receiver.received.count == messages && handled == calls, "nothing comes after the end") }
        let served = receiver.received.count - messages, calledFor = handled - calls
        holds(served + calledFor <= 1, "a pass serves one port")
        holds((result == CFRunLoopRunResult.handledSource) == (wasReady || isTold), "a port is ready when there is something, and not otherwise")
        if served == 1 { holds(wasReady && hasDelegate && receiver.received.last == onTheWay.first, "messages come in their order, as they were sent") }
        holds(isTold || calledFor == 0, "a port is called when something has happened, in its modes")
        if wasReady && calledFor == 0 { // it was the turn of this one, delegate or not
            holds(served == (hasDelegate ? 1 : 0), "a message is delivered to the delegate")
            onTheWay.removeFirst()
        }
        if !wasReady { holds(calledFor == (isTold ? 1 : 0), "what has happened is told") }
        holds(Array(inPipe.prefix(read.count - bytesBefore)) == Array(read[bytesBefore...]), "the bytes are those that were written")
        inPipe.removeFirst(read.count - bytesBefore)
    }

    /// The end of a pipe counts as readable, and is a hang-up, which is told unasked if anything is asked for.
    private var hasHappened: Bool {
        if writer < 0 { return !watch.events.isEmpty }
        return watch.events.contains(.readable) && !inPipe.isEmpty
    }

    private func holds(_ condition: Bool, _ law: String) {
        if !condition { fatalError("it does not hold that \(law)") }
    }
}
