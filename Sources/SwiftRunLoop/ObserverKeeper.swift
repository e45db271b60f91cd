// ObserverKeeper.swift: the C observers that are in a loop. The C loop retains them too, but it has no function that lists them, and at the
// end of its thread they must be taken out.

internal import CRunLoop
import Synchronization

/// Retains a loop's C observers, with the modes to which they were added. An observer that has become invalid holds no closure any more; the
/// keeper releases such observers when there may be many of them. May be used from any thread.
final class ObserverKeeper: LoopKeeper {
    private struct State: @unchecked Sendable {
        var observers: [OpaquePointer: Set<RunLoop.Mode>] = [:]
        var sweepAt = 16
        var isClosed = false
    }

    private let state = Mutex(State())

    deinit {
        for observer in state.withLock({ $0.observers.keys }) { CFRelease(UnsafeRawPointer(observer)) }
    }

    /// Retains an observer that has been added to a mode. False when the loop's thread has ended.
    func keep(_ observer: OpaquePointer, _ mode: RunLoop.Mode) -> Bool {
        nonisolated(unsafe) let observer = observer
        let isKept = state.withLock { state in
            if state.isClosed { return false }
            if state.observers[observer] == nil { CFRetain(UnsafeRawPointer(observer)) }
            state.observers[observer, default: []].insert(mode)
            return true
        }
        sweep()
        return isKept
    }

    /// Releases an observer that has been removed from the last of its modes.
    func drop(_ observer: OpaquePointer, _ mode: RunLoop.Mode) {
        nonisolated(unsafe) let observer = observer
        let wasLast = state.withLock { state in
            guard state.observers[observer]?.remove(mode) != nil, state.observers[observer]!.isEmpty else { return false }
            state.observers[observer] = nil
            return true
        }
        if wasLast { CFRelease(UnsafeRawPointer(observer)) }
    }

    /// The observers stay valid, so that they can be added to another loop.
    func threadEnds(of runLoop: RunLoop) {
        nonisolated(unsafe) var observers: [OpaquePointer: Set<RunLoop.Mode>] = [:]
        state.withLock { state in
            swap(&observers, &state.observers)
            state.isClosed = true
        }
        for (observer, modes) in observers {
            for mode in modes { CFRunLoopRemoveObserver(runLoop.cfRunLoop, observer, mode.cfString) }
            CFRelease(UnsafeRawPointer(observer))
        }
    }

    /// Releases the invalid observers whenever the number of observers has doubled.
    private func sweep() {
        nonisolated(unsafe) var invalid: [OpaquePointer] = []
        state.withLock { state in
            guard state.observers.count >= state.sweepAt else { return }
            invalid = state.observers.keys.filter { !CFRunLoopObserverIsValid($0) }
            for observer in invalid { state.observers[observer] = nil }
            state.sweepAt = max(16, 2 * state.observers.count)
        }
        for observer in invalid { CFRelease(UnsafeRawPointer(observer)) }
    }
}
