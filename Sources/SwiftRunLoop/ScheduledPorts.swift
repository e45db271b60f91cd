// ScheduledPorts.swift: which ports are in which loops. This is what keeps a port alive that nobody but a loop has, and how ports come to
// know that a loop has ended.

internal import CRunLoop

/// One table for all loops. A loop is known by its C loop, which stands here only as long as its thread lives: `loopEnds` is called
/// when the C loop lets go of its counterpart, on its thread, after its sources have been taken out.
enum ScheduledPorts {
    private struct Entry {
        let port: Port
        var modes: Set<RunLoop.Mode>
    }

    private static let monitor = Monitor()
    nonisolated(unsafe) private static var loops: [OpaquePointer: [ObjectIdentifier: Entry]] = [:] // guarded by monitor

    /// Takes note that the port is in a mode of the loop; false if the loop has ended.
    static func insert(_ port: Port, _ loop: OpaquePointer, _ mode: RunLoop.Mode) -> Bool {
        monitor.locked {
            guard isAlive(loop) else { return false }
            loops[loop, default: [:]][ObjectIdentifier(port), default: Entry(port: port, modes: [])].modes.insert(mode)
            return true
        }
    }

    /// Whether the port is in that mode of the loop.
    static func contains(_ port: Port, _ loop: OpaquePointer, _ mode: RunLoop.Mode) -> Bool {
        monitor.locked { loops[loop]?[ObjectIdentifier(port)]?.modes.contains(mode) == true }
    }

    /// A loop has a counterpart from the first time that anybody had its RunLoop until its thread ends.
    static func isAlive(_ loop: OpaquePointer) -> Bool {
        _CFRunLoopGet2(loop) != nil
    }

    /// Takes note that the port has left a mode of the loop. The caller has a reference to the port.
    static func remove(_ port: Port, _ loop: OpaquePointer, _ mode: RunLoop.Mode) {
        monitor.locked {
            guard loops[loop]?[ObjectIdentifier(port)]?.modes.remove(mode) != nil else { return }
            if loops[loop]![ObjectIdentifier(port)]!.modes.isEmpty { loops[loop]![ObjectIdentifier(port)] = nil }
            if loops[loop]!.isEmpty { loops[loop] = nil }
        }
    }

    /// The port is in no loop any more. The caller has a reference to the port.
    static func removeFromAll(_ port: Port) {
        monitor.locked {
            for loop in loops.keys where loops[loop]!.removeValue(forKey: ObjectIdentifier(port)) != nil {
                if loops[loop]!.isEmpty { loops[loop] = nil }
            }
        }
    }

    /// The loop's thread ends: ports that are in no other loop are invalidated. The others leave it: one that another thread has added
    /// meanwhile may still be in it. To be called when the loop has no counterpart any more, with nothing locked.
    static func loopEnds(_ runLoop: RunLoop) {
        let ports = monitor.locked { loops[runLoop.cfRunLoop] } ?? [:]
        for (key, entry) in ports {
            let isElsewhere = monitor.locked { loops.contains { $0.key != runLoop.cfRunLoop && $0.value[key] != nil } }
            if !isElsewhere { entry.port.invalidate() }
            for mode in entry.modes { entry.port.leave(runLoop, mode) }
        }
    }
}
