// PortLink.swift: what SocketPort and MessagePort share: messages as bytes on a stream socket.
//
// The receiving end listens. A dispatch queue accepts connections and reads them, and puts each complete message into the port's queue, whose
// descriptor wakes the loop. On a Mac CFSocket's manager thread does this work. If the port's queue is full, or its messages have many bytes,
// nothing is read until the loop has taken a message. So the sockets' buffers fill up and the senders wait.
//
// A message on the wire, integers in network byte order:
//
//     4 bytes   "RLP1"
//     4         the number of bytes that follow, at most `PortMessageFrame.limit`
//     4         msgid
//     4 + n     the signature of the port for replies; n = 0: none
//     4         the number of components; 0xFFFFFFFF: nil
//     4 + n     each component
//
// The format is this library's own. It is not that of a Mac's NSSocketPort, which is not documented.

internal import FoundationEssentials
internal import Glibc
import Dispatch
import Synchronization

/// The address of a receiving end, and what is needed to connect to it (NSSocketPort's signature).
struct PortSignature: Hashable, Sendable {
    var family, type, protocolNumber: Int32
    /// The bytes of a sockaddr of that family.
    var address: Data

    /// - Returns: nil if the bytes are no signature of a stream socket.
    init?(bytes: Data) {
        guard bytes.count > 12 else { return nil }
        var reader = FrameReader(bytes)
        (family, type, protocolNumber) = (Int32(bitPattern: reader.integer()!), Int32(bitPattern: reader.integer()!), Int32(bitPattern: reader.integer()!))
        address = reader.rest
        guard isUsable else { return nil }
    }

    init(family: Int32, type: Int32, protocolNumber: Int32, address: Data) {
        (self.family, self.type, self.protocolNumber, self.address) = (family, type, protocolNumber, address)
    }

    var bytes: Data {
        var bytes = Data()
        for part in [family, type, protocolNumber] { bytes.append(integer: UInt32(bitPattern: part)) }
        return bytes + address
    }

    /// Only stream sockets keep the order and the borders of messages.
    var isUsable: Bool {
        type == streamType && address.count >= 2 && address.count <= MemoryLayout<sockaddr_storage>.size && address.family == family
    }

    /// For a port that listens on all addresses of its machine: the address under which the other end has seen that machine.
    mutating func replaceWildcard(by peer: Data) {
        let isIPv4 = family == AF_INET && address.count >= 8 && address[4..<8].allSatisfy { $0 == 0 }
        let isIPv6 = family == AF_INET6 && address.count >= 24 && address[8..<24].allSatisfy { $0 == 0 }
        guard isIPv4 || isIPv6, peer.family == family, peer.count >= address.count else { return }
        let range = isIPv4 ? 4..<8 : 8..<24
        address.replaceSubrange(range, with: peer[range])
    }
}

let streamType = Int32(SOCK_STREAM.rawValue)

extension Data {
    /// The address family of a sockaddr's bytes.
    var family: Int32 {
        count < 2 ? -1 : Int32(first!) | Int32(self[startIndex + 1]) << 8 // all machines that Swift runs on are little-endian
    }

    fileprivate mutating func append(integer: UInt32) {
        append(Data(bytesOf: integer.bigEndian))
    }
}

/// A message as it is on the wire.
struct PortMessageFrame: Sendable, Equatable {
    static let magic: UInt32 = 0x524C_5031, limit = 64 << 20

    var msgid: UInt32
    var replySignature: PortSignature?
    var components: [Data]?

    /// About how many bytes of memory it takes.
    var size: Int { (components ?? []).reduce(64) { $0 + $1.count } }

    /// The bytes; nil if they are too many.
    var bytes: Data? {
        var body = Data()
        body.append(integer: msgid)
        let signature = replySignature?.bytes ?? Data()
        body.append(integer: UInt32(signature.count))
        body += signature
        body.append(integer: components.map { UInt32($0.count) } ?? .max)
        for component in components ?? [] {
            guard body.count + component.count <= Self.limit else { return nil }
            body.append(integer: UInt32(component.count))
            body += component
        }
        guard body.count <= Self.limit else { return nil }
        var bytes = Data()
        bytes.append(integer: Self.magic)
        bytes.append(integer: UInt32(body.count))
        return bytes + body
    }

    /// The bytes are no message.
    struct Malformed: Error {}

