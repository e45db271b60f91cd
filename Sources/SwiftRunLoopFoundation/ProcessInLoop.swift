// ProcessInLoop.swift: the end of a Process as an event of this run loop. Foundation's Process reports it on a thread of libdispatch, and runs
// Foundation's own loop while it waits.

extension Process {
    /// Calls a closure on a loop's thread when the process has ended.
    ///
    /// Call this before `run()`. It sets `terminationHandler`. Until the process has ended, a port in the mode keeps the mode from being empty.
    /// - Parameters:
    ///   - runLoop: the loop whose thread makes the call.
    ///   - mode: the mode in which the call may be made; `.common` stands for all common modes.
    ///   - handler: called once, with the process. It is released after the call, or when the loop's thread ends.
    public func notifyTermination(
        in runLoop: SwiftRunLoop.RunLoop, forMode mode: SwiftRunLoop.RunLoop.Mode = .default, _ handler: @escaping @Sendable (Process) -> Void
    ) {
        let remote = runLoop.remote, port = SwiftRunLoop.Port()
        runLoop.add(port, forMode: mode)
        terminationHandler = { process in
            remote.perform(inModes: [mode]) {
                port.invalidate()
                handler(process)
            }
        }
    }

    /// Runs the calling thread's loop in the default mode until the process has ended (waitUntilExit).
    ///
    /// Foundation's `waitUntilExit()` runs Foundation's loop instead. As on a Mac, this looks at the process again and again: 20 times a second.
    /// - Parameter runLoop: the calling thread's loop.
    @available(*, noasync)
    public func waitUntilExit(running runLoop: SwiftRunLoop.RunLoop) {
        let port = SwiftRunLoop.Port()
        runLoop.add(port, forMode: .default)
        while isRunning { runLoop.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05)) }
        port.invalidate()
    }
}
