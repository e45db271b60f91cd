// Port.swift: ports. On a Mac a port is a mach port, and a run loop waits for the messages that the kernel keeps in it. Here the messages
// are kept in a queue of the port's own, and a descriptor that is readable while there are any plays the mach port.

internal import CRunLoop
public import FoundationEssentials
internal import Glibc
import Synchronization

/// Something that a run loop waits for, and that messages can be sent to (NSPort; NSMachPort as far as messages go).
///
/// A port with nothing to say keeps a loop alive, since a mode is not empty as long as there is a port in it:
///
///     RunLoop.current.add(Port(), forMode: .default)
///     while !isDone { RunLoop.current.run(mode: .default, before: .distantFuture) }
///
/// (In Foundation on Linux `Port()` stops the program; here it can be used.) In the loop it is a source of version 1. A loop keeps its ports:
/// one that was added stays until it is removed or invalidated, or the loop's thread ends.
///
/// *End.* When the thread of a loop ends, its ports are invalidated, except those that are in another loop too. That happens on that
/// thread, after the ports have been taken out of the loop. Without NotificationCenter there is no `didBecomeInvalidNotification`: override `invalidate()`, or ask
/// `isValid`.
///
/// *Messages* go from any thread to the port's delegate, on the thread of the loop in which the port is. They arrive in the order in which they
/// were sent, one in each pass of the loop, as one mach message comes with each wake-up on a Mac. Up to `messageLimit` of them wait for
/// the loop; whoever sends one more waits for room.
///
/// *Threads.* As in Foundation a port is not Sendable, since a subclass may be anything; but all that is here may be called from any thread.
/// In Swift 6 say `nonisolated(unsafe) let port = Port()` to take one to another thread.
///
/// *Subclasses* may override what is open. A loop calls `schedule(in:forMode:)` and `remove(from:forMode:)` once for each mode that the port is
/// added to or removed from, and does nothing else with it. NSCopying does not exist here: there is no `copy(with:)`.
open class Port: IdentityHashable, CustomStringConvertible {
    /// How many messages wait at a port for its loop. A Mac's kernel allows 5 unless it is told otherwise, and at most as many as here.
    public static let messageLimit = 1024

    private struct State: @unchecked Sendable {
        /// Made when the port is first scheduled.
        var source: FileDescriptorSource?
        /// Those of the loops that the port is in.
        var keepers: [ObjectIdentifier: PortKeeper] = [:]
        weak var delegate: (any PortDelegate)?
        var isInvalid = false
        var isValidWasAskedHere = false
    }

    private let state = Mutex(State())
    private let messages = MessageQueue(limit: Port.messageLimit)

    /// Makes a port that no loop has yet. It takes a descriptor when it is first added to a loop, not before.
    public init() {}

    deinit {
        tearDown() // no loop has it any more
    }

    // MARK: - Validity

    /// Takes the port out of all loops, for good, and closes its descriptor. Messages that have not been delivered are lost, and those who wait
    /// for room are told false. An override must call this one. If it does not, as overrides in Foundation need not, the port stays in its
    /// loops until they find out: when `isValid` says so the next time that the loop is run, a port is added or removed, or a message comes.
    open func invalidate() {
        tearDown()
    }

    /// False after `invalidate()`, and so after the end of the only loop that it was in; and when there was no descriptor to be had for it.
    open var isValid: Bool {
        state.withLock { state in
            state.isValidWasAskedHere = true
            return !state.isInvalid
        }
    }

    /// Whether a subclass overrides `isValid` and does not ask super's. Its `invalidate` need not call super's either, as in Foundation.
    var decidesValidity: Bool {
        state.withLock { $0.isValidWasAskedHere = false }
        _ = isValid
        return state.withLock { !$0.isValidWasAskedHere }
    }

    private func tearDown() {
        let (wasInvalid, source, keepers) = state.withLock { state in
            defer {
                state.isInvalid = true
                state.source = nil
                state.keepers = [:]
            }
            return (state.isInvalid, state.source, state.keepers)
        }
        guard !wasInvalid else { return }
        for keeper in keepers.values { keeper.remove(self) }
        source?.invalidate()
        closeDescriptor()
    }

