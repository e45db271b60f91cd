// Counter.swift: counts events that get no row in the transcript.

import Synchronization

/// A number that any thread may add to.
final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    /// Adds one, and returns the sum.
    @discardableResult
    func add() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }
}
