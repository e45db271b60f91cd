// MessageQueue.swift: the messages that have been sent to a port and not yet delivered. On a Mac the kernel has this queue.

#if os(Linux)
internal import CRunLoop
internal import FoundationEssentials

/// A message to be delivered. It does not retain the port for replies, which the sender retains while it waits for a reply.
final class QueuedMessage {
    let msgid: UInt32
    let components: [Data]?
    private(set) weak var replyPort: Port?

    init(msgid: UInt32, components: [Data]?, replyPort: Port?) {
        self.msgid = msgid
        self.components = components
        self.replyPort = replyPort
    }
}

/// Here, `close` is the system's function, and not a method.
private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

/// A first-in, first-out queue with a limit. Its descriptor is readable as long as the queue has messages. May be used from any thread.
final class MessageQueue: @unchecked Sendable {
    private let limit: Int
    private let monitor = Monitor()
    private var messages: [QueuedMessage] = []
    private var descriptor: Int32 = -1
    private var isOpen = true
    /// Tasks that wait for room, in the order in which they came.
    private var waiters: [(number: Int, message: QueuedMessage, answer: OneAnswer<Bool>)] = []
    private var lastWaiter = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Returns the descriptor, which the first call creates; -1 if the process has no descriptor left. The queue owns it, and `close`
    /// closes it.
    func openDescriptor() -> Int32 {
        monitor.locked {
            if descriptor < 0 && isOpen { descriptor = CFEventDescriptorCreate(!messages.isEmpty) }
            return descriptor
        }
    }

    /// Appends a message. If the queue is full, the calling thread waits for room until the date. If there is room, it does not wait, even
    /// if the date has passed.
    /// - Returns: false if there was no room or the queue is closed.
    func append(_ message: QueuedMessage, before limitDate: Date) -> Bool {
        monitor.locked {
            while isOpen && messages.count >= limit {
                guard monitor.wait(until: limitDate) else { break }
            }
            guard isOpen && messages.count < limit else { return false }
            put(message)
            return true
        }
    }

    /// Appends a message, and waits for room without blocking the calling thread.
    /// - Returns: false if the task is cancelled first or the queue is closed.
    func append(_ message: QueuedMessage, isolation: isolated (any Actor)?) async -> Bool {
        let answer = OneAnswer<Bool>()
        let number: Int? = monitor.locked {
            if isOpen && messages.count >= limit {
                lastWaiter += 1
                waiters.append((lastWaiter, message, answer))
                return lastWaiter
            }
            if isOpen { put(message) }
            answer.give(isOpen)
            return nil
        }
        return await answer.wait(isolation: isolation) {
            guard let number, self.removeWaiter(number) else { return }
            answer.give(false)
        }
    }

    /// False if the waiter has its answer already.
    private func removeWaiter(_ number: Int) -> Bool {
        monitor.locked {
            guard let index = waiters.firstIndex(where: { $0.number == number }) else { return false }
            waiters.remove(at: index)
            return true
        }
    }

    /// Call with the monitor locked.
    private func put(_ message: QueuedMessage) {
        messages.append(message)
        if messages.count == 1 && descriptor >= 0 { CFEventDescriptorSet(descriptor) }
    }

    /// Removes and returns the oldest message.
    func takeFirst() -> QueuedMessage? {
        let (message, answer): (QueuedMessage?, OneAnswer<Bool>?) = monitor.locked {
            let message = takeFirstLocked()
            guard isOpen, messages.count < limit, !waiters.isEmpty else { return (message, nil) }
            let waiter = waiters.removeFirst()
            put(waiter.message)
            return (message, waiter.answer)
        }
        answer?.give(true) // without the lock, because the task may continue at once
        return message
    }

    /// Call with the monitor locked.
    private func takeFirstLocked() -> QueuedMessage? {
        guard !messages.isEmpty else { return nil }
        let message = messages.removeFirst()
        if messages.count == limit - 1 { monitor.wakeAll() }
        if messages.isEmpty { CFEventDescriptorClear(descriptor) }
        return message
    }

    /// Closes the queue permanently. Undelivered messages are lost, and all senders that wait for room get false.
    func close() {
        let (undelivered, waiters) = monitor.locked {
            isOpen = false
            if descriptor >= 0 { closeDescriptor(descriptor) }
            descriptor = -1
            defer { (messages, self.waiters) = ([], []) }
            monitor.wakeAll()
            return (messages, self.waiters)
        }
        for waiter in waiters { waiter.answer.give(false) }
        withExtendedLifetime(undelivered) {} // released without the lock
    }
}
#endif
