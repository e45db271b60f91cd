// Article 2, 〈第一种(推荐)〉: 2.19; its test, 2.20; leaving the thread, 2.21.
//
// A permanent thread, a button that tests it, and a button that ends it. What to see: [NSThread exit] ends the thread that calls it.

import Glibc
import SwiftRunLoop

// MARK: - The listing

private final class MyThread: NSThread, @unchecked Sendable {
    deinit { NSLog("\(name ?? "")线程被释放了") }
}

private final class ViewController: UIViewController, @unchecked Sendable {
    nonisolated(unsafe) static weak var shared: ViewController! // for the watcher, when the main thread is gone

    weak var thread: MyThread?
    private weak var thread2: MyThread?
    private let stopped = Counter()

    override init() {
        super.init()
        Self.shared = self
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        func button(_ row: Int, _ action: @escaping (ViewController) -> () -> Void) -> UIButton {
            let button = UIButton("button \(row)", columns: 1...20, rows: row...row)
            button.addTarget(self, action: action)
            return button
        }
        view.subviews = [button(1, ViewController.btnClick), button(2, ViewController.exitClick), button(3, ViewController.secondClick)]
        let thread = MyThread(target: self, action: ViewController.run), thread2 = MyThread(target: self, action: ViewController.runMode)
        (thread.name, thread2.name) = ("thread", "thread2")
        (self.thread, self.thread2) = (thread, thread2)
        thread.start()
        thread2.start()
    }

    func run() {
        autoreleasepool {
            NSRunLoop.current.add(NSMachPort(), forMode: .default)
            // 开启runloop
            NSRunLoop.current.run()
        }
    }

    /// The comment's other way to start; cured, with a flag.
    func runMode() {
        NSRunLoop.current.add(NSMachPort(), forMode: .default)
        repeat {
            NSRunLoop.current.run(mode: .default, before: .distantFuture)
        } while form == .cured && stopped.value == 0
        lab.note(form == .cured ? "the method of thread2 ends" : "the thread with runMode: ends")
    }

    func btnClick() {
        NSLog("-----btnClick--------")
        guard let thread else { return performOnFinishedThread() }
        try? perform(ViewController.test, on: thread, waitUntilDone: false)
    }

    /// The weak reference is nil by now, so a thread that has ended another way stands for it.
    private func performOnFinishedThread() {
        let ended = NSThread {}
        ended.start()
        lab.waitUntil { ended.isFinished }
        do { try perform(ViewController.test, on: ended, waitUntilDone: false) } catch { lab.note("an error is thrown", "\(error)") }
    }

    func test() {
        NSLog("----->Test")
    }

    func exitClick() {
        if form == .asWritten { NSThread.exit() }
        if let thread { try? perform(ViewController.exitOnThread, on: thread, waitUntilDone: false) }
    }

    func exitOnThread() {
        lab.note("exit on the thread")
        NSThread.exit()
    }

    func secondClick() {
        guard let thread2 else { return }
        try? perform(ViewController.testOrStop, on: thread2, waitUntilDone: false)
    }

    func testOrStop() { stopped.add() } // as written, nothing looks at this
}

// MARK: - Telling and judging

struct ExitThread: Program {
    let about = About(article: "2.19", seconds: 0.6, isPair: true, limits: [.asWritten: 30])

    private static let button: [UserAction] = [.tap(column: 5, row: 1)], exit: UserAction = .tap(column: 5, row: 2), second: UserAction = .tap(column: 5, row: 3)

    func run() {
        let tested: [UserAction] = Self.button + [.waitForLine("----->Test")] + Self.button + [.waitForLine("----->Test", times: 2)]
        switch form {
        case .asWritten:
            Stage.run(ViewController(), script: tested + [
                Self.second, .until { lab.times("the thread with runMode: ends") == 1 },
                .other { watch() }, Self.exit, // the main thread is gone: nothing more is played
            ])
        case .cured:
            Stage.run(ViewController(), script: tested + [
                Self.exit, .waitForLine("线程被释放了"), .tap(column: 5, row: 1), .wait(seconds: 0.05),
                Self.second, .waitForLine("线程被释放了", times: 2),
            ])
        }
    }

    /// From another thread, because the main one ends: whether the permanent thread still works.
    private func watch() {
        _ = lab.startThread("watcher") {
            lab.waitUntil { NSThread.mainThread.isFinished && SystemThread.stateOfMain == "Z" } // it has ended before the others
            lab.observe("the main thread", "is gone")
            guard let thread = ViewController.shared.thread else { return }
            try? NSThread.perform(on: thread, waitUntilDone: true) { lab.observe("the permanent thread", "works") }
            ProgramRun.current?.end()
        }
    }

    func judge() {
        let click = "-----btnClick--------", test = "----->Test"
        if form == .cured {
            lab.expect(Text("each click is answered until the thread has ended; then the first line comes alone", "线程结束之前每次点击都有回应；之后只有第一行"),
                       lines: [click, test, click, test, "thread线程被释放了", click, "thread2线程被释放了"])
            lab.expect(Text("a click on a finished thread throws", "对已结束的线程 perform 会抛出错误"), "an error is thrown", times: 1)
            lab.expect(Text("the first thread leaves by exit, the second by its flag", "第一个线程由 exit 结束，第二个由标志结束"),
                       order: ["exit on the thread", "the method of thread2 ends"])
            return
        }
        lab.article.expect(Text("each click shows that the thread is there", "每次点击都说明线程没有退出"), lines: [click, test, click, test], with: "-----")
        lab.article.expectFound(Text("exit leaves the permanent thread", "exit 退出了常驻线程"), of: "the permanent thread", ["is gone"])
        lab.article.expect(Text("a thread that is kept by runMode: stays after a test", "用 runMode: 的线程测试之后还在"), of: "the thread with runMode: ends", is: [0]) {
            [$0.count]
        }
        lab.expect(Text("the main thread is gone; the process and the permanent thread live on", "主线程没了，进程和常驻线程还在"),
                   of: "the main thread", "the permanent thread", is: ["is gone", "works"]) { $0.map(\.detail) }
        lab.expect(Text("the thread with runMode: ends after one test", "用 runMode: 的线程测试一次就结束"), "the thread with runMode: ends", times: 1)
    }
}
