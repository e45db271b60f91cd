// socket-thread: a private thread watches a socket, and signals a Source0 in the loop that reads it.

import Dispatch
import Glibc
#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct SocketThread: Experiment {
    let about = About(
        name: "socket-thread", claims: ["I6"], group: .sources, seconds: 0.3,
        shows: "a socket's events reach a loop through a Source0, signalled by a private thread",
        setting: """
            A mach port cannot report that a socket is readable. So on a Mac a private thread \
            (com.apple.CFSocket.private) waits for all sockets and signals a Source0 for each. This experiment builds \
            the same: a socket pair, a private thread in poll(2), and a Source0 in the main loop. A third thread sends \
            three messages, each when the loop sleeps.
            """,
        notice: """
            The main thread reads the bytes, in step 4. The private thread only reports that there are some, and polls \
            again after they have been read. (On Linux a socket can be a Source1 itself: see the experiment \
            port-source.)
            """
    )

    func run(_ lab: Lab) {
        var ends: [Int32] = [0, 0]
        socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends)
        let (socket, peer) = (ends[0], ends[1])
        let mode = RunLoop.Mode("work"), mayLook = DispatchSemaphore(value: 1)

        let source = RunLoop.Source {
            var buffer = [UInt8](repeating: 0, count: 64)
            let count = read(socket, &buffer, buffer.count)
            lab.callout(.source0,
                        count > 0 ? "\(String(decoding: buffer[..<count], as: UTF8.self)) received" : "end of the connection")
            if count > 0 { mayLook.signal() }
        }
        RunLoop.main.add(source, forMode: mode)
        lab.watch(.main, mode, [.beforeWaiting, .afterWaiting])

        _ = lab.startThread("socket") {
            while true {
                mayLook.wait()
                var watched = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
                poll(&watched, 1, -1)
                lab.note("the socket is readable")
                source.signal()
                RunLoop.main.wakeUp()
            }
        }
        _ = lab.startThread("peer") {
            for (number, message) in ["one", "two", "three"].enumerated() {
                lab.whenAsleep(.main, times: number + 1)
                lab.note("\(message) sent")
                write(peer, message, message.utf8.count)
            }
            lab.whenAsleep(.main, times: 4)
            close(peer)
        }
        while lab.times("end of the connection") == 0 { _ = RunLoop.main.run(mode: mode, before: .distantFuture) }

        let path = ["one", "two", "three"].flatMap { ["\($0) sent", "the socket is readable", "AfterWaiting", "\($0) received"] }
        lab.expect("each message goes from the peer through the private thread to the main loop",
                   order: path + ["the socket is readable", "AfterWaiting", "end of the connection"])
        lab.expect("the main thread reads the messages", each: "two received", \.thread, is: "main")
        lab.expect("it reads them in a Source0", each: "two received", \.kind, is: "Source0")
    }
}
