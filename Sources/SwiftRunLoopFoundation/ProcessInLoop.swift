// ProcessInLoop.swift: Foundation's name of the wait for a Process, for the calling thread's loop of this library.
// Foundation's method runs Foundation's own loop while it waits.

#if os(Linux)
extension Process {
    /// Runs the calling thread's loop in the default mode until the process has ended (waitUntilExit).
    ///
    /// Foundation reports the end on a thread of its own. To be called on the loop's thread instead, have
    /// `terminationHandler` perform the call: `process.terminationHandler = { _ in Thread.main.perform { … } }`.
    @_disfavoredOverload
    @available(*, noasync, message: "set terminationHandler, which does not block the thread")
    public func waitUntilExit() {
        guard isRunning else { return }
        // The kernel wakes the loop when the process ends. Foundation notices the end a moment later.
        let child = try? OwnDescriptor(child: processIdentifier)
        let source = child.flatMap { child in
            try? SwiftRunLoop.RunLoop.Source(fileDescriptor: child.number) { source, _ in source.invalidate() }
        }
        let runLoop = SwiftRunLoop.RunLoop.current, port = SwiftRunLoop.Port()
        runLoop.add(port, forMode: .default)
        if let source { runLoop.add(source, forMode: .default) }
        while isRunning {
            let mayEndUnnoticed = source?.isValid != true
            runLoop.run(mode: .default, before: mayEndUnnoticed ? Date(timeIntervalSinceNow: 0.001) : .distantFuture)
        }
        source?.invalidate()
        port.invalidate()
        withExtendedLifetime(child) {}
    }
}
#endif
