// socket-thread: a private thread watches the CFSockets, and signals the Source0 of one that is ready.

import CRunLoop
import CRunLoopLabSocket
import Glibc
import SwiftRunLoop

struct SocketThread: Program {
    let about = About(
        name: "socket-thread", claims: ["I6"], group: .sources,
        title: Text("a socket's events reach a loop through a Source0, signalled by a private thread",
                    "socket 的事件经由 Source0 到达 RunLoop，由一个私有线程标记"),
        setting: Text("""
            A mach port cannot report that a socket is readable. So a private thread (com.apple.CFSocket.private) \
            waits for all CFSockets, and signals the Source0 of one that is ready. The lab has such a thread \
            (Lab/CFSocket), and the main loop has the sources of two of its sockets. A thread named "peer" sends \
            three messages to one of them, each when the loop sleeps.
            """, """
            mach port 不能报告 socket 可读。所以有一个私有线程（com.apple.CFSocket.private）等待所有 CFSocket，\
            把就绪的那个的 Source0 标记为待处理。lab 里也有一个这样的线程（Lab/CFSocket），主线程的 RunLoop 里有\
            它的两个 socket 的 Source。名为 “peer” 的线程向其中一个发送三条消息，每次都等 RunLoop 休眠了再发。
            """),
        notice: Text("""
            The main thread reads the bytes, in step 4: __CFSocketPerformV0, the Source0's perform, calls the \
            callback. The private thread only signals and wakes, and waits for the socket again after the callback. \
            There is one such thread, whatever the number of sockets. (On Linux a socket can be a Source1 itself, as \
            any descriptor can that epoll waits for.)
            """, """
            主线程在步骤 4 读取数据：Source0 的 perform 是 __CFSocketPerformV0，由它调用回调。私有线程只负责标记\
            和唤醒，回调之后再继续等待这个 socket。不管有多少 socket，这样的线程只有一个。（在 Linux 上，socket 本\
            身也可以是 Source1，凡是 epoll 能等待的描述符都可以。）
            """),
        seconds: 0.3
    )

    func run() {
        let mode = RunLoop.Mode("work"), before = threads()
        let pairs = [connect(mode), connect(mode)], peer = pairs[0].peer
        let added = threads().subtracting(before)
        lab.watch(.main, mode, [.beforeWaiting, .afterWaiting])
        let wakers = Wakers()
        defer { wakers.end() }

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
        for thread in added { lab.note("a thread waits for the sockets", SystemThread.name(of: thread) ?? "") }
        LabSocketInvalidate(pairs[1].socket)
        close(pairs[1].peer)
    }

    func judge() {
        let path = ["one", "two", "three"].flatMap { ["\($0) sent", "AfterWaiting", "\($0) received"] }
        lab.expect(Text("each message goes from the peer to the main loop, which it wakes", "每条消息都从对端到主线程的 RunLoop，并唤醒它"),
                   order: path + ["AfterWaiting", "end of the connection"])
        lab.expect(Text("one private thread waits for both sockets", "等待两个 socket 的是同一个私有线程"), "a thread waits for the sockets", times: 1)
        lab.expect(Text("the main thread reads the messages", "读取消息的是主线程"), each: "two received", \.thread, is: "main")
        lab.expect(Text("it reads them in a Source0", "在 Source0 里读取"), each: "two received", \.kind, is: "Source0")
        lab.expect(Text("the private thread wakes the loop", "唤醒 RunLoop 的是私有线程"), of: "two received", "three received", "end of the connection",
                   is: Array(repeating: "woken by \(Wakers.socketThread)", count: 3)) { $0.map(\.detail) }
        lab.expect(Text("the stack of the callback shows the Source0's callout", "回调的调用栈里有 Source0 的 callout"), each: "one received", \.detail,
                   is: ["__CFSocketDoCallback", "__CFSocketPerformV0", "__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__"]
                       .joined(separator: stackSeparator))
    }

    /// Makes a pair of sockets. The Source0 of the first one is in the main loop; `peer` is the other end.
    private func connect(_ mode: RunLoop.Mode) -> (socket: OpaquePointer, peer: Int32) {
        var ends: [Int32] = [0, 0]
        socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends)
        let socket = LabSocketCreate(ends[0], .readable, { socket, _, _ in SocketThread.readable(socket!) }, nil, nil)!
        CFRunLoopAddSource(CFRunLoopGetMain(), LabSocketGetSource(socket), mode.cfName)
        return (socket, ends[1])
    }

    /// The read callback.
    @inline(never)
    static func readable(_ socket: OpaquePointer) {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = read(LabSocketGetDescriptor(socket), &buffer, buffer.count)
        let message = count > 0 ? "\(String(decoding: buffer[..<count], as: UTF8.self)) received" : "end of the connection"
        let waker = "woken by \(Wakers.last)", frames = stack(from: "readable(_:)").dropFirst().filter { $0.hasPrefix("__CF") }.prefix(3)
        lab.callout(.source0, message, message == "one received" ? frames.joined(separator: stackSeparator) : waker)
        if count <= 0 { LabSocketInvalidate(socket) }
    }
}

/// The ids of this process's threads, without those of libdispatch.
private func threads() -> Set<Int32> {
    var all: Set<Int32> = []
    guard let folder = opendir("/proc/self/task") else { return all }
    while let entry = readdir(folder) {
        let number = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if let thread = Int32(number), SystemThread.name(of: thread) != "dispatch" { all.insert(thread) }
    }
    closedir(folder)
    return all
}