    // MARK: - In a loop

    /// Puts the port into a mode of a loop. Does nothing if it is there already, is invalid, or the loop's thread has ended. `RunLoop.add`
    /// calls this; a program need not.
    open func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        let hasDescriptor = state.withLock { state in
            guard !state.isInvalid else { return true }
            if state.source == nil { state.source = makeSource() }
            guard let source = state.source else { return false }
            guard note(runLoop.ports, mode, &state) != .refused else { return true }
            // Within the lock: of an adding and a removing at once, the second must find the first done. Nothing in it takes our lock.
            source.add(to: runLoop, forMode: mode)
            return true
        }
        if !hasDescriptor { invalidate() }
    }

    /// Takes the port out of a mode of a loop. Does nothing if it is not there. `RunLoop.remove` calls this; a program need not.
    open func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        leave(runLoop, mode)
    }

    private func leave(_ runLoop: RunLoop, _ mode: RunLoop.Mode) {
        state.withLock { $0.source?.remove(from: runLoop, forMode: mode) }
        part(from: runLoop.ports, mode)
    }

    /// The thread of a loop ends, which has held the port until now. A port that is in no other loop is invalidated. The others leave the loop:
    /// one that another thread has added meanwhile may still be in it. Call with nothing locked.
    func threadEnds(of runLoop: RunLoop, _ modes: Set<RunLoop.Mode>) {
        let isElsewhere = state.withLock { state in
            state.keepers[ObjectIdentifier(runLoop.ports)] = nil
            return !state.keepers.isEmpty
        }
        if !isElsewhere { invalidate() }
        for mode in modes { leave(runLoop, mode) }
    }

    /// Has a loop's keeper hold the port; refused if the port is invalid or the loop has ended.
    func join(_ keeper: PortKeeper, _ mode: RunLoop.Mode) -> PortKeeper.Insertion {
        state.withLock { $0.isInvalid ? .refused : note(keeper, mode, &$0) }
    }

    private func note(_ keeper: PortKeeper, _ mode: RunLoop.Mode, _ state: inout State) -> PortKeeper.Insertion {
        let insertion = keeper.insert(self, mode)
        if insertion != .refused { state.keepers[ObjectIdentifier(keeper)] = keeper }
        return insertion
    }

    /// The keeper no longer holds the port for that mode.
    func part(from keeper: PortKeeper, _ mode: RunLoop.Mode) {
        state.withLock { state in
            if keeper.remove(self, mode) { state.keepers[ObjectIdentifier(keeper)] = nil }
        }
    }

    /// The subclass says that the port is invalid: it leaves the keeper, and its source, if it has one, leaves all loops.
    func partAsInvalid(from keeper: PortKeeper) {
        if hasSource { return tearDown() }
        state.withLock { state in
            keeper.remove(self)
            state.keepers[ObjectIdentifier(keeper)] = nil
        }
    }

    /// False if nothing of this class has been put into any loop: a subclass does that in its own way.
    var hasSource: Bool { state.withLock { $0.source != nil } }

    private func makeSource() -> FileDescriptorSource? {
        let descriptor = openDescriptor()
        guard descriptor >= 0 else { return nil }
        let port = WeakPort(port: self)
        let source = FileDescriptorSource(fileDescriptor: descriptor) {
            guard let port = port.port else { return }
            if port.isValid { port.serve() } else { port.tearDown() } // by an `invalidate` that did not call super's
        }
        prepare(source.cfSource)
        return source
    }

    /// What `prepare` does with the source has changed. In a locked section, so that of several changes the last one stands.
    func renewSource() {
        state.withLock { state in
            if let source = state.source { prepare(source.cfSource) }
        }
    }

    // MARK: - What a kind of port has of its own

    /// The descriptor that is readable when there is something to serve; -1 if there is none to be had.
    func openDescriptor() -> Int32 {
        messages.openBell()
    }

    /// What the source needs beyond its descriptor: nothing. Called in a locked section.
    func prepare(_ source: OpaquePointer) {}

    /// The port is invalid, and in no loop.
    func closeDescriptor() {
        messages.close()
    }

    /// The descriptor is readable, or was a moment ago. On the loop's thread.
    func serve() {
        guard let message = messages.takeFirst() else { return }
        let arrived = PortMessage(sendPort: message.replyPort, receivePort: self, components: message.components)
        arrived.msgid = message.msgid
        delegate()?.handle(arrived)
    }

    // MARK: - Messages

    /// Names the object that gets the port's messages. It is not retained: when it is gone, there is no delegate.
    open func setDelegate(_ anObject: (any PortDelegate)?) {
        state.withLock { $0.delegate = anObject }
    }

    /// The object that gets the port's messages. A message that is served while there is none is lost.
    open func delegate() -> (any PortDelegate)? {
        state.withLock { $0.delegate }
    }

    /// How many bytes of a message a port needs for itself: none.
    open var reservedSpaceLength: Int { 0 }

    /// Sends a message with a `msgid` of 0: see `send(before:msgid:components:from:reserved:)`.
    @available(*, noasync, message: "await send(msgid:components:from:), which does not block the thread")
    open func send(before limitDate: Date, components: [Data]?, from receivePort: Port?, reserved headerSpaceReserved: Int) -> Bool {
        send(before: limitDate, msgid: 0, components: components, from: receivePort, reserved: headerSpaceReserved)
    }

    /// Sends a message to the port's delegate. The port need not be in a loop yet.
    ///
    /// If `messageLimit` messages are waiting already, the calling thread waits for room. A loop's own thread that fills up a port of that loop
    /// waits in vain, since it is itself that would have to make room: give a near date there.
    /// - Parameters:
    ///   - limitDate: how long to wait for room. A date in the past means not at all.
    ///   - msgID: the message's `msgid`, of which the lower 32 bits arrive.
    ///   - components: the contents. Data alone: an NSMutableArray does not exist here.
    ///   - receivePort: where an answer should go; it arrives as the message's `sendPort`. It is not kept alive by the message.
    ///   - headerSpaceReserved: not used, as `reservedSpaceLength` is 0.
    /// - Returns: true if the message is on its way. False if there was no room until the date, or if the port is invalid or becomes so meanwhile.
    @available(*, noasync, message: "await send(msgid:components:from:), which does not block the thread")
    open func send(before limitDate: Date, msgid msgID: Int, components: [Data]?, from receivePort: Port?, reserved headerSpaceReserved: Int) -> Bool {
        let message = QueuedMessage(msgid: UInt32(truncatingIfNeeded: msgID), components: components, replyPort: receivePort)
        return messages.append(message, before: limitDate)
    }

    /// Sends a message to the port's delegate, and waits for room without blocking the calling thread: until the loop has made some, the port
    /// becomes invalid, or the task is cancelled. Messages of tasks that wait go in the order in which they came.
    /// - Parameters:
    ///   - msgID: the message's `msgid`, of which the lower 32 bits arrive.
    ///   - components: the contents.
    ///   - receivePort: where an answer should go; it arrives as the message's `sendPort`. It is not kept alive by the message.
    ///   - isolation: the actor that the caller is isolated to, where the caller goes on.
    /// - Returns: true if the message is on its way.
    open func send(
        msgid msgID: Int = 0, components: [Data]?, from receivePort: Port?, isolation: isolated (any Actor)? = #isolation
    ) async -> Bool {
        let message = QueuedMessage(msgid: UInt32(truncatingIfNeeded: msgID), components: components, replyPort: receivePort)
        return await messages.append(message, isolation: isolation)
    }

    /// The port in words, for reading.
    open var description: String {
        "<\(type(of: self)) \(address(of: self))>{valid = \(isValid ? "Yes" : "No")}"
    }
}

/// A port on its way into its source's closure: all that the closure calls may be called from any thread.
private struct WeakPort: @unchecked Sendable {
    weak var port: Port?
}

/// An object's address, as descriptions show it: 0x7f00c0ffee00.
func address(of object: AnyObject) -> String {
    "0x" + String(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()), radix: 16)
}
