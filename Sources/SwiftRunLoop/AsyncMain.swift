// AsyncMain.swift: the main run loop in a program whose main function is async.
//
// Claims in ANNOTATIONS.md: (R1, X6)

#if os(Linux)
internal import CRunLoop
internal import CSwiftRunLoop

extension RunLoop {
    /// Whether the main thread runs `RunLoop.main` while an async main is suspended.
    ///
    /// True by default: it is enough that the program links this library. The main thread then runs the main loop in
    /// the default mode from the first suspension of the main function to the end of the program. Timers and ports of
    /// `RunLoop.main`, `DispatchQueue.main` and the main actor all have this one thread, as on a Mac. When there is
    /// nothing to do, the thread sleeps. `stop()` does not end this run; the end of the main function ends the program.
    ///
    /// Without this library, an async main on Linux gives the main thread away at its first suspension. Threads of
    /// libdispatch then serve the main queue, and no thread runs the main loop. If you want that, set this to false
    /// before the first suspension; later it has no effect.
    ///
    /// In a program that depends on the package without its trait `MainHook`, which is enabled by default, this is
    /// false. It also stays false if Swift's runtime has no hook for this, or if another library has set the hook. In
    /// each of these cases, write a synchronous main function that runs the main loop. May be used from any thread.
    public static var runsInAsyncMain: Bool {
        get { CRunLoopMainHookIsEnabled() }
        set { CRunLoopMainHookSetEnabled(newValue) }
    }
}
#endif
