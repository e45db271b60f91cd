// StreamInLoop.swift: input and output streams whose events come from this run loop. Foundation's streams on Linux take Foundation's loop,
// send no events even there, and show no descriptor. So these streams are made from a descriptor.

internal import CRunLoop
internal import Glibc

/// An input stream that reads from a descriptor, and sends its delegate the stream's events from a loop of this library.
///
///     let stream = DescriptorInputStream(fileDescriptor: socket)!
///     stream.delegate = reader
///     stream.schedule(in: RunLoop.current, forMode: .default)
///     stream.open()
///
/// It is an InputStream, so it can be given to code that takes one. The delegate gets `openCompleted` once, then `hasBytesAvailable` each time
/// there is something to read, and at last `endEncountered` or `errorOccurred`. As on a Mac, `hasBytesAvailable` comes again only after the
/// delegate has read. Use a stream on the thread of its loop only.
public final class DescriptorInputStream: InputStream, StreamInLoop {
    fileprivate let events: StreamEvents

    /// Makes a stream that reads from a duplicate of a descriptor.
    ///
    /// The descriptor stays yours; you may close it at once.
    /// - Parameter fileDescriptor: an open descriptor of a pipe, a socket, a terminal or a file.
    /// - Returns: nil if the descriptor is not open or the process has no descriptor left; `errno` has the reason.
    public init?(fileDescriptor: Int32) {
        guard let events = StreamEvents(fileDescriptor: fileDescriptor, waitsFor: .readable) else { return nil }
        self.events = events
        super.init(data: Data())
        events.stream = self
    }

    /// Opens the stream, so that it can be read, and its events begin. A stream that was opened before is left as it is.
    public override func open() { events.open() }

    /// Ends the events, removes the stream from its loops and closes the duplicate. Closing does not send an event.
    public override func close() { events.close() }

    /// The state of the stream, as on a Mac: `atEnd` after the last byte has been read, `error` after a read has failed.
    public override var streamStatus: Status { events.status }

    /// The error after which `streamStatus` is `error`: a POSIXError.
    public override var streamError: (any Error)? { events.error }

    /// Whether a read would return at once: there is something to read, or the end has been reached.
    public override var hasBytesAvailable: Bool { events.isReady }

    /// Reads what there is, up to a number of bytes. If there is nothing yet, it waits.
    /// - Parameters:
    ///   - buffer: memory for at least `len` bytes.
    ///   - len: the greatest number of bytes to read.
    /// - Returns: how many bytes have been read; 0 at the end, and if `len` is 0; -1 if the stream is not open or the read has failed.
    public override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        events.transfer(len) { unsafe Glibc.read($0, buffer, len) }
    }

    /// Returns false: the stream has no buffer.
    public override func getBuffer(_ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>) -> Bool {
        false
    }

    /// Adds the stream to a mode of a loop of this library (scheduleInRunLoop:forMode:).
    /// - Parameters:
    ///   - runLoop: the loop. As on a Mac, it does not retain the stream. When the stream is deallocated, its events end.
    ///   - mode: the mode; `.common` stands for all common modes.
    public func schedule(in runLoop: SwiftRunLoop.RunLoop, forMode mode: SwiftRunLoop.RunLoop.Mode) { events.schedule(in: runLoop, mode) }
}

/// An output stream that writes to a descriptor, and sends its delegate the stream's events from a loop of this library.
///
/// It is an OutputStream, so it can be given to code that takes one. The delegate gets `openCompleted` once, then `hasSpaceAvailable` each time
/// there is room to write, and `errorOccurred` when the other end has gone. As on a Mac, `hasSpaceAvailable` comes again only after the
/// delegate has written. Use a stream on the thread of its loop only.
public final class DescriptorOutputStream: OutputStream, StreamInLoop {
    fileprivate let events: StreamEvents

    /// Makes a stream that writes to a duplicate of a descriptor.
    ///
    /// The descriptor stays yours; you may close it at once.
    /// - Parameter fileDescriptor: an open descriptor of a pipe, a socket, a terminal or a file.
    /// - Returns: nil if the descriptor is not open or the process has no descriptor left; `errno` has the reason.
    public init?(fileDescriptor: Int32) {
        guard let events = StreamEvents(fileDescriptor: fileDescriptor, waitsFor: .writable) else { return nil }
        self.events = events
        super.init(toMemory: ())
        events.stream = self
    }

