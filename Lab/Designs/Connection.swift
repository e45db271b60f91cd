// Connection.swift: a connection over TCP in a run loop, by the Source0 of a socket. (A8, I6)

import CRunLoop
import CRunLoopLabSocket
import Glibc
import SwiftRunLoop

/// Sends a request to a port of this computer, and reads until the other side closes. Its socket retains it until then. Use it only on the
/// thread in whose loop it is.
final class Connection {
    enum Answer: Equatable, Sendable {
        case bytes([UInt8])
        case failure(String)
    }

    private var socket: OpaquePointer? // a LabSocket
    private let received: () -> Void
    private let answer: (Answer) -> Void
    private var request: ArraySlice<UInt8>
    /// All that has been received.
    private(set) var bytes: [UInt8] = []

    /// Creates a connection without opening it.
    /// - Parameters:
    ///   - request: the bytes to send as soon as the connection is open.
    ///   - received: called when bytes have arrived.
    ///   - answer: called once, at the end.
    init(request: [UInt8], received: @escaping () -> Void = {}, answer: @escaping (Answer) -> Void) {
        (self.request, self.received, self.answer) = (request[...], received, answer)
    }

    /// Begins to connect to a port of this computer. Call this once. A refused connection is an answer, too.
    func start(port: UInt16) {
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return end(.failure(reason(errno))) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian // 127.0.0.1
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        if result != 0 && errno != EINPROGRESS {
            let answer = Answer.failure(reason(errno))
            close(descriptor)
            return end(answer)
        }
        let socket = LabSocketCreate(descriptor, [.readable, .writable], { _, event, info in
            Unmanaged<Connection>.fromOpaque(info!).takeUnretainedValue().socketCalls(event)
        }, Unmanaged.passRetained(self).toOpaque(), { Unmanaged<Connection>.fromOpaque($0!).release() })!
        self.socket = socket
        CFRunLoopAddSource(CFRunLoopGetCurrent(), LabSocketGetSource(socket), kCFRunLoopCommonModes)
    }

    /// The socket's callback.
    @inline(never)
    private func socketCalls(_ event: LabSocketEvents) {
        if event == .readable { receiveMore() } else { sendMore() }
    }

    /// There are bytes, or the other end has closed, or there is no connection.
    private func receiveMore() {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = read(LabSocketGetDescriptor(socket!), &buffer, buffer.count)
        if count < 0 && errno != EAGAIN && errno != EINTR { return end(.failure(reason(errno))) }
        if count == 0 { return end(.bytes(bytes)) }
        if count < 0 { return }
        bytes += buffer[..<count]
        received()
    }

    /// The socket has room.
    private func sendMore() {
        let count = request.withUnsafeBytes { send(LabSocketGetDescriptor(socket!), $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count < 0 && errno != EAGAIN && errno != EINTR { return end(.failure(reason(errno))) }
        request = request.dropFirst(max(0, count))
        if !request.isEmpty { LabSocketEnable(socket!, .writable) }
    }

    /// Closes the connection without an answer. Call this before the answer.
    func cancel() {
        guard let socket = socket.take() else { return }
        LabSocketInvalidate(socket)
    }

    private func end(_ result: Answer) {
        cancel()
        answer(result)
    }
}
