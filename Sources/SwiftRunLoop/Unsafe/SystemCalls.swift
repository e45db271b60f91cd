// SystemCalls.swift: the system calls that take pointers, as functions of arrays, Data and numbers. Each gives the system the address and the
// size of memory that exists until the call returns, so all arguments are safe. Where a comment does not say otherwise, a call that fails
// leaves its reason in `errno`.

internal import FoundationEssentials
internal import Glibc

// MARK: - Files and clocks

func writeToStandardError(_ text: String) { _ = unsafe write(STDERR_FILENO, text, text.utf8.count) }

/// Reads once from a descriptor. Returns no bytes at the end and after an error.
func readBytes(from descriptor: Int32, atMost count: Int) -> ArraySlice<UInt8> {
    var buffer = [UInt8](repeating: 0, count: count)
    return unsafe buffer[..<max(0, read(descriptor, &buffer, count))]
}

/// Reads the counter of an eventfd or timerfd. Nil if it is 0, or after an error.
func readCounter(from descriptor: Int32) -> UInt64? {
    var count: UInt64 = 0
    return unsafe read(descriptor, &count, 8) == 8 ? count : nil
}

extension timespec {
    /// The time of a clock of the system.
    init(now clock: clockid_t) {
        self.init()
        unsafe clock_gettime(clock, &self)
    }
}

/// Blocks the calling thread until a time of a clock.
func sleepUntil(_ time: timespec, of clock: clockid_t) {
    var time = time
    while unsafe clock_nanosleep(clock, Int32(TIMER_ABSTIME), &time, nil) == EINTR {}
}

// MARK: - Sockets

extension Data {
    /// The bytes of a number or of a C structure, in the order that the machine has.
    init<Value: BitwiseCopyable>(bytesOf value: Value) {
        self = unsafe Swift.withUnsafeBytes(of: value) { unsafe Data($0) }
    }

    /// Calls `body` with a pointer to the sockaddr whose bytes these are. They must fit into a sockaddr_storage.
    fileprivate func withSocketAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var storage = sockaddr_storage()
        return unsafe Swift.withUnsafeMutableBytes(of: &storage) { bytes in
            unsafe bytes.copyBytes(from: self)
            return unsafe body(bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(count))
        }
    }

    /// The address that a system function fills in.
    fileprivate init?(socketAddress get: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) {
        var storage = sockaddr_storage(), length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe get($0, &length) }
        }
        guard result == 0 else { return nil }
        self = unsafe Swift.withUnsafeBytes(of: &storage) { unsafe Data($0.prefix(Int(length))) }
    }
}

/// Gives a socket its own address. False if the system refuses.
func bindSocket(_ socket: Int32, to address: Data) -> Bool {
    unsafe address.withSocketAddress { unsafe bind(socket, $0, $1) } == 0
}

/// Connects a socket to an address. False if the connection is not made, or not yet.
func connectSocket(_ socket: Int32, to address: Data) -> Bool {
    unsafe address.withSocketAddress { unsafe connect(socket, $0, $1) } == 0
}

/// The address to which a socket is bound.
func ownAddress(of socket: Int32) -> Data? {
    unsafe Data(socketAddress: { unsafe getsockname(socket, $0, $1) })
}

/// The address of the other end of a connection.
func peerAddress(of socket: Int32) -> Data? {
    unsafe Data(socketAddress: { unsafe getpeername(socket, $0, $1) })
}

/// The first address for stream sockets of a machine; nil if the machine's name is not known.
func streamAddress(ofHost host: String, port: UInt16) -> Data? {
    var hints = unsafe addrinfo(), found: UnsafeMutablePointer<addrinfo>?
    unsafe hints.ai_socktype = streamType
    guard unsafe getaddrinfo(host, String(port), &hints, &found) == 0 else { return nil }
    defer { unsafe freeaddrinfo(found) }
    return unsafe found.map { unsafe Data(bytes: $0.pointee.ai_addr, count: Int($0.pointee.ai_addrlen)) }
}

/// The user whose process has the other end of a connection in the kernel's namespace.
func userOfPeer(of socket: Int32) -> uid_t? {
    var peer: [UInt32] = [0, 0, 0], length = socklen_t(12) // struct ucred: pid, uid, gid
    return unsafe getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 ? peer[1] : nil
}

func allowReuseOfAddress(_ socket: Int32) {
    var on: Int32 = 1
    unsafe setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
}

/// The error number with which an attempt to connect has ended; 0 if the socket is connected.
func pendingError(of socket: Int32) -> Int32 {
    var error: Int32 = 0, length = socklen_t(MemoryLayout<Int32>.size)
    return unsafe getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno
}

/// Reads from a socket into a buffer. Returns the number of bytes: 0 at the end of the connection, -1 after an error.
func receiveBytes(into buffer: inout [UInt8], from socket: Int32, _ flags: Int = 0) -> Int {
    unsafe recv(socket, &buffer, buffer.count, Int32(flags))
}

/// Sends bytes, except the first `start`, as far as the socket has room. Returns the number of bytes sent, -1 after an error.
func sendBytes(of bytes: Data, after start: Int, to socket: Int32) -> Int {
    unsafe bytes.withUnsafeBytes { bytes in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
        return unsafe send(socket, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
    }
}

/// Waits until a socket has room or has failed. Returns 1 then, 0 when the time is over, -1 after an error.
func pollForRoom(in socket: Int32, milliseconds: Int32) -> Int32 {
    var request = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&request, 1, milliseconds)
}
