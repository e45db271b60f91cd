// SignalsAndExits.swift: signals and the end of a child, for async code.

#if os(Linux)
public import SwiftRunLoop

extension RunLoop {
    /// Returns a sequence of the signals that arrive, by their numbers.
    ///
    ///     for await signal in try RunLoop.main.signals(SIGINT, SIGTERM) {
    ///         print("signal", signal)
    ///         break
    ///     }
    ///
    /// As long as there is such a sequence, its signals do nothing else: SIGINT does not end the program. Afterwards
    /// they do what they did before. If there are several sequences for a signal, each receives it.
    ///
    /// The loop must run in the mode, on its own thread; the task that iterates may run anywhere. The sequence ends
    /// when the task is cancelled, when the sequence and its iterators have gone (after a `break` for example), and
    /// when the loop's thread ends. A late task receives the newest 64 signals.
    /// - Parameters:
    ///   - numbers: the signals, at least one. SIGKILL and SIGSTOP, which no program can catch, and those by which the
    ///     processor reports a fault of the program, like SIGSEGV, trap.
    ///   - mode: the mode; `.common` stands for all common modes.
    /// - Returns: the sequence, for one task at a time. It is empty if the loop's thread has ended.
    /// - Throws: `EMFILE` if the process has no descriptor left.
    public func signals(_ numbers: Int32..., mode: Mode = .default) throws(POSIXError) -> AsyncStream<Int32> {
        try stream(.bufferingNewest(64), in: mode) { feed throws(POSIXError) in
            try Source(signals: numbers) { feed.continuation.yield($0) }
        }.0
    }

    /// Awaits the end of a child process.
    ///
    ///     let status = try await RunLoop.main.exit(of: child)
    ///
    /// The loop must run in the mode, on its own thread; the task may run anywhere. The loop waits for the child as
    /// `waitpid` does, so that the system forgets it: see `Source.init(exitOf:handler:)`. If the task is cancelled, the
    /// child goes on, and nobody has waited for it.
    /// - Parameters:
    ///   - process: a child of this process.
    ///   - mode: the mode; `.common` stands for all common modes.
    /// - Returns: the exit status, or 128 and the number of the signal that has ended the child, as a shell says.
    /// - Throws: a `POSIXError`: `ESRCH` if there is no such process, `ECHILD` if it is no child or somebody else has
    ///   waited for it, `EMFILE` if no descriptor is left. A `PerformError` if the loop's thread ends first.
    ///   `CancellationError`.
    public nonisolated(nonsending) func exit(of process: pid_t, mode: Mode = .default) async throws -> Int32 {
        let exits = try stream(.unbounded, in: mode) { feed throws(POSIXError) in
            try Source(exitOf: process) { feed.continuation.yield($0) }
        }
        for await status in exits.0 {
            if status < 0 { throw POSIXError(.ECHILD) }
            return status
        }
        try Task.checkCancellation()
        throw self === RunLoop.main ? PerformError.mainThreadHasEnded : .threadFinishedMeanwhile
    }
}
#endif
