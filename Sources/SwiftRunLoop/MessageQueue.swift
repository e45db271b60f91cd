// MessageQueue.swift: the messages that a port has been sent and not yet delivered. On a Mac the kernel keeps them.

internal import CRunLoop
internal import FoundationEssentials
internal import Glibc

/// A message on its way. It does not keep the port for replies alive: whoever waits for a reply does.
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

/// A queue with a limit, first in, first out. Its bell, once it has one, rings as long as there is something in it. Any thread.
final class MessageQueue: @unchecked Sendable {
    private let limit: Int
    private let monitor = Monitor()
    private var messages: [QueuedMessage] = []
    private var bell: Int32 = -1
    private var isOpen = true

    init(limit: Int) {
        self.limit = limit
    }

    /// The descriptor of the bell, which is made when it is first asked for; -1 if there is none to be had. It is the queue's, and closed by `close`.
    func openBell() -> Int32 {
        monitor.locked {
            if bell < 0 && isOpen { bell = CFBellCreate(!messages.isEmpty) }
            return bell
        }
    }

    /// Waits for room until the date, and no longer: false if there was none, or the queue is closed. With room there is no wait, even
    /// if the date has passed.
    func append(_ message: QueuedMessage, before limitDate: Date) -> Bool {
        monitor.locked {
            while isOpen && messages.count >= limit {
                guard monitor.wait(until: limitDate) else { break }
            }
            guard isOpen && messages.count < limit else { return false }
            messages.append(message)
            if messages.count == 1 && bell >= 0 { CFBellRing(bell) }
            return true
        }
    }

    /// The oldest message.
    func takeFirst() -> QueuedMessage? {
        monitor.locked {
            guard !messages.isEmpty else { return nil }
            let message = messages.removeFirst()
            if messages.count == limit - 1 { monitor.wakeAll() }
            if messages.isEmpty { CFBellSilence(bell) }
            return message
        }
    }

    /// From now on nothing goes in, and nothing comes out. Those who wait for room are told so.
    func close() {
        let undelivered = monitor.locked {
            isOpen = false
            if bell >= 0 { Glibc.close(bell) }
            bell = -1
            defer { messages = [] }
            monitor.wakeAll()
            return messages
        }
        withExtendedLifetime(undelivered) {} // what they hold goes with nothing locked
    }
}
