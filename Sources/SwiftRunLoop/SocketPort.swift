// SocketPort.swift: ports whose messages go through a socket, between threads, processes and machines. On a Mac they are NSSocketPort. Foundation
// on Linux has the class, but its send returns false.

public import FoundationEssentials
internal import Glibc

/// A port at the end of a stream socket (NSSocketPort).
///
/// A *local* port listens, and its delegate receives messages on the thread of its loop. A *remote* port is the address of a local port in
/// another thread, process or machine, for sending:
///
///     let local = SocketPort(tcpPort: 4000)!                     // here
///     let remote = SocketPort(remoteWithTCPPort: 4000, host: "other")!  // there
///     let isSent = remote.send(before: .distantFuture, components: [data], from: nil, reserved: 0)
///
/// If a message names a local SocketPort for replies, the receiver's message has a remote port for it as its `sendPort`.
///
/// Both ends must be of this library: the format on the wire is its own. The messages are neither encrypted nor authenticated, and a local
/// port that is made with a port number listens on all of the machine's addresses, as on a Mac. Do not open one to a network that you do not
/// trust. The operating system's limits apply: messages up to 64 MB.
open class SocketPort: Port, @unchecked Sendable {
    private let portLink: PortLink?

    override var link: PortLink? { portLink }

    private init(link: PortLink?) {
        portLink = link
        super.init()
        if let link { beginToReceive(link) } else { invalidate() }
    }

    // MARK: - Local ports

    /// Makes a local TCP port with a number that the system chooses; `address` has it (init).
    ///
    /// If the system has no socket left, the port is invalid.
    public override convenience init() {
        self.init(link: PortLink.listening(at: PortSignature(tcpPort: 0)))
    }

    /// Makes a local TCP port (initWithTCPPort:).
    /// - Parameter port: the number; 0 is one that the system chooses.
    /// - Returns: nil if the number is in use or may not be used.
    public convenience init?(tcpPort port: UInt16) {
        guard let link = PortLink.listening(at: PortSignature(tcpPort: port)) else { return nil }
        self.init(link: link)
    }

    /// Makes a local port for an address (initWithProtocolFamily:socketType:protocol:address:).
    /// - Parameters:
    ///   - family: AF_INET, AF_INET6 or AF_UNIX.
    ///   - type: SOCK_STREAM.
    ///   - protocolNumber: IPPROTO_TCP, or 0.
    ///   - address: the bytes of a sockaddr.
    /// - Returns: nil for another type, or if the address is in use or may not be used.
    public convenience init?(protocolFamily family: Int32, socketType type: Int32, protocol protocolNumber: Int32, address: Data) {
        let signature = PortSignature(family: family, type: type, protocolNumber: protocolNumber, address: address)
        guard signature.isUsable, let link = PortLink.listening(at: signature) else { return nil }
        self.init(link: link)
    }

    /// Makes a local port of a socket that the program has bound (initWithProtocolFamily:socketType:protocol:socket:).
    /// - Parameters:
    ///   - family: the socket's family.
    ///   - type: SOCK_STREAM.
    ///   - protocolNumber: the socket's protocol.
    ///   - sock: the socket, which the port owns and closes.
    /// - Returns: nil for another type, or if the socket is not bound; it stays yours then.
    public convenience init?(protocolFamily family: Int32, socketType type: Int32, protocol protocolNumber: Int32, socket sock: Int32) {
        guard type == streamType, let address = ownAddress(of: sock),
              listen(sock, SOMAXCONN) == 0
        else { return nil }
        let signature = PortSignature(family: family, type: type, protocolNumber: protocolNumber, address: address)
        self.init(link: PortLink(signature: signature, listener: PortListener(socket: sock) { _ in true }))
    }

    // MARK: - Remote ports

