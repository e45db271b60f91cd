// PortKeeper.swift: the ports that are in a loop. A C loop retains a port's source; the keeper retains the Port.

import Synchronization

/// Retains a loop's ports, with the modes that they are in. A port knows its keepers (Port.join), so that a port that ends need not be
/// searched for. May be used from any thread.
final class PortKeeper: LoopKeeper {
    /// A port in a loop.
    private struct Entry: @unchecked Sendable {
        let port: Port
        var modes: Set<RunLoop.Mode>
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// The ports whose class alone decides whether they are valid, or puts no source of Port's into the loop. Such a class may have an
        /// `invalidate` that does not call super.
        var foreign: Set<ObjectIdentifier> = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let hasForeign = Atomic(false)

    enum Insertion { case refused, done, wasThere }

    /// Retains a port that is put into a mode. Refused when the loop's thread has ended.
    func insert(_ port: Port, _ mode: RunLoop.Mode) -> Insertion {
        let new = Entry(port: port, modes: [mode]), key = ObjectIdentifier(port)
        return state.withLock { state in
            if state.isClosed { return .refused }
            guard state.entries[key] != nil else {
                state.entries[key] = new
                return .done
            }
            return state.entries[key]!.modes.insert(mode).inserted ? .done : .wasThere
        }
    }

    /// Whether the port is in that mode.
    func contains(_ port: Port, _ mode: RunLoop.Mode) -> Bool {
        let key = ObjectIdentifier(port)
        return state.withLock { $0.entries[key]?.modes.contains(mode) == true }
    }

    /// Releases a port that has left the last of its modes; true if that was so. The caller has its own reference to the port.
    func remove(_ port: Port, _ mode: RunLoop.Mode) -> Bool {
        let key = ObjectIdentifier(port)
        return state.withLock { state in
            guard state.entries[key]?.modes.remove(mode) != nil else { return false }
            guard state.entries[key]!.modes.isEmpty else { return false }
            state.entries[key] = nil
            state.foreign.remove(key)
            return true
        }
    }

    /// Releases a port that has left all modes. The caller has its own reference to the port.
    func remove(_ port: Port) {
        let key = ObjectIdentifier(port)
        state.withLock { state in
            state.entries[key] = nil
            state.foreign.remove(key)
        }
    }

    func threadEnds(of runLoop: RunLoop) {
        let entries = state.withLock { state in
            defer { state = State(isClosed: true) }
            return Array(state.entries.values)
        }
        for entry in entries { entry.port.threadEnds(of: runLoop, entry.modes) }
    }

    // MARK: - Ports whose class decides whether they are valid

    /// Marks a port whose class may invalidate it without calling Port.
    func noteForeign(_ port: Port) {
        let key = ObjectIdentifier(port)
        state.withLock { state in
            if state.entries[key] != nil { state.foreign.insert(key) }
        }
        hasForeign.store(true, ordering: .relaxed)
    }

    /// Releases the marked ports that have become invalid. On a Mac a notification tells the loop. Call this without a lock.
    func dropInvalidForeign() {
        guard hasForeign.load(ordering: .relaxed) else { return }
        let foreign = state.withLock { state in state.foreign.compactMap { state.entries[$0] } }
        for entry in foreign where !entry.port.isValid { entry.port.partAsInvalid(from: self) }
        hasForeign.store(!foreign.isEmpty, ordering: .relaxed)
    }
}
