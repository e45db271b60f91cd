// Article 0, 〈<4>performSelecter:afterDelay:〉: 0.26; its stack is 0.27.
//
// The program of 0.15, whose method performs another one after no delay. What to see: that one is called by a timer, and only just.

import SwiftRunLoop

// MARK: - The listing

private final class MyThread: NSThread, @unchecked Sendable {
    deinit { NSLog("\(name ?? "")线程被释放了") }
}

private final class ViewController: UIViewController, @unchecked Sendable {
    weak var subThread: MyThread?
    private let done = Counter()

    override func viewDidLoad() {
        super.viewDidLoad()

        NSLog("\(NSThread.current)----开辟子线程")

        let tmpThread = MyThread(target: self, action: ViewController.subThreadTodo)
        subThread = tmpThread
        subThread?.name = "subThread"
        subThread?.start()
    }

    @inline(never)
    func subThreadTodo() {
        NSLog("\(NSThread.current)----开始执行子线程任务")
        let runLoop = NSRunLoop.current
        runLoop.add(NSMachPort(), forMode: .default)
        switch form {
        case .asWritten: run(runLoop)
        case .cured:
            while done.value == 0 { run(runLoop) }
        }
        NSLog("\(NSThread.current)----执行子线程任务结束")
    }

    /// A timer does not end a run, so the cured form's runs also end when the timer has been.
    private func run(_ runLoop: NSRunLoop) {
        lab.note("the run begins")
        runLoop.run(mode: .default, before: .distantFuture)
        lab.note("the run has ended")
    }

    @inline(never)
    override func touchesBegan(_ touch: Touch) {
        guard let subThread else { return }
        try? perform(ViewController.wantTodo, on: subThread, waitUntilDone: false)
    }

    @inline(never)
    func wantTodo() {
        breakPoint("断点1")
        lab.callout(.source0, "wantTodo")
        perform(ViewController.afterDelayTodo, afterDelay: form == .asWritten ? 0 : lab.wait(0.1))
    }

    @inline(never)
    func afterDelayTodo() {
        breakPoint("断点2")
        lab.callout(.timer, "afterDelayTodo")
        NSLog("当前线程:\(NSThread.current)执行任务处理数据")
        done.add()
        if form == .cured { NSRunLoop.current.stop() }
    }
}

// MARK: - Telling and judging

struct AfterDelayTodo: Program {
    let about = About(article: "0.26", seconds: 0.4, isPair: true)

    func run() {
        Stage.run(ViewController(), script: [
            .waitForLine("开始执行子线程任务"), .wait(seconds: 0.1), .tap(column: 5, row: 5), .waitForLine("线程被释放了"), .wait(seconds: 0.05),
        ])
    }

    func judge() {
        let second = "<MyThread: 0x…>{number = 2, name = subThread}"
        lab.article.expect(Text("afterDelayTodo is reached", "来到了 afterDelayTodo"), lines: [
            "<NSThread: 0x…>{number = 1, name = main}----开辟子线程", "\(second)----开始执行子线程任务", "当前线程:\(second)执行任务处理数据",
            "\(second)----执行子线程任务结束", "subThread线程被释放了",
        ])
        lab.article.expect(Text("a timer calls it", "由 Timer 调用"), each: "afterDelayTodo", \.kind, is: "timer")
        lab.expect(Text("wantTodo is called by a Source0, and afterDelayTodo after it", "wantTodo 由 Source0 调用，afterDelayTodo 在它之后"), order: ["wantTodo", "afterDelayTodo"])
        switch form {
        case .asWritten:
            lab.expect(Text("all of it in one run", "都在同一次 run 里"), order: ["the run begins", "wantTodo", "afterDelayTodo", "the run has ended"])
        case .cured:
            lab.expect(Text("the delay may be longer: another run waits for it", "延迟可以更长：另一次 run 会等它"),
                       order: ["the run begins", "wantTodo", "the run has ended", "the run begins", "afterDelayTodo", "the run has ended"])
        }
    }
}