    /// Makes a remote TCP port (initRemoteWithTCPPort:host:).
    /// - Parameters:
    ///   - port: its number.
    ///   - host: the machine's name or address; nil or empty is this machine. A name is looked up at once, which may take seconds.
    /// - Returns: nil if the name is not known.
    public convenience init?(remoteWithTCPPort port: UInt16, host: String?) {
        guard let signature = PortSignature(tcpPort: port, host: host.flatMap { $0.isEmpty ? nil : $0 } ?? "127.0.0.1") else { return nil }
        self.init(link: PortLink(signature: signature, listener: nil))
    }

    /// Makes a remote port for an address (initRemoteWithProtocolFamily:socketType:protocol:address:).
    ///
    /// It is not checked that there is a port; if there is none, `send` returns false.
    /// - Parameters:
    ///   - family: AF_INET, AF_INET6 or AF_UNIX.
    ///   - type: SOCK_STREAM. Another type makes an invalid port.
    ///   - protocolNumber: IPPROTO_TCP, or 0.
    ///   - address: the bytes of a sockaddr.
    public convenience init(remoteWithProtocolFamily family: Int32, socketType type: Int32, protocol protocolNumber: Int32, address: Data) {
        self.init(remote: PortSignature(family: family, type: type, protocolNumber: protocolNumber, address: address))
    }

    convenience init(remote signature: PortSignature) {
        self.init(link: signature.isUsable ? PortLink(signature: signature, listener: nil) : nil)
    }

    // MARK: - Properties

    /// The family of the address, such as AF_INET (protocolFamily).
    open var protocolFamily: Int32 { link?.signature.family ?? 0 }

    /// SOCK_STREAM (socketType).
    open var socketType: Int32 { link?.signature.type ?? 0 }

    /// The protocol, such as IPPROTO_TCP, or 0 (protocol).
    open var `protocol`: Int32 { link?.signature.protocolNumber ?? 0 }

    /// The bytes of the sockaddr at which the port receives (address).
    open var address: Data { link?.signature.address ?? Data() }

    /// The listening socket of a local port; -1 for a remote or invalid one (socket).
    ///
    /// It stays the port's.
    open var socket: Int32 { isValid ? link?.listener?.socket ?? -1 : -1 }

    /// Whether `object` is a SocketPort with the same address (isEqual:).
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SocketPort, let signature = link?.signature else { return self === object as AnyObject? }
        return signature == other.link?.signature
    }

    /// The hash value of the address (hash).
    open override var hash: Int { link?.signature.hashValue ?? super.hash }

    // MARK: - Sending

    /// Sends a message to the port's delegate, wherever it is.
    /// - Parameters:
    ///   - limitDate: how long to wait for the connection and for room in it. If the date has passed, the call waits at most 0.1 seconds for a
    ///     connection.
    ///   - msgID: the message's `msgid`. The lower 32 bits are sent.
    ///   - components: the contents, at most 64 MB.
    ///   - receivePort: the local SocketPort for replies. Another kind of port is not sent.
    ///   - headerSpaceReserved: not used.
    /// - Returns: true if the kernel has all of the message. That does not say that the receiver has read it.
    @available(*, noasync, message: "await send(msgid:components:from:), which does not block the thread")
    open override func send(
        before limitDate: Date, msgid msgID: Int, components: [Data]?, from receivePort: Port?, reserved headerSpaceReserved: Int
    ) -> Bool {
        guard isValid, let link else { return false }
        return link.send(msgid: msgID, components: components, from: receivePort, before: limitDate)
    }

    /// Sends a message to the port's delegate, wherever it is, without blocking the calling thread.
    ///
    /// The cancellation of the task does not end the wait; `invalidate()` does.
    /// - Parameters:
    ///   - msgID: the message's `msgid`. The lower 32 bits are sent.
    ///   - components: the contents, at most 64 MB.
    ///   - receivePort: the local SocketPort for replies. Another kind of port is not sent.
    ///   - isolation: the actor on which the caller continues; the default is the caller's own.
    /// - Returns: true if the kernel has all of the message.
    open override func send(
        msgid msgID: Int = 0, components: [Data]?, from receivePort: Port?, isolation: isolated (any Actor)? = #isolation
    ) async -> Bool {
        guard isValid, let link else { return false }
        return await link.send(msgid: msgID, components: components, from: receivePort, isolation: isolation)
    }
}

