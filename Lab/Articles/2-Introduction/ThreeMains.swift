// Article 2, 〈没有RunLoop时 / 有RunLoop时 / main函数中的RunLoop〉: 2.2. The article has three pictures; these are their programs.
//
// Three main functions. What to see: the first returns at once, the second when it gets the message to quit, the third when the application ends.

import Glibc
import SwiftRunLoop

// MARK: - The listing

private final class ViewController: UIViewController, @unchecked Sendable {
    override func viewDidLoad() { NSLog("应用: viewDidLoad") }
    override func touchesBegan(_ touch: Touch) { NSLog("应用: touchesBegan") }
}

private let quits = Counter()

private func mainWithoutRunLoop() {
    NSLog("没有RunLoop: main开始")
    NSLog("没有RunLoop: main返回")
}

private func mainWithRunLoop() {
    NSLog("有RunLoop: main开始")
    let sender = lab.startThread("sender") {
        for message in ["消息1", "消息2", "quit"] {
            lab.waitUntil { RunLoop.main.isWaiting }
            lab.observe("the loop sleeps before", message)
            try? Thread.performOnMainThread(waitUntilDone: true) { process(message) }
        }
    }
    let port = NSMachPort()
    NSRunLoop.current.add(port, forMode: .default)
    repeat {
        NSRunLoop.current.run(mode: .default, before: .distantFuture)
    } while quits.value == 0
    NSRunLoop.current.remove(port, forMode: .default)
    NSLog("有RunLoop: main返回")
    lab.waitUntil { sender.isFinished }
}

private func process(_ message: String) {
    NSLog("有RunLoop: 处理\(message)")
    if message == "quit" { quits.add() }
}

private func mainOfAnApplication() {
    NSLog("应用: main开始")
    Stage.run(ViewController(), script: [
        .other { lab.observe("the loop sleeps before", "touch 1") }, .tap(column: 5, row: 5),
        .other { lab.observe("the loop sleeps before", "touch 2") }, .tap(column: 5, row: 5),
    ]) // UIApplicationMain
    NSLog("应用: main返回")
}

// MARK: - Telling and judging

struct ThreeMains: Program {
    let about = About(article: "2.2", seconds: 0.3)

    func run() {
        mainWithoutRunLoop()
        mainWithRunLoop()
        mainOfAnApplication()
    }

    func judge() {
        lab.article.expect(Text("the first main returns at once; the others when they are asked to", "第一个 main 立即返回；另外两个在要求它们结束时返回"), lines: [
            "没有RunLoop: main开始", "没有RunLoop: main返回",
            "有RunLoop: main开始", "有RunLoop: 处理消息1", "有RunLoop: 处理消息2", "有RunLoop: 处理quit", "有RunLoop: main返回",
            "应用: main开始", "应用: viewDidLoad", "应用: touchesBegan", "应用: touchesBegan", "应用: main返回",
        ])
        lab.expect(Text("before each message the main thread sleeps", "每条消息到来之前，主线程都在休眠"), of: "the loop sleeps before",
                   is: ["消息1", "消息2", "quit", "touch 1", "touch 2"]) { $0.map(\.detail) }
    }
}
