// Child.swift: the end of a child process as a source. The kernel has a descriptor for it, a pidfd.

#if os(Linux)
internal import CSwiftRunLoop

extension RunLoop.Source {
    /// Makes a source that waits for the end of a child process, without adding it to a loop.
    ///
    ///     let source = try RunLoop.Source(exitOf: child) { status in print("ended with", status) }
    ///     RunLoop.main.add(source, forMode: .default)
    ///
    /// The source waits for the child as `waitpid` does, so that the system forgets it, and is invalid when the handler
    /// is called. Do not wait for the child elsewhere. Foundation's Process does so: use its `terminationHandler`.
    /// - Parameters:
    ///   - process: a child of this process.
    ///   - handler: called once on the loop's thread, with the exit status, or with 128 and the number of the signal
    ///     that has ended the child, as a shell says; -1 if somebody else has waited for it.
    /// - Throws: `ESRCH` if there is no such process, `ECHILD` if it is no child or has been waited for, `EMFILE` if
    ///   no descriptor is left, and `ENOSYS` or `EINVAL` if the kernel is older than Linux 5.4.
    public convenience init(
        exitOf process: pid_t, handler: @escaping @isolated(any) @Sendable (Int32) -> Void
    ) throws(POSIXError) {
        let child = try OwnDescriptor(child: process)
        try self.init(fileDescriptor: child.number, taking: { source in
            let status = CRunLoopProcessTake(child.number)
            if status == -2 { return nil }
            source.invalidate()
            return status
        }, handler)
    }
}

/// A descriptor that is closed with the object.
package final class OwnDescriptor: Sendable {
    package let number: Int32

    /// Takes a descriptor over. A negative number says that the system call failed that should have made it, with this
    /// error: its default is read before memory is allocated for the object.
    package init(_ number: Int32, error: POSIXError = .last) throws(POSIXError) {
        if number < 0 { throw error }
        self.number = number
    }

    /// A pidfd: readable when the child has ended.
    package convenience init(child process: pid_t) throws(POSIXError) { try self.init(CRunLoopProcessOpen(process)) }

    deinit { close(number) }
}
#endif
