// MainThreadEnd.swift: how a program learns that its main thread has ended, although the process continues.

#if os(Linux)
internal import CRunLoop
import Synchronization

/// The end of the main thread's own code, while the process continues.
///
/// `dispatchMain()` calls pthread_exit, and so does an async main that does not run the main loop (`RunLoop.runsInAsyncMain`). A program
/// may call it, too. After that, no thread runs the main loop again. The C library detects this in a destructor of the main thread's data,
/// without polling.
enum MainThreadEnd {
    private struct State {
        var handlers: [Int: @Sendable () -> Void] = [:]
        var lastToken = 0
    }

    private static let state = Mutex(State())

    static var hasOccurred: Bool { _CFMainThreadHasEnded() }

    /// Calls `handler` once: on the main thread when its code ends or, if it has ended already, at once on the calling thread.
    /// - Returns: a token for `removeHandler`.
    @discardableResult
    static func addHandler(_ handler: @escaping @Sendable () -> Void) -> Int {
        let token = state.withLock { state in
            state.lastToken += 1
            state.handlers[state.lastToken] = handler
            return state.lastToken
        }
        let isPending = _CFMainThreadSetEndHandler { MainThreadEnd.callHandlers() }
        if !isPending { callHandlers() } // the main thread may be doing the same, but each handler is called once
        return token
    }

    /// Removes a handler that has not been called.
    static func removeHandler(_ token: Int) {
        let handler = state.withLock { $0.handlers.removeValue(forKey: token) }
        withExtendedLifetime(handler) {} // released without the lock
    }

    private static func callHandlers() {
        let due = state.withLock { state in
            defer { state.handlers = [:] }
            return state.handlers
        }
        for (_, handler) in due.sorted(by: { $0.key < $1.key }) { handler() }
    }
}
#endif
