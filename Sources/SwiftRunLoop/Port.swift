// Port.swift: ports. On a Mac a port is a mach port, and the kernel queues its messages. Here a queue in the port keeps the messages, and a
// descriptor that is readable while there are any takes the place of the mach port.
//
// Claims in ANNOTATIONS.md: (A1)

#if os(Linux)
public import CRunLoop
public import FoundationEssentials
import Synchronization

/// A source of input for a run loop, and a destination for messages (NSPort; NSMachPort as far as messages are concerned).
///
/// A port without messages keeps a loop alive, because a mode with a port is not empty:
///
///     RunLoop.current.add(Port(), forMode: .default)
///     while !isDone { RunLoop.current.run(mode: .default, before: .distantFuture) }
///
/// (In Foundation on Linux, `Port()` traps; here you can use it.) In the loop, a port is a version 1 source. A loop retains its ports until
/// they are removed or invalidated, or the loop's thread ends.
///
/// ## Messages
///
/// Any thread can send a message. The port's delegate receives it on the thread of the port's loop. Messages arrive in the order in which
/// they were sent, one in each pass of the loop, because on a Mac each wake-up delivers one mach message. Up to `messageLimit` messages
/// wait for the loop; a sender of one more waits for room.
///
/// ## The end of a port
///
/// When a loop's thread ends, its ports are invalidated on that thread, except those that are in another loop as well. Call `invalidate()`
/// to end a port earlier. A program with SwiftRunLoopFoundation can observe `didBecomeInvalidNotification`; others override
/// `invalidate()`, or check `isValid`.
///
/// ## Threads
///
/// All members declared here may be called from any thread. The delegate is called on the threads of the port's loops. A subclass restates
/// the conformance to Sendable, and guards the state that it adds: `final class Mailbox: Port, @unchecked Sendable`.
///
/// ## Subclasses
///
/// A subclass may override all open members. A loop calls `schedule(in:forMode:)` and `remove(from:forMode:)` once for each mode that the
/// port enters or leaves, and does nothing else with it. There is no `copy(with:)`, because NSCopying does not exist here.
open class Port: IdentityHashable, CustomStringConvertible, @unchecked Sendable {
    /// The number of messages that can wait at a port for its loop.
    ///
    /// On a Mac the kernel allows 5 by default, and at most as many as here.
    public static let messageLimit = 1024

    private struct State: @unchecked Sendable {
        /// Made when the port is first scheduled.
        var source: RunLoop.DescriptorSource?
        /// The keepers of the loops that the port is in.
        var keepers: [ObjectIdentifier: PortKeeper] = [:]
        weak var delegate: (any PortDelegate)?
        var isInvalid = false
        var isValidWasAskedHere = false
    }

    private let state = Mutex(State())
    let messageQueue = MessageQueue(limit: Port.messageLimit)
    /// The sequences that `messages` has made.
    let readers = MessageReaders()

    /// Makes a port without adding it to a loop.
    ///
    /// The port opens a descriptor when it is first added to one.
    public init() {}

    deinit {
        _ = takeDown() // it is in no loop any more
    }

    // MARK: - Equality

    /// Whether `object` is this port (isEqual:).
    ///
    /// `==` calls it. A subclass that overrides it overrides `hash`, too. A loop tells its ports apart by identity.
    open func isEqual(_ object: Any?) -> Bool { object as? Port === self }

    /// The port's hash value (hash).
    open var hash: Int { ObjectIdentifier(self).hashValue }

    // MARK: - Validity

    /// Removes the port from all loops permanently, and closes its descriptor.
    ///
    /// Messages that have not been delivered are lost, and a `send` that waits for room returns false. May be called from any thread.
    ///
    /// An override should call super. If it does not, which Foundation permits, it posts `didBecomeInvalidNotification` as on a Mac, and each
    /// loop releases the port at once. In a program without SwiftRunLoopFoundation, each loop releases the port when it next checks `isValid`:
    /// when the loop is run, when a port is added or removed, or when a message arrives.
    open func invalidate() {
        tearDown()
    }

