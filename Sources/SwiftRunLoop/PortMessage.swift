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
/// As in Foundation, a message is not thread-safe, but you may use the data in it on any thread. There is no `copy(with:)`, because
/// NSCopying does not exist here; since only `msgid` can change, make another message with the same contents instead. The components are
/// Data only; in Foundation they may also be ports.
open class PortMessage: IdentityHashable, CustomStringConvertible {
    /// A number for the kind of the message, which sender and receiver agree on.
    ///
    /// The default is 0.
    open var msgid: UInt32 = 0

    /// The contents, or nil.
    open private(set) var components: [Data]?

    /// In a message to be sent, the port for replies.
    ///
    /// In a message that has arrived, the port at which it arrived. Retained.
    open private(set) var receivePort: Port?

    /// In a message to be sent, its destination.
    ///
    /// In a message that has arrived, the port for replies; nil if there is none or it is gone. Retained.
    open private(set) var sendPort: Port?

    /// Makes a message to be sent.
    /// - Parameters:
    ///   - sendPort: the destination.
    ///   - replyPort: the port for replies.
    ///   - components: the contents.
    public init(sendPort: Port?, receivePort replyPort: Port?, components: [Data]?) {
        self.sendPort = sendPort
        self.receivePort = replyPort
        self.components = components
    }

    /// Sends the message to `sendPort`, and blocks the calling thread until there is room for it or the date has come.
    ///
    /// If the date has passed, the call does not wait. May be called from any thread. See
    /// `Port.send(before:msgid:components:from:reserved:)`.
    /// - Returns: whether the message has been queued. False if `sendPort` is nil.
    open func send(before date: Date) -> Bool {
        guard let sendPort else { return false }
        return sendPort.send(before: date, msgid: Int(msgid), components: components, from: receivePort, reserved: sendPort.reservedSpaceLength)
    }

    /// Whether `object` is this message (isEqual:).
    ///
    /// `==` calls it. A subclass that overrides it overrides `hash`, too.
    open func isEqual(_ object: Any?) -> Bool { object as? PortMessage === self }

    /// The message's hash value (hash).
    open var hash: Int { ObjectIdentifier(self).hashValue }

    /// The message's class, address, `msgid` and the sizes of its components.
    open var description: String {
        let sizes = components.map { $0.map { "\($0.count) bytes" }.joined(separator: ", ") } ?? "none"
        return "<\(type(of: self)) \(address)>{msgid = \(msgid), components = (\(sizes))}"
    }
}

@available(*, unavailable)
extension PortMessage: @unchecked Sendable {}
#endif
