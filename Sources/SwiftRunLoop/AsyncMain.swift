// AsyncMain.swift: the main run loop in a program whose main function is async.
//
// Claims in ANNOTATIONS.md: (R1, X6)

#if os(Linux)
internal import CRunLoop
internal import CRunLoopMainHook
import Synchronization

extension RunLoop {
    /// Whether the main thread runs `RunLoop.main` while an async main is suspended.
    ///
    /// True by default: it is enough that the program links this library. The main thread then runs the main loop in the default mode from
    /// the first suspension of the main function to the end of the program. Timers and ports of `RunLoop.main`, `DispatchQueue.main`
    /// and the main actor all have this one thread, as on a Mac. When there is nothing to do, the thread sleeps. `stop()` does not end this
    /// run; the end of the main function ends the program.
    ///
    /// Without this library, an async main on Linux gives the main thread away at its first suspension. Threads of libdispatch then serve
    /// the main queue, and no thread runs the main loop. Set this to false if you want that. Do so before the first suspension; later it
    /// has no effect:
    ///
    ///     @main struct Program {
    ///         static func main() async {
    ///             RunLoop.runsInAsyncMain = false
    ///             …
    ///         }
    ///     }
    ///
    /// The package's trait `NoMainHook` does the same for the whole program, without a call.
    ///
    /// It stays false in a program whose Swift runtime has no hook for this, and in one in which another library has set the hook.
    /// There, write a synchronous main function that runs the main loop. May be used from any thread.
    public static var runsInAsyncMain: Bool {
        get { CRunLoopMainHookIsEnabled() }
        set { CRunLoopMainHookSetEnabled(newValue) }
    }

    /// Runs the main loop in the default mode until an async closure has finished, and returns its result.
    ///
    /// This is an async main for a program whose main function is synchronous. It needs no support from Swift's runtime:
    ///
    ///     @main struct Program {
    ///         static func main() throws {
    ///             try RunLoop.runMain { try await serve() }
    ///         }
    ///     }
    ///
    /// The closure runs on the main actor. While it is suspended, the main thread runs the main loop, which serves timers, ports, the main
    /// dispatch queue and the main actor. `stop()` does not end this run.
    ///
    /// Call this on the main thread while the main loop is not running. Otherwise it traps: a job of the main actor could not run inside
    /// another one, so the call would never return.
    /// - Parameter body: the closure.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws.
    @available(*, noasync, message: "await the closure itself")
    public static func runMain<Success: Sendable>(_ body: @escaping @MainActor () async throws -> Success) throws -> Success {
        precondition(main.isCurrent, "RunLoop.runMain(_:) must be called on the main thread")
        precondition(main.currentMode == nil, "RunLoop.runMain(_:) must not be called while the main loop is running")
        let result = Mutex<Result<Success, any Error>?>(nil)
        Task { @MainActor in
            let made: Result<Success, any Error>
            do { made = .success(try await body()) } catch { made = .failure(error) }
            result.withLock { $0 = made }
            main.stop()
        }
        while true {
            if let made = result.withLock({ $0 }) { return try made.get() }
            main.run(.default)
        }
    }
}
#endif
