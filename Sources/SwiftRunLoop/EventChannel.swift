// EventChannel.swift: the way of an event from a loop's thread to the task that iterates over an asynchronous sequence.
//
// An iterator retains an EventIteration, which retains the channel. The item in the loop (a timer, an observer) retains the channel, too,
// and not the iteration. So the iteration is deallocated with the iterator; it then finishes the channel, which removes the item.
//
//     iterator ── EventIteration ── EventChannel ── the closure of the item ── the loop
//
// The channel is finished by the first of: the cancellation of the task that awaits an event, the end of the iterator, and the end of the
// loop's thread.

#if os(Linux)
import Synchronization

/// The newest events that no task has received yet. May be used from any thread; one task at a time may await an event.
final class EventChannel<Event: Sendable>: Sendable {
    private struct State {
        var events: [Event] = []
        var waiter: CheckedContinuation<Event?, Never>?
        var isFinished = false
        var removal: (@Sendable () -> Void)?
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: the number of events that are kept. If there are more, the oldest is dropped.
    init(limit: Int) {
        self.limit = limit
    }

    /// Gives an event to the waiting task, or keeps it.
    func send(_ event: Event) {
        let waiter: CheckedContinuation<Event?, Never>? = state.withLock { state in
            guard !state.isFinished else { return nil }
            if let waiter = state.waiter.take() { return waiter }
            if state.events.count == limit { state.events.removeFirst() }
            state.events.append(event)
            return nil
        }
        waiter?.resume(returning: event)
    }

    /// Ends the sequence, and calls the removal.
    /// - Parameter keepingEvents: whether the task still receives the events that are there.
    func finish(keepingEvents: Bool) {
        let (waiter, removal, dropped) = state.withLock { state in
            defer {
                state.isFinished = true
                if !keepingEvents { state.events = [] }
            }
            return (state.waiter.take(), state.removal.take(), keepingEvents ? [] : state.events)
        }
        removal?()
        waiter?.resume(returning: nil)
        withExtendedLifetime((removal, dropped)) {} // released without the lock
    }

    /// Calls `removal` when the channel is finished: at once if it is finished already. Call this once.
    func whenFinished(_ removal: @escaping @Sendable () -> Void) {
        let isFinished = state.withLock { state in
            if !state.isFinished { state.removal = removal }
            return state.isFinished
        }
        if isFinished { removal() }
    }

    /// Awaits an event. Returns nil at the end of the sequence, and if the task has been cancelled.
    func next(isolation: isolated (any Actor)?) async -> Event? {
        await withTaskCancellationHandler(operation: {
            await withCheckedContinuation(isolation: isolation) { continuation in
                let event: Event?? = state.withLock { state in
                    if !state.events.isEmpty { return state.events.removeFirst() }
                    if state.isFinished { return .some(nil) }
                    precondition(state.waiter == nil, "two tasks await the events of one iterator")
                    state.waiter = continuation
                    return nil
                }
                if let event { continuation.resume(returning: event) }
            }
        }, onCancel: { finish(keepingEvents: false) }, isolation: isolation)
    }
}

/// An iteration over the events of a loop. It removes the item from the loop when it is deallocated with its iterator.
final class EventIteration<Event: Sendable>: Sendable {
    let channel: EventChannel<Event>

    /// - Parameters:
    ///   - loop: the loop. If its thread has ended, the sequence is empty.
    ///   - limit: the number of events that are kept for a task that is late.
    ///   - join: adds an item to the loop that sends events to the channel. Returns a closure that removes the item.
    init(in loop: RunLoop.Remote, keeping limit: Int, join: (EventChannel<Event>) -> @Sendable () -> Void) {
        let channel = EventChannel<Event>(limit: limit)
        self.channel = channel
        guard let end = loop.runLoop.addEndHandler({ channel.finish(keepingEvents: true) }) else {
            channel.finish(keepingEvents: true)
            return
        }
        let removeItem = join(channel)
        channel.whenFinished {
            removeItem()
            end.remove()
            loop.wakeUp() // a run ends if its mode has become empty, which a sleeping loop does not notice
        }
    }

    deinit {
        channel.finish(keepingEvents: false)
    }
}
#endif
