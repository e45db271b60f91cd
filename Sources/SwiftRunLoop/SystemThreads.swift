// SystemThreads.swift: what the kernel knows of threads.

internal import CRunLoop
internal import Glibc
import Synchronization

/// The name that the kernel has for a living thread.
func kernelName(of thread: pthread_t) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { buffer in
        _CFThreadGetKernelName(thread, buffer.baseAddress!, Int32(buffer.count)) == 0 ? String(cString: buffer.baseAddress!) : ""
    }
}

/// Gives a living thread its name in the kernel: as many whole characters as fit into 15 bytes.
func setKernelName(of thread: pthread_t, to name: String) {
    var fitting = "", room = 15
    for character in name {
        room -= character.utf8.count
        if room < 0 { break }
        fitting.append(character)
    }
    _ = _CFThreadSetName(thread, fitting)
}

/// The end of the main thread's own code, while the process goes on: an async main and `dispatchMain()` call pthread_exit as soon as
/// they have nothing more to do on the main thread, and a program may do so itself. After that, nothing runs the main loop again.
/// The C library notices it by a destructor of the main thread's data, so nobody has to look.
enum MainThreadEnd {
    private struct State {
        var actions: [Int: @Sendable () -> Void] = [:]
        var lastToken = 0
    }

    private static let state = Mutex(State())

    static var hasCome: Bool { _CFMainThreadHasEnded() }

    /// Has `action` called once, on the main thread when its code is over; at once, on the calling thread, if it is over already.
    /// - Returns: what takes the action back.
    @discardableResult
    static func whenItComes(_ action: @escaping @Sendable () -> Void) -> Int {
        let token = state.withLock { state in
            state.lastToken += 1
            state.actions[state.lastToken] = action
            return state.lastToken
        }
        let isToCome = _CFMainThreadSetEndHandler { MainThreadEnd.callActions() }
        if !isToCome { callActions() } // the main thread may be doing the same; each action is taken once
        return token
    }

    /// Forgets an action that has not been called.
    static func forget(_ token: Int) {
        let action = state.withLock { $0.actions.removeValue(forKey: token) }
        withExtendedLifetime(action) {} // what it holds goes with nothing locked
    }

    private static func callActions() {
        let due = state.withLock { state in
            defer { state.actions = [:] }
            return state.actions
        }
        for (_, action) in due.sorted(by: { $0.key < $1.key }) { action() }
    }
}
