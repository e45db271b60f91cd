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
        shows: Text("a socket's events reach a loop through a Source0, signalled by a private thread",
                    "socket 的事件经由 Source0 到达 RunLoop，由一个私有线程标记"),
        setting: Text("""
            A mach port cannot report that a socket is readable. So on a Mac a private thread \
            (com.apple.CFSocket.private) waits for all sockets and signals a Source0 for each. This experiment builds \
            the same: a socket pair, a private thread in poll(2), and a Source0 in the main loop. A third thread sends \
            three messages, each when the loop sleeps.
            """, """
            mach port 不能报告 socket 可读。所以在 Mac 上，一个私有线程（com.apple.CFSocket.private）等待所\
            有 socket，再逐个把 Source0 标记为待处理。这个实验照样搭建：一对 socket、一个在 poll(2) 里的私有\
            线程，以及主线程 RunLoop 里的一个 Source0。第三个线程发送三条消息，每次都等 RunLoop 休眠了再发。
            """),
        notice: Text("""
            The main thread reads the bytes, in step 4. The private thread only reports that there are some, and polls \
            again after they have been read. (On Linux a socket can be a Source1 itself: see the experiment \
            port-source.)
            """, """
            主线程在步骤 4 读取数据。私有线程只报告有数据可读，读完之后再继续 poll。（在 Linux 上，socket 本\
            身也可以是 Source1：见实验 port-source。）
            """)
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
        lab.expect(Text("each message goes from the peer through the private thread to the main loop",
                        "每条消息都从对端经过私有线程，到主线程的 RunLoop"),
                   order: path + ["the socket is readable", "AfterWaiting", "end of the connection"])
        lab.expect(Text("the main thread reads the messages", "读取消息的是主线程"), each: "two received", \.thread, is: "main")
        lab.expect(Text("it reads them in a Source0", "在 Source0 里读取"), each: "two received", \.kind, is: "Source0")
    }
}
