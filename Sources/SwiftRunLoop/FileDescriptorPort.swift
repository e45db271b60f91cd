// FileDescriptorPort.swift: a port for a descriptor, and for everything that can happen to one. Its source has the mode's own port set wait
// for more than something to read (CFPortSupport.h).

internal import CRunLoop
public import FoundationEssentials
internal import Glibc
import Synchronization

/// A port that calls its handler when a descriptor can be read, can be written or has been hung up.
///
///     let port = FileDescriptorPort(fileDescriptor: STDIN_FILENO) { port, events in … read … }
///     RunLoop.main.add(port!, forMode: .default)
///
/// For pipes, sockets, terminals, eventfds, signalfds, inotify. It plays the part that CFFileDescriptor and CFSocket have on a Mac, and, unlike
/// them, need not be enabled again after each call: as long as something is left to read, or there is room to write and that was asked
/// for, the handler is called in each pass of the loop. It takes no messages, so `send` returns false.
open class FileDescriptorPort: Port {
    /// What can happen to a descriptor.
    public struct Events: OptionSet, Sendable, Hashable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// A read would not wait: there is something, or the end has been reached.
        public static let readable = Events(rawValue: kCFWatchReadable)
        /// A write would not wait: there is room, or it would fail.
        public static let writable = Events(rawValue: kCFWatchWritable)
        /// The other end is gone, or has finished writing, or the descriptor has failed. Where both directions are closed this is noticed
        /// without being asked for, and it stays: invalidate the port then, or its loop will not sleep again.
        public static let hangUp = Events(rawValue: kCFWatchHangUp)
    }

    /// The descriptor. It stays the caller's, who closes it after `invalidate()`. The port has a duplicate of its own: of a descriptor that is
    /// closed before, it goes on waiting for the same file, and never for another that gets the number.
    public let fileDescriptor: Int32

    private struct State {
        var events: Events
        var duplicate: Int32
        var handler: (@Sendable (FileDescriptorPort, Events) -> Void)?
    }

    private let state: Mutex<State>

    /// Makes a port that no loop has yet.
    /// - Parameters:
    ///   - fileDescriptor: an open descriptor.
    ///   - events: what to wait for.
    ///   - handler: called on the thread of the loop in which the port is, with the port and what has happened. It is released when the port is
    ///     invalidated, or gone. To have it hold the port would keep the port until then: use the argument.
    /// - Returns: nil if the descriptor is not open or cannot be waited for, as regular files and directories cannot, or if there is no
    ///   descriptor to be had for the port itself; `errno` tells which.
    public init?(fileDescriptor: Int32, events: Events = .readable, handler: @escaping @Sendable (FileDescriptorPort, Events) -> Void) {
        guard CFWatchIsPossible(fileDescriptor) else { return nil }
        let duplicate = fcntl(fileDescriptor, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { return nil }
        self.fileDescriptor = fileDescriptor
        state = Mutex(State(events: events, duplicate: duplicate, handler: handler))
        super.init()
    }

    /// What is waited for. May be changed at any time, from any thread: ask for `writable` while there is something to be written.
    open var events: Events {
        get { state.withLock { $0.events } }
        set {
            state.withLock { $0.events = newValue }
            renewSource()
        }
    }

    /// False: this port takes no messages.
    open override func send(
        msgid msgID: Int = 0, components: [Data]?, from receivePort: Port?, isolation: isolated (any Actor)? = #isolation
    ) async -> Bool {
        false
    }

    /// False: this port takes no messages.
    @available(*, noasync, message: "await send(msgid:components:from:), which does not block the thread")
    open override func send(before limitDate: Date, msgid msgID: Int, components: [Data]?, from receivePort: Port?, reserved headerSpaceReserved: Int) -> Bool {
        false
    }

    /// The port in words, for reading.
    open override var description: String {
        "<\(type(of: self)) \(address(of: self))>{valid = \(isValid ? "Yes" : "No"), descriptor = \(fileDescriptor), events = \(events.rawValue)}"
    }

    override func openDescriptor() -> Int32 {
        state.withLock { $0.duplicate }
    }

    override func prepare(_ source: OpaquePointer) {
        CFRunLoopSourceSetWatchEvents(source, events.rawValue)
    }

    override func closeDescriptor() {
        let handler = state.withLock { state in
            if state.duplicate >= 0 { close(state.duplicate) }
            state.duplicate = -1
            return state.handler.take()
        }
        withExtendedLifetime(handler) {} // what it holds goes with nothing locked
        super.closeDescriptor()
    }

    override func serve() {
        let (events, handler) = state.withLock { state in
            (state.duplicate >= 0 ? Events(rawValue: CFWatchGetEvents(state.duplicate, state.events.rawValue)) : [], state.handler)
        }
        if !events.isEmpty { handler?(self, events) }
    }
}
