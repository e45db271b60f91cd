// network-requests: requests over TCP, made by a private socket thread, a resident thread and the main thread.

import Glibc
import SwiftRunLoop
import Synchronization

struct NetworkRequests: Experiment {
    let about = About(
        name: "network-requests", claims: ["A8"], group: .building, seconds: 0.2,
        shows: Text("a socket's events go from a private thread to a resident thread, and the answer to the main thread",
                    "socket 的事件从私有线程到常驻线程，结果再到主线程"),
        setting: Text("""
            A thread named "server" listens on a TCP port of this computer and answers each line. The main thread \
            makes a request (Lab/Designs/NetworkThread.swift), and then another one to a port that has no listener. Its \
            loop runs until it has both answers.
            """, """
            名为 “server” 的线程在本机的一个 TCP 端口上监听，每收到一行就应答。主线程发一个请求（\
            Lab/Designs/NetworkThread.swift），再向一个没有监听的端口发一个。它的 RunLoop 一直运行到两个结果\
            都到了。
            """),
        notice: Text("""
            A connection is a CFSocket. The library's thread com.apple.CFSocket.private (Linux keeps 15 bytes of the \
            name) waits for all CFSockets. It reads what arrives, signals the CFSocket's Source0 and wakes the loop \
            of the thread "network". That thread owns the connection: it sends in the Source0's callback, and gets \
            what was read. It performs the answer on the main thread, whose loop was free all the time.
            """, """
            每个连接是一个 CFSocket。库里的线程 com.apple.CFSocket.private（Linux 只保留名字的前 15 个字节）等待所\
            有 CFSocket：数据到了就读进来，把这个 CFSocket 的 Source0 标记为待处理，并唤醒线程 “network” 的 \
            RunLoop。连接属于 “network” 线程：它在 Source0 的回调里发送，也在那里拿到读进来的数据，再把结果交给主\
            线程执行。主线程的 RunLoop 从头到尾都没有被占用。
            """),
        correction: Text("""
            The articles say that the socket thread notifies the resident thread through the Source0 that was added \
            before. It does, but a Source0 wakes no loop: the socket thread has to wake the loop as well (I1).
            """, """
            文章说，socket 线程通过之前添加的 Source0 通知常驻线程。这没有错，但 Source0 不会唤醒 RunLoop，\
            socket 线程还要自己唤醒它（I1）。
            """)
    )

    func run(_ lab: Lab) {
        let listener = LoopbackSocket(), silent = LoopbackSocket() // the second has no listener
        listener.listen()
        nonisolated(unsafe) var network: RunLoop! // other threads only ask whether it waits
        NetworkThread.resident.perform(waitUntilDone: true) { network = .current }
        _ = lab.startThread("server") {
            listener.answerOne(lab) { last in // when the network thread sleeps, so that what comes next wakes it
                lab.waitUntil { lab.times(last) > 0 && network.isWaiting }
            }
        }
        let wakers = Wakers()
        request(lab, "hello", port: listener.port)
        request(lab, "is there a server?", port: silent.port)
        wakers.end()

        let connected = "connected", sent = "sent", received = "received", closed = "closed", answer = "answer"
        lab.expect(Text("the network thread connects, sends and receives, step by step", "network 线程一步步地连接、发送、接收"),
                   order: [connected, sent, received, closed, answer], from: "asks: hello", to: answer)
        lab.expect(Text("the private thread wakes it when there are bytes, and at the end", "有数据时和连接结束时，唤醒它的都是私有线程"),
                   of: "received", "closed", is: ["5 bytes, woken by \(Wakers.socketThread)", "woken by \(Wakers.socketThread)"]) { $0.prefix(2).map(\.detail) }
        for step in [connected, sent, received, closed] {
            lab.expect(Text("\(step): on the resident thread", "\(shown(step))：在常驻线程上"), each: step, \.thread, is: "network")
        }
        lab.expect(Text("the steps are callbacks of a Source0", "各步都是 Source0 的回调"), each: received, \.kind, is: "Source0")
        lab.expect(Text("the answers arrive on the main thread", "结果到达主线程"), each: answer, \.thread, is: "main")
        lab.expect(Text("one request is answered, the other fails", "一个请求得到应答，另一个失败"),
                   order: ["asks: hello", "answer", "asks: is there a server?", "no answer"], on: "main")
    }

    private func request(_ lab: Lab, _ text: String, port: UInt16) {
        lab.note("asks: \(text)")
        NetworkThread.request("\(text)\n", port: port) { event in
            switch event {
            case .connected: lab.callout(.source0, "connected")
            case .sent(let count): lab.callout(.source0, "sent", "\(count) bytes")
            case .received(let count): lab.callout(.source0, "received", "\(count) bytes, woken by \(Wakers.last)")
            case .closed: lab.callout(.source0, "closed", lab.times("received") > lab.times("closed") ? "woken by \(Wakers.last)" : "")
            }
        } answer: { answer in
            switch answer {
            case .bytes(let bytes): lab.callout(.source0, "answer", String(decoding: bytes, as: UTF8.self))
            case .failure(let reason): lab.callout(.source0, "no answer", reason)
            }
        }
        let already = lab.times("answer") + lab.times("no answer")
        lab.runMain { lab.times("answer") + lab.times("no answer") > already }
    }
}

/// A TCP socket of this computer, at a port that the system chooses. Until `listen()` is called, it refuses connections.
private final class LoopbackSocket: Sendable {
    private let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    /// The port's number, in the order of bytes of this computer.
    let port: UInt16

    /// Gets a port. Ends the program if the system has none left.
    init() {
        var address = sockaddr_in(), size = socklen_t(MemoryLayout<sockaddr_in>.size)
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian // 127.0.0.1
        let error = withUnsafeMutablePointer(to: &address) { [socket] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) | getsockname(socket, $0, &size) }
        }
        if error != 0 { fail(Text("no TCP port is available: \(reason(errno))", "没有可用的 TCP 端口：\(reason(errno))"), status: 1) }
        port = UInt16(bigEndian: address.sin_port)
    }

    /// From now on, connections are taken, and kept until `answerOne`.
    func listen() {
        if Glibc.listen(socket, 5) != 0 { fail(Text("cannot listen at a TCP port: \(reason(errno))", "无法在 TCP 端口上监听：\(reason(errno))"), status: 1) }
    }

    /// Waits for a connection, reads a line, says it louder, and hangs up.
    /// - Parameter pause: called before it answers and before it hangs up, with the client's last event.
    func answerOne(_ lab: Lab, pause: (String) -> Void) {
        let connection = accept(socket, nil, nil)
        lab.note("accepts")
        var line: [UInt8] = [], byte: UInt8 = 0
        while read(connection, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        let answer = Array(String(decoding: line, as: UTF8.self).uppercased().utf8)
        pause("sent")
        lab.note("answers")
        _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
        pause("received")
        close(connection)
    }

    deinit {
        close(socket)
    }
}
