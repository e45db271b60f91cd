// Port.swift: ports. On a Mac a port is a mach port, and the kernel queues its messages. Here a queue in the port keeps
// the messages, and a descriptor that is readable while there are any takes the place of the mach port.
//
// Claims in ANNOTATIONS.md: (A1)

#if os(Linux)
public import CRunLoop
public import FoundationEssentials
import Synchronization

/// A source of input for a run loop, and a destination for messages (NSPort; NSMachPort as far as messages are
/// concerned).
///
/// A port without messages keeps a loop alive, because a mode with a port is not empty:
///
///     RunLoop.current.add(Port(), forMode: .default)
///     while !isDone { RunLoop.current.run(mode: .default, before: .distantFuture) }
///
/// (In Foundation on Linux, `Port()` traps; here you can use it.) In the loop, a port is a version 1 source.
///
/// Any thread can send a message. The port's delegate receives it on the thread of the port's loop. Messages arrive in
/// the order in which they were sent, one in each pass of the loop, because on a Mac each wake-up delivers one mach
/// message. Up to 1,024 messages wait for the loop; a sender of one more waits for room.
///
/// When a loop's thread ends, its ports are invalidated on that thread, except those that are in another loop as well.
/// A program with SwiftRunLoopFoundation can observe `didBecomeInvalidNotification`; others override `invalidate()`, or
/// check `isValid`.
///
/// All members may be called from any thread. A subclass may override all open members. A loop calls
/// `schedule(in:forMode:)` and `remove(from:forMode:)` once for each mode that the port enters or leaves, and does
/// nothing else with it. A subclass restates the conformance to Sendable, and guards the state that it adds:
/// `final class Mailbox: Port, @unchecked Sendable`.
open class Port: RunLoop.Item, @unchecked Sendable {
    /// The number of messages that can wait at a port for its loop. On a Mac the kernel allows 5 by default, and at
    /// most as many as here.
    package static let messageLimit = 1024

    private struct State: @unchecked Sendable {
        /// The tables of the loops that the port is in.
        var tables: [ObjectIdentifier: Weak<PortTable>] = [:]
        weak var delegate: (any PortDelegate)?
        var isInvalid = false
    }

    private let state = Mutex(State())
    let messageQueue = MessageQueue(limit: Port.messageLimit)

    /// Makes a port without adding it to a loop. It opens a descriptor when it is first added to one.
    public init() {
        let info = PortInfo()
        super.init(CFRunLoopSource.make(order: 0, info, getPort: descriptorOfPort, perform: servePort))
        info.port = self
    }

    deinit {
        _ = takeDown() // it is in no loop any more
    }

    /// Removes the port from all loops permanently, and closes its descriptor.
    ///
    /// Messages that have not been delivered are lost, and a `send` that waits for room returns false.
    ///
    /// An override should call super. If it does not, which Foundation permits, it posts `didBecomeInvalidNotification`
    /// as on a Mac, and all loops release the port (in a program with SwiftRunLoopFoundation); otherwise they keep it
    /// until their threads end.
    open override func invalidate() { tearDown() }

    /// Whether the port can be used.
    ///
    /// False after `invalidate()`, after the end of the only loop that it was in, and if the process had no descriptor
    /// left for it.
    open override var isValid: Bool { !state.withLock { $0.isInvalid } }

    private func tearDown() {
        if takeDown() { SystemNotification.portDidBecomeInvalid.post(self) }
    }

    /// Returns false if the port is invalid already.
    private func takeDown() -> Bool {
        let (wasInvalid, tables) = state.withLock { state in
            defer { (state.isInvalid, state.tables) = (true, [:]) }
            return (state.isInvalid, state.tables.values)
        }
        for table in tables { table.object?.remove(self) }
        guard !wasInvalid else { return false }
        CFRunLoopSourceInvalidate(cfSource)
        messageQueue.close()
        return true
    }

