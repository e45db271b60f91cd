// EventChannel.swift: an AsyncStream for each iterator of `Ticks`.

#if os(Linux)
/// A stream and its continuation.
struct EventChannel<Event: Sendable>: Sendable {
    fileprivate let stream: AsyncStream<Event>, continuation: AsyncStream<Event>.Continuation

    func send(_ event: Event) { continuation.yield(event) }

    func next(isolation: isolated (any Actor)?) async -> Event? {
        var iterator = stream.makeAsyncIterator()
        return await iterator.next(isolation: isolation)
    }
}

/// An iteration over the events of a loop. It removes the item from the loop when it is deallocated with its iterator.
final class EventIteration<Event: Sendable>: Sendable {
    let channel: EventChannel<Event>

    init(in loop: RunLoop.Remote, keeping limit: Int, join: (EventChannel<Event>) -> @Sendable () -> Void) {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(limit))
        channel = EventChannel(stream: stream, continuation: continuation)
        continuation.end(with: loop, removeItem: join(channel))
    }

    deinit {
        channel.continuation.finish()
    }
}
#endif
