// Connection.swift: a connection over TCP in a run loop: a CFSocket. (A8, I6)

import CRunLoop
import Glibc
import SwiftRunLoop

/// Sends a request to a port of this computer, and reads until the other side closes. Its CFSocket retains it until then. Use it only on the
/// thread in whose loop it is.
final class Connection {
    enum Answer: Equatable, Sendable {
        case bytes([UInt8])
        case failure(String)
    }

    private var socket: CFSocket?
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
        let events: CFSocketCallBackType = [.connectCallBack, .writeCallBack, .dataCallBack]
        var context = CFSocketContext()
        context.info = Unmanaged.passUnretained(self).toOpaque()
        context.retain = { UnsafeRawPointer(Unmanaged<Connection>.fromOpaque($0!).retain().toOpaque()) }
        context.release = { Unmanaged<Connection>.fromOpaque($0!).release() }
        socket = CFSocketCreate(nil, PF_INET, Int32(SOCK_STREAM.rawValue), 0, events.rawValue, { _, event, _, data, info in
            Unmanaged<Connection>.fromOpaque(info!).takeUnretainedValue().socketCalls(event, data)
        }, &context)
        guard let socket, let source = CFSocketCreateRunLoopSource(nil, socket, 0) else { return end(.failure(String(cString: strerror(errno)))) }
        CFRunLoopAddSource(CFRunLoopGetCurrent(), source, kCFRunLoopCommonModes)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian // 127.0.0.1
        let data = withUnsafeBytes(of: &address) { CFDataCreate(nil, $0.baseAddress, $0.count) }
        if CFSocketConnectToAddress(socket, data, -1) != .success { end(.failure(String(cString: strerror(errno)))) }
        CFRelease(data)
    }

    /// The CFSocket's callback.
    @inline(never)
    private func socketCalls(_ event: CFSocketCallBackType, _ data: UnsafeRawPointer?) {
        switch event {
        case .connectCallBack:
            if let data { end(.failure(String(cString: strerror(data.load(as: Int32.self))))) }
        case .writeCallBack: sendMore()
        default:
            let data = data!.assumingMemoryBound(to: __CFData.self), count = CFDataGetLength(data)
            if count == 0 { return end(.bytes(bytes)) } // the other end has closed
            bytes += UnsafeBufferPointer(start: CFDataGetBytePtr(data), count: count)
            received()
        }
    }

    /// The socket has room. A connection in the background makes it non-blocking.
    private func sendMore() {
        let count = request.withUnsafeBytes { send(CFSocketGetNative(socket!), $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count < 0 && errno != EAGAIN && errno != EINTR { return end(.failure(String(cString: strerror(errno)))) }
        request = request.dropFirst(max(0, count))
        if !request.isEmpty { CFSocketEnableCallBacks(socket!, CFSocketCallBackType.writeCallBack.rawValue) }
    }

    /// Closes the connection without an answer. Call this before the answer.
    func cancel() {
        guard let socket = socket.take() else { return }
        CFSocketInvalidate(socket)
        CFRelease(socket)
    }

    private func end(_ result: Answer) {
        cancel()
        answer(result)
    }
}