/// A port for messages between the threads and processes of one machine and one user (NSMessagePort).
///
/// Processes find each other by a name. There is no MessagePortNameServer; the name is an address of the kernel's, which goes with the
/// port. Only processes of the same user can send:
///
///     let local = MessagePort(name: "com.example.clock")!         // in one process
///     let remote = MessagePort(remoteName: "com.example.clock")!  // in another one
///
open class MessagePort: Port, @unchecked Sendable {
    private let portLink: PortLink?

    override var link: PortLink? { portLink }

    /// The name; a port that was made without one has a name that the system chose. Empty if the port could not be made.
    public let name: String

    private init(link: PortLink?, name: String) {
        portLink = link
        self.name = name
        super.init()
        if let link { beginToReceive(link) } else { invalidate() }
    }

    /// Makes a local port with a name that the system chooses (init).
    ///
    /// If the system has no socket left, the port is invalid.
    public override convenience init() {
        let link = PortLink.listening(at: PortSignature(family: AF_UNIX, type: streamType, protocolNumber: 0, address: Data(unixName: nil)!), accepts: isOfThisUser)
        self.init(link: link, name: link?.signature.address.unixName ?? "")
    }

    /// Makes a local port with a name.
    /// - Parameter name: at most 70 bytes.
    /// - Returns: nil if another port has the name, or if it is empty or too long.
    public convenience init?(name: String) {
        guard let address = Data(unixName: name),
              let link = PortLink.listening(at: PortSignature(family: AF_UNIX, type: streamType, protocolNumber: 0, address: address), accepts: isOfThisUser)
        else { return nil }
        self.init(link: link, name: name)
    }

    /// Makes a remote port for the local port that has a name, in this process or another one.
    /// - Returns: nil if there is none now.
    public convenience init?(remoteName name: String) {
        guard let address = Data(unixName: name) else { return nil }
        let link = PortLink(signature: PortSignature(family: AF_UNIX, type: streamType, protocolNumber: 0, address: address), listener: nil)
        guard link.sender.canConnect else { return nil }
        self.init(link: link, name: name)
    }

    convenience init(remote signature: PortSignature) {
        self.init(link: PortLink(signature: signature, listener: nil), name: signature.address.unixName ?? "")
    }

    /// Whether `object` is a MessagePort with the same name (isEqual:).
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? MessagePort, !name.isEmpty else { return self === object as AnyObject? }
        return name == other.name
    }

    /// The hash value of the name (hash).
    open override var hash: Int { name.isEmpty ? super.hash : name.hashValue }

    /// Sends a message to the port's delegate, wherever it is.
    /// - Parameters:
    ///   - limitDate: how long to wait for room. If the date has passed, the call does not wait.
    ///   - msgID: the message's `msgid`. The lower 32 bits are sent.
    ///   - components: the contents, at most 64 MB.
    ///   - receivePort: the local MessagePort for replies. A port that has no socket is not sent.
    ///   - headerSpaceReserved: not used.
    /// - Returns: true if the kernel has all of the message. That does not say that the receiver has read it.
    @available(*, noasync, message: "await send(msgid:components:from:), which does not block the thread")
    open override func send(
        before limitDate: Date, msgid msgID: Int, components: [Data]?, from receivePort: Port?, reserved headerSpaceReserved: Int
    ) -> Bool {
        guard isValid, let link else { return false }
        return link.send(msgid: msgID, components: components, from: receivePort, before: limitDate)
    }

    /// Sends a message to the port's delegate, wherever it is, without blocking the calling thread.
    ///
    /// The cancellation of the task does not end the wait; `invalidate()` does.
    /// - Parameters:
    ///   - msgID: the message's `msgid`. The lower 32 bits are sent.
    ///   - components: the contents, at most 64 MB.
    ///   - receivePort: the local MessagePort for replies. A port that has no socket is not sent.
    ///   - isolation: the actor on which the caller continues; the default is the caller's own.
    /// - Returns: true if the kernel has all of the message.
    open override func send(
        msgid msgID: Int = 0, components: [Data]?, from receivePort: Port?, isolation: isolated (any Actor)? = #isolation
    ) async -> Bool {
        guard isValid, let link else { return false }
        return await link.send(msgid: msgID, components: components, from: receivePort, isolation: isolation)
    }
}

