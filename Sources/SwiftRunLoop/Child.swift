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
        let child = try Child(process)
        try self.init(fileDescriptor: child.descriptor, taking: { source in
            guard let status = child.takeStatus() else { return nil }
            source.invalidate()
            return status
        }, handler)
    }
}

/// A child process, by its pidfd.
package final class Child: Sendable {
    package let descriptor: Int32

    package init(_ process: pid_t) throws(POSIXError) {
        descriptor = CRunLoopProcessOpen(process)
        if descriptor < 0 { throw .last }
    }

    deinit { close(descriptor) }

    /// The exit status; -1 if somebody else has waited for the child; nil if it has not ended.
    func takeStatus() -> Int32? {
        let status = CRunLoopProcessTake(descriptor)
        return status == -2 ? nil : status
    }
}
#endif
