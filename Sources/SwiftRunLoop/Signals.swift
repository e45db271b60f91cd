// Signals.swift: signals as a source. CRunLoopSignals.c has the handler, which writes to a pipe.

#if os(Linux)
internal import CSwiftRunLoop

extension RunLoop.Source {
    /// Makes a source that waits for signals, without adding it to a loop.
    ///
    ///     let source = try RunLoop.Source(signals: SIGINT, SIGTERM) { signal in RunLoop.main.stop() }
    ///     RunLoop.main.add(source, forMode: .default)
    ///
    /// From now on, the signals do nothing else: SIGINT does not end the program. When the source has been invalidated
    /// or released, they do what they did before. If there are several sources for a signal, each receives it.
    /// - Parameters:
    ///   - numbers: the signals, at least one. SIGKILL and SIGSTOP, which no program can catch, and those by which the
    ///     processor reports a fault of the program, like SIGSEGV, trap.
    ///   - handler: called on the loop's thread, with the number of each signal that has arrived.
    /// - Throws: `EMFILE` if the process has no descriptor left.
    public convenience init(
        signals numbers: Int32..., handler: @escaping @isolated(any) @Sendable (Int32) -> Void
    ) throws(POSIXError) {
        try self.init(signals: numbers, handler: handler)
    }

    package convenience init(
        signals numbers: [Int32], handler: @escaping @isolated(any) @Sendable (Int32) -> Void
    ) throws(POSIXError) {
        let pipe = try SignalPipe(numbers)
        try self.init(fileDescriptor: pipe.descriptor, taking: { _ in
            let number = CRunLoopSignalsTake(pipe.descriptor)
            return number == 0 ? nil : number
        }, handler)
    }
}

/// The descriptor that reports signals. The source's handler retains it; with the handler, the signals' former actions
/// return.
private final class SignalPipe: Sendable {
    let descriptor: Int32

    init(_ numbers: [Int32]) throws(POSIXError) {
        require(!numbers.isEmpty, "RunLoop: signals are given by their numbers, at least one")
        let faults = [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP]
        let wanted = numbers.reduce(into: UInt64(0)) { wanted, number in
            require(
                (1...64).contains(number) && !faults.contains(number), "RunLoop: no loop can wait for signal \(number)")
            wanted |= 1 << UInt64(number - 1)
        }
        let opened = CRunLoopSignalsOpen(wanted)
        if opened < 0 {
            let error = POSIXError.last
            require(error.code != .EINVAL, "RunLoop: one of the signals \(numbers) cannot be caught")
            throw error // nothing is stored yet, so nothing is closed
        }
        descriptor = opened
    }

    deinit { CRunLoopSignalsClose(descriptor) }
}
#endif
