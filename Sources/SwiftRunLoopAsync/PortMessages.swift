// PortMessages.swift: the messages of a port as an asynchronous sequence.

#if os(Linux)
public import FoundationEssentials
public import SwiftRunLoop
import Synchronization

extension Port {
    /// A message that has arrived at a port, for a task.
    ///
    /// It has the contents of a PortMessage, and is Sendable.
    public struct Message: Sendable {
        /// The number for the kind of the message, which sender and receiver agree on.
        public let msgid: UInt32

        /// The contents, or nil.
        public let components: [Data]?

        /// The port for replies; nil if there is none or it is gone.
        public let replyPort: Port?
    }

    /// The messages that arrive at the port.
    ///
    ///     let port = Port(), messages = port.messages
    ///     RunLoop.main.add(port, forMode: .common)
    ///     for await message in messages {
    ///         print(message.msgid)
    ///     }
    ///
    /// As long as there is such a sequence, messages wait for a task and do not go to the delegate. So make the sequence before the port is
    /// added to a loop: a port without a sequence and without a delegate loses its messages. The port must be in a loop, which delivers one
    /// message in each pass, and only while a task awaits one. Until then up to `Port.messageLimit` messages wait at the port, and a sender
    /// of one more waits for room.
    ///
    /// Each sequence is for one task at a time, and retains the port. If there are several, a message goes to the one whose task has waited
    /// longest. A sequence ends when its task is cancelled, and when it and its iterators have gone: the port stays in its loop, and what
    /// waits goes to another sequence or to the delegate. It also ends when the port becomes invalid, as it does with the thread of its only
    /// loop.
    public var messages: AsyncStream<Message> {
        let sequence = MessageSequence(self)
        return AsyncStream { await sequence.next() }
    }
}

/// What a sequence of messages retains until it ends.
private final class MessageSequence: Sendable {
    private let port: Port

    private let tasks: WaitingTasks

    init(_ port: Port) {
        (self.port, tasks) = (port, port.reader { WaitingTasks() })
        tasks.change(by: 1)
        port.updateSource()
    }

    deinit {
        tasks.change(by: -1)
        port.updateSource()
    }

    func next() async -> Port.Message? {
        let answer = WaitingTasks.Answer(), tasks = tasks
        guard tasks.ask(answer) else { return nil }
        port.updateSource()
        return await answer.wait { tasks.withdraw(answer) }
    }
}

/// The sequences of a port's messages, and the tasks that await a message. May be used from any thread.
private final class WaitingTasks: MessageReader {
    typealias Answer = OneAnswer<Port.Message?>

    /// The number of sequences, and the tasks that await a message, in the order in which they came. There are no tasks, but nil, when the port
    /// is invalid. The thread that removes an answer gives it, so no message is lost.
    private let state = Mutex<(count: Int, asking: [Answer]?)>((0, []))

    /// Whether there are sequences and no task awaits a message.
    var isBusy: Bool { state.withLock { $0.count > 0 && $0.asking?.isEmpty != false } }

    func change(by difference: Int) { state.withLock { $0.count += difference } }

    /// Returns false if the port is invalid.
    func ask(_ answer: Answer) -> Bool { state.withLock { $0.asking?.append(answer) != nil } }

    func withdraw(_ answer: Answer) {
        let wasThere = state.withLock { state in
            guard let index = state.asking?.firstIndex(where: { $0 === answer }) else { return false }
            state.asking?.remove(at: index)
            return true
        }
        if wasThere { answer.give(nil) }
    }

    /// Gives a message to the task that has waited longest. If none waits, `take`, which returns the message, is not called.
    func give(_ take: () -> QueuedMessage?) -> Bool {
        let (hasSequences, given) = state.withLock { state -> (Bool, (Answer, Port.Message)?) in
            guard state.count > 0 else { return (false, nil) }
            guard let answer = state.asking?.first, let message = take() else { return (true, nil) }
            state.asking?.removeFirst()
            return (true, (answer, Port.Message(msgid: message.msgid, components: message.components, replyPort: message.replyPort)))
        }
        given?.0.give(given?.1)
        return hasSequences
    }

    /// The port has become invalid: ends all sequences permanently.
    func finish() {
        for answer in state.withLock({ $0.asking.take() }) ?? [] { answer.give(nil) }
    }
}
#endif
