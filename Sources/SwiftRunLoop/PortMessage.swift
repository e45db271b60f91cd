// PortMessage.swift: what one port sends to another, and who receives it.

public import FoundationEssentials

/// Gets the messages that are sent to a port (NSPortDelegate, NSMachPortDelegate).
public protocol PortDelegate: AnyObject {
    /// A message has arrived. Called on the thread of the loop in which the port is, from a version 1 source's callout.
    func handle(_ message: PortMessage)
}

/// A message from one port to another (NSPortMessage).
///
/// Not thread-safe, as in Foundation; the data in it may go anywhere. NSCopying does not exist here: there is no `copy(with:)`, and since
/// only `msgid` can change, another message with the same contents is as good. The components are Data alone, without NSMutableArray and
/// NSData: ports in a message, which Foundation allows, are not.
open class PortMessage: IdentityHashable, CustomStringConvertible {
    /// A number by which sender and receiver know what kind of message it is; 0 unless it is set.
    open var msgid: UInt32 = 0

    /// The contents; nil if there are none.
    open private(set) var components: [Data]?

    /// In a message to be sent: the port for replies. In one that has arrived: the port at which it arrived. Retained.
    open private(set) var receivePort: Port?

    /// In a message to be sent: the port that it goes to. In one that has arrived: the port for replies, nil if there is none or it
    /// is gone. Retained.
    open private(set) var sendPort: Port?

    /// Makes a message to be sent.
    /// - Parameters:
    ///   - sendPort: where it goes.
    ///   - replyPort: where an answer should go.
    ///   - components: the contents.
    public init(sendPort: Port?, receivePort replyPort: Port?, components: [Data]?) {
        self.sendPort = sendPort
        self.receivePort = replyPort
        self.components = components
    }

    /// Sends the message to `sendPort`: see `Port.send(before:msgid:components:from:reserved:)`. False if there is no such port.
    @available(*, noasync, message: "await sendPort?.send(msgid:components:from:), which does not block the thread")
    open func send(before date: Date) -> Bool {
        guard let sendPort else { return false }
        return sendPort.send(before: date, msgid: Int(msgid), components: components, from: receivePort, reserved: sendPort.reservedSpaceLength)
    }

    /// The message in words, for reading.
    open var description: String {
        let sizes = components.map { $0.map { "\($0.count) bytes" }.joined(separator: ", ") } ?? "none"
        return "<\(type(of: self)) \(address(of: self))>{msgid = \(msgid), components = (\(sizes))}"
    }
}

@available(*, unavailable)
extension PortMessage: @unchecked Sendable {}
