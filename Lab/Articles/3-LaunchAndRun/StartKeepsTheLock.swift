// Article 3, 〈常驻子线程,保持子线程一直处理事件〉: 3.28. Its first half is in 4.11, too.
//
// AFNetworking's permanent thread, and the start method of its operation. What to see: a cancelled operation keeps its lock.

import Glibc
import SwiftRunLoop
import Synchronization

// MARK: - The listing

/// The operation, as far as the listing goes.
private final class AFURLConnectionOperation: Performing, URLConnectionDelegate, @unchecked Sendable {
    enum State { case ready, executing, finished }

    private let name: String, path: String, port: UInt16
    private let lock = RecursiveLock()
    private let states = Mutex((state: State.ready, isCancelled: false))
    private var connection: URLConnection? // on the permanent thread alone
    var runLoopModes: Set<RunLoop.Mode> = [.common]

    init(_ name: String, _ path: String, _ port: UInt16) {
        (self.name, self.path, self.port) = (name, path, port)
    }

    var state: State {
        get { states.withLock { $0.state } }
        set { states.withLock { $0.state = newValue } }
    }
    private var isCancelled: Bool { states.withLock { $0.isCancelled } }
    private var isReady: Bool { state == .ready }

    private static func networkRequestThreadEntryPoint() {
        autoreleasepool {
            NSThread.current.name = "AFNetworking"

            let runLoop = NSRunLoop.current
            runLoop.add(NSMachPort(), forMode: .default)
            runLoop.run()
        }
    }

    /// A static property is made once, as by dispatch_once.
    private static let networkRequestThread: NSThread = {
        let _networkRequestThread = NSThread { networkRequestThreadEntryPoint() }
        _networkRequestThread.start()
        return _networkRequestThread
    }()

    func start() {
        lock.lock()
        if isCancelled {
            try? perform(AFURLConnectionOperation.cancelConnection, on: Self.networkRequestThread, waitUntilDone: false, modes: Array(runLoopModes))
        } else if isReady {
            state = .executing
            try? perform(AFURLConnectionOperation.operationDidStart, on: Self.networkRequestThread, waitUntilDone: false, modes: Array(runLoopModes))
            if form == .asWritten { lock.unlock() } // the article's place
        }
        if form == .cured { lock.unlock() }
    }

    /// Not in the article: marks the operation, and ends it if it runs.
    func cancel() {
        let isExecuting = states.withLock {
            $0.isCancelled = true
            return $0.state == .executing
        }
        if isExecuting {
            try? perform(AFURLConnectionOperation.cancelConnection, on: Self.networkRequestThread, waitUntilDone: false, modes: Array(runLoopModes))
        }
    }

    private func operationDidStart() {
        log("operationDidStart")
        let connection = URLConnection(path: path, port: port, delegate: self)
        for mode in runLoopModes { connection.schedule(in: .current, forMode: mode) }
        self.connection = connection
        connection.start()
    }

    private func cancelConnection() {
        log("cancelConnection")
        connection?.cancel()
        finish()
    }

    func connection(_ connection: URLConnection, didReceiveResponse status: Int) { log("didReceiveResponse") }
    func connection(_ connection: URLConnection, didReceiveData data: [UInt8]) { log("didReceiveData") }
    func connectionDidFinishLoading(_ connection: URLConnection) {
        log("connectionDidFinishLoading")
        finish()
    }
    func connection(_ connection: URLConnection, didFailWithError reason: String) {
        log("didFailWithError: \(reason)")
        finish()
    }

    private func finish() {
        connection = nil
        state = .finished
    }

    private func log(_ call: String) {
        lab.observe("call", "\(name): \(call) \(NSThread.current.name ?? "")")
        NSLog("\(name): \(call)")
    }
}

// MARK: - Telling and judging

struct StartKeepsTheLock: Program {
    let about = About(article: "3.28", seconds: 0.6, isPair: true)

    func run() {
        let server = LoopbackServer(parts: ["data"]) { lab.observe("the server's client has gone") }
        func operation(_ name: String, _ path: String = "/") -> AFURLConnectionOperation {
            AFURLConnectionOperation(name, path, server.port)
        }
        // 1: ready
        let ready = operation("就绪")
        ready.start()
        lab.waitUntil { ready.state == .finished }
        // 2: cancelled while it runs
        let during = operation("进行中取消", "/slow")
        during.start()
        lab.waitForLine("进行中取消: didReceiveResponse")
        during.cancel()
        lab.waitUntil { lab.times("the server's client has gone") == 1 }
        // 3: with a mode in which the thread does not run
        let other = operation("别的mode")
        other.runLoopModes = [RunLoop.Mode("another mode")]
        other.start()
        lab.observe("in another mode", lab.waitUntil(limit: 0.3) { other.state == .finished } ? "done" : "waits")
        // 4: cancelled before it starts
        let before = operation("启动前取消")
        before.cancel()
        before.start()
        lab.waitForLine("启动前取消: cancelConnection")
        let second = lab.startThread("second") {
            lab.observe("start again", "begins")
            before.start()
            lab.observe("start again", "returns")
        }
        lab.observe("start on another thread", lab.waitUntil(limit: form == .cured ? 10 : 0.3) { second.isFinished } ? "returns" : "hangs")
        if form == .cured { lab.waitForLine("启动前取消: cancelConnection", times: 2) }
        withExtendedLifetime(server) {}
        NSLog("启动前取消: 另一个线程的start\(second.isFinished ? "返回" : "一直等锁")")
    }

    func judge() {
        let calls = "call"
        func expect(_ claimant: some Claimant, _ name: String, _ claim: Text, _ expected: [String]) {
            claimant.expect(claim, of: calls, is: expected) { $0.map(\.detail).filter { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count + 2)) } }
        }
        expect(lab.article, "就绪", Text("a ready operation starts on the permanent thread", "就绪的 operation 在常驻线程上启动"),
               ["operationDidStart AFNetworking", "didReceiveResponse AFNetworking", "didReceiveData AFNetworking", "connectionDidFinishLoading AFNetworking"])
        lab.article.expect(Text("start gives the lock back: another thread can start the operation", "start 会解锁：别的线程也能调用 start"),
                   each: "start on another thread", \.detail, is: "returns")
        expect(lab, "进行中取消", Text("cancelled while it runs, the connection is closed on the permanent thread", "进行中取消：在常驻线程上关闭连接"),
               ["operationDidStart AFNetworking", "didReceiveResponse AFNetworking", "cancelConnection AFNetworking"])
        expect(lab, "启动前取消", Text("cancelled before it starts, it never connects", "启动前取消：从不建立连接"),
               [String](repeating: "cancelConnection AFNetworking", count: form == .cured ? 2 : 1))
        lab.expect(Text("a perform for a mode in which the thread does not run is not done", "指定别的 mode 的 perform 不会执行"),
                   each: "in another mode", \.detail, is: "waits")
        lab.expectFound(Text(form == .cured ? "the second start returns" : "the second start never returns", form == .cured ? "第二次 start 返回" : "第二次 start 不返回"),
                        of: "start again", form == .cured ? ["begins", "returns"] : ["begins"])
    }
}

/// NSRecursiveLock.
private final class RecursiveLock: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1) // never freed: a thread may hang in it until the end

    init() {
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
    }

    func lock() { pthread_mutex_lock(mutex) }
    func unlock() { pthread_mutex_unlock(mutex) }
}
