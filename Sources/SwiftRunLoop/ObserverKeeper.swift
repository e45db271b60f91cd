// ObserverKeeper.swift: the C observers that are in a loop. The C loop retains them, too, but it has no function that lists them, and they
// must leave the loop when its thread ends.

#if os(Linux)
internal import CRunLoop
import Synchronization

/// Retains a loop's C observers, with the modes to which they were added. May be used from any thread.
///
/// An observer that has become invalid holds no closure any more, so it may stay for a while. The keeper releases such observers whenever
/// the number of observers has doubled.
final class ObserverKeeper: LoopKeeper {
    private typealias Observers = KeptObjects<UInt, SharedReference<RunLoop.Observer>> // the key is the C observer's address

    private struct State {
        var observers = Observers()
        var sweepAt = 16

        /// Removes and returns the invalid observers if it is time for that.
        mutating func sweep() -> [Observers.Entry] {
            guard observers.entries.count >= sweepAt else { return [] }
            let invalid = observers.entries.filter { !$0.value.object.object.isValid }.keys
            defer { sweepAt = max(16, 2 * observers.entries.count) }
            return invalid.compactMap { observers.remove($0) }
        }
    }

    private let state = Mutex(State())

    /// Retains an observer that has been added to a mode. Returns false if the loop's thread has ended.
    @safe func keep(_ observer: CFRunLoopObserver, _ mode: RunLoop.Mode) -> Bool {
        let new = Observers.Entry(SharedReference(Reference(retaining: observer))), key = UInt(bitPattern: observer)
        let (insertion, invalid) = state.withLock { state in (state.observers.insert(new, key, mode), state.sweep()) }
        withExtendedLifetime((new, invalid)) {} // released without the lock
        return insertion != .refused
    }

    /// Removes a mode from an observer, and releases the observer if that was its last one.
    @safe func drop(_ observer: CFRunLoopObserver, _ mode: RunLoop.Mode) {
        let key = UInt(bitPattern: observer)
        let removed = state.withLock { $0.observers.remove(key, mode) }
        withExtendedLifetime(removed) {} // released without the lock
    }

    /// The observers stay valid, so that they can be added to another loop.
    func threadEnds(of runLoop: RunLoop) {
        for entry in state.withLock({ $0.observers.close() }) {
            for mode in entry.modes { runLoop.cfRunLoop.remove(entry.object.object, mode.cfString) }
        }
    }
}
#endif
