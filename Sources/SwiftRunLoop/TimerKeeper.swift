// TimerKeeper.swift: the Timers that are in a loop. On a Mac the loop's C timers are the NSTimers themselves; here they are two objects, and
// while a loop holds the one, somebody must hold the other.

import Synchronization

/// What a RunLoop holds its Timers with. May be used on any thread.
final class TimerKeeper: Sendable {
    /// A Timer on its way through the lock, where it is held and never used; and the modes that it is in.
    private struct Kept: @unchecked Sendable {
        var timer: Timer
        var modes: Set<RunLoop.Mode>
    }

    private struct State {
        var timers: [ObjectIdentifier: Kept] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Holds a timer that has come into a mode. False after `close`.
    func keep(_ timer: Timer, _ mode: RunLoop.Mode) -> Bool {
        let new = Kept(timer: timer, modes: [mode]), key = ObjectIdentifier(timer)
        return state.withLock { state in
            if state.isClosed { return false }
            if state.timers[key] == nil { state.timers[key] = new } else { state.timers[key]!.modes.insert(mode) }
            return true
        }
    }

    /// Lets a timer go. The caller has a reference of its own, so that the timer does not end within the lock.
    func drop(_ timer: Timer) {
        let key = ObjectIdentifier(timer)
        state.withLock { _ = $0.timers.removeValue(forKey: key) }
    }

    /// The loop's thread ends: takes all timers out of the loop, and lets them go. They stay valid, and may be added to another loop.
    func close(_ cfRunLoop: OpaquePointer) {
        let timers = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.timers
        }
        for kept in timers.values { kept.timer.leave(cfRunLoop, kept.modes) }
    }
}
