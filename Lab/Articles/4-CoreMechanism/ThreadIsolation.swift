// Article 4, 〈线程隔离〉: 4.21.
//
// Data is handed to a network thread, processed there, and the result shown on the main thread. What to see: each step's thread and callout.

import Dispatch
import SwiftRunLoop

// MARK: - The listing

private final class Client: Performing, Sendable {
    private static let networkThread: NSThread = { // once, as by dispatch_once
        let thread = NSThread { networkThreadEntryPoint() }
        thread.start()
        return thread
    }()

    private static func networkThreadEntryPoint() {
        autoreleasepool {
            NSThread.current.name = "NetworkThread"
            let runLoop = NSRunLoop.current
            runLoop.add(NSMachPort(), forMode: .default)
            runLoop.run()
        }
    }

    func handleNetworkData(_ data: String) {
        NSLog("handleNetworkData: \(NSThread.isMainThread ? "main" : "other")")
        try? perform(Client.processNetworkData, with: data, on: Client.networkThread, waitUntilDone: false)
    }

    private func processNetworkData(_ data: String) {
        NSLog("processNetworkData: \(NSThread.current.name ?? "")")
        lab.callout(.source0, "processNetworkData")
        lab.waitUntil { lab.times("tick") == 1 }
        lab.note("processed")
        DispatchQueue.main.async { [self] in updateUI() }
    }

    private func updateUI() {
        NSLog("updateUI \(NSThread.isMainThread ? "main" : "other")")
        lab.callout(.mainQueue, "updateUI")
    }
}

// MARK: - Telling and judging

struct ThreadIsolation: Program {
    let about = About(article: "4.21", seconds: 0.1)

    func run() {
        let client = Client()
        let timer = NSTimer(timeInterval: 0.005, repeats: true) { timer in
            if lab.times("processNetworkData") == 0 { return }
            lab.callout(.timer, "tick")
            timer.invalidate()
        }
        NSRunLoop.main.add(timer, forMode: .default)
        client.handleNetworkData("data")
        lab.run { lab.times("updateUI") == 1 }
    }

    func judge() {
        lab.article.expect(Text("the data goes to the network thread, the result to the main thread", "数据到网络线程，结果到主线程"),
                   lines: ["handleNetworkData: main", "processNetworkData: NetworkThread", "updateUI main"])
        lab.article.expect(Text("the main loop is not blocked meanwhile", "期间主线程没有被阻塞"), order: ["processNetworkData", "tick", "processed", "updateUI"])
        lab.article.expect(Text("the data is processed on that thread", "在那个线程上处理"), each: "processNetworkData", \.thread, is: "NetworkThread")
        lab.expect(Text("it arrives as a Source0", "以 Source0 的方式到达"), each: "processNetworkData", \.kind, is: "Source0")
        lab.expect(Text("the result arrives through the main queue's port: step 9.2", "结果通过主队列的端口到达：第 9.2 步"), each: "updateUI", \.step, is: "9.2")
    }
}
