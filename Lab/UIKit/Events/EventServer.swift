// EventServer.swift: the part of the system that receives a user's events and sends them to an application. On iOS it is the process
// SpringBoard, which sends them through a mach port. Here it is a thread, and the port is a socket.

import Glibc
import SwiftRunLoop

/// Sends events to an application, from a thread of its own.
final class EventServer: Sendable {
    /// The socket that the application reads events from. Each message is an event in words. The socket is closed after the last one.
    let port: Int32
    private let ownEnd: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        if socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) != 0 {
            fail(Text("cannot create a socket for events: \(reason(errno))", "无法为事件创建 socket：\(reason(errno))"), status: 1)
        }
        (port, ownEnd) = (ends[0], ends[1])
    }

    /// Sends one event.
    func send(_ event: InputEvent) {
        let message = Array(event.description.utf8)
        _ = Glibc.send(ownEnd, message, message.count, Int32(MSG_NOSIGNAL))
    }

    /// There are no more events: the application terminates.
    func close() {
        _ = Glibc.close(ownEnd)
    }
}
