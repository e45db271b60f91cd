// Streams.swift: the items of a loop as asynchronous sequences: a timer, a descriptor.
//
//     the loop ── the item ── its closure ── the feed ── the continuation ── the stream ── the task
//
// The cancellation of the task and the end of the last reference to the stream call the stream's `onTermination`, which
// takes the item out of the loop. If the loop's thread ends, the loop releases its items, and so the feed, which ends
// the stream.

#if os(Linux)
public import CRunLoop
public import FoundationEssentials
public import SwiftRunLoop

/// What the closure of an item retains: with the last reference to it, the stream ends.
final class Feed<Element: Sendable>: Sendable {
    let continuation: AsyncStream<Element>.Continuation

    init(_ continuation: AsyncStream<Element>.Continuation) { self.continuation = continuation }

    deinit { continuation.finish() }
}

extension RunLoop {
    /// Returns a stream, and adds the item that feeds it to the loop until the stream ends. The loop alone retains the
    /// item.
    func stream<Element: Sendable, Fed: Item, Failure: Error>(
        _ limit: AsyncStream<Element>.Continuation.BufferingPolicy, in mode: Mode,
        from makeItem: (Feed<Element>) throws(Failure) -> Fed
    ) throws(Failure) -> (AsyncStream<Element>, Weak<Fed>) {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: limit)
        let item = try makeItem(Feed(continuation)), added = Weak(object: item), runLoop = Weak(object: self)
        continuation.onTermination = { _ in
            added.object?.invalidate()
            runLoop.object?.wakeUp() // a run ends if its mode has become empty, which a sleeping loop does not notice
        }
        add(item, forMode: mode)
        reportIfUnserved()
        return (stream, added)
    }

    /// Returns a sequence of dates, one for each firing of a repeating timer in this loop.
    ///
    ///     for await date in RunLoop.main.ticks(every: .seconds(1)) {
    ///         print(date)
    ///     }
    ///
    /// The loop must run in the mode, on its own thread; the task that iterates may run anywhere. The first date is one
    /// interval from now. A late task receives one date for all that have passed, the most recent one; in the same way,
    /// a timer fires once for all dates that its loop has missed. So at most one date waits, and the rhythm stays.
    ///
    /// The timer is in the loop until the sequence ends: when the task is cancelled, when the sequence and its iterator
    /// have gone (after a `break` for example), and when the loop's thread ends.
    /// - Parameters:
    ///   - interval: the time between two dates; 0 or less counts as 0.1 milliseconds.
    ///   - tolerance: how late the timer may fire, so that it can share a wake-up with others.
    ///   - mode: the mode of the timer; `.common` stands for all common modes.
    /// - Returns: the sequence, for one task at a time. It is empty if the loop's thread has ended.
    public func ticks(
        every interval: Duration, tolerance: Duration = .zero, mode: Mode = .default
    ) -> AsyncStream<Date> {
        stream(.bufferingNewest(1), in: mode) { feed in
            let timer = Timer(timeInterval: interval / .seconds(1), repeats: true) {
                feed.continuation.yield($0.fireDate)
            }
            timer.tolerance = tolerance / .seconds(1)
            return timer
        }.0
    }

    /// Returns a sequence of the events of a descriptor, which this loop waits for.
    ///
    ///     var buffer = [UInt8](repeating: 0, count: 4096)
    ///     for await _ in try RunLoop.main.events(of: socket) {
    ///         let count = read(socket, &buffer, buffer.count)
    ///         if count <= 0 { break }
    ///         print(count, "bytes")
    ///     }
    ///
    /// The loop must run in the mode, on its own thread; the task that iterates may run anywhere. A late task holds
    /// nothing up and loses nothing: the loop waits for the descriptor only while the task awaits the next event. If
    /// data is left then, the event comes at once. After `.hangUp` every event comes at once, so end the iteration.
    ///
    /// The descriptor is in the loop until the sequence ends: when the task is cancelled, when the sequence and its
    /// iterators have gone (after a `break` for example), and when the loop's thread ends.
    /// - Parameters:
    ///   - fileDescriptor: an open descriptor. It stays yours. The sequence has its own duplicate, so you may close
    ///     yours.
    ///   - events: the events to wait for.
    ///   - mode: the mode; `.common` stands for all common modes.
    /// - Returns: the sequence, for one task at a time. It is empty if the loop's thread has ended.
    /// - Throws: `EBADF` if the descriptor is not open, `EPERM` if it is that of a regular file or directory, which is
    ///   always ready, and `EMFILE` if the process has no descriptor left.
    public func events(
        of fileDescriptor: Int32, for events: Source.Events = .readable, mode: Mode = .default
    ) throws(POSIXError) -> AsyncStream<Source.Events> {
        let own = try OwnDescriptor(duplicating: fileDescriptor)
        let (found, source) = try watch(own, mode) { continuation, events in continuation.yield(events) }
        return AsyncStream {
            source.object?.events = events
            var iterator = found.makeAsyncIterator()
            return await iterator.next()
        }
    }

    /// Adds a source for a descriptor, and returns a stream that its handler feeds. The source waits for nothing yet;
    /// and for nothing again when it has called the handler, before the task receives anything: so the task's next
    /// request is not undone.
    func watch<Element: Sendable>(
        _ own: OwnDescriptor, _ mode: Mode,
        handler: @escaping @Sendable (AsyncStream<Element>.Continuation, Source.Events) -> Void
    ) throws(POSIXError) -> (AsyncStream<Element>, Weak<Source>) {
        try stream(.unbounded, in: mode) { feed throws(POSIXError) in
            try Source(fileDescriptor: own.number, events: []) { source, events in
                source.events = []
                handler(feed.continuation, events)
                withExtendedLifetime(own) {}
            }
        }
    }
}

extension OwnDescriptor {
    convenience init(duplicating fileDescriptor: Int32) throws(POSIXError) {
        // no standard one, which the program may redirect
        try self.init(fcntl(fileDescriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1))
    }
}
#endif
