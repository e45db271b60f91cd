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
    let about = About(
        name: "4.21", title: Text("Data is processed on a thread of its own, the result is shown on the main thread", "数据在专门的线程处理，结果回到主线程显示"),
        says: Text("A thread of its own handles network callbacks, so that they do not block the main thread. When the data is processed, the main queue updates the screen.",
                   "创建专门的线程处理网络回调，避免阻塞主线程。处理完成后，回到主线程更新 UI。"),
        notice: Text("""
            The perform arrives on the network thread as a Source0; the block of the main queue arrives in the main loop through the queue's port, in step 9.2. Meanwhile \
            the main loop's timer ticks.
            """, "perform 在网络线程上以 Source0 的方式到达；主队列的 block 通过队列的端口到达主线程 RunLoop，在第 9.2 步执行。处理期间，主线程的 Timer 照常触发。"),
        verdict: .asTheArticleSays, seconds: 0.1)

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
