import Glibc
import SwiftRunLoop
import SwiftRunLoopFoundation
import XCTest

private typealias SocketPort = SwiftRunLoop.SocketPort
private typealias MessagePort = SwiftRunLoop.MessagePort

/// Messages through sockets.
final class SocketPortTests: XCTestCase {
    private final class Receiver: PortDelegate {
        let log = EventList()
        var answers = false
        func handle(_ message: PortMessage) {
            let texts = message.components.map { $0.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",") } ?? "nil"
            log.add("\(message.msgid) \(texts)")
            if answers, let reply = message.sendPort {
                XCTAssert(reply.send(before: Date(timeIntervalSinceNow: 10), msgid: 2, components: [Data("re \(texts)".utf8)], from: nil, reserved: 0))
            }
        }
    }

    /// A loop with a local port, on its own thread, until `stop`.
    private final class Server<P: Port>: @unchecked Sendable {
        let port: P, receiver = Receiver()
        private var thread: StartedThread?
        private let isDone = Shared(false)

        init(_ port: P, answers: Bool = false) {
            self.port = port
            receiver.answers = answers
            port.setDelegate(receiver)
            thread = startThread { [self] in
                RunLoop.current.add(port, forMode: .default)
                while !isDone.value { RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01)) }
            }
        }

        func stop() {
            isDone.value = true
            thread?.join()
        }
    }

    private func send(_ texts: [String]?, msgid: Int = 1, to port: Port, from reply: Port? = nil) -> Bool {
        port.send(before: Date(timeIntervalSinceNow: 10), msgid: msgid, components: texts.map { $0.map { Data($0.utf8) } }, from: reply, reserved: 0)
    }

    private func tcpPort(of port: SocketPort) -> UInt16 { port.address.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self).bigEndian } }

    func testMessagesArriveInOrderThroughATCPConnectionAndCanBeAnswered() throws {
        let server = Server(SocketPort(), answers: true), client = Server(SocketPort())
        XCTAssert(server.port.isValid && server.port.protocolFamily == AF_INET && server.port.socket >= 0)
        let remote = try XCTUnwrap(SocketPort(remoteWithTCPPort: tcpPort(of: server.port), host: nil))
        XCTAssertEqual(remote.socket, -1)
        XCTAssert(send(["a", "b"], to: remote, from: client.port))
        XCTAssert(send(nil, msgid: 7, to: remote, from: client.port))
        XCTAssert(send([], msgid: 8, to: remote))
        XCTAssert(eventually { server.receiver.log.all.count == 3 })
        XCTAssertEqual(server.receiver.log.all, ["1 a,b", "7 nil", "8 "])
        XCTAssert(eventually { client.receiver.log.all.count == 2 })
        XCTAssertEqual(client.receiver.log.all, ["2 re a,b", "2 re nil"])
        server.stop()
        client.stop()
    }

    /// More messages than fit into the sockets and into the port's queue: the senders wait, and no message is lost.
    func testALongQueueMakesTheSenderWaitAndLosesNothing() throws {
        let port = SocketPort(), count = 4 * Port.messageLimit
        let remote = try XCTUnwrap(SocketPort(remoteWithTCPPort: tcpPort(of: port), host: "127.0.0.1"))
        let text = String(repeating: "x", count: 4096)
        let sent = Shared(0)
        let sender = startThread {
            for number in 0..<count where remote.send(before: .distantFuture, msgid: number, components: [Data(text.utf8)], from: nil, reserved: 0) { sent.value += 1 }
        }
        usleep(100_000)
        XCTAssertLessThan(sent.value, count, "no loop takes the messages yet")
        let server = Server(port)
        XCTAssert(eventually { server.receiver.log.all.count == count })
        sender.join()
        server.stop()
        XCTAssertEqual(server.receiver.log.all.map { $0.prefix { $0 != " " } }, (0..<count).map { "\($0)"[...] })
    }

    func testSendReturnsFalseIfThereIsNoReceiverOrNoRoomUntilTheDate() throws {
        let gone = SocketPort(), number = tcpPort(of: gone)
        gone.invalidate()
        XCTAssertFalse(send(["x"], to: gone))
        let remote = try XCTUnwrap(SocketPort(remoteWithTCPPort: number, host: nil))
        XCTAssert(eventually { !self.send(["x"], to: remote) }, "its socket is closed soon")

        let silent = SocketPort(), other = try XCTUnwrap(SocketPort(remoteWithTCPPort: tcpPort(of: silent), host: nil))
        let block = Data(count: 1 << 20)
        var sent = 0
        while sent < 10_000, other.send(before: Date(timeIntervalSinceNow: 0.2), components: [block], from: nil, reserved: 0) { sent += 1 }
        XCTAssertLessThan(sent, 10_000)
        XCTAssertFalse(other.send(before: .distantFuture, components: [Data(count: 65 << 20)], from: nil, reserved: 0), "too long")
    }

    /// Bytes that are not a message close their connection and do not affect the other connections.
    func testAConnectionThatSendsGarbageIsClosed() throws {
        let server = Server(SocketPort())
        let garbage: [[UInt8]] = [Array("GET / HTTP/1.1\r\n\r\n".utf8), [0x52, 0x4C, 0x50, 0x31, 0xFF, 0xFF, 0xFF, 0xFF],
                                  [0x52, 0x4C, 0x50, 0x31, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9]]
        for bytes in garbage {
            let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(socket) }
            var address = sockaddr_in()
            (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), tcpPort(of: server.port).bigEndian)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let result = withUnsafePointer(to: &address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) } }
            XCTAssertEqual(result, 0)
            XCTAssertEqual(Glibc.send(socket, bytes, bytes.count, 0), bytes.count)
            var byte: UInt8 = 0
            XCTAssertLessThanOrEqual(recv(socket, &byte, 1, 0), 0, "closed")
        }
        XCTAssert(send(["still there"], to: server.port), "a local port sends to itself")
        XCTAssert(eventually { server.receiver.log.all == ["1 still there"] })
        server.stop()
    }

    func testPortsAreMadeForAddressesAndSocketsAndRefuseOthers() throws {
        let local = try XCTUnwrap(SocketPort(tcpPort: 0))
        XCTAssertNil(SocketPort(tcpPort: tcpPort(of: local)), "in use")
        XCTAssertNil(SocketPort(protocolFamily: AF_INET, socketType: Int32(SOCK_DGRAM.rawValue), protocol: 0, address: local.address))
        XCTAssertNil(SocketPort(remoteWithTCPPort: 1, host: "no such host.invalid"))
        let remote = SocketPort(remoteWithProtocolFamily: local.protocolFamily, socketType: local.socketType, protocol: local.protocol, address: local.address)
        XCTAssertEqual(remote as Port, local as Port, "equal addresses")
        XCTAssertNotEqual(remote as Port, SocketPort() as Port)

        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        XCTAssertNil(SocketPort(protocolFamily: AF_UNIX, socketType: Int32(SOCK_DGRAM.rawValue), protocol: 0, socket: socket))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        XCTAssertEqual(withUnsafePointer(to: &address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, 2) } }, 0)
        let server = Server(try XCTUnwrap(SocketPort(protocolFamily: AF_UNIX, socketType: Int32(SOCK_STREAM.rawValue), protocol: 0, socket: socket)))
        XCTAssertEqual(server.port.socket, socket)
        XCTAssert(send(["unix"], to: server.port))
        XCTAssert(eventually { server.receiver.log.all == ["1 unix"] })
        server.stop()
    }

    func testAnInvalidatedPortClosesItsSocketsAndAWaitingSenderReturns() throws {
        let port = SocketPort(), socket = port.socket
        let remote = try XCTUnwrap(SocketPort(remoteWithTCPPort: tcpPort(of: port), host: nil))
        let hasReturned = Shared(false)
        let sender = startThread {
            while remote.send(before: .distantFuture, components: [Data(count: 1 << 20)], from: nil, reserved: 0) {}
            hasReturned.value = true
        }
        usleep(50_000)
        XCTAssertFalse(hasReturned.value)
        remote.invalidate()
        XCTAssert(eventually { hasReturned.value })
        sender.join()
        port.invalidate()
        XCTAssertEqual(port.socket, -1)
        XCTAssert(eventually { fcntl(socket, F_GETFD) < 0 })
    }

    /// The defect: the sockets were closed a moment after `invalidate()`, so the address was in use and a remote port could still send.
    func testTheAddressOfAnInvalidatedPortIsFreeAtOnceAndHasNoReceiver() throws {
        let name = "free.\(getpid())"
        for attempt in 1...100 {
            let named = try XCTUnwrap(MessagePort(name: name), "attempt \(attempt)"), remote = try XCTUnwrap(MessagePort(remoteName: name))
            XCTAssert(remote.send(before: Date(), components: nil, from: nil, reserved: 0))
            named.invalidate()
            XCTAssertNil(MessagePort(remoteName: name))
            XCTAssertFalse(remote.send(before: Date(), components: nil, from: nil, reserved: 0))
        }
    }

    func testAsyncSendDoesNotBlockTheThread() async throws {
        let server = Server(SocketPort())
        let isSent = await server.port.send(msgid: 5, components: [Data("async".utf8)], from: nil)
        XCTAssert(isSent)
        XCTAssert(eventually { server.receiver.log.all == ["5 async"] })
        server.stop()
    }

    // MARK: MessagePort

    func testMessagePortsFindEachOtherByNameAndAnswer() throws {
        let name = "test.\(getpid())"
        XCTAssertNil(MessagePort(remoteName: name))
        let server = Server(try XCTUnwrap(MessagePort(name: name)), answers: true), client = Server(MessagePort())
        XCTAssertNil(MessagePort(name: name), "the name is taken")
        XCTAssertNil(MessagePort(name: ""))
        let remote = try XCTUnwrap(MessagePort(remoteName: name))
        XCTAssertEqual(remote as Port, server.port as Port)
        XCTAssert(send(["hello"], to: remote, from: client.port))
        XCTAssert(eventually { client.receiver.log.all == ["2 re hello"] })
        server.port.invalidate()
        XCTAssert(eventually { MessagePort(remoteName: name) == nil }, "the name goes with the port")
        server.stop()
        client.stop()
    }
}
