// FileDescriptorPort.swift: a port that waits for any event of a descriptor: it can be read, can be written, or has been hung up.

#if os(Linux)
internal import CRunLoop
public import FoundationEssentials
import Synchronization

/// A port that calls its handler when a descriptor can be read, can be written, or has been hung up.
///
///     let port = FileDescriptorPort(fileDescriptor: STDIN_FILENO) { port, events in … }
///     RunLoop.main.add(port!, forMode: .default)
///
/// Use it for pipes, sockets, terminals, eventfds, signalfds and inotify. It takes the place of CFFileDescriptor and CFSocket on a Mac.
/// Unlike these, it need not be enabled again after each call: the handler is called in each pass of the loop as long as data is left to
/// read, or as long as there is room to write and you asked for `writable`. It takes no messages, so `send` returns false.
open class FileDescriptorPort: Port, @unchecked Sendable {
    /// The events of a descriptor.
    public struct Events: OptionSet, Sendable, Hashable {
        /// The bits of the set.
        public let rawValue: UInt

        /// Makes a set from its bits.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// A read would not block: there is data, or the end has been reached.
        public static let readable = Events(rawValue: CFWatchEvents.readable.rawValue)
        /// A write would not block: there is room, or the write would fail.
        public static let writable = Events(rawValue: CFWatchEvents.writable.rawValue)
        /// The other end has closed the connection or has finished writing, or the descriptor has failed.
        ///
        /// If both directions are closed, the handler receives this event even if you did not ask for it. The condition does not go away:
        /// invalidate the port, or its loop never sleeps again.
        public static let hangUp = Events(rawValue: CFWatchEvents.hangUp.rawValue)
    }

    /// The descriptor given at creation.
    ///
    /// It stays yours; close it after `invalidate()`.
    ///
    /// The port has its own duplicate. If you close the descriptor earlier, the port keeps waiting for the same file, and never for another
    /// file that gets the number.
    public let fileDescriptor: Int32

    private struct State {
        var events: Events
        var duplicate: Int32
        var handler: (@Sendable (FileDescriptorPort, Events) -> Void)?
    }

    private let state: Mutex<State>

    /// Makes a port without adding it to a loop.
    /// - Parameters:
    ///   - fileDescriptor: an open descriptor.
    ///   - events: the events to wait for.
    ///   - handler: called on the loop's thread, with the port and the events that have occurred. It is released when the port is
    ///     invalidated or deallocated. If it captures the port, the port lives until it is invalidated: use the argument instead.
    /// - Returns: nil if the descriptor is not open, if it is a regular file or directory, for which epoll cannot wait, or if the process
    ///   has no descriptor left for the port; `errno` has the reason.
    public init?(fileDescriptor: Int32, events: Events = .readable, handler: @escaping @Sendable (FileDescriptorPort, Events) -> Void) {
        guard CFWatchIsPossible(fileDescriptor) else { return nil }
        let duplicate = fcntl(fileDescriptor, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { return nil }
        self.fileDescriptor = fileDescriptor
        state = Mutex(State(events: events, duplicate: duplicate, handler: handler))
        super.init()
    }

    /// The events to wait for.
    ///
    /// You may change them at any time, from any thread: ask for `writable` only while you have data to write.
    open var events: Events {
        get { state.withLock { $0.events } }
        set {
            state.withLock { $0.events = newValue }
            updateSource()
        }
    }

    /// Returns false: this port takes no messages.
    open override func send(
        msgid msgID: Int = 0, components: [Data]?, from receivePort: Port?, isolation: isolated (any Actor)? = #isolation
    ) async -> Bool {
        false
    }

    /// Returns false: this port takes no messages.
    @available(*, noasync, message: "await send(msgid:components:from:), which does not block the thread")
    open override func send(before limitDate: Date, msgid msgID: Int, components: [Data]?, from receivePort: Port?, reserved headerSpaceReserved: Int) -> Bool {
        false
    }

    /// The port's address, validity, descriptor and events.
    open override var description: String {
        "<\(type(of: self)) \(address)>{valid = \(isValid ? "Yes" : "No"), descriptor = \(fileDescriptor), events = \(events.rawValue)}"
    }

    override func openDescriptor() -> Int32 {
        state.withLock { $0.duplicate }
    }

    @safe override func prepare(_ source: CFRunLoopSource) {
        source.watch(CFWatchEvents(rawValue: events.rawValue))
    }

    override func closeDescriptor() {
        let handler = state.withLock { state in
            if state.duplicate >= 0 { close(state.duplicate) }
            state.duplicate = -1
            return state.handler.take()
        }
        withExtendedLifetime(handler) {} // released without the lock
        super.closeDescriptor()
    }

    override func serve() {
        let (events, handler) = state.withLock { state in
            guard state.duplicate >= 0 else { return (Events(), state.handler) }
            let events = CFWatchGetEvents(state.duplicate, CFWatchEvents(rawValue: state.events.rawValue))
            return (Events(rawValue: events.rawValue), state.handler)
        }
        if !events.isEmpty { handler?(self, events) }
    }
}
#endif
