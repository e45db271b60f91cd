// Port.swift: ports, as keepers of a loop. On a Mac a port also delivers messages; here a source that waits for a
// descriptor does such work, or a call that is performed on a thread.
//
// Claims in ANNOTATIONS.md: (A1)

#if os(Linux)
package import CRunLoop
import Synchronization

/// An item that keeps a run loop alive, because a mode with a port is not empty (NSPort).
///
///     RunLoop.current.add(Port(), forMode: .default)
///     while !isDone { RunLoop.current.run(mode: .default, before: .distantFuture) }
///
/// (In Foundation on Linux, `Port()` traps; here you can use it.) A port has nothing to deliver and takes no
/// descriptor: for the loop, it is a version 0 source that nobody signals. To hand something to a thread, perform a
/// closure on the thread (`Thread.perform(inModes:_:)`); to receive something from another program, add a
/// `RunLoop.Source` with a descriptor.
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
    private struct Place: Equatable {
        let runLoop: RunLoop
        let mode: RunLoop.Mode
    }

    private struct State {
        /// The modes that the port is in, which are few. A loop that ends takes itself out.
        var places: [Place] = []
        var isInvalid = false
    }

    private let state = Mutex(State())

    /// The C source that keeps the port's modes from being empty. It is of version 0.
    package var cfSource: CFRunLoopSource { object() }

    /// Makes a port without adding it to a loop.
    public init() { super.init(.source, CFRunLoopSource.make(order: 0, PortInfo(), perform: portHasNoWork)) }

    deinit { leaveLoops() }

    /// Removes the port from all loops permanently.
    ///
    /// An override should call super. If it does not, which Foundation permits, it posts `didBecomeInvalidNotification`
    /// as on a Mac, and all loops release the port (in a program with SwiftRunLoopFoundation); otherwise they keep it
    /// until their threads end.
    open override func invalidate() {
        if leaveLoops() { SystemNotification.portDidBecomeInvalid.post(self) }
    }

    /// Whether the port can be used: false after `invalidate()`, and after the end of the only loop that it was in.
    open override var isValid: Bool { !state.withLock { $0.isInvalid } }

    /// Invalidates the port without telling anybody, as a notification says that it is invalid. Returns false if it is
    /// invalid already.
    @discardableResult
    package func leaveLoops() -> Bool {
        let old = state.withLock { state in
            defer { state = State(isInvalid: true) }
            return state
        }
        for place in old.places { place.runLoop.ports.withLock { _ = $0?.remove(self) } }
        if !old.isInvalid { CFRunLoopSourceInvalidate(cfSource) }
        return !old.isInvalid
    }

    /// Puts the port into a mode of a loop. `RunLoop.add(_:forMode:)` calls this; your code need not.
    open func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        _ = enter(runLoop, mode)
        super.join(runLoop, mode) // nothing happens if it is invalid
    }

    /// Removes the port from a mode of a loop. `RunLoop.remove(_:forMode:)` calls this; your code need not.
    open func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        _ = exit(runLoop, mode)
        super.leave(runLoop, mode)
    }

    override func join(_ runLoop: RunLoop, _ mode: RunLoop.Mode) {
        if isValid, enter(runLoop, mode) { schedule(in: runLoop, forMode: mode) }
    }

    override func leave(_ runLoop: RunLoop, _ mode: RunLoop.Mode) {
        if exit(runLoop, mode) { remove(from: runLoop, forMode: mode) }
    }

    /// The loop does not contain the source of a subclass that overrides `schedule`.
    override func isIn(_ runLoop: RunLoop, _ mode: RunLoop.Mode) -> Bool {
        state.withLock { $0.places.contains(Place(runLoop: runLoop, mode: mode)) } || super.isIn(runLoop, mode)
    }

    /// Returns false if the port is in the mode already, if it is invalid, or if the loop's thread has ended.
    private func enter(_ runLoop: RunLoop, _ mode: RunLoop.Mode) -> Bool {
        let place = Place(runLoop: runLoop, mode: mode)
        return state.withLock { state in
            if state.isInvalid || state.places.contains(place) { return false }
            guard runLoop.ports.withLock({ $0?.insert(self) }) != nil else { return false }
            state.places.append(place)
            return true
        }
    }

    /// Returns false if the port is not in the mode.
    private func exit(_ runLoop: RunLoop, _ mode: RunLoop.Mode) -> Bool {
        state.withLock { state in
            guard let index = state.places.firstIndex(of: Place(runLoop: runLoop, mode: mode)) else { return false }
            state.places.remove(at: index)
            if !state.places.contains(where: { $0.runLoop === runLoop }) {
                runLoop.ports.withLock { _ = $0?.remove(self) }
            }
            return true
        }
    }

    /// Called when the thread of a loop ends. A port that is in no other loop is invalidated.
    func threadEnds(of runLoop: RunLoop) {
        let isInOther = state.withLock { state in
            state.places.removeAll { $0.runLoop === runLoop }
            return !state.places.isEmpty
        }
        if !isInOther { invalidate() }
    }

    /// The port's class, address and validity.
    open override var description: String { "<\(type(of: self)) \(address)>{valid = \(isValid ? "Yes" : "No")}" }
}

/// The `info` of a port's source.
private final class PortInfo: CallbackInfo {}

/// The source's `perform`, which a printed loop names.
@safe private func portHasNoWork(_ info: UnsafeMutableRawPointer?) {}
#endif
