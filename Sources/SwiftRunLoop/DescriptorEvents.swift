// DescriptorEvents.swift: the events of a descriptor as an asynchronous sequence.

#if os(Linux)
extension RunLoop {
    /// Returns a sequence of the events of a descriptor, which this loop waits for.
    ///
    ///     var buffer = [UInt8](repeating: 0, count: 4096)
    ///     for await _ in RunLoop.main.events(of: socket)! {
    ///         let count = read(socket, &buffer, buffer.count)
    ///         if count <= 0 { break }
    ///         print(count, "bytes")
    ///     }
    ///
    /// The loop must run in the mode, on its own thread; the task that iterates may run anywhere. A late task holds nothing up and loses
    /// nothing: the loop waits for the descriptor only while the task awaits the next event. If data is left then, the event comes at once.
    /// After `.hangUp` every event comes at once, so end the iteration.
    ///
    /// The descriptor is in the loop until the sequence ends: when the task is cancelled, when the sequence and its iterators have gone
    /// (after a `break` for example), and when the loop's thread ends.
    /// - Parameters:
    ///   - fileDescriptor: an open descriptor. It stays yours. The sequence has its own duplicate, so you may close yours.
    ///   - events: the events to wait for.
    ///   - mode: the mode; `.common` stands for all common modes.
    /// - Returns: the sequence, for one task at a time; it is empty if the loop's thread has ended. Nil if the descriptor is not open, if it
    ///   is a regular file or directory, for which epoll cannot wait, or if the process has no descriptor left; `errno` has the reason.
    public func events(
        of fileDescriptor: Int32, for events: FileDescriptorPort.Events = .readable, mode: Mode = .default
    ) -> AsyncStream<FileDescriptorPort.Events>? {
        remote.events(of: fileDescriptor, for: events, mode: mode)
    }
}

extension RunLoop.Remote {
    /// Returns a sequence of the events of a descriptor, which the loop waits for.
    /// See `RunLoop.events(of:for:mode:)`.
    public func events(
        of fileDescriptor: Int32, for events: FileDescriptorPort.Events = .readable, mode: RunLoop.Mode = .default
    ) -> AsyncStream<FileDescriptorPort.Events>? {
        let (found, continuation) = AsyncStream.makeStream(of: FileDescriptorPort.Events.self)
        // The loop stops waiting for the descriptor before the task receives the event: so the task's next request is not undone.
        let port = FileDescriptorPort(fileDescriptor: fileDescriptor, events: []) { port, events in
            port.events = []
            continuation.yield(events)
        }
        guard let port else { return nil }
        add(port, forMode: mode)
        continuation.end(with: self) { port.invalidate() }
        return AsyncStream {
            port.events = events
            var iterator = found.makeAsyncIterator()
            return await iterator.next()
        }
    }
}
#endif
