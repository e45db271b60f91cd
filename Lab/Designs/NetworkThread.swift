// NetworkThread.swift: requests over TCP, as an application's networking does them. (A8)
//
// Three threads take part:
//
//     main thread        makes the request, and receives the answer as a performed call
//     resident thread    has the connections in its run loop, handles their events and assembles the answers
//                        (on a Mac com.apple.NSURLConnectionLoader, or AFNetworking's thread)
//     socket thread      waits for all CFSockets, and signals a connection's Source0 (the library's com.apple.CFSocket.private)

import CRunLoop
import Glibc
import SwiftRunLoop

/// The resident thread of all connections, and requests to it.
enum NetworkThread {
    /// Created at the first request, and permanent.
    static let resident = ResidentThread(name: "network")

    /// The result of a request.
    enum Answer: Equatable, Sendable {
        case bytes([UInt8])
        case failure(String)
    }

    /// Sends a text to a port of this computer, and reads until the other side closes. You may call this on any thread.
    /// - Parameters:
    ///   - tell: called on the network thread with each event.
    ///   - answer: called on the main thread, once, in its common modes.
    static func request(_ text: String, port: UInt16, tell: @escaping @Sendable (Connection.Event) -> Void = { _ in },
                        answer: @escaping @Sendable (Answer) -> Void) {
        resident.perform {
            let connection = Connection(request: Array(text.utf8), tell: tell) { result in
                try? Thread.performOnMainThread(waitUntilDone: false) { answer(result) }
            }
            connection.start(port: port)
        }
    }
}

/// One connection: a CFSocket in the loop of the network thread, which retains the connection until it is closed. Use it only on that
/// thread.
final class Connection {
    enum Event: Equatable, Sendable {
        case connected
        case sent(Int)
        case received(Int)
        case closed
    }

    private var socket: CFSocket?
    private let tell: (Event) -> Void
    private let answer: (NetworkThread.Answer) -> Void
    private var request: ArraySlice<UInt8>
    /// All that has been received.
    private(set) var bytes: [UInt8] = []

    /// Creates a connection without opening it.
    /// - Parameters:
    ///   - request: the bytes to send as soon as the connection is open.
    ///   - tell: called with each event.
    ///   - answer: called once, at the end. Both are called on the network thread.
    init(request: [UInt8], tell: @escaping (Event) -> Void, answer: @escaping (NetworkThread.Answer) -> Void) {
        (self.request, self.tell, self.answer) = (request[...], tell, answer)
    }

    /// Begins to connect to a port of this computer. Call this once, on the network thread. The CFSocket then retains the connection until
    /// the end. A refused connection is an answer, too.
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
            if let data { return end(.failure(String(cString: strerror(data.load(as: Int32.self))))) }
            tell(.connected)
        case .writeCallBack: sendMore()
        default:
            let data = data!.assumingMemoryBound(to: __CFData.self), count = CFDataGetLength(data)
            if count == 0 { return end(.bytes(bytes)) } // the other end has closed
            bytes += UnsafeBufferPointer(start: CFDataGetBytePtr(data), count: count)
            tell(.received(count))
        }
    }

    /// The socket has room. A connection in the background makes it non-blocking.
    private func sendMore() {
        let count = request.withUnsafeBytes { send(CFSocketGetNative(socket!), $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count < 0 && errno != EAGAIN && errno != EINTR { return end(.failure(String(cString: strerror(errno)))) }
        if count > 0 {
            request = request.dropFirst(count)
            tell(.sent(count))
        }
        if !request.isEmpty { CFSocketEnableCallBacks(socket!, CFSocketCallBackType.writeCallBack.rawValue) }
    }

    /// Closes the connection without an answer. Call this before the answer, on the network thread.
    func cancel() {
        guard let socket = socket.take() else { return }
        CFSocketInvalidate(socket)
        CFRelease(socket)
    }

    private func end(_ result: NetworkThread.Answer) {
        tell(.closed)
        cancel()
        answer(result)
    }
}
