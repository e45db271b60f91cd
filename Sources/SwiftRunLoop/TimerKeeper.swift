// TimerKeeper.swift: the Timers that are in a loop. On a Mac the loop's C timers are the NSTimers themselves. Here a Timer and its C timer
// are two objects: the C loop retains the C timer, and the keeper retains the Timer.

#if os(Linux)
import Synchronization

/// Retains a loop's Timers, with the modes to which they were added. May be used from any thread.
final class TimerKeeper: LoopKeeper {
    private typealias Timers = KeptObjects<ObjectIdentifier, Timer>

    private struct State {
        var timers = Timers()
        /// The keys of the delayed performs that have a target, by target.
        var delayed: [ObjectIdentifier: Set<ObjectIdentifier>] = [:]

        mutating func forgetDelayed(_ key: ObjectIdentifier, for target: ObjectIdentifier?) {
            guard let target else { return }
            delayed[target]?.remove(key)
            if delayed[target]?.isEmpty == true { delayed[target] = nil }
        }
    }

    private let state = Mutex(State())

    /// Retains a timer that has been added to a mode. Returns false if the loop's thread has ended.
    func keep(_ timer: Timer, _ mode: RunLoop.Mode) -> Bool {
        let new = Timers.Entry(timer), key = ObjectIdentifier(timer), target = (timer as? DelayedTimer)?.target
        return state.withLock { state in
            if state.timers.insert(new, key, mode) == .refused { return false }
            if let target { state.delayed[target, default: []].insert(key) }
            return true
        }
    }

    /// Releases a timer.
    func drop(_ timer: Timer) {
        let key = ObjectIdentifier(timer), target = (timer as? DelayedTimer)?.target
        let removed = state.withLock { state in
            state.forgetDelayed(key, for: target)
            return state.timers.remove(key)
        }
        withExtendedLifetime(removed) {} // released without the lock
    }

    /// The modes to which a timer was added.
    func modes(of timer: Timer) -> Set<RunLoop.Mode> {
        let key = ObjectIdentifier(timer)
        return state.withLock { $0.timers[key]?.modes ?? [] }
    }

    /// Removes some of a timer's modes, and releases the timer if it has none left. Returns whether it has.
    func drop(_ timer: Timer, _ modes: [RunLoop.Mode]) -> Bool {
        let key = ObjectIdentifier(timer), target = (timer as? DelayedTimer)?.target
        let removed = state.withLock { state in
            let removed = modes.reduce(nil) { removed, mode in state.timers.remove(key, mode) ?? removed }
            if removed != nil { state.forgetDelayed(key, for: target) }
            return removed
        }
        return removed != nil // released without the lock
    }

    /// Returns the pending delayed performs of a target in this loop.
    func delayedTimers(for target: AnyObject) -> [Timer] {
        let target = ObjectIdentifier(target)
        return state.withLock { state in (state.delayed[target] ?? []).compactMap { state.timers[$0] } }.map(\.object)
    }

    func threadEnds(of runLoop: RunLoop) {
        let timers = state.withLock { state in
            state.delayed = [:]
            return state.timers.close()
        }
        for timer in timers { timer.object.threadEnds(of: runLoop.cfRunLoop, timer.modes) }
    }
}
#endif
