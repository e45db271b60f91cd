// Article 0, 〈惯例用例子来感受〉: 0.15; what it prints: 0.16, 0.19; its stacks: 0.17, 0.18.
//
// A touch performs a method on a thread whose loop is run once. What to see: the thread sleeps until the touch, and ends after it.

import SwiftRunLoop

// MARK: - The listing

private final class MyThread: NSThread, @unchecked Sendable {
    deinit { NSLog("\(name ?? "")线程被释放了") }
}

private final class ViewController: UIViewController, @unchecked Sendable {
    weak var subThread: MyThread?

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
        runLoop.run(mode: .default, before: .distantFuture)
        NSLog("\(NSThread.current)----执行子线程任务结束")
    }

    @inline(never)
    override func touchesBegan(_ touch: Touch) {
        breakPoint("断点1")
        guard let subThread else { return }
        try? perform(ViewController.wantTodo, on: subThread, waitUntilDone: false)
    }

    @inline(never)
    func wantTodo() {
        breakPoint("断点2")
        NSLog("当前线程:\(NSThread.current)执行任务处理数据")
    }
}

// MARK: - Telling and judging

struct WantTodo: Program {
    let about = About(article: "0.15", seconds: 0.3)

    func run() {
        Stage.run(ViewController(), script: [
            .waitForLine("开始执行子线程任务"), .wait(seconds: 0.1), .other { lab.observe("before the touch", "\(lab.lines(with: "").count) lines") },
            .tap(column: 5, row: 5), .waitForLine("线程被释放了"), .wait(seconds: 0.05),
        ])
    }

    func judge() {
        lab.article.expectFound(Text("two lines, then nothing until the touch", "先有两行，然后直到触摸前都没有输出"), of: "before the touch", ["2 lines"])
        lab.article.expect(Text("the five lines of the article, in its order", "文章里的五行，顺序相同"), lines: [
            "<NSThread: 0x…>{number = 1, name = main}----开辟子线程",
            "<MyThread: 0x…>{number = 2, name = subThread}----开始执行子线程任务",
            "当前线程:<MyThread: 0x…>{number = 2, name = subThread}执行任务处理数据",
            "<MyThread: 0x…>{number = 2, name = subThread}----执行子线程任务结束",
            "subThread线程被释放了",
        ])
        lab.expect(Text("wantTodo is called by a Source0", "wantTodo 由 Source0 调用"), eachLine: "执行任务处理数据", \.kind, is: "Source0")
    }
}
