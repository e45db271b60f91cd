// NetworkThread.swift: requests over TCP, as an application's networking does them. (A8)
//
// Three threads take part:
//
//     main thread        makes the request, and receives the answer as a performed call
//     resident thread    has the connections in its run loop, handles their events and assembles the answers
//                        (on a Mac com.apple.NSURLConnectionLoader, or AFNetworking's thread)
//     socket thread      waits for all sockets, and signals a connection's Source0

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

/// One connection: a socket, and a Source0 in the loop of the network thread, which retains it until the connection is closed. Use it
/// only on that thread.
final class Connection {
    enum Event: Equatable, Sendable {
        case connected
        case sent(Int)
        case received(Int)
        case closed
    }

    private static let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    private let socket = Glibc.socket(AF_INET, Int32(kind), 0)
    private let sockets: PrivateSocketThread
    private var source: RunLoop.Source!
    private let tell: (Event) -> Void
    private let answer: (NetworkThread.Answer) -> Void
    private var request: ArraySlice<UInt8>
    /// All that has been received.
    private(set) var bytes: [UInt8] = []
    private var isConnected = false

    /// Creates a connection without opening it.
    /// - Parameters:
    ///   - request: the bytes to send as soon as the connection is open.
    ///   - sockets: the thread that waits for the socket.
    ///   - tell: called with each event.
    ///   - answer: called once, at the end. Both are called on the network thread.
    init(request: [UInt8], sockets: PrivateSocketThread = .shared, tell: @escaping (Event) -> Void,
         answer: @escaping (NetworkThread.Answer) -> Void) {
        (self.request, self.sockets, self.tell, self.answer) = (request[...], sockets, tell, answer)
    }

    /// Begins to connect to a port of this computer. Call this once, on the network thread. Its loop then retains the
    /// connection until the end. A refused connection is an answer, too.
    func start(port: UInt16) {
        guard socket >= 0 else { return end(.failure(String(cString: strerror(errno)))) }
        nonisolated(unsafe) let connection = self // a retain cycle, broken at the end
        source = RunLoop.Source { connection.isReady() }
        RunLoop.current.add(source, forMode: .common)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian // 127.0.0.1
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        if result < 0 && errno != EINPROGRESS { return end(.failure(String(cString: strerror(errno)))) }
        wait(for: POLLOUT)
    }

    private func wait(for events: Int32) {
        sockets.watch(socket, for: events, signalling: source, in: .current)
    }

    /// The source's callback.
    @inline(never)
    private func isReady() {
        if !isConnected { finishConnecting() } else if !request.isEmpty { sendMore() } else { receiveMore() }
    }

    private func finishConnecting() {
        var error: Int32 = 0, size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size)
        if error != 0 { return end(.failure(String(cString: strerror(error)))) }
        isConnected = true
        tell(.connected)
        sendMore()
    }

    private func sendMore() {
        let count = request.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count < 0 && errno != EAGAIN && errno != EINTR { return end(.failure(String(cString: strerror(errno)))) }
        if count > 0 {
            request = request.dropFirst(count)
            tell(.sent(count))
        }
        wait(for: request.isEmpty ? POLLIN : POLLOUT)
    }

    private func receiveMore() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(socket, &buffer, buffer.count, 0)
        if count > 0 {
            bytes += buffer[..<count]
            tell(.received(count))
        }
        if count == 0 { return end(.bytes(bytes)) }
        if count < 0 && errno != EAGAIN && errno != EINTR { return end(.failure(String(cString: strerror(errno)))) }
        wait(for: POLLIN)
    }

    /// Closes the connection without an answer. Call this before the answer, on the network thread.
    func cancel() {
        if let source {
            source.invalidate()
            sockets.forget(socket)
            close(socket)
        }
        source = nil
    }

    private func end(_ result: NetworkThread.Answer) {
        tell(.closed)
        source?.invalidate()
        source = nil
        sockets.forget(socket)
        close(socket)
        answer(result)
    }
}
