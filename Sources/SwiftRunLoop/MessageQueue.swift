// MessageQueue.swift: the messages that have been sent to a port and not yet delivered. On a Mac the kernel has this
// queue.

#if os(Linux)
internal import CRunLoop
internal import FoundationEssentials

/// A message to be delivered. It does not retain the port for replies, which the sender retains while it waits for a
/// reply.
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

/// A first-in, first-out queue with a limit. Its descriptor is readable as long as the queue has messages. May be used
/// from any thread.
final class MessageQueue: @unchecked Sendable {
    private let limit: Int
    private let monitor = Monitor()
    private var messages: [QueuedMessage] = []
    private var descriptor: Int32 = -1
    private var isOpen = true

    init(limit: Int) { self.limit = limit }

    /// Returns the descriptor, which the first call creates; -1 if the process has no descriptor left. The queue owns
    /// it, and `close` closes it.
    func openDescriptor() -> Int32 {
        monitor.locked {
            if descriptor < 0 && isOpen { descriptor = CFEventDescriptorCreate(!messages.isEmpty) }
            return descriptor
        }
    }

    /// Appends a message. If the queue is full, the calling thread waits for room until the date. If there is room, it
    /// does not wait, even if the date has passed.
    /// - Returns: false if there was no room or the queue is closed.
    func append(_ message: QueuedMessage, before limitDate: Date) -> Bool {
        monitor.locked {
            while isOpen && messages.count >= limit {
                guard monitor.wait(until: limitDate) else { break }
            }
            guard isOpen && messages.count < limit else { return false }
            messages.append(message)
            if messages.count == 1 && descriptor >= 0 { CFEventDescriptorSet(descriptor) }
            return true
        }
    }

    /// Removes and returns the oldest message.
    func takeFirst() -> QueuedMessage? {
        monitor.locked {
            guard !messages.isEmpty else { return nil }
            let message = messages.removeFirst()
            if messages.count == limit - 1 { monitor.wakeAll() }
            if messages.isEmpty { CFEventDescriptorClear(descriptor) }
            return message
        }
    }

    /// Closes the queue permanently. Undelivered messages are lost, and all senders that wait for room get false.
    func close() {
        let undelivered = monitor.locked {
            isOpen = false
            if descriptor >= 0 { closeDescriptor(descriptor) }
            descriptor = -1
            defer { messages = [] }
            monitor.wakeAll()
            return messages
        }
        withExtendedLifetime(undelivered) {} // released without the lock
    }
}
#endif
