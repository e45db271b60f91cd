// Signals.swift: signals as an asynchronous sequence. CRunLoopSignals.c has the handler, which writes to a pipe.

#if os(Linux)
internal import CSwiftRunLoop
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
    /// The loop must run in the mode, on its own thread; the task that iterates may run anywhere. The sequence ends when
    /// the task is cancelled, when the sequence and its iterators have gone (after a `break` for example), and when the
    /// loop's thread ends. A late task receives the newest 64 signals.
    /// - Parameters:
    ///   - numbers: the signals, at least one. SIGKILL and SIGSTOP, which no program can catch, and those by which the
    ///     processor reports a fault of the program, like SIGSEGV, trap.
    ///   - mode: the mode; `.common` stands for all common modes.
    /// - Returns: the sequence, for one task at a time. It is empty if the loop's thread has ended.
    /// - Throws: `EMFILE` if the process has no descriptor left.
    public func signals(_ numbers: Int32..., mode: Mode = .default) throws(POSIXError) -> AsyncStream<Int32> {
        let pipe = try SignalPipe(numbers)
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingNewest(64))
        let feed = Feed(continuation)
        let source = try Source(fileDescriptor: pipe.descriptor) { _, _ in
            while let number = pipe.take() { feed.continuation.yield(number) }
        }
        feed.add(source, to: self, add: { add(source, forMode: mode) }, invalidate: { $0.invalidate() })
        return stream
    }
}

/// The descriptor that reports signals. The source's handler retains it; with the handler, the signals' former actions
/// return.
private final class SignalPipe: Sendable {
    let descriptor: Int32

    init(_ numbers: [Int32]) throws(POSIXError) {
        precondition(!numbers.isEmpty, "RunLoop.signals(_:mode:) needs the number of a signal")
        let faults = [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP]
        let wanted = numbers.reduce(into: UInt64(0)) { wanted, number in
            precondition((1...64).contains(number) && !faults.contains(number),
                         "RunLoop.signals(_:mode:): a sequence cannot wait for signal \(number)")
            wanted |= 1 << UInt64(number - 1)
        }
        descriptor = CRunLoopSignalsOpen(wanted)
        if descriptor >= 0 { return }
        let error = POSIXError.last
        precondition(error.code != .EINVAL, "RunLoop.signals(_:mode:): one of the signals \(numbers) cannot be caught")
        throw error
    }

    deinit { CRunLoopSignalsClose(descriptor) }

    func take() -> Int32? {
        let number = CRunLoopSignalsTake(descriptor)
        return number == 0 ? nil : number
    }
}
#endif
