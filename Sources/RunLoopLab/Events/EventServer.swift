// EventServer.swift: the part of the system that gets a user's events and sends them to an application. On iOS it is a process
// of its own, SpringBoard, which sends them through a mach port; here it is a thread, and the port is a socket.

import Glibc
import SwiftRunLoop

/// Sends events to an application, from a recording or from the terminal, on a thread of its own.
final class EventServer: Sendable {
    /// Where the application gets its events: each is a message, in words. It is at its end when there are no more.
    let port: Int32
    private let ownEnd: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        if socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) != 0 {
            fail("no socket for events: \(reason(errno))", status: 1)
        }
        (port, ownEnd) = (ends[0], ends[1])
    }

    /// Sends what was recorded, each event at its time, but not before the application is done with the one before. So a
    /// recording has the same effect each time, however busy the machine is.
    /// - Parameters:
    ///   - speed: how often faster than it was recorded.
    ///   - isDone: whether the application is done with that many events.
    ///   - willSend: called before each event is sent.
    func play(_ recording: EventFile, speed: Double, isDone: (Int) -> Bool, willSend: (InputEvent) -> Void) {
        let start = now()
        for (number, entry) in recording.entries.enumerated() {
            while !isDone(number) || now() < start + Double(entry.time) / 1000 / speed { usleep(1000) }
            willSend(entry.event)
            send(entry.event)
        }
        while !isDone(recording.entries.count) { usleep(1000) }
        close(ownEnd)
    }

    /// Sends what is done at the terminal, until Ctrl-D or its end. On Ctrl-C the terminal is restored and the process gets
    /// SIGINT.
    func serve(_ terminal: Terminal, willSend: (InputEvent) -> Void) {
        var parser = TerminalParser()
        while let bytes = terminal.read(patience: parser.isWaiting ? 50 : -1) {
            let end = bytes.firstIndex { $0 == Terminal.controlC || $0 == Terminal.controlD }
            for event in bytes.isEmpty ? parser.pause() : parser.parse(bytes[..<(end ?? bytes.count)]) {
                willSend(event)
                send(event)
            }
            if let end, bytes[end] == Terminal.controlC { terminal.interrupt() }
            if end != nil { break }
        }
        close(ownEnd)
    }

    private func send(_ event: InputEvent) {
        let message = Array(event.description.utf8)
        _ = Glibc.send(ownEnd, message, message.count, Int32(MSG_NOSIGNAL))
    }
}
