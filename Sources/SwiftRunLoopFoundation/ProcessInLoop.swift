// ProcessInLoop.swift: the end of a Process as an event of this run loop. Foundation's Process reports it on a thread of libdispatch, and runs
// Foundation's own loop while it waits.

#if os(Linux)
import Synchronization

extension Process {
    /// Calls a closure on a loop's thread when the process has ended.
    ///
    /// It sets `terminationHandler`. Until the process has ended, a port in the mode keeps the mode from being empty. If the process has ended
    /// already, the call is made in one of the next passes. If `run()` throws, the closure is never called; set `terminationHandler` to nil
    /// then, which takes the port out of the mode. The end of the Process object does so, too.
    /// - Parameters:
    ///   - runLoop: the loop whose thread makes the call.
    ///   - mode: the mode in which the call may be made; `.common` stands for all common modes.
    ///   - handler: called once, with the process. It is released after the call, or when `terminationHandler` is set again. If the loop's
    ///     thread has ended, it is released at the end of the process, without a call.
    public func notifyTermination(
        in runLoop: SwiftRunLoop.RunLoop, forMode mode: SwiftRunLoop.RunLoop.Mode = .default, _ handler: @escaping @Sendable (Process) -> Void
    ) {
        let call = TerminationCall(runLoop, mode, handler)
        terminationHandler = { process in call.request(for: process) }
        if processIdentifier > 0, !isRunning { call.request(for: self) } // Foundation's Process calls no handler that comes so late
    }

    /// Runs the calling thread's loop in the default mode until the process has ended (waitUntilExit).
    ///
    /// Foundation's `waitUntilExit()` runs Foundation's loop instead. As on a Mac, this looks at the process again and again: 20 times a second.
    /// - Parameter runLoop: the calling thread's loop. Another loop traps.
    @available(*, noasync, message: "notifyTermination(in:forMode:_:) does not block the thread")
    public func waitUntilExit(running runLoop: SwiftRunLoop.RunLoop) {
        precondition(runLoop === SwiftRunLoop.RunLoop.current, "Process.waitUntilExit(running:) must be given the calling thread's run loop")
        let port = SwiftRunLoop.Port()
        runLoop.add(port, forMode: .default)
        while isRunning { runLoop.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05)) }
        port.invalidate()
    }
}

/// The call that a loop is to make at the end of a process, and the port that keeps the mode from being empty until then. The process retains
/// it as its `terminationHandler`, also after the call.
private final class TerminationCall: Sendable {
    private let loop: SwiftRunLoop.RunLoop
    private let mode: SwiftRunLoop.RunLoop.Mode
    private let port = SwiftRunLoop.Port()
    private let handler: Mutex<(@Sendable (Process) -> Void)?>

    init(_ runLoop: SwiftRunLoop.RunLoop, _ mode: SwiftRunLoop.RunLoop.Mode, _ handler: @escaping @Sendable (Process) -> Void) {
        (loop, self.mode) = (runLoop, mode)
        self.handler = Mutex(handler)
        runLoop.add(port, forMode: mode)
    }

    deinit {
        port.invalidate()
        loop.wakeUp() // a run ends if its mode has become empty, which a sleeping loop does not notice
    }

    /// Has the loop make the call, once. The performed closure retains this object, so that the port stays until the call.
    func request(for process: Process) {
        guard let handler = handler.withLock({ $0.take() }) else { return }
        loop.perform(inModes: [mode]) {
            self.port.invalidate()
            handler(process)
        }
        loop.wakeUp()
    }
}
#endif
