// PortMessage.swift: the message that one port sends to another, and the protocol of its receiver.

#if os(Linux)
public import FoundationEssentials

/// The receiver of the messages that are sent to a port (NSPortDelegate, NSMachPortDelegate).
public protocol PortDelegate: AnyObject {
    /// Handles a message that has arrived. The loop's thread calls this, from the callout of a version 1 source.
    func handle(_ message: PortMessage)
}

/// A message from one port to another (NSPortMessage).
///
/// As in Foundation, a message is not thread-safe, but you may use the data in it on any thread. The components are
/// Data only; in Foundation they may also be ports.
open class PortMessage: RunLoopObject {
    /// A number for the kind of the message, which sender and receiver agree on; by default 0.
    open var msgid: UInt32 = 0

    /// The contents, or nil.
    open private(set) var components: [Data]?

    /// In a message to be sent, the port for replies. In a message that has arrived, the port at which it arrived.
    /// Retained.
    open private(set) var receivePort: Port?

    /// In a message to be sent, its destination. In a message that has arrived, the port for replies, if that still
    /// exists. Retained.
    open private(set) var sendPort: Port?

    /// Makes a message to be sent, with the destination, the port for replies and the contents.
    public init(sendPort: Port?, receivePort replyPort: Port?, components: [Data]?) {
        self.sendPort = sendPort
        self.receivePort = replyPort
        self.components = components
    }

    /// The message's class and address.
    open var description: String { "<\(type(of: self)): \(address)>" }

    /// Sends the message to `sendPort`, as `Port.send(before:msgid:components:from:reserved:)` does.
    /// - Returns: whether the message has been queued. False if `sendPort` is nil.
    open func send(before date: Date) -> Bool {
        guard let sendPort else { return false }
        return sendPort.send(
            before: date, msgid: Int(msgid), components: components, from: receivePort,
            reserved: sendPort.reservedSpaceLength)
    }
}

@available(*, unavailable)
extension PortMessage: @unchecked Sendable {}
#endif