    /// Reads one message. Returns nil, and reads nothing, if it is not complete.
    static func next(_ reader: inout FrameReader) throws(Malformed) -> PortMessageFrame? {
        var ahead = reader
        guard let magic = ahead.integer() else { return nil }
        guard magic == Self.magic else { throw Malformed() }
        guard let length = ahead.integer() else { return nil }
        guard length <= limit else { throw Malformed() }
        guard let body = ahead.bytes(length) else { return nil }
        reader = ahead
        return try PortMessageFrame(body: body)
    }

    private init(body: Data) throws(Malformed) {
        var reader = FrameReader(body)
        guard let msgid = reader.integer(), let length = reader.integer(), let signature = reader.bytes(length), let count = reader.integer()
        else { throw Malformed() }
        self.msgid = msgid
        if !signature.isEmpty {
            guard let known = PortSignature(bytes: signature) else { throw Malformed() }
            replySignature = known
        }
        guard count != .max else { return }
        var components: [Data] = []
        for _ in 0..<count {
            guard let length = reader.integer(), let component = reader.bytes(length) else { throw Malformed() }
            components.append(component)
        }
        self.components = components
    }

    init(msgid: UInt32, replySignature: PortSignature?, components: [Data]?) {
        (self.msgid, self.replySignature, self.components) = (msgid, replySignature, components)
    }
}

/// Reads integers and bytes, as far as there are any.
struct FrameReader {
    private let data: Data
    private var place: Data.Index

    init(_ data: Data) {
        self.data = data
        place = data.startIndex
    }

    mutating func bytes(_ count: UInt32) -> Data? {
        guard data.endIndex - place >= Int(count) else { return nil }
        defer { place += Int(count) }
        return Data(data[place..<(place + Int(count))])
    }

