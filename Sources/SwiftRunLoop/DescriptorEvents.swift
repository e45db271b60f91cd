// DescriptorEvents.swift: the events of a descriptor as an asynchronous sequence.

#if os(Linux)
import Synchronization

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
    /// The loop must run in the mode, on its own thread; the task that iterates may run anywhere. The descriptor is in the loop as long as
    /// there is an iterator. See `DescriptorEvents` for late and for cancelled tasks.
    /// - Parameters:
    ///   - fileDescriptor: an open descriptor. It stays yours. The sequence has its own duplicate, so you may close yours.
    ///   - events: the events to wait for.
    ///   - mode: the mode; `.common` stands for all common modes.
    /// - Returns: nil if the descriptor is not open, if it is a regular file or directory, for which epoll cannot wait, or if the process has
    ///   no descriptor left; `errno` has the reason.
    public func events(
        of fileDescriptor: Int32, for events: FileDescriptorPort.Events = .readable, mode: Mode = .default
    ) -> DescriptorEvents? {
        remote.events(of: fileDescriptor, for: events, mode: mode)
    }

    /// The events of a descriptor, as `RunLoop.events(of:for:mode:)` returns them.
    ///
    /// **A late task** holds nothing up and loses nothing. The loop waits for the descriptor only while a task awaits its next event, so
    /// data that the task has not read does not keep the loop busy, and no events pile up. Before the next event is awaited, the task reads
    /// what it wants; if data is left, the next event comes at once. After `.hangUp` the next event comes at once, too, so end the
    /// iteration.
    ///
    /// **The end.** If the task is cancelled, the iterator returns nil. When the last iterator goes, the descriptor leaves the loop. The
    /// sequence ends when the loop's thread ends; it is empty if the thread has ended before.
    ///
    /// If several tasks iterate, an event goes to all that wait at the moment.
    public struct DescriptorEvents: AsyncSequence, Sendable {
        let watch: DescriptorWatch

        /// Adds the descriptor to the loop.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(iteration: DescriptorIteration(watch)) }

        /// Awaits the events.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let iteration: DescriptorIteration

            /// Awaits the next events; nil at the end of the sequence.
            public mutating func next() async -> FileDescriptorPort.Events? { await next(isolation: nil) }

            /// Awaits the next events; nil at the end of the sequence.
            /// - Parameter isolation: the actor on which the caller continues.
            public mutating func next(isolation: isolated (any Actor)?) async -> FileDescriptorPort.Events? {
                await iteration.next(isolation: isolation)
            }
        }
    }
}

extension RunLoop.Remote {
    /// Returns a sequence of the events of a descriptor, which the loop waits for.
    ///
    /// See `RunLoop.events(of:for:mode:)`.
    /// - Parameters:
    ///   - fileDescriptor: an open descriptor. It stays yours.
    ///   - events: the events to wait for.
    ///   - mode: the mode; `.common` stands for all common modes.
    /// - Returns: nil if the loop cannot wait for the descriptor; `errno` has the reason.
    public func events(
        of fileDescriptor: Int32, for events: FileDescriptorPort.Events = .readable, mode: RunLoop.Mode = .default
    ) -> RunLoop.DescriptorEvents? {
        DescriptorWatch(fileDescriptor, events, loop: self, mode: mode).map { RunLoop.DescriptorEvents(watch: $0) }
    }
}

@available(*, unavailable)
extension RunLoop.DescriptorEvents.AsyncIterator: Sendable {}

/// A descriptor that is in a loop as long as there are iterations over its events.
final class DescriptorWatch: Sendable {
    private let port: FileDescriptorPort
    private let events: FileDescriptorPort.Events
    private let loop: RunLoop.Remote
    private let mode: RunLoop.Mode
    private let demand: EventDemand<FileDescriptorPort.Events>
    private let end: EndHandler?
    /// The number of iterations. The lock is held while the port enters or leaves the loop.
    private let iterationCount = Mutex(0)

    init?(_ fileDescriptor: Int32, _ events: FileDescriptorPort.Events, loop: RunLoop.Remote, mode: RunLoop.Mode) {
        let demand = EventDemand<FileDescriptorPort.Events>()
        // The loop stops to wait for the descriptor before the tasks receive the event: a task that awaits the next one then makes it wait
        // again.
        let port = FileDescriptorPort(fileDescriptor: fileDescriptor, events: []) { port, events in
            port.events = []
            demand.giveToAll(events)
        }
        guard let port else { return nil }
        (self.port, self.events, self.loop, self.mode, self.demand) = (port, events, loop, mode, demand)
        end = loop.runLoop.addEndHandler { demand.finish() }
        if end == nil { demand.finish() }
    }

    deinit {
        end?.remove()
        port.invalidate()
    }

    fileprivate func begin() -> Int {
        iterationCount.withLock { count in
            count += 1
            if count == 1 && loop.runLoop.hasThread { loop.add(port, forMode: mode) }
        }
        return demand.begin()
    }

    fileprivate func endIteration(_ iteration: Int) {
        demand.end(iteration)
        iterationCount.withLock { count in
            count -= 1
            guard count == 0 else { return }
            loop.remove(port, forMode: mode)
            loop.wakeUp() // a run ends if its mode has become empty, which a sleeping loop does not notice
        }
    }

    fileprivate func next(_ iteration: DescriptorIteration, isolation: isolated (any Actor)?) async -> FileDescriptorPort.Events? {
        await demand.next(in: iteration.number, isolation: isolation, ask: { port.events = events }, cancel: { iteration.end() })
    }
}

/// An iteration over the events of a descriptor. It ends with its iterator, or when its task is cancelled.
final class DescriptorIteration: Sendable {
    private let watch: DescriptorWatch
    fileprivate let number: Int
    private let hasEnded = Atomic(false)

    init(_ watch: DescriptorWatch) {
        self.watch = watch
        number = watch.begin()
    }

    deinit {
        end()
    }

    fileprivate func end() {
        if !hasEnded.exchange(true, ordering: .relaxed) { watch.endIteration(number) }
    }

    func next(isolation: isolated (any Actor)?) async -> FileDescriptorPort.Events? {
        await watch.next(self, isolation: isolation)
    }
}
#endif