    /// Traps: a stream in memory is `OutputStream(toMemory: ())`.
    public required init(toMemory: ()) {
        preconditionFailure("DescriptorOutputStream writes to a descriptor; use OutputStream(toMemory: ())")
    }

    /// Opens the stream, so that it can be written, and its events begin. A stream that was opened before is left as it is.
    public override func open() { events.open() }

    /// Ends the events, removes the stream from its loops and closes the duplicate. Closing does not send an event.
    public override func close() { events.close() }

    /// The state of the stream, as on a Mac: `error` after a write has failed.
    public override var streamStatus: Status { events.status }

    /// The error after which `streamStatus` is `error`: a POSIXError.
    public override var streamError: (any Error)? { events.error }

    /// Whether a write would return at once: there is room, or it would fail.
    public override var hasSpaceAvailable: Bool { events.isReady }

    /// Writes as much as there is room for, up to a number of bytes. If there is no room, it waits. No SIGPIPE is raised.
    /// - Parameters:
    ///   - buffer: the bytes.
    ///   - len: the number of bytes.
    /// - Returns: how many bytes have been written, 0 if `len` is 0; -1 if the stream is not open or the write has failed.
    public override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
        events.transfer(len) { descriptor in
            let sent = unsafe send(descriptor, buffer, len, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            guard sent < 0, errno == ENOTSOCK else { return sent }
            // A pipe that poll calls writable has room for PIPE_BUF bytes, so this does not wait.
            return withoutSIGPIPE { unsafe Glibc.write(descriptor, buffer, min(len, Int(PIPE_BUF))) }
        }
    }

    /// Adds the stream to a mode of a loop of this library (scheduleInRunLoop:forMode:).
    /// - Parameters:
    ///   - runLoop: the loop. As on a Mac, it does not retain the stream. When the stream is deallocated, its events end.
    ///   - mode: the mode; `.common` stands for all common modes.
    public func schedule(in runLoop: SwiftRunLoop.RunLoop, forMode mode: SwiftRunLoop.RunLoop.Mode) { events.schedule(in: runLoop, mode) }
}

extension Stream {
    /// Removes the stream from a mode of a loop of this library (removeFromRunLoop:forMode:).
    ///
    /// A delegate can call this for the Stream that it is given. Nothing happens if the stream is not in the mode, as Foundation's own streams
    /// never are.
    public func remove(from runLoop: SwiftRunLoop.RunLoop, forMode mode: SwiftRunLoop.RunLoop.Mode) {
        (self as? any StreamInLoop)?.events.remove(from: runLoop, mode)
    }
}

private protocol StreamInLoop: Stream {
    var events: StreamEvents { get }
}

/// The state of a stream, and what sends its events: a port that waits for the descriptor, and a source for what is known already, such as
/// `openCompleted`. Used on the thread of the stream's loop; only the deallocation may come on another one.
private final class StreamEvents: @unchecked Sendable {
    weak var stream: Stream?
    private(set) var status = Stream.Status.notOpen
    private(set) var error: (any Error)?

    private let awaited: FileDescriptorPort.Events
    private var descriptor: Int32
    /// Nil for a regular file: epoll cannot wait for it, and it is always ready.
    private var port: FileDescriptorPort?
    /// Why there is no port, if the file is not a regular one: the process has no descriptor left for the port.
    private var portError: Int32 = 0
    private var source: SwiftRunLoop.RunLoop.Source?
    /// Events that the source will send.
    private var pending: [Stream.Event] = []

    init?(fileDescriptor: Int32, waitsFor events: FileDescriptorPort.Events) {
        descriptor = fcntl(fileDescriptor, F_DUPFD_CLOEXEC, 0)
        awaited = events
        if descriptor < 0 { return nil }
    }

    deinit { close() }

    // MARK: In loops

    func schedule(in runLoop: SwiftRunLoop.RunLoop, _ mode: SwiftRunLoop.RunLoop.Mode) {
        if status == .closed { return }
        makeSources()
        if let port { runLoop.add(port, forMode: mode) }
        if let source { runLoop.add(source, forMode: mode) }
    }

    func remove(from runLoop: SwiftRunLoop.RunLoop, _ mode: SwiftRunLoop.RunLoop.Mode) {
        if let port { runLoop.remove(port, forMode: mode) }
        if let source { runLoop.remove(source, forMode: mode) }
    }

    private func makeSources() {
        guard source == nil || portError != 0 else { return }
        source = source ?? SwiftRunLoop.RunLoop.Source { [weak self] in self?.sendPending() }
        portError = 0
        port = FileDescriptorPort(fileDescriptor: descriptor, events: []) { [weak self] _, _ in self?.descriptorIsReady() }
        if port == nil, errno != EPERM { portError = errno }
        if !pending.isEmpty { source?.signal() }
        if status == .open { waitForDescriptor() }
    }