    mutating func integer() -> UInt32? {
        bytes(4).map { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    var rest: Data { Data(data[place...]) }
}

// MARK: - The receiving end

/// Accepts connections to a listening socket and reads their messages, on a dispatch queue. May be used from any thread.
final class PortListener: @unchecked Sendable {
    /// Puts a message into the port's queue, which calls the closure when the message has left it. Returns false if the queue is full.
    typealias Receive = @Sendable (PortMessageFrame, _ onTake: @escaping @Sendable () -> Void) -> Bool

    private final class Connection {
        let socket: Int32, peer: Data, source: any DispatchSourceRead
        var bytes = Data()

        init(_ socket: Int32, _ peer: Data, _ source: any DispatchSourceRead) {
            (self.socket, self.peer, self.source) = (socket, peer, source)
        }
    }

    let socket: Int32
    private let queue = DispatchQueue(label: "SwiftRunLoop.PortListener")
    private static let queueOwner = DispatchSpecificKey<ObjectIdentifier>()
    private let openSockets = DispatchGroup()   // each is in it from the making of its source until it has been closed
    private let accepts: @Sendable (Int32) -> Bool
    private let isFull = Atomic(false)
    private let queuedBytes = Atomic(0)
    private static let mostQueuedBytes = 4 << 20
    private var receive: Receive?               // this and all that follows: on the queue
    private var source: (any DispatchSourceRead)?
    private var connections: [Int32: Connection] = [:]
    private var waiting: [PortMessageFrame] = []     // complete, and there was no room

    /// Listens at a socket, which it owns from now on.
    /// - Parameter accepts: whether a new connection may send messages.
    init(socket: Int32, accepts: @escaping @Sendable (Int32) -> Bool) {
        self.socket = socket
        self.accepts = accepts
        setNonBlocking(socket)
        queue.setSpecific(key: Self.queueOwner, value: ObjectIdentifier(self))
    }

    /// Begins to read.
    func start(_ receive: @escaping Receive) {
        queue.sync {
            self.receive = receive
            let source = makeSource(socket) { [weak self] in self?.acceptConnection() }
            self.source = source
            source.resume()
        }
    }

    /// Makes a source that closes its socket when it has been cancelled: libdispatch uses the socket until then.
    private func makeSource(_ socket: Int32, _ handler: @escaping @Sendable () -> Void) -> any DispatchSourceRead {
        let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
        openSockets.enter()
        source.setEventHandler(handler: handler)
        source.setCancelHandler { [openSockets] in
            close(socket)
            openSockets.leave()
        }
        return source
    }

    /// A message has left the port's queue.
    private func resume(_ size: Int) {
        queuedBytes.wrappingSubtract(size, ordering: .sequentiallyConsistent)
        guard isFull.load(ordering: .sequentiallyConsistent) else { return }
        queue.async { self.deliver() }
    }

    /// Closes all sockets, so that the address is free and senders find no receiver.
    ///
    /// It waits for the queue, unless the queue itself releases the port: for a second at most, because a child of fork has no thread for it.
    func end() {
        queue.async { [self] in
            receive = nil
            source?.cancel()
            if isFull.exchange(false, ordering: .sequentiallyConsistent) { for connection in connections.values { connection.source.resume() } }
            for connection in connections.values { connection.source.cancel() }
            (source, connections, waiting) = (nil, [:], [])
        }
        if DispatchQueue.getSpecific(key: Self.queueOwner) != ObjectIdentifier(self) { _ = openSockets.wait(timeout: .now() + 1) }
    }

    private func acceptConnection() {
        let accepted = accept(socket, nil, nil)
        if accepted < 0 && (errno == EMFILE || errno == ENFILE), let source { // the connection waits until there is a descriptor for it
            source.suspend()
            let suspended = Transferred(source) // any thread may resume a dispatch source
            queue.asyncAfter(deadline: .now() + 0.1) { suspended.value.resume() }
        }
        guard accepted >= 0 else { return }
        setNonBlocking(accepted)
        guard accepts(accepted) else {
            close(accepted)
            return
        }
        let peer = peerAddress(of: accepted) ?? Data()
        let source = makeSource(accepted) { [weak self] in self?.read(accepted) }
        connections[accepted] = Connection(accepted, peer, source)
        source.resume()
        if isFull.load(ordering: .relaxed) { source.suspend() }
    }

    private func read(_ socket: Int32) {
        guard let connection = connections[socket] else { return }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = receiveBytes(into: &buffer, from: socket)
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
        guard count > 0 else { return drop(connection) }
        connection.bytes.append(contentsOf: buffer[..<count])
        var reader = FrameReader(connection.bytes)
        do {
            while var frame = try PortMessageFrame.next(&reader) {
                frame.replySignature?.replaceWildcard(by: connection.peer)
                waiting.append(frame)
            }
            connection.bytes = reader.rest
        } catch {
            drop(connection) // what follows cannot be understood
        }
        deliver()
    }

    private func drop(_ connection: Connection) {
        connection.source.cancel()
        connections[connection.socket] = nil
    }

    /// Reads on when all that has been read is in the port's queue. `isFull` is set before the last attempt, so that `resume` cannot miss it.
    private func deliver() {
        guard let receive else { return }
        var isSecondAttempt = false
        while let frame = waiting.first {
            let size = frame.size, hasRoom = queuedBytes.load(ordering: .sequentiallyConsistent) < Self.mostQueuedBytes
            if hasRoom { queuedBytes.wrappingAdd(size, ordering: .sequentiallyConsistent) }
            if hasRoom, receive(frame, { [weak self] in self?.resume(size) }) {
                waiting.removeFirst()
                continue
            }
            if hasRoom { queuedBytes.wrappingSubtract(size, ordering: .sequentiallyConsistent) }
            if isSecondAttempt || isFull.load(ordering: .sequentiallyConsistent) { return }
            isSecondAttempt = true
            isFull.store(true, ordering: .sequentiallyConsistent)
            for connection in connections.values { connection.source.suspend() }
        }
        if isFull.exchange(false, ordering: .sequentiallyConsistent) { for connection in connections.values { connection.source.resume() } }
    }
}

/// A read or write does not wait, and the descriptor is not passed to other programs.
private func setNonBlocking(_ socket: Int32) {
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
}

// MARK: - The sending end

/// Connects to a receiving end when there is something to send, and keeps the connection. May be used from any thread.
final class PortSender: @unchecked Sendable {
    let signature: PortSignature
    private let monitor = Monitor()
    private var isSending = false, isOpen = true // guarded by the monitor
    private var socket: Int32 = -1               // of the thread whose turn it is or, if no thread is sending, guarded by the monitor

    init(to signature: PortSignature) {
        self.signature = signature
    }

    deinit {
        if socket >= 0 { close(socket) }
    }

    /// Whether there is a receiver now. The connection is kept. Call this before the sender is used.
    var canConnect: Bool {
        socket = connect(before: Date())
        return socket >= 0
    }

    /// Sends a message. Threads take turns, so that messages stay whole.
    /// - Returns: true if the kernel has all bytes of it. False if that was not so at the date, or if there is no receiver.
    func send(_ bytes: Data, before limitDate: Date) -> Bool {
        let isMyTurn = monitor.locked {
            while isOpen && isSending {
                guard monitor.wait(until: limitDate) else { return false }
            }
            defer { isSending = isSending || isOpen }
            return isOpen
        }
        guard isMyTurn else { return false }
        let isSent = write(bytes, before: limitDate)
        monitor.locked {
            isSending = false
            if !isOpen { disconnect() }
            monitor.wakeAll()
        }
        return isSent
    }

    /// Closes the connection permanently. A thread that is sending gives up within 0.1 seconds, and closes it.
    func end() {
        monitor.locked {
            isOpen = false
            if !isSending { disconnect() }
            monitor.wakeAll()
        }
    }

    private var hasEnded: Bool { monitor.locked { !isOpen } }

    private func disconnect() {
        if socket >= 0 { close(socket) }
        socket = -1
    }

    private func write(_ bytes: Data, before limitDate: Date) -> Bool {
        if socket >= 0, isClosedByReceiver(socket) { disconnect() }
        if socket < 0 { socket = connect(before: limitDate) }
        guard socket >= 0 else { return false }
        var sent = 0
        while sent < bytes.count {
            let count = sendBytes(of: bytes, after: sent, to: socket)
            if count > 0 {
                sent += count
            } else if count < 0 && errno == EAGAIN {
                guard wait(for: socket, until: limitDate) else { break }
            } else if errno != EINTR {
                break
            }
        }
        if sent < bytes.count { disconnect() } // the receiver drops the part that it has
        return sent == bytes.count
    }

    /// The receiver never writes. If there is something to read, it is the end.
    private func isClosedByReceiver(_ socket: Int32) -> Bool {
        var byte: [UInt8] = [0]
        return receiveBytes(into: &byte, from: socket, MSG_PEEK | MSG_DONTWAIT) >= 0 || errno != EAGAIN
    }

    private func connect(before limitDate: Date) -> Int32 {
        let new = Glibc.socket(signature.family, signature.type | Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), signature.protocolNumber)
        guard new >= 0 else { return -1 }
        var error = connectSocket(new, to: signature.address) ? 0 : errno
        if error == EAGAIN, signature.family == AF_UNIX { error = retryConnect(new, before: limitDate) } // the listener's queue is full
        if error == EINPROGRESS {
            let isKnown = wait(for: new, until: max(limitDate, Date(timeIntervalSinceNow: 0.1)))
            error = isKnown ? pendingError(of: new) : ETIMEDOUT
        }
        if error == 0 { return new }
        close(new)
        return -1
    }

    private func retryConnect(_ socket: Int32, before limitDate: Date) -> Int32 {
        while Date() < limitDate, !hasEnded {
            usleep(1000)
            if connectSocket(socket, to: signature.address) { return 0 }
            if errno != EAGAIN { return errno }
        }
        return ETIMEDOUT
    }

    /// Waits until a socket can be written to. False at the date, and when the sender has been ended.
    private func wait(for socket: Int32, until date: Date) -> Bool {
        while !hasEnded {
            let seconds = date.timeIntervalSinceNow
            let result = pollForRoom(in: socket, milliseconds: Int32(max(0, min(seconds, 0.1) * 1000).rounded(.up)))
            if result > 0 { return true }
            if result == 0 && seconds <= 0 || result < 0 && errno != EINTR { return false }
        }
        return false
    }
}

/// The ends that a port has: a local port has both, to send to itself; a remote port only sends.
final class PortLink: Sendable {
    let signature: PortSignature
    let sender: PortSender
    let listener: PortListener?

    init(signature: PortSignature, listener: PortListener?) {
        self.signature = signature
        self.listener = listener
        sender = PortSender(to: signature)
    }

    /// Sends a message, with the signature of a local port for replies if that has one.
    func send(msgid: Int, components: [Data]?, from receivePort: Port?, before limitDate: Date) -> Bool {
        let frame = PortMessageFrame(
            msgid: UInt32(truncatingIfNeeded: msgid), replySignature: receivePort?.link?.signature, components: components)
        guard let bytes = frame.bytes else { return false }
        return sender.send(bytes, before: limitDate)
    }

    /// Sends a message on a thread of libdispatch, so that no thread of the caller waits.
    func send(msgid: Int, components: [Data]?, from receivePort: Port?, isolation: isolated (any Actor)?) async -> Bool {
        await withCheckedContinuation(isolation: isolation) { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: self.send(msgid: msgid, components: components, from: receivePort, before: .distantFuture))
            }
        }
    }

    func end() {
        listener?.end()
        sender.end()
    }
}
