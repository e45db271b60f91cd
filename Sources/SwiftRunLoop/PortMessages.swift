// PortMessages.swift: the messages of a port as an asynchronous sequence.

#if os(Linux)
public import FoundationEssentials
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
    /// As long as there is such a sequence or one of its iterators, messages wait for a task and do not go to the delegate. So make the
    /// sequence before the port is added to a loop: a port without a sequence and without a delegate loses its messages. The port must be
    /// in a loop, which delivers one message in each pass. See `Messages` for late and for cancelled tasks.
    public var messages: Messages { Messages(reading: MessageIteration(self)) }

    /// The messages of a port, as `Port.messages` returns them.
    ///
    /// **A late task** loses nothing. The loop takes a message only while a task awaits one. Until then up to `Port.messageLimit` messages
    /// wait at the port, and a sender of one more waits for room.
    ///
    /// **The end.** If the task is cancelled, the iterator returns nil. The port stays in its loop. When the last sequence and the last
    /// iterator have gone, the messages that wait go to the delegate again. The sequence ends when the port becomes invalid: so it ends
    /// with the thread of the loop, if the port is in no other loop.
    ///
    /// If several tasks iterate, each message goes to the one that has waited longest. A `FileDescriptorPort` has no messages.
    public struct Messages: AsyncSequence, Sendable {
        /// Keeps the messages from the delegate until the sequence goes. No task awaits its messages.
        let reading: MessageIteration

        /// Makes an iterator, which takes the next messages.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(iteration: MessageIteration(reading.port)) }

        /// Awaits the messages.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let iteration: MessageIteration

            /// Awaits the next message; nil at the end of the sequence.
            public mutating func next() async -> Message? { await next(isolation: nil) }

            /// Awaits the next message; nil at the end of the sequence.
            /// - Parameter isolation: the actor on which the caller continues.
            public mutating func next(isolation: isolated (any Actor)?) async -> Message? {
                await iteration.next(isolation: isolation)
            }
        }
    }
}

@available(*, unavailable)
extension Port.Messages.AsyncIterator: Sendable {}

/// An iteration over the messages of a port. It ends with its iterator, or when its task is cancelled. It retains the port.
final class MessageIteration: Sendable {
    let port: Port
    private let number: Int

    init(_ port: Port) {
        self.port = port
        number = port.readers.begin()
        port.updateSource()
    }

    deinit {
        end()
    }

    private func end() {
        if port.readers.end(number) { port.updateSource() }
    }

    func next(isolation: isolated (any Actor)?) async -> Port.Message? {
        await port.readers.next(in: number, isolation: isolation, ask: { port.updateSource() }, cancel: { end() })
    }
}
#endif
