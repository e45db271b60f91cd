// TimerKeeper.swift: the Timers that are in a loop. On a Mac the loop's C timers are the NSTimers themselves; here they are two objects, and
// while a loop holds the one, somebody must hold the other.

import Synchronization

/// What a RunLoop holds its Timers with. May be used on any thread.
final class TimerKeeper: Sendable {
    /// A Timer on its way through the lock: it is held there, never used.
    private struct Kept: @unchecked Sendable {
        var timer: Timer
    }

    private struct State {
        var timers: [ObjectIdentifier: Kept] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Holds a timer. After `close()`, does nothing.
    func keep(_ timer: Timer) {
        let kept = Kept(timer: timer)
        state.withLock { state in
            if !state.isClosed { state.timers[ObjectIdentifier(kept.timer)] = kept }
        }
    }

    /// Lets a timer go. The caller has a reference of its own, so that the timer does not end within the lock.
    func drop(_ timer: Timer) {
        let key = ObjectIdentifier(timer)
        state.withLock { _ = $0.timers.removeValue(forKey: key) }
    }

    /// The loop's thread ends: lets all timers go.
    func close() {
        let timers = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.timers
        }
        for kept in timers.values { kept.timer.leave() }
    }
}