    /// Whether the port can be used.
    ///
    /// False after `invalidate()`, after the end of the only loop that it was in, and if the process had no descriptor left for it.
    open var isValid: Bool {
        state.withLock { state in
            state.isValidWasAskedHere = true
            return !state.isInvalid
        }
    }

    /// Whether a subclass overrides `isValid` without calling super. As in Foundation, its `invalidate` need not call super either.
    var decidesValidity: Bool {
        state.withLock { $0.isValidWasAskedHere = false }
        _ = isValid
        return state.withLock { !$0.isValidWasAskedHere }
    }

    private func tearDown() {
        if takeDown() { SystemNotification.portDidBecomeInvalid.post(self) }
    }

    /// Returns false if the port is invalid already.
    private func takeDown() -> Bool {
        let (wasInvalid, source, keepers) = state.withLock { state in
            defer {
                state.isInvalid = true
                state.source = nil
                state.keepers = [:]
            }
            return (state.isInvalid, state.source, state.keepers)
        }
        guard !wasInvalid else { return false }
        for keeper in keepers.values { keeper.remove(self) }
        source?.invalidate()
        readers.finish()
        closeDescriptor()
        return true
    }

    // MARK: - In a loop

    /// Puts the port into a mode of a loop.
    ///
    /// `RunLoop.add(_:forMode:)` calls this; your code need not.
    ///
    /// Nothing happens if the port is in the mode already or is invalid, or if the loop's thread has ended.
    open func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        let hasDescriptor = state.withLock { state in
            guard !state.isInvalid else { return true }
            if state.source == nil { state.source = makeSource() }
            guard let source = state.source else { return false }
            guard join(runLoop.ports, mode, &state) != .refused else { return true }
            // Under the lock, so that if two threads call `schedule` and `remove` at the same time, the second call finds the first
            // complete. This call does not take the lock again.
            runLoop.add(source, forMode: mode)
            return true
        }
        if !hasDescriptor { invalidate() }
    }

    /// Removes the port from a mode of a loop.
    ///
    /// `RunLoop.remove(_:forMode:)` calls this; your code need not.
    ///
    /// Nothing happens if the port is not in the mode.
    open func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        leave(runLoop, mode)
    }

    private func leave(_ runLoop: RunLoop, _ mode: RunLoop.Mode) {
        state.withLock { state in
            if let source = state.source { runLoop.remove(source, forMode: mode) }
        }
        leave(runLoop.ports, mode)
    }

    /// Called when the thread of a loop ends and the loop's keeper has released the port. A port that is in no other loop is invalidated.
    /// Another port leaves this loop, in which another thread may have just scheduled it. Call this without a lock.
    func threadEnds(of runLoop: RunLoop, _ modes: Set<RunLoop.Mode>) {
        let isElsewhere = state.withLock { state in
            state.keepers[ObjectIdentifier(runLoop.ports)] = nil
            return !state.keepers.isEmpty
        }
        if !isElsewhere { invalidate() }
        for mode in modes { leave(runLoop, mode) }
    }

    /// Adds the mode to the port in a loop's keeper, which retains the port. Refused if the port is invalid or the loop has ended.
    func join(_ keeper: PortKeeper, _ mode: RunLoop.Mode) -> PortKeeper.Ports.Insertion {
        state.withLock { $0.isInvalid ? .refused : join(keeper, mode, &$0) }
    }

    private func join(_ keeper: PortKeeper, _ mode: RunLoop.Mode, _ state: inout State) -> PortKeeper.Ports.Insertion {
        let insertion = keeper.insert(self, mode)
        if insertion != .refused { state.keepers[ObjectIdentifier(keeper)] = keeper }
        return insertion
    }

    /// Removes the mode from the port in the keeper, which releases the port with its last mode.
    func leave(_ keeper: PortKeeper, _ mode: RunLoop.Mode) {
        state.withLock { state in
            if keeper.remove(self, mode) { state.keepers[ObjectIdentifier(keeper)] = nil }
        }
    }

    /// The subclass reports that the port is invalid: the keeper releases the port, and its source, if it has one, leaves all loops.
    func leaveAsInvalid(_ keeper: PortKeeper) {
        if hasSource { return tearDown() }
        state.withLock { state in
            keeper.remove(self)
            state.keepers[ObjectIdentifier(keeper)] = nil
        }
    }

    /// A notification says that the port is invalid: all loops release it. Nothing happens if Port's own `invalidate` has posted it.
    package func leaveLoops() {
        if hasSource {
            _ = takeDown()
            return
        }
        let keepers = state.withLock { state in
            defer { state.keepers = [:] }
            return state.keepers
        }
        for keeper in keepers.values { keeper.remove(self) }
    }

    /// The C source that serves the port in its loops, for calls to the C library.
    ///
    /// It is of version 1, and is made when the port is first added to a loop. Nil before that, after `invalidate()`, and for a port of a
    /// subclass that schedules itself in another way. It is not retained for the caller, and lives until the port becomes invalid.
    public var cfSource: CFRunLoopSource? { state.withLock { $0.source }?.cSource }

    /// False if no source of this class is in a loop, because a subclass schedules itself in another way.
    var hasSource: Bool { state.withLock { $0.source != nil } }

    /// Whether the main loop is the only loop of the port.
    var isInMainLoopOnly: Bool {
        let main = ObjectIdentifier(RunLoop.main.ports)
        return state.withLock { $0.keepers.count == 1 && $0.keepers[main] != nil }
    }

    /// Whether the port's source is in a mode.
    func sourceIsIn(_ runLoop: RunLoop, forMode mode: RunLoop.Mode) -> Bool {
        state.withLock { state in state.source.map { runLoop.contains($0, forMode: mode) } ?? false }
    }

    private func makeSource() -> RunLoop.DescriptorSource? {
        let descriptor = openDescriptor()
        guard descriptor >= 0 else { return nil }
        let source = RunLoop.DescriptorSource(fileDescriptor: descriptor) { [weak self] in
            guard let self else { return }
            if isValid { serve() } else { tearDown() } // an override of `invalidate` has not called super
        }
        prepare(source.cSource)
        return source
    }

    /// Calls `prepare` for the source, if there is one: under the lock, so that the last of several changes takes effect.
    func updateSource() {
        state.withLock { state in
            if let source = state.source { prepare(source.cSource) }
        }
    }

    // MARK: - What each kind of port overrides

    /// Returns the descriptor that is readable when there is something to serve; -1 if the process has none left.
    func openDescriptor() -> Int32 {
        messageQueue.openDescriptor()
    }

    /// Configures the source beyond its descriptor. Called under the lock.
    ///
    /// While there are sequences of messages and no task awaits one, the loop does not wait for messages.
    @safe func prepare(_ source: CFRunLoopSource) {
        source.watch(readers.areBusy ? [] : .readable)
    }

    /// Closes the descriptor. Called when the port is invalid and in no loop.
    func closeDescriptor() {
        messageQueue.close()
    }

    /// Called on the loop's thread when the descriptor is readable, or was a moment ago.
    func serve() {
        if !readers.isEmpty {
            readers.give {
                messageQueue.takeFirst().map { Message(msgid: $0.msgid, components: $0.components, replyPort: $0.replyPort) }
            }
            return updateSource()
        }
        guard let message = messageQueue.takeFirst() else { return }
        let arrived = PortMessage(sendPort: message.replyPort, receivePort: self, components: message.components)
        arrived.msgid = message.msgid
        delegate()?.handle(arrived)
    }

    // MARK: - Messages

    /// Sets the object that receives the port's messages.
    ///
    /// The port does not retain it.
    open func setDelegate(_ anObject: (any PortDelegate)?) {
        state.withLock { $0.delegate = anObject }
    }

    /// The object that receives the port's messages, or nil.
    ///
    /// A message that is served while there is no delegate is lost.
    open func delegate() -> (any PortDelegate)? {
        state.withLock { $0.delegate }
    }

    /// The number of bytes of a message that the port needs for itself: 0.
    open var reservedSpaceLength: Int { 0 }

    /// Sends a message with a `msgid` of 0 to the port's delegate.
    ///
    /// See `send(before:msgid:components:from:reserved:)`.
    /// - Parameters:
    ///   - limitDate: how long to wait for room. If the date has passed, the call does not wait.
    ///   - components: the contents.
    ///   - receivePort: the port for replies, which arrives as the message's `sendPort`. The message does not retain it.
    ///   - headerSpaceReserved: not used.
    /// - Returns: true if the message has been queued. False if there was no room until the date, or if the port is invalid.
    @available(*, noasync, message: "await send(msgid:components:from:), which does not block the thread")
    open func send(before limitDate: Date, components: [Data]?, from receivePort: Port?, reserved headerSpaceReserved: Int) -> Bool {
        send(before: limitDate, msgid: 0, components: components, from: receivePort, reserved: headerSpaceReserved)
    }

    /// Sends a message to the port's delegate.
    ///
    /// The port need not be in a loop yet.
    ///
    /// If `messageLimit` messages are already waiting, the calling thread waits for room. On the thread of the port's own loop, pass a near
    /// date, because that thread cannot make room while it waits. May be called from any thread.
    /// - Parameters:
    ///   - limitDate: how long to wait for room. If the date has passed, the call does not wait.
    ///   - msgID: the message's `msgid`. The lower 32 bits are sent.
    ///   - components: the contents. Only Data is possible, because NSMutableArray does not exist here.
    ///   - receivePort: the port for replies, which arrives as the message's `sendPort`. The message does not retain it.
    ///   - headerSpaceReserved: not used, because `reservedSpaceLength` is 0.
    /// - Returns: true if the message has been queued. False if there was no room until the date, or if the port is invalid or becomes
    ///   invalid meanwhile.
    @available(*, noasync, message: "await send(msgid:components:from:), which does not block the thread")
    open func send(before limitDate: Date, msgid msgID: Int, components: [Data]?, from receivePort: Port?, reserved headerSpaceReserved: Int) -> Bool {
        let message = QueuedMessage(msgid: UInt32(truncatingIfNeeded: msgID), components: components, replyPort: receivePort)
        return messageQueue.append(message, before: limitDate)
    }

    /// Sends a message to the port's delegate, and awaits room without blocking the calling thread.
    ///
    /// The wait ends when the loop has made room, when the port becomes invalid, or when the task is cancelled. The messages of waiting
    /// tasks are sent in the order of the calls.
    /// - Parameters:
    ///   - msgID: the message's `msgid`. The lower 32 bits are sent.
    ///   - components: the contents.
    ///   - receivePort: the port for replies, which arrives as the message's `sendPort`. The message does not retain it.
    ///   - isolation: the actor on which the caller continues; the default is the caller's own.
    /// - Returns: whether the message has been queued.
    open func send(
        msgid msgID: Int = 0, components: [Data]?, from receivePort: Port?, isolation: isolated (any Actor)? = #isolation
    ) async -> Bool {
        let message = QueuedMessage(msgid: UInt32(truncatingIfNeeded: msgID), components: components, replyPort: receivePort)
        return await messageQueue.append(message, isolation: isolation)
    }

    /// The port's class, address and validity.
    open var description: String {
        "<\(type(of: self)) \(address)>{valid = \(isValid ? "Yes" : "No")}"
    }
}
#endif