    /// Puts the port into a mode of a loop. `RunLoop.add(_:forMode:)` calls this; your code need not.
    open func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        guard !state.withLock({ $0.isInvalid }) else { return }
        runLoop.ports.insert(self, mode)
        if messageQueue.openDescriptor() < 0 { return invalidate() }
        runLoop.cfRunLoop.add(cfSource, mode.cfString)
    }

    /// Removes the port from a mode of a loop. `RunLoop.remove(_:forMode:)` calls this; your code need not.
    open func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        runLoop.ports.remove(self, mode)
        runLoop.cfRunLoop.remove(cfSource, mode.cfString)
    }

    override func join(_ runLoop: RunLoop, _ mode: RunLoop.Mode) {
        if isValid, runLoop.ports.insert(self, mode) { schedule(in: runLoop, forMode: mode) }
    }

    override func leave(_ runLoop: RunLoop, _ mode: RunLoop.Mode) {
        if runLoop.ports.remove(self, mode) { remove(from: runLoop, forMode: mode) }
    }

    override func isIn(_ runLoop: RunLoop, _ mode: RunLoop.Mode) -> Bool {
        runLoop.cfRunLoop.contains(cfSource, mode.cfString)
    }

    /// Called when the port enters a loop, or leaves its last mode there.
    fileprivate func isInLoop(of table: PortTable, _ isIn: Bool) {
        state.withLock { $0.tables[ObjectIdentifier(table)] = isIn ? Weak(object: table) : nil }
    }

    /// Called when the thread of a loop ends. A port that is in no other loop is invalidated.
    func threadEnds(of runLoop: RunLoop) {
        isInLoop(of: runLoop.ports, false)
        let others = state.withLock { $0.tables.values }
        if !others.contains(where: { $0.object?.contains(self) == true }) { invalidate() }
    }

    /// A notification says that the port is invalid: all loops release it. Nothing happens if Port's own `invalidate`
    /// has posted it.
    package func leaveLoops() { _ = takeDown() }

    /// The C source that serves the port in its loops, for calls to the C library. It is of version 1.
    public var cfSource: CFRunLoopSource { object() }

    /// Called on the loop's thread when the descriptor is readable, or was a moment ago.
    fileprivate func serve() {
        guard isValid else { return tearDown() } // an override of `invalidate` has not called super
        guard let message = messageQueue.takeFirst() else { return }
        let arrived = PortMessage(sendPort: message.replyPort, receivePort: self, components: message.components)
        arrived.msgid = message.msgid
        delegate()?.handle(arrived)
    }

    /// Sets the object that receives the port's messages. The port does not retain it.
    open func setDelegate(_ anObject: (any PortDelegate)?) { state.withLock { $0.delegate = anObject } }

    /// The object that receives the port's messages. Without one, a message that is served is lost.
    open func delegate() -> (any PortDelegate)? { state.withLock { $0.delegate } }

    /// The number of bytes of a message that the port needs for itself: 0.
    open var reservedSpaceLength: Int { 0 }

    /// Sends a message with a `msgid` of 0 to the port's delegate, as `send(before:msgid:components:from:reserved:)`
    /// does.
    open func send(
        before limitDate: Date, components: [Data]?, from receivePort: Port?, reserved headerSpaceReserved: Int
    ) -> Bool {
        send(before: limitDate, msgid: 0, components: components, from: receivePort, reserved: headerSpaceReserved)
    }

    /// Sends a message to the port's delegate.
    ///
    /// The port need not be in a loop yet. If 1,024 messages are already waiting, the calling thread waits for room,
    /// until the date. So pass a date in the past in async code, and on the thread of the port's own loop, which cannot
    /// make room while it waits. May be called from any thread.
    /// - Parameters:
    ///   - msgID: the message's `msgid`. The lower 32 bits are sent.
    ///   - components: the contents. Only Data is possible, because NSMutableArray does not exist here.
    ///   - receivePort: the port for replies, which arrives as the message's `sendPort`. The message does not retain
    ///     it.
    ///   - headerSpaceReserved: not used, because `reservedSpaceLength` is 0.
    /// - Returns: whether the message has been queued. False if there was no room until the date, or if the port is
    ///   invalid.
    open func send(
        before limitDate: Date, msgid msgID: Int, components: [Data]?, from receivePort: Port?,
        reserved headerSpaceReserved: Int
    ) -> Bool {
        let message = QueuedMessage(
            msgid: UInt32(truncatingIfNeeded: msgID), components: components, replyPort: receivePort)
        return messageQueue.append(message, before: limitDate)
    }

    /// The port's class, address and validity.
    open override var description: String { "<\(type(of: self)) \(address)>{valid = \(isValid ? "Yes" : "No")}" }
}

/// The ports that are in a loop, with their modes. May be used from any thread. It retains them: a subclass may put no
/// source into the loop.
final class PortTable: Sendable {
    private struct Entry: @unchecked Sendable {
        let port: Port
        var modes: Set<RunLoop.Mode> = []
    }

    private let state = Mutex<(entries: [ObjectIdentifier: Entry], isClosed: Bool)>(([:], false))

    /// Returns false if the port is in the mode already, or the loop's thread has ended.
    @discardableResult
    func insert(_ port: Port, _ mode: RunLoop.Mode) -> Bool {
        let key = ObjectIdentifier(port), new = Entry(port: port)
        let isNew = state.withLock { state in
            !state.isClosed && state.entries[key, default: new].modes.insert(mode).inserted
        }
        if isNew { port.isInLoop(of: self, true) }
        return isNew
    }

    /// Returns false if the port is not in the mode.
    @discardableResult
    func remove(_ port: Port, _ mode: RunLoop.Mode) -> Bool {
        let key = ObjectIdentifier(port)
        let (wasIn, left) = state.withLock { state -> (Bool, Entry?) in
            guard state.entries[key]?.modes.remove(mode) != nil else { return (false, nil) }
            return (true, state.entries[key]!.modes.isEmpty ? state.entries.removeValue(forKey: key) : nil)
        }
        if left != nil { port.isInLoop(of: self, false) }
        return wasIn // what has left is released without the lock
    }

    func contains(_ port: Port) -> Bool {
        let key = ObjectIdentifier(port)
        return state.withLock { $0.entries[key] != nil }
    }

    /// Removes a port from all its modes.
    func remove(_ port: Port) {
        let key = ObjectIdentifier(port)
        let left = state.withLock { $0.entries.removeValue(forKey: key) }
        withExtendedLifetime(left) {} // released without the lock
    }

    /// Removes and returns all ports, and takes none from now on.
    func close() -> [Port] {
        state.withLock { state in
            defer { state = ([:], true) }
            return state.entries.values.map(\.port)
        }
    }
}

/// The `info` of a port's source.
private final class PortInfo: CallbackInfo {
    weak var port: Port?
}

/// A version 1 context's `getPort`.
@safe private func descriptorOfPort(_ info: UnsafeMutableRawPointer?) -> Int32 {
    PortInfo.of(info).port?.messageQueue.openDescriptor() ?? -1
}

/// A version 1 context's `perform`. The statement after the call keeps this frame in the stack.
@inline(never)
@safe private func servePort(_ info: UnsafeMutableRawPointer?) {
    guard let port = PortInfo.of(info).port else { return }
    port.serve()
    withExtendedLifetime(port) {}
}
#endif
