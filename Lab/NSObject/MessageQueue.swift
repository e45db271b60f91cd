// MessageQueue.swift: the messages that have been sent to a port and not yet delivered. On a Mac the kernel has this queue.

import CRunLoop
import Dispatch
import FoundationEssentials
import Glibc
import SwiftRunLoop
import Synchronization

/// A message to be delivered. It does not retain the port for replies, which the sender retains while it waits for a reply.
struct QueuedMessage: Sendable {
    let msgid: UInt32
    let components: [Data]?
    let replyPort: Weak<Port>
}

/// A first-in, first-out queue with a limit. Its descriptor is readable as long as the queue has messages. May be used from any thread.
final class MessageQueue: Sendable {
    private struct State {
        var messages: [QueuedMessage] = []
        var descriptor: Int32 = -1
        var isOpen = true
        var senders: [DispatchSemaphore] = [] // they wait for room
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// Returns the descriptor, which the first call creates; -1 if the process has no descriptor left. The queue owns it, and `close`
    /// closes it.
    func openDescriptor() -> Int32 {
        state.withLock { state in
            if state.descriptor < 0 && state.isOpen { state.descriptor = CFEventDescriptorCreate(!state.messages.isEmpty) }
            return state.descriptor
        }
    }

    /// Appends a message. If the queue is full, the calling thread waits for room until the date. If there is room, it does not wait,
    /// even if the date has passed.
    /// - Returns: false if there was no room or the queue is closed.
    func append(_ message: QueuedMessage, before limitDate: Date) -> Bool {
        var isLate = false
        while true {
            let hasRoom = DispatchSemaphore(value: 0)
            let isTaken: Bool? = state.withLock { state in
                if !state.isOpen { return false }
                if state.messages.count < limit {
                    state.messages.append(message)
                    if state.messages.count == 1 && state.descriptor >= 0 { CFEventDescriptorSet(state.descriptor) }
                    return true
                }
                if isLate { return false }
                state.senders.append(hasRoom)
                return nil
            }
            if let isTaken { return isTaken }
            isLate = hasRoom.wait(wallTimeout: DispatchWallTime(limitDate)) == .timedOut
            if isLate { state.withLock { $0.senders.removeAll { $0 === hasRoom } } } // once more: there may be room since then
        }
    }

    /// Removes and returns the oldest message.
    func takeFirst() -> QueuedMessage? {
        state.withLock { state in
            guard !state.messages.isEmpty else { return nil }
            let message = state.messages.removeFirst()
            if !state.senders.isEmpty { state.senders.removeFirst().signal() }
            if state.messages.isEmpty { CFEventDescriptorClear(state.descriptor) }
            return message
        }
    }

    /// Closes the queue permanently. Undelivered messages are lost, and all senders that wait for room get false.
    func close() {
        let old = state.withLock { state in
            if state.descriptor >= 0 { Glibc.close(state.descriptor) }
            defer { state = State(isOpen: false) }
            return state
        }
        for sender in old.senders { sender.signal() }
    }
}

extension DispatchWallTime {
    /// The time of a date. One that is not a number has passed.
    fileprivate init(_ date: Date) {
        let seconds = date.timeIntervalSince1970
        self = seconds > 9e9 ? .distantFuture : .now() // the kernel's clock ends in the year 2262
        guard seconds > 0, seconds <= 9e9 else { return }
        let whole = seconds.rounded(.down)
        self.init(timespec: timespec(tv_sec: Int(whole), tv_nsec: Int((seconds - whole) * 1e9)))
    }
}
