// MessagePort.swift: ports that deliver messages between threads, as NSMachPort. On a Mac a port is a mach port, whose messages the
// kernel queues. Here a queue in the port has them (MessageQueue.swift), and a Source1 waits for the queue's descriptor. (A1, I2)

import FoundationEssentials
import SwiftRunLoop
import Synchronization

/// A port with messages (NSMachPort, NSMessagePort). It opens a descriptor when it is first added to a loop.
///
/// Any thread can send a message. The delegate receives it on the thread of the port's loop: one message in each pass of the loop, because
/// on a Mac each wake-up delivers one mach message. All members may be called from any thread.
class MessagePort: Port, @unchecked Sendable {
    /// The number of messages that can wait for the loop. On a Mac the kernel allows 5 by default, and at most as many as here.
    static let messageLimit = 1024

    private struct State: @unchecked Sendable {
        weak var delegate: (any PortDelegate)?
        var source: RunLoop.Source?
    }

    private let state = Mutex(State())
    private let queue = MessageQueue(limit: MessagePort.messageLimit)

    deinit {
        end()
    }

    /// Messages that have not been delivered are lost, and a `send` that waits for room returns false.
    override func invalidate() {
        super.invalidate()
        end()
    }

    private func end() {
        state.withLock { $0.source.take() }?.invalidate()
        queue.close()
    }

    /// The Source1 alone is in the loop, as on a Mac, so this does not call super.
    override func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        guard isValid else { return }
        guard let source = openSource() else { return invalidate() } // the process has no descriptor left
        runLoop.add(source, forMode: mode)
    }

    override func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        if let source = state.withLock({ $0.source }) { runLoop.remove(source, forMode: mode) }
    }

    private func openSource() -> RunLoop.Source? {
        state.withLock { state in
            if state.source == nil {
                state.source = try? RunLoop.Source(fileDescriptor: queue.openDescriptor()) { [weak self] _, _ in self?.serve() }
            }
            return state.source
        }
    }

    /// The loop's thread calls this when the descriptor is readable, or was a moment ago.
    @inline(never)
    private func serve() {
        guard isValid else { // an override of `invalidate` has not called super
            super.invalidate()
            return end()
        }
        guard let message = queue.takeFirst() else { return }
        let arrived = PortMessage(sendPort: message.replyPort.object, receivePort: self, components: message.components)
        arrived.msgid = message.msgid
        delegate()?.handle(arrived)
    }

    /// Sets the object that receives the messages. The port does not retain it.
    func setDelegate(_ anObject: (any PortDelegate)?) { state.withLock { $0.delegate = anObject } }

    /// The object that receives the messages. Without one, a message that is served is lost.
    func delegate() -> (any PortDelegate)? { state.withLock { $0.delegate } }

    /// The number of bytes of a message that the port needs for itself.
    var reservedSpaceLength: Int { 0 }

    /// sendBeforeDate:components:from:reserved:.
    func send(before limitDate: Date, components: [Data]?, from receivePort: Port?, reserved headerSpaceReserved: Int) -> Bool {
        send(before: limitDate, msgid: 0, components: components, from: receivePort, reserved: headerSpaceReserved)
    }

    /// sendBeforeDate:msgid:components:from:reserved:.
    ///
    /// The port need not be in a loop yet. If the queue is full, the calling thread waits for room, until the date.
    /// - Parameters:
    ///   - msgID: the lower 32 bits are sent.
    ///   - components: the contents. Only Data is possible, because there is no NSMutableArray.
    ///   - receivePort: the port for replies, which arrives as the message's `sendPort`. The message does not retain it.
    /// - Returns: whether the message has been queued. False if there was no room until the date, or if the port is invalid.
    func send(
        before limitDate: Date, msgid msgID: Int, components: [Data]?, from receivePort: Port?, reserved headerSpaceReserved: Int
    ) -> Bool {
        let message = QueuedMessage(
            msgid: UInt32(truncatingIfNeeded: msgID), components: components, replyPort: Weak(object: receivePort))
        return queue.append(message, before: limitDate)
    }
}

/// The receiver of messages (NSPortDelegate, NSMachPortDelegate).
protocol PortDelegate: AnyObject {
    /// handleMachMessage:, handlePortMessage:. The loop's thread calls this, from the callout of a version 1 source.
    func handle(_ message: PortMessage)
}

/// A message from one port to another (NSPortMessage).
final class PortMessage: CustomStringConvertible {
    /// A number for the kind of the message, which sender and receiver agree on.
    var msgid: UInt32 = 0

    /// The contents, or nil.
    let components: [Data]?

    /// In a message to be sent, the port for replies. In a message that has arrived, the port at which it arrived.
    let receivePort: Port?

    /// In a message to be sent, its destination. In a message that has arrived, the port for replies, if that still exists.
    let sendPort: Port?

    /// Makes a message to be sent, with the destination, the port for replies and the contents.
    init(sendPort: Port?, receivePort replyPort: Port?, components: [Data]?) {
        (self.sendPort, self.receivePort, self.components) = (sendPort, replyPort, components)
    }

    var description: String { "<PortMessage: 0x\(String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16))>" }

    /// Sends the message to `sendPort`. False if that is nil, has no messages, or takes none.
    func send(before date: Date) -> Bool {
        guard let port = sendPort as? MessagePort else { return false }
        return port.send(before: date, msgid: Int(msgid), components: components, from: receivePort, reserved: port.reservedSpaceLength)
    }
}
