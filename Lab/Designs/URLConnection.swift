// URLConnection.swift: a request over TCP with a delegate, as NSURLConnection. (A8, I6)
//
//     com.apple.CFSocket.private         that of Lab/CFSocket; waits for all connections, and signals the Source0 of one
//     com.apple.NSURLConnectionLoader    has the connections in its run loop; assembles the answers
//     the scheduled loop                 has a Source0 that calls the delegate
//
// (The kernel keeps only the first 15 bytes of a thread's name. Thread.name has all of it.)

import SwiftRunLoop
import Synchronization

/// Follows a connection. The methods are called from a run loop in which the connection is scheduled.
protocol URLConnectionDelegate: AnyObject, Sendable {
    /// The head of the answer has arrived.
    func connection(_ connection: URLConnection, didReceiveResponse status: Int)
    /// A part of the body has arrived.
    func connection(_ connection: URLConnection, didReceiveData data: [UInt8])
    /// All has arrived. It is the last call.
    func connectionDidFinishLoading(_ connection: URLConnection)
    /// There is no answer, for this reason. It is the last call.
    func connection(_ connection: URLConnection, didFailWithError reason: String)
}

/// A GET request to a port of this computer. You may call all methods from any thread.
///
///     let connection = URLConnection(path: "/", port: port, delegate: self)
///     connection.schedule(in: .main, forMode: .common)
///     connection.start()
///
/// As on a Mac, a started connection lives until the last call or `cancel()`, and retains its delegate until then.
final class URLConnection: @unchecked Sendable {
    /// The permanent thread of all connections.
    static let loader = ResidentThread(name: "com.apple.NSURLConnectionLoader")

    private enum Message: Sendable {
        case response(Int)
        case data([UInt8])
        case finished
        case failed(String)
    }

    private struct Scheduled: @unchecked Sendable {
        let loop: RunLoop // other threads only wake it
    }

    private struct State: @unchecked Sendable {
        var delegate: (any URLConnectionDelegate)?
        var itself: URLConnection? // from `start()` to the last call
        var messages: [Message] = []
        var loops: [Scheduled] = []
    }

    private let path: String, port: UInt16
    private let state: Mutex<State>
    private var source: RunLoop.Source! // set before other threads know the object
    private var connection: Connection?, hasHead = false, seen = 0 // on the loader's thread alone

    /// Creates a connection without starting it.
    init(path: String, port: UInt16, delegate: any URLConnectionDelegate) {
        (self.path, self.port) = (path, port)
        state = Mutex(State(delegate: delegate))
        source = RunLoop.Source { [weak self] in self?.callDelegate() }
    }

    /// Adds the source that calls the delegate to a loop, in a mode (scheduleInRunLoop:forMode:). Call this before `start()`, once for each mode.
    func schedule(in loop: RunLoop, forMode mode: RunLoop.Mode) {
        loop.add(source, forMode: mode)
        let scheduled = Scheduled(loop: loop)
        state.withLock { $0.loops.append(scheduled) }
    }

    /// Sends the request. Without a `schedule` before, the delegate is called from the calling thread's loop, in the default mode.
    func start() {
        if state.withLock({ $0.loops.isEmpty }) { schedule(in: .current, forMode: .default) }
        state.withLock { $0.itself = self }
        Self.loader.perform { self.load() }
    }

    /// The delegate gets no further calls.
    func cancel() {
        state.withLock { ($0.delegate, $0.itself, $0.messages) = (nil, nil, []) }
        source.invalidate()
        Self.loader.perform { [self] in connection.take()?.cancel() }
    }

    // MARK: - The loader's thread

    private func load() {
        guard state.withLock({ $0.delegate != nil }) else { return }
        let request = Array("GET \(path) HTTP/1.0\r\n\r\n".utf8)
        connection = Connection(request: request, received: received) { [self] answer in
            switch answer {
            case .bytes: tell(hasHead ? .finished : .failed("no answer"))
            case .failure(let reason): tell(.failed(reason))
            }
            self.connection = nil
        }
        connection?.start(port: port)
    }

    /// Bytes have arrived. The head ends with an empty line: "HTTP/1.0 200 OK", and then the body.
    private func received() {
        let bytes = connection?.bytes ?? []
        if !hasHead {
            let text = String(decoding: bytes, as: UTF8.self)
            guard let head = text.firstRange(of: "\r\n\r\n") else { return }
            hasHead = true
            seen = text[..<head.upperBound].utf8.count
            tell(.response(Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0))
        }
        if bytes.count > seen { tell(.data(Array(bytes[seen...]))) }
        seen = bytes.count
    }

    /// Queues a message for the delegate, signals the Source0 and wakes its loops.
    private func tell(_ message: Message) {
        let loops = state.withLock { state in
            state.messages.append(message)
            return state.loops
        }
        source.signal()
        loops.forEach { $0.loop.wakeUp() }
    }

    // MARK: - The scheduled loop

    /// The source's callback.
    @inline(never)
    private func callDelegate() {
        while let (message, delegate) = nextMessage() {
            switch message {
            case .response(let status): delegate.connection(self, didReceiveResponse: status)
            case .data(let data): delegate.connection(self, didReceiveData: data)
            case .finished:
                end()
                delegate.connectionDidFinishLoading(self)
            case .failed(let reason):
                end()
                delegate.connection(self, didFailWithError: reason)
            }
        }
    }

    private func nextMessage() -> (Message, any URLConnectionDelegate)? {
        state.withLock { state in
            guard let delegate = state.delegate, !state.messages.isEmpty else { return nil }
            return (state.messages.removeFirst(), delegate)
        }
    }

    private func end() {
        state.withLock { ($0.delegate, $0.itself) = (nil, nil) }
        source.invalidate()
    }
}
