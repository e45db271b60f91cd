// PortKeeper.swift: the ports that are in a loop. A loop holds a C source; what holds the Port that the source belongs to stands here.

import Synchronization

/// What a RunLoop holds its ports with, and the modes that they are in. A port knows its keepers in turn (Port.join), so that a port that ends
/// need not be looked for. May be used on any thread.
final class PortKeeper: LoopKeeper {
    /// A port in a loop.
    private struct Entry: @unchecked Sendable {
        let port: Port
        var modes: Set<RunLoop.Mode>
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// The ports whose class decides alone whether they are valid, or puts nothing of Port's into the loop. Such a class may have an
        /// `invalidate` that does not call super's.
        var foreign: Set<ObjectIdentifier> = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let hasForeign = Atomic(false)

    enum Insertion { case refused, done, wasThere }

    /// Takes note that the port is in a mode; refuses it when the loop has ended.
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

    /// The port has left a mode: true if that was its last. The caller has a reference to the port.
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

    /// The port has left all modes. The caller has a reference to the port.
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

    // MARK: - Ports that say themselves what they are

    /// The port's class may invalidate it without telling Port.
    func noteForeign(_ port: Port) {
        let key = ObjectIdentifier(port)
        state.withLock { state in
            if state.entries[key] != nil { state.foreign.insert(key) }
        }
        hasForeign.store(true, ordering: .relaxed)
    }

    /// Lets go of such ports that have become invalid by themselves. On a Mac a notification tells the loop. Call with nothing locked.
    func dropInvalidForeign() {
        guard hasForeign.load(ordering: .relaxed) else { return }
        let foreign = state.withLock { state in state.foreign.compactMap { state.entries[$0] } }
        for entry in foreign where !entry.port.isValid { entry.port.partAsInvalid(from: self) }
        hasForeign.store(!foreign.isEmpty, ordering: .relaxed)
    }
}
