// CFItemKeeper.swift: the C observers, and the C timers of delayed performs, that are in a loop. The C loop holds them as well; but it cannot
// say which it has, and at the end of its thread they must be taken out of it.

internal import CRunLoop
import Synchronization

/// What a RunLoop knows its C items by, with the modes in which they were put. It retains them; one that has become invalid holds no closure
/// any more, and is released when there are many of these. May be used on any thread.
final class CFItemKeeper: Sendable {
    private struct State: @unchecked Sendable {
        var items: [OpaquePointer: Set<RunLoop.Mode>] = [:]
        var sweepAt = 16
        var isClosed = false
    }

    private let state = Mutex(State())
    private let isValid: @Sendable (OpaquePointer) -> Bool

    init(isValid: @escaping @Sendable (OpaquePointer) -> Bool) {
        self.isValid = isValid
    }

    deinit {
        for item in state.withLock({ $0.items.keys }) { CFRelease(UnsafeRawPointer(item)) }
    }

    /// Takes note that the item has come into a mode. False after `close`.
    func keep(_ item: OpaquePointer, _ mode: RunLoop.Mode) -> Bool {
        nonisolated(unsafe) let item = item
        let isKept = state.withLock { state in
            if state.isClosed { return false }
            if state.items[item] == nil { CFRetain(UnsafeRawPointer(item)) }
            state.items[item, default: []].insert(mode)
            return true
        }
        sweep()
        return isKept
    }

    /// The item has left a mode.
    func drop(_ item: OpaquePointer, _ mode: RunLoop.Mode) {
        nonisolated(unsafe) let item = item
        let wasLast = state.withLock { state in
            guard state.items[item]?.remove(mode) != nil, state.items[item]!.isEmpty else { return false }
            state.items[item] = nil
            return true
        }
        if wasLast { CFRelease(UnsafeRawPointer(item)) }
    }

    /// The loop's thread ends: all items, which are the caller's to release. From now on none is taken.
    func close() -> [OpaquePointer: Set<RunLoop.Mode>] {
        nonisolated(unsafe) var items: [OpaquePointer: Set<RunLoop.Mode>] = [:]
        state.withLock { state in
            swap(&items, &state.items)
            state.isClosed = true
        }
        return items
    }

    /// Releases the invalid ones, when half of all may be.
    private func sweep() {
        nonisolated(unsafe) var invalid: [OpaquePointer] = []
        state.withLock { state in
            guard state.items.count >= state.sweepAt else { return }
            invalid = state.items.keys.filter { !isValid($0) }
            for item in invalid { state.items[item] = nil }
            state.sweepAt = max(16, 2 * state.items.count)
        }
        for item in invalid { CFRelease(UnsafeRawPointer(item)) }
    }
}
