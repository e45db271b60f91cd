// PortKeeper.swift: the ports that are in a loop. A C loop retains a port's source; the keeper retains the Port.

#if os(Linux)
import Synchronization

/// Retains a loop's ports, with the modes that they are in. May be used from any thread.
///
/// A port knows its keepers (`Port.join`), so that an invalidated port finds them without a search.
final class PortKeeper: LoopKeeper {
    typealias Ports = KeptObjects<ObjectIdentifier, Port>

    private struct State {
        var ports = Ports()
        /// The ports whose class alone decides whether they are valid, or puts no source of Port's into the loop. Such a class may have an
        /// `invalidate` that does not call super.
        var selfManaged: Set<ObjectIdentifier> = []
    }

    private let state = Mutex(State())
    private let hasSelfManaged = Atomic(false)

    /// Retains a port that is put into a mode. Refused if the loop's thread has ended.
    func insert(_ port: Port, _ mode: RunLoop.Mode) -> Ports.Insertion {
        let new = Ports.Entry(port), key = ObjectIdentifier(port)
        return state.withLock { $0.ports.insert(new, key, mode) }
    }

    /// Whether the port is in that mode.
    func contains(_ port: Port, _ mode: RunLoop.Mode) -> Bool {
        let key = ObjectIdentifier(port)
        return state.withLock { $0.ports[key]?.modes.contains(mode) == true }
    }

    /// Removes a mode from a port, and releases the port if that was its last one. Returns whether it was.
    func remove(_ port: Port, _ mode: RunLoop.Mode) -> Bool {
        let key = ObjectIdentifier(port)
        let removed = state.withLock { state in
            let removed = state.ports.remove(key, mode)
            if removed != nil { state.selfManaged.remove(key) }
            return removed
        }
        return removed != nil // released without the lock
    }

    /// Releases a port that has left all modes.
    func remove(_ port: Port) {
        let key = ObjectIdentifier(port)
        let removed = state.withLock { state in
            state.selfManaged.remove(key)
            return state.ports.remove(key)
        }
        withExtendedLifetime(removed) {} // released without the lock
    }

    func threadEnds(of runLoop: RunLoop) {
        let ports = state.withLock { state in
            state.selfManaged = []
            return state.ports.close()
        }
        for entry in ports { entry.object.threadEnds(of: runLoop, entry.modes) }
    }

    // MARK: - Ports whose class decides whether they are valid

    /// Marks a port whose class may invalidate it without calling Port.
    func markSelfManaged(_ port: Port) {
        let key = ObjectIdentifier(port)
        state.withLock { state in
            if state.ports[key] != nil { state.selfManaged.insert(key) }
        }
        hasSelfManaged.store(true, ordering: .relaxed)
    }

    /// Releases the marked ports that have become invalid. If they post a notification, as on a Mac, they have left already, in a program with
    /// SwiftRunLoopFoundation (Port.leaveLoops). Call this without a lock.
    func removeInvalidPorts() {
        guard hasSelfManaged.load(ordering: .relaxed) else { return }
        let marked = state.withLock { state in state.selfManaged.compactMap { state.ports[$0] } }
        for entry in marked where !entry.object.isValid { entry.object.leaveAsInvalid(self) }
        hasSelfManaged.store(!marked.isEmpty, ordering: .relaxed)
    }
}
#endif
