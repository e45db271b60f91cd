// PrivateSocketThread.swift: the private thread that watches sockets for run loops. (I6, A8)
//
// On a Mac it is called com.apple.CFSocket.private. It waits in select(2) for all CFSockets of the process. When one is ready,
// it signals the CFSocket's source 0 and wakes the loop that has it. It then leaves the socket alone until the loop has been
// there, or it would not sleep. (Here a loop could wait for a socket by itself, with a source 1: that is FileDescriptorSource.
// This is how it has been on a Mac.)

import Glibc
import SwiftRunLoop
import Synchronization

/// The thread, and the sockets that it watches.
final class PrivateSocketThread: @unchecked Sendable {
    static let shared = PrivateSocketThread()

    private struct Watch: @unchecked Sendable {
        var events: Int16
        var source: Source
        var loop: RunLoop
    }

    private let tell = Mutex<(@Sendable () -> Void)?>(nil)
    private let watches = Mutex<[Int32: Watch]>([:])
    private let pipe: (readEnd: Int32, writeEnd: Int32) // ends the wait when the sockets to watch are others

    private init() {
        var ends: [Int32] = [-1, -1]
        let result = Glibc.pipe(&ends)
        precondition(result == 0, "no pipe for the socket thread: \(String(cString: strerror(errno)))")
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        pipe = (ends[0], ends[1])
        let thread = Thread { [self] in watch() }
        thread.name = "socket"
        thread.start()
    }

    /// Has the source signalled, and the loop woken, once, when the socket is readable or writable (POLLIN, POLLOUT) or at its
    /// end.
    func watch(_ socket: Int32, for events: Int32, signalling source: Source, in loop: RunLoop) {
        let watch = Watch(events: Int16(events), source: source, loop: loop)
        watches.withLock { $0[socket] = watch }
        _ = write(pipe.writeEnd, "!", 1) // a pipe that is full ends the wait as well
    }

    /// Forgets the socket. The caller may close it when this returns.
    func forget(_ socket: Int32) {
        watches.withLock { _ = $0.removeValue(forKey: socket) }
        _ = write(pipe.writeEnd, "!", 1) // a pipe that is full ends the wait as well
    }

    /// Has `tell` called on this thread whenever a socket is ready, before its source is signalled; for who wants to see it.
    func whenReady(_ tell: (@Sendable () -> Void)?) {
        self.tell.withLock { $0 = tell }
    }

    private func watch() {
        var buffer = [UInt8](repeating: 0, count: 64)
        while true {
            var descriptors = [pollfd(fd: pipe.readEnd, events: Int16(POLLIN), revents: 0)]
            descriptors += watches.withLock { watches in watches.map { pollfd(fd: $0, events: $1.events, revents: 0) } }
            guard poll(&descriptors, nfds_t(descriptors.count), -1) > 0 else { continue }
            if descriptors[0].revents != 0 { _ = read(pipe.readEnd, &buffer, buffer.count) }
            for ready in descriptors.dropFirst() where ready.revents != 0 { signal(ready.fd) }
        }
    }

    private func signal(_ socket: Int32) {
        let ready = watches.withLock { $0.removeValue(forKey: socket) }
        if ready != nil { tell.withLock { $0 }?() }
        ready?.source.signal()
        ready?.loop.wakeUp()
    }
}
