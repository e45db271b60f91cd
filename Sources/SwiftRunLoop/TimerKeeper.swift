// TimerKeeper.swift: the Timers that are in a loop. On a Mac the loop's C timers are the NSTimers themselves. Here a Timer and its C timer
// are two objects: the C loop retains the C timer, and the keeper retains the Timer.

#if os(Linux)
import Synchronization

/// Retains a loop's Timers, with the modes to which they were added. May be used from any thread.
final class TimerKeeper: LoopKeeper {
    private typealias Timers = KeptObjects<ObjectIdentifier, Timer>

    private let state = Mutex(Timers())

    /// Retains a timer that has been added to a mode. Returns false if the loop's thread has ended.
    func keep(_ timer: Timer, _ mode: RunLoop.Mode) -> Bool {
        let new = Timers.Entry(timer), key = ObjectIdentifier(timer)
        return state.withLock { $0.insert(new, key, mode) != .refused }
    }

    /// Releases a timer.
    func drop(_ timer: Timer) {
        let key = ObjectIdentifier(timer)
        let removed = state.withLock { $0.remove(key) }
        withExtendedLifetime(removed) {} // released without the lock
    }

    /// The modes to which a timer was added.
    func modes(of timer: Timer) -> Set<RunLoop.Mode> {
        let key = ObjectIdentifier(timer)
        return state.withLock { $0[key]?.modes ?? [] }
    }

    /// Removes some of a timer's modes, and releases the timer if it has none left. Returns whether it has.
    func drop(_ timer: Timer, _ modes: [RunLoop.Mode]) -> Bool {
        let key = ObjectIdentifier(timer)
        let removed = state.withLock { state in modes.reduce(nil) { removed, mode in state.remove(key, mode) ?? removed } }
        return removed != nil // released without the lock
    }

    func threadEnds(of runLoop: RunLoop) {
        let timers = state.withLock { $0.close() }
        for timer in timers { timer.object.threadEnds(of: runLoop.cfRunLoop, timer.modes) }
    }
}
#endif
