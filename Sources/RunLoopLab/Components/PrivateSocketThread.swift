// PrivateSocketThread.swift: the private thread that watches sockets for run loops. (I6, A8)
//
// On a Mac it is called com.apple.CFSocket.private. It waits in select(2) for all CFSockets of the process. When one is ready,
// it signals the CFSocket's Source0 and wakes its loop. It then ignores the socket until the loop has handled it; otherwise the thread
// could not sleep. (On Linux a loop can wait for a socket itself, with a Source1: RunLoop.DescriptorSource.)

import Glibc
import SwiftRunLoop
import Synchronization

/// The thread, and the sockets that it watches.
final class PrivateSocketThread: @unchecked Sendable {
    static let shared = PrivateSocketThread(name: "socket")
    /// Another one, under the name that it has on a Mac.
    static let ofCFSocket = PrivateSocketThread(name: "com.apple.CFSocket.private")

    private struct Watch: @unchecked Sendable {
        var events: Int16
        var source: RunLoop.Source
        var loop: RunLoop
    }

    private let tell = Mutex<(@Sendable () -> Void)?>(nil)
    private let watches = Mutex<[Int32: Watch]>([:])
    private let pipe: (readEnd: Int32, writeEnd: Int32) // ends the wait when the set of sockets changes

    private init(name: String) {
        var ends: [Int32] = [-1, -1]
        let result = Glibc.pipe(&ends)
        precondition(result == 0, "no pipe for the socket thread: \(String(cString: strerror(errno)))")
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        pipe = (ends[0], ends[1])
        let thread = Thread { [self] in watch() }
        thread.name = name
        thread.start()
    }

    /// Signals the source and wakes the loop, once, when the socket is readable or writable (POLLIN, POLLOUT) or closed.
    func watch(_ socket: Int32, for events: Int32, signalling source: RunLoop.Source, in loop: RunLoop) {
        let watch = Watch(events: Int16(events), source: source, loop: loop)
        watches.withLock { $0[socket] = watch }
        _ = write(pipe.writeEnd, "!", 1) // a full pipe also ends the wait
    }

    /// Stops watching the socket. The caller may close it when this returns.
    func forget(_ socket: Int32) {
        watches.withLock { _ = $0.removeValue(forKey: socket) }
        _ = write(pipe.writeEnd, "!", 1) // a full pipe also ends the wait
    }

    /// Calls `tell` on this thread whenever a socket is ready, before its source is signalled. For experiments.
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
