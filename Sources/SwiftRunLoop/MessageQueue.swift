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
    /// Tasks that wait for room, in the order in which they came.
    private var waiters: [(number: Int, message: QueuedMessage, answer: OneAnswer<Bool>)] = []
    private var lastWaiter = 0

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
            put(message)
            return true
        }
    }

    /// Waits for room without blocking the calling thread: false if the task is cancelled first, or the queue is closed.
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
            guard let number, self.forgetWaiter(number) else { return }
            answer.give(false)
        }
    }

    /// False if it has been answered.
    private func forgetWaiter(_ number: Int) -> Bool {
        monitor.locked {
            guard let index = waiters.firstIndex(where: { $0.number == number }) else { return false }
            waiters.remove(at: index)
            return true
        }
    }

    /// Call with the monitor locked.
    private func put(_ message: QueuedMessage) {
        messages.append(message)
        if messages.count == 1 && bell >= 0 { CFBellRing(bell) }
    }

    /// The oldest message.
    func takeFirst() -> QueuedMessage? {
        let (message, answer): (QueuedMessage?, OneAnswer<Bool>?) = monitor.locked {
            let message = takeFirstLocked()
            guard isOpen, messages.count < limit, !waiters.isEmpty else { return (message, nil) }
            let waiter = waiters.removeFirst()
            put(waiter.message)
            return (message, waiter.answer)
        }
        answer?.give(true) // after the lock, as the task may go on at once
        return message
    }

    /// Call with the monitor locked.
    private func takeFirstLocked() -> QueuedMessage? {
        guard !messages.isEmpty else { return nil }
        let message = messages.removeFirst()
        if messages.count == limit - 1 { monitor.wakeAll() }
        if messages.isEmpty { CFBellSilence(bell) }
        return message
    }

    /// From now on nothing goes in, and nothing comes out. Those who wait for room are told so.
    func close() {
        let (undelivered, waiters) = monitor.locked {
            isOpen = false
            if bell >= 0 { Glibc.close(bell) }
            bell = -1
            defer { (messages, self.waiters) = ([], []) }
            monitor.wakeAll()
            return (messages, self.waiters)
        }
        for waiter in waiters { waiter.answer.give(false) }
        withExtendedLifetime(undelivered) {} // what they hold goes with nothing locked
    }
}
