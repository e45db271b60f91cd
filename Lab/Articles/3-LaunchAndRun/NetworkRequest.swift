// Article 3, 〈网络请求〉: 3.26.
//
// Connections over TCP with a delegate. What to see: the way of an event over two threads of the system to the delegate's loop.

import Glibc
import SwiftRunLoop

// MARK: - The listing

private final class Delegate: URLConnectionDelegate {
    private let name: String

    init(_ name: String) { self.name = name }

    func connection(_ connection: URLConnection, didReceiveResponse status: Int) { log("didReceiveResponse: \(status)") }
    func connection(_ connection: URLConnection, didReceiveData data: [UInt8]) { log("didReceiveData: \(String(decoding: data, as: UTF8.self))") }

    func connectionDidFinishLoading(_ connection: URLConnection) {
        log("connectionDidFinishLoading")
        lab.observe("\(name) end")
    }

    func connection(_ connection: URLConnection, didFailWithError reason: String) {
        log("didFailWithError: \(reason)")
        lab.observe("\(name) end")
    }

    private func log(_ call: String) {
        lab.callout(.source0, name, call)
        NSLog("\(name): \(call) \(Thread.current)")
    }
}

// MARK: - Telling and judging

struct NetworkRequest: Program {
    let about = About(article: "3.26", seconds: 0.5)

    func run() {
        let server = LoopbackServer(parts: ["你好", "RunLoop"]) { lab.observe("the server's client has gone") }
        let wakers = Wakers()
        defer { wakers.end() }
        URLConnection.loader.perform(waitUntilDone: true) {
            RunLoop.current.add(RunLoop.Observer(activities: .beforeWaiting) { _, _ in lab.observe("the loader was woken by", Wakers.last) }, forMode: .default)
        }
        // 1: the main loop
        let first = URLConnection(path: "/", port: server.port, delegate: Delegate("第1个"))
        first.schedule(in: .main, forMode: .default)
        lab.observe("begins")
        first.start()
        URLConnection.loader.perform(waitUntilDone: true) { lab.observe("the loader's thread", Thread.current.name ?? "") }
        lab.run { lab.times("第1个 end") == 1 }
        // 2: another thread's loop
        lab.onThread("second") {
            let second = URLConnection(path: "/", port: server.port, delegate: Delegate("第2个"))
            second.start()
            lab.run { lab.times("第2个 end") == 1 }
        }
        // 3: in the default mode, while the main loop tracks
        let third = URLConnection(path: "/", port: server.port, delegate: Delegate("第3个"))
        third.schedule(in: .main, forMode: .default)
        third.start()
        RunLoop.main.add(Port(), forMode: .tracking)
        let end = Date(timeIntervalSinceNow: lab.wait(0.3))
        while Date() < end { RunLoop.main.run(mode: .tracking, before: end) }
        lab.note("tracking ends")
        lab.run { lab.times("第3个 end") == 1 }
        // 4: cancelled
        let fourth = URLConnection(path: "/slow", port: server.port, delegate: Delegate("第4个"))
        fourth.schedule(in: .main, forMode: .default)
        fourth.start()
        lab.run { lab.times("第4个") == 1 }
        lab.note("cancel") // the server notices it at once
        fourth.cancel()
        lab.run { lab.times("the server's client has gone") == 1 }
        withExtendedLifetime(server) {}
    }

    func judge() {
        // However the network has cut the body
        func calls(_ events: [Event]) -> [String] {
            let data = "didReceiveData: ", calls = events.map(\.detail)
            let body = calls.filter { $0.hasPrefix(data) }.map { $0.dropFirst(data.count) }.joined()
            guard let first = calls.first, let last = calls.last, calls.dropFirst().dropLast().allSatisfy({ $0.hasPrefix(data) }) else { return calls }
            return [first, body, last] + Set(events.map(\.thread)).sorted()
        }
        let all = ["didReceiveResponse: 200", "你好RunLoop", "connectionDidFinishLoading"]
        lab.article.expect(Text("one thread waits for the sockets, and wakes the loader", "一个线程处理底层 socket，并唤醒 loader 线程"),
                   of: "the loader was woken by", is: Wakers.socketThread) { $0.map(\.detail).first { $0 == Wakers.socketThread } ?? "" }
        lab.article.expect(Text("another has the connections in its loop", "另一个线程用 RunLoop 接收事件"), each: "the loader's thread", \.detail,
                   is: "com.apple.NSURLConnectionLoader")
        for (connection, thread) in [("第1个", "main"), ("第2个", "second"), ("第3个", "main")] {
            lab.article.expect(Text("connection \(connection.dropFirst().dropLast()): the delegate's calls, on the thread of the scheduled loop", "\(connection)：delegate 的回调及其线程"),
                       of: connection, is: all + [thread], calls)
        }
        lab.article.expect(Text("a Source0 calls the delegate", "由 Source0 通知 delegate"), of: "第1个", "第2个", "第3个", is: ["Source0"]) { Set($0.map(\.kind)).sorted() }
        lab.expect(Text("while the loop tracks, a delegate in the default mode waits", "tracking 时，默认 mode 里的 delegate 等待"), order: ["tracking ends"], to: "tracking ends", among: ["第3个"])
        lab.expect(Text("after cancel the delegate gets no call, and the server's client is gone", "cancel 之后 delegate 没有回调，连接关闭"),
                   order: ["第4个", "cancel", "the server's client has gone"], among: ["第4个 end"])
    }
}