// MARK: - Sockets

extension Port {
    /// Puts what arrives at a link into this port's queue. The link does not retain the port.
    fileprivate func beginToReceive(_ link: PortLink) {
        link.listener?.start { [weak self] frame, onTake in self?.receive(frame, onTake) ?? true }
    }

    /// Returns false if the queue is full.
    private func receive(_ frame: PortMessageFrame, _ onTake: @escaping @Sendable () -> Void) -> Bool {
        let reply: Port? = frame.replySignature.map { self is MessagePort ? MessagePort(remote: $0) : SocketPort(remote: $0) }
        return messageQueue.append(QueuedMessage(frame, replyPort: reply, onTake: onTake), before: .distantPast)
    }
}

extension PortLink {
    /// A link that listens at an address; nil if the system refuses.
    fileprivate static func listening(at signature: PortSignature?, accepts: @escaping @Sendable (Int32) -> Bool = { _ in true }) -> PortLink? {
        guard var signature else { return nil }
        let type = signature.type | Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let socket = Glibc.socket(signature.family, type, signature.protocolNumber)
        guard socket >= 0 else { return nil }
        if signature.family != AF_UNIX { allowReuseOfAddress(socket) }
        guard bindSocket(socket, to: signature.address), listen(socket, SOMAXCONN) == 0, let address = ownAddress(of: socket) else {
            close(socket)
            return nil
        }
        signature.address = address // with the number or the name that the system has chosen
        return PortLink(signature: signature, listener: PortListener(socket: socket, accepts: accepts))
    }
}

extension PortSignature {
    /// The signature of a local TCP port on all addresses.
    fileprivate init(tcpPort port: UInt16) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        self.init(family: AF_INET, type: streamType, protocolNumber: Int32(IPPROTO_TCP), address: Data(bytesOf: address))
    }

    /// The signature of a TCP port of a machine; nil if the machine's name is not known.
    fileprivate init?(tcpPort port: UInt16, host: String) {
        guard let address = streamAddress(ofHost: host, port: port) else { return nil }
        self.init(family: address.family, type: streamType, protocolNumber: Int32(IPPROTO_TCP), address: address)
    }
}

private let unixPrefix = "SwiftRunLoop.MessagePort."

extension Data {
    /// The address of a MessagePort in the kernel's namespace, which is no file; without a name, one that lets the system choose.
    fileprivate init?(unixName name: String?) {
        self = Data(bytesOf: sa_family_t(AF_UNIX))
        guard let name else { return }
        guard !name.isEmpty, name.utf8.count <= 70 else { return nil }
        append(0)
        append(contentsOf: "\(unixPrefix)\(getuid()).\(name)".utf8)
        guard count <= MemoryLayout<sockaddr_un>.size else { return nil }
    }

    fileprivate var unixName: String? {
        guard count > 3 else { return nil }
        let text = String(decoding: dropFirst(3), as: UTF8.self), prefix = "\(unixPrefix)\(getuid())."
        return text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
    }
}

/// Whether the process at the other end of a connection belongs to the same user.
private func isOfThisUser(_ socket: Int32) -> Bool {
    userOfPeer(of: socket) == getuid()
}
