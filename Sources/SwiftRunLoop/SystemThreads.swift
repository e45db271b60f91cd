// SystemThreads.swift: the kernel's names of threads, and the end of the main thread.

internal import CRunLoop
internal import Glibc
import Synchronization

/// The kernel's name of a living thread.
func kernelName(of thread: pthread_t) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { buffer in
        _CFThreadGetKernelName(thread, buffer.baseAddress!, Int32(buffer.count)) == 0 ? String(cString: buffer.baseAddress!) : ""
    }
}

/// Sets a living thread's name in the kernel: as many whole characters as fit into 15 bytes.
func setKernelName(of thread: pthread_t, to name: String) {
    var fitting = "", room = 15
    for character in name {
        room -= character.utf8.count
        if room < 0 { break }
        fitting.append(character)
    }
    _ = _CFThreadSetName(thread, fitting)
}

/// The end of the main thread's own code, while the process continues. An async main and `dispatchMain()` call pthread_exit as soon as the
/// main thread has no more work, and a program may call it, too. After that, no thread runs the main loop again. The C library notices it
/// by a destructor of the main thread's data, so no polling is needed.
enum MainThreadEnd {
    private struct State {
        var actions: [Int: @Sendable () -> Void] = [:]
        var lastToken = 0
    }

    private static let state = Mutex(State())

    static var hasCome: Bool { _CFMainThreadHasEnded() }

    /// Has `action` called once: on the main thread when its code ends or, if it has ended already, at once on the calling thread.
    /// - Returns: a token that `forget` takes.
    @discardableResult
    static func whenItComes(_ action: @escaping @Sendable () -> Void) -> Int {
        let token = state.withLock { state in
            state.lastToken += 1
            state.actions[state.lastToken] = action
            return state.lastToken
        }
        let isToCome = _CFMainThreadSetEndHandler { MainThreadEnd.callActions() }
        if !isToCome { callActions() } // the main thread may be doing the same; only one of them takes an action
        return token
    }

    /// Drops an action that has not been called.
    static func forget(_ token: Int) {
        let action = state.withLock { $0.actions.removeValue(forKey: token) }
        withExtendedLifetime(action) {} // released without the lock
    }

    private static func callActions() {
        let due = state.withLock { state in
            defer { state.actions = [:] }
            return state.actions
        }
        for (_, action) in due.sorted(by: { $0.key < $1.key }) { action() }
    }
}
