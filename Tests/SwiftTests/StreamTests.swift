import Glibc
import SwiftRunLoopFoundation
import XCTest

/// Input and output streams whose events come from this run loop.
final class StreamTests: XCTestCase {
    /// Logs the events of its streams, and calls a closure for each.
    private final class Events: NSObject, StreamDelegate {
        var log: [String] = []
        var actions: [String: (Stream) -> Void] = [:]

        func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
            let name = switch eventCode {
            case .openCompleted: "open"
            case .hasBytesAvailable: "bytes"
            case .hasSpaceAvailable: "space"
            case .endEncountered: "end"
            case .errorOccurred: "error"
            default: "?"
            }
            log.append(name)
            actions[name]?(aStream)
        }
    }

    private let loop = SwiftRunLoop.RunLoop.current, mode = SwiftRunLoop.RunLoop.Mode("StreamTests"), events = Events()

    /// Makes passes until nothing happens any more.
    private func serve() {
        var count = -1
        while events.log.count != count {
            count = events.log.count
            for _ in 0..<3 { loop.serve(forMode: mode) }
        }
    }

    private func pipe() -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        XCTAssertEqual(Glibc.pipe(&ends), 0)
        return (ends[0], ends[1])
    }

    private func sockets() -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        XCTAssertEqual(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends), 0)
        return (ends[0], ends[1])
    }

    private func input(_ descriptor: Int32) throws -> DescriptorInputStream {
        let stream = try XCTUnwrap(DescriptorInputStream(fileDescriptor: descriptor))
        close(descriptor)
        stream.delegate = events
        stream.schedule(in: loop, forMode: mode)
        return stream
    }

    private func output(_ descriptor: Int32) throws -> DescriptorOutputStream {
        let stream = try XCTUnwrap(DescriptorOutputStream(fileDescriptor: descriptor))
        close(descriptor)
        stream.delegate = events
        stream.schedule(in: loop, forMode: mode)
        return stream
    }

    private func text(_ stream: InputStream, _ count: Int = 100) -> String {
        var buffer = [UInt8](repeating: 0, count: count)
        return String(decoding: buffer[..<max(0, stream.read(&buffer, maxLength: count))], as: UTF8.self)
    }

    func testAnInputStreamReportsItsBytesAndItsEnd() throws {
        for makeEnds in [pipe, sockets] {
            let (reading, writing) = makeEnds(), stream = try input(reading)
            events.log = []
            serve()
            XCTAssertEqual(events.log, [], "it is not open")
            stream.open()
            XCTAssertEqual(stream.streamStatus, .open)
            serve()
            XCTAssertEqual(events.log, ["open"])
            XCTAssertFalse(stream.hasBytesAvailable)
            write(writing, "hello", 5)
            serve()
            XCTAssertEqual(events.log, ["open", "bytes"], "again only after a read")
            XCTAssert(stream.hasBytesAvailable)
            XCTAssertEqual(text(stream, 2), "he")
            serve()
            XCTAssertEqual(events.log, ["open", "bytes", "bytes"])
            close(writing)
            XCTAssertEqual(text(stream), "llo")
            serve()
            XCTAssertEqual(events.log, ["open", "bytes", "bytes", "end"])
            XCTAssertEqual(stream.streamStatus, .atEnd)
            XCTAssertEqual(text(stream), "")
            serve()
            XCTAssertEqual(events.log.count, 4)
            stream.close()
            XCTAssertEqual(stream.streamStatus, .closed)
            XCTAssertTrue(loop.isEmpty(mode), "nothing is left in the mode")
        }
    }

    func testADelegateReadsEverythingInItsCallbacks() throws {
        let (reading, writing) = pipe(), stream = try input(reading), sent = String(repeating: "run loop ", count: 5000)
        var received = ""
        events.actions = ["bytes": { stream in received += self.text(stream as! InputStream, 700) }]
        stream.open()
        let sender = startThread {
            var rest = Array(sent.utf8)[...]
            while !rest.isEmpty { rest = rest.dropFirst(rest.withUnsafeBytes { Glibc.write(writing, $0.baseAddress!, $0.count) }) }
            close(writing)
        }
        while stream.streamStatus != .atEnd { loop.run(mode: mode, before: Date(timeIntervalSinceNow: 10)) }
        sender.join()
        XCTAssertEqual(received, sent)
        XCTAssertEqual(events.log.last, "end")
        stream.close()
    }

    func testAnOutputStreamReportsItsSpace() throws {
        for makeEnds in [pipe, sockets] {
            let (reading, writing) = makeEnds(), stream = try output(writing)
            events.log = []
            stream.open()
            serve()
            XCTAssertEqual(events.log, ["open", "space"])
            let bytes = [UInt8](repeating: 7, count: 1000)
            var count = 0
            while stream.hasSpaceAvailable { count += stream.write(bytes, maxLength: bytes.count) }
            serve()
            XCTAssertEqual(events.log, ["open", "space"], "there is no room")
            var buffer = [UInt8](repeating: 0, count: 1 << 20)
            while count > 0 { count -= read(reading, &buffer, buffer.count) }
            serve()
            XCTAssertEqual(events.log, ["open", "space", "space"])
            stream.close()
            XCTAssertEqual(read(reading, &buffer, 1), 0, "nothing else has the descriptor open")
            close(reading)
        }
    }

    func testAnOutputStreamReportsThatItsReaderHasGone() throws {
        for makeEnds in [pipe, sockets] {
            let (reading, writing) = makeEnds(), stream = try output(writing)
            events.log = []
            stream.open()
            serve()
            close(reading)
            XCTAssertEqual(stream.write([1], maxLength: 1), -1, "and no SIGPIPE")
            serve()
            XCTAssertEqual(events.log, ["open", "space", "error"])
            XCTAssertEqual(stream.streamStatus, .error)
            XCTAssertEqual((stream.streamError as? POSIXError)?.code, .EPIPE)
            stream.close()
        }
    }

    func testAnInputStreamReportsAConnectionThatWasReset() throws {
        let listener = try XCTUnwrap(loopback()), client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = listener.address
        XCTAssertEqual(withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }, 0)
        let server = accept(listener.descriptor, nil, nil)
        let stream = try input(server)
        stream.open()
        serve()
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(client, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        close(client) // sends RST
        while stream.streamStatus == .open { loop.run(mode: mode, before: Date(timeIntervalSinceNow: 10)) }
        XCTAssertEqual(events.log, ["open", "error"])
        XCTAssertEqual((stream.streamError as? POSIXError)?.code, .ECONNRESET)
        stream.close()
        close(listener.descriptor)
    }

    private func loopback() -> (descriptor: Int32, address: sockaddr_in)? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in(), length = socklen_t(MemoryLayout<sockaddr_in>.size)
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 1) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        return isListening ? (descriptor, address) : nil
    }

    func testAStreamThatWasRemovedFromItsModeSendsNothing() throws {
        let (reading, writing) = sockets(), stream = try input(reading)
        stream.open()
        stream.remove(from: loop, forMode: mode)
        XCTAssertTrue(loop.isEmpty(mode))
        write(writing, "x", 1)
        serve()
        XCTAssertEqual(events.log, [])
        stream.schedule(in: loop, forMode: mode)
        serve()
        XCTAssertEqual(events.log, ["open", "bytes"])
        stream.close()
        close(writing)
    }

    /// As delegates on a Mac do at the end. They know the stream as a Stream.
    func testADelegateRemovesTheStreamThatItIsGiven() throws {
        let (reading, writing) = sockets(), stream = try input(reading), loop = loop, mode = mode
        events.actions["end"] = { aStream in
            aStream.remove(from: loop, forMode: mode)
            XCTAssertTrue(loop.isEmpty(mode))
            aStream.close()
        }
        stream.open()
        close(writing)
        serve()
        XCTAssertEqual(events.log, ["open", "end"])
        XCTAssertEqual(stream.streamStatus, .closed)
        InputStream(data: Data()).remove(from: loop, forMode: mode) // it is in no loop
    }

    /// On a Mac a run loop does not retain a stream, either.
    func testAStreamThatIsDeallocatedLeavesItsLoop() throws {
        let (reading, writing) = sockets()
        weak var weakStream: InputStream?
        do {
            let stream = try input(reading)
            stream.open()
            weakStream = stream
        }
        XCTAssertNil(weakStream)
        XCTAssertTrue(loop.isEmpty(mode))
        serve()
        XCTAssertEqual(events.log, [])
        XCTAssertEqual(send(writing, "x", 1, Int32(MSG_NOSIGNAL)), -1, "the descriptor is closed")
        close(writing)
    }

    func testADelegateMayCloseItsStream() throws {
        let (reading, writing) = sockets(), stream = try input(reading)
        events.actions = ["bytes": { $0.close() }]
        write(writing, "x", 1)
        stream.open()
        serve()
        XCTAssertEqual(events.log, ["open", "bytes"])
        XCTAssertEqual(stream.streamStatus, .closed)
        XCTAssertTrue(loop.isEmpty(mode))
        close(writing)
    }

    /// epoll cannot wait for a regular file.
    func testAStreamReadsARegularFile() throws {
        let path = NSTemporaryDirectory() + "StreamTests.\(getpid())"
        defer { unlink(path) }
        try "one two".write(toFile: path, atomically: false, encoding: .utf8)
        let stream = try input(open(path, O_RDONLY | O_CLOEXEC))
        var received: [String] = []
        events.actions = ["bytes": { stream in received.append(self.text(stream as! InputStream, 4)) }]
        stream.open()
        serve()
        XCTAssertEqual(events.log, ["open", "bytes", "bytes", "bytes", "end"], "the third read has found the end")
        XCTAssertEqual(received, ["one ", "two", ""])
        stream.close()
    }

    /// The defect: a stream for which the loop could not wait counted as a regular file, and its delegate's read blocked the loop.
    func testAStreamForWhichNoDescriptorIsLeftReportsTheError() throws {
        let (reading, writing) = pipe(), stream = try XCTUnwrap(DescriptorInputStream(fileDescriptor: reading))
        stream.delegate = events
        loop.serve(forMode: mode)
        withoutFreeDescriptors { stream.schedule(in: loop, forMode: mode) }
        stream.open()
        serve()
        XCTAssertEqual(events.log, ["open", "error"])
        XCTAssertEqual(stream.streamStatus, .error)
        XCTAssertEqual((stream.streamError as? POSIXError)?.code, .EMFILE)
        stream.close()
        close(reading)
        close(writing)
    }

    /// The defect: a read of no bytes counted as the end of the stream.
    func testAReadOfNoBytesIsNotTheEnd() throws {
        let (reading, writing) = pipe(), stream = try input(reading)
        var byte: UInt8 = 0
        XCTAssertEqual(stream.read(&byte, maxLength: 0), -1, "it is not open")
        stream.open()
        XCTAssertEqual(stream.read(&byte, maxLength: 0), 0, "and it does not wait")
        write(writing, "hello", 5)
        XCTAssertEqual(stream.read(&byte, maxLength: 0), 0)
        XCTAssertEqual(stream.streamStatus, .open)
        XCTAssertEqual(text(stream), "hello")
        close(writing)
        stream.close()
    }

    func testAClosedDescriptorMakesNoStream() {
        XCTAssertNil(DescriptorInputStream(fileDescriptor: -1))
        XCTAssertNil(DescriptorOutputStream(fileDescriptor: -1))
    }
}

extension SwiftRunLoop.RunLoop {
    /// Whether a run in the mode would end at once.
    fileprivate func isEmpty(_ mode: Mode) -> Bool { run(mode, until: Date()) == .finished }
}
