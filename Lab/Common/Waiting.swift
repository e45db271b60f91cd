// Waiting.swift: waiting for other threads, with a limit.

import SwiftRunLoop
import Synchronization

/// The loop of a thread, which others ask whether it sleeps, wake and stop. It goes with its thread.
final class OtherLoop: Sendable {
    private struct Reference: @unchecked Sendable {
        weak var loop: RunLoop?
    }

    private let reference = Mutex(Reference())

    /// Takes the calling thread's loop.
    func set() {
        let current = Reference(loop: .current)
        reference.withLock { $0 = current }
    }

    var value: RunLoop? { reference.withLock { $0 }.loop }
    var isAsleep: Bool { value?.isWaiting == true }
}

extension Lab {
    /// Returns when the condition holds, or after the limit: then an expectation fails. No loop runs meanwhile.
    /// - Returns: whether it holds.
    @discardableResult
    func waitUntil(limit: Double = 30, _ condition: () -> Bool) -> Bool {
        let end = now() + limit
        while !condition(), now() < end { Thread.sleep(forTimeInterval: 0.001) }
        return condition()
    }

    /// The same, while the calling thread's loop runs in a mode. The condition is checked after each run: when the loop has handled a source
    /// or was stopped, and after 20 ms.
    func run(_ mode: RunLoop.Mode = .default, until condition: () -> Bool) {
        let limit = now() + 30
        while !condition(), now() < limit {
            if !RunLoop.current.run(mode: mode, before: Date(timeIntervalSinceNow: 0.02)) { Thread.sleep(forTimeInterval: 0.001) } // an empty mode
        }
    }
}
