// TimerKeeper.swift: the Timers that are in a loop. On a Mac the loop's C timers are the NSTimers themselves. Here a Timer and its C timer
// are two objects: the C loop retains the C timer, and the keeper retains the Timer.

import Synchronization

/// Retains a loop's Timers, with the modes to which they were added. May be used from any thread.
final class TimerKeeper: LoopKeeper {
    /// The lock guards the references to a Timer; nothing uses the Timer while the lock is held.
    private struct Kept: @unchecked Sendable {
        var timer: Timer
        var modes: Set<RunLoop.Mode>
    }

    private struct State {
        var timers: [ObjectIdentifier: Kept] = [:]
        /// The keys of the delayed performs that have a target, by target.
        var delayed: [ObjectIdentifier: Set<ObjectIdentifier>] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Retains a timer that has been added to a mode. False when the loop's thread has ended.
    func keep(_ timer: Timer, _ mode: RunLoop.Mode) -> Bool {
        let new = Kept(timer: timer, modes: [mode]), key = ObjectIdentifier(timer), target = (timer as? DelayedTimer)?.target
        return state.withLock { state in
            if state.isClosed { return false }
            if state.timers[key] == nil { state.timers[key] = new } else { state.timers[key]!.modes.insert(mode) }
            if let target { state.delayed[target, default: []].insert(key) }
            return true
        }
    }

    /// Releases a timer. The caller has its own reference, so the timer's deinitializer does not run while the lock is held.
    func drop(_ timer: Timer) {
        let key = ObjectIdentifier(timer), target = (timer as? DelayedTimer)?.target
        state.withLock { state in
            state.timers[key] = nil
            guard let target else { return }
            state.delayed[target]?.remove(key)
            if state.delayed[target]?.isEmpty == true { state.delayed[target] = nil }
        }
    }

    /// The delayed performs that have been scheduled for a target in this loop and are still pending.
    func delayedTimers(for target: AnyObject) -> [Timer] {
        let target = ObjectIdentifier(target)
        return state.withLock { state in (state.delayed[target] ?? []).compactMap { state.timers[$0] } }.map(\.timer)
    }

    func threadEnds(of runLoop: RunLoop) {
        let timers = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.timers
        }
        for kept in timers.values { kept.timer.threadEnds(of: runLoop.cfRunLoop, kept.modes) }
    }
}