    // MARK: Open and closed

    func open() {
        guard status == .notOpen else { return }
        status = .open
        post(.openCompleted)
        waitForDescriptor()
    }

    func close() {
        status = .closed
        pending = []
        port?.invalidate()
        source?.invalidate()
        (port, source) = (nil, nil)
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
    }

    // MARK: Events

    /// Waits for the next event. Call this when the stream has been opened, and when its client has used what the last event reported.
    private func waitForDescriptor() {
        if let port { return port.events = awaited }
        if source == nil { return }
        if portError == 0 { return post(stateOfDescriptor()) }
        fail(portError)
        post(.errorOccurred)
    }

    /// Sends an event in the next pass. This is the loop's thread, so the loop is awake.
    private func post(_ event: Stream.Event) {
        pending.append(event)
        source?.signal()
    }

    private func sendPending() {
        while !pending.isEmpty { send(pending.removeFirst()) }
    }

    /// After this event, the descriptor is not waited for until the client reads or writes.
    private func descriptorIsReady() {
        port?.events = []
        send(stateOfDescriptor())
    }

    private func send(_ event: Stream.Event) {
        guard let stream else { return }
        if event == .endEncountered { status = .atEnd }
        stream.delegate?.stream(stream, handle: event)
    }

    /// The event for a descriptor that is ready.
    private func stateOfDescriptor() -> Stream.Event {
        let hasHungUp = CFWatchGetEvents(descriptor, awaited == .writable ? .writable : [.readable, .hangUp]).contains(.hangUp)
        if awaited == .writable {
            guard hasHungUp else { return .hasSpaceAvailable }
            fail(socketError() ?? EPIPE)
            return .errorOccurred
        }
        var count: Int32 = 0
        let isKnown = unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0
        if isKnown, count > 0 { return .hasBytesAvailable }
        if hasHungUp, let error = socketError() {
            fail(error)
            return .errorOccurred
        }
        return isKnown && hasHungUp ? .endEncountered : .hasBytesAvailable
    }

    private func fail(_ number: Int32) {
        status = .error
        error = POSIXError(POSIXErrorCode(rawValue: number) ?? .EIO)
    }

    /// The error that the socket has; nil if it has none, or if this is no socket.
    private func socketError() -> Int32? {
        var number: Int32 = 0, length = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length) == 0 && number != 0 ? number : nil
    }

    var isReady: Bool { status == .open && !CFWatchGetEvents(descriptor, CFWatchEvents(rawValue: awaited.rawValue)).isEmpty }

    // MARK: Reading and writing

    /// Calls a system call that reads or writes. It is not made before the descriptor is ready.
    func transfer(_ length: Int, _ call: (Int32) -> Int) -> Int {
        if status == .atEnd { return 0 }
        guard status == .open else { return -1 }
        if length <= 0 { return 0 } // a read of no bytes returns 0, too, and that is not the end
        var request = pollfd(fd: descriptor, events: Int16(awaited == .writable ? POLLOUT : POLLIN), revents: 0), count = -1
        repeat {
            _ = unsafe poll(&request, 1, -1)
            count = call(descriptor)
        } while count < 0 && (errno == EINTR || errno == EAGAIN)
        if count < 0 {
            fail(errno)
            post(.errorOccurred)
        } else if count == 0, awaited == .readable {
            status = .atEnd
            post(.endEncountered)
        } else {
            waitForDescriptor()
        }
        return count
    }
}

/// Calls a closure that may write to a pipe without a reader. The signal that this raises is taken back.
private func withoutSIGPIPE(_ body: () -> Int) -> Int {
    var pipeSignal = sigset_t(), before = sigset_t(), waiting = sigset_t()
    unsafe sigemptyset(&pipeSignal)
    unsafe sigaddset(&pipeSignal, SIGPIPE)
    unsafe sigpending(&waiting)
    if unsafe sigismember(&waiting, SIGPIPE) == 1 { return body() } // it is blocked, and another one changes nothing
    unsafe pthread_sigmask(SIG_BLOCK, &pipeSignal, &before)
    let result = body(), error = errno
    var noTime = timespec()
    while unsafe sigtimedwait(&pipeSignal, nil, &noTime) < 0, errno == EINTR {}
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    errno = error
    return result
}
