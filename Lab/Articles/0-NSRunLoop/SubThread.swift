// Article 0, 〈④RunLoop能正常运行的条件是什么?〉: 0.2.
//
// A thread runs its loop, with a port in it and without. What to see: without the port, the thread's method ends and the thread is released.

import Glibc
import SwiftRunLoop

// MARK: - The listing

private final class MyThread: NSThread, @unchecked Sendable {
    deinit { NSLog("\(name ?? "")线程被释放了") }
}

private final class ViewController: UIViewController, @unchecked Sendable {
    weak var subThread: MyThread?
    var addsPort = false // the line to be commented out

    override func viewDidLoad() {
        super.viewDidLoad()

        NSLog("\(NSThread.current)----开辟子线程")

        let subThread = MyThread(target: self, action: ViewController.subThreadTodo)
        subThread.name = "subThread"
        self.subThread = subThread
        subThread.start()
    }

    func subThreadTodo() {
        NSLog("\(NSThread.current)----开始执行子线程任务")
        let runLoop = NSRunLoop.current
        // the line that the exercise takes out
        if addsPort { runLoop.add(NSMachPort(), forMode: .common) }
        runLoop.run()
        NSLog("\(NSThread.current)----执行子线程任务结束")
    }
}

// MARK: - Telling and judging

struct SubThread: Program {
    let about = About(
        name: "0.2", claims: ["L1"], title: Text("A thread runs its loop without a port, and with one", "子线程运行 RunLoop：先不加端口，再加上端口"),
        says: Text("Without the line that adds the port, the thread ends its task and is released, although its loop was run. With the line, it stays.",
                   "注释掉添加端口的那一行，线程虽然 run 了 RunLoop，还是结束了任务并被销毁；不注释，线程就会留下来。"),
        notice: Text("""
            A mode without a source or a timer ends a run at once, because nothing could ever wake it. Nobody writes to the port: it is enough that \
            it is there. (In the common modes of a secondary thread there is one mode, the default one.)
            """, "mode 里没有 Source 也没有 Timer 时，run 会立即返回，因为没有任何东西能唤醒它。没有人向这个端口写数据，它在那里就够了。（子线程的 common modes 里只有默认 mode。）"),
        verdict: .asTheArticleSays, seconds: 0.2)

    func run() {
        let without = ViewController()
        without.viewDidLoad()
        lab.waitForLine("线程被释放了")

        let with = ViewController()
        with.addsPort = true
        with.viewDidLoad()
        lab.waitForLine("开始执行子线程任务", times: 2)
        // A call is made if the loop still runs; if the thread ends, it throws.
        let isServed = with.subThread.map { (try? Thread.perform(on: $0, waitUntilDone: true) {}) != nil } ?? false
        lab.observe("the second thread", isServed ? "stays" : "has ended")
    }

    func judge() {
        let begins = ["<NSThread: 0x…>{number = 1, name = main}----开辟子线程", "<MyThread: 0x…>{number = 2, name = subThread}----开始执行子线程任务"]
        lab.article.expect(Text("without the port the thread ends and is released; with the port it stays", "没有端口，线程结束并被释放；有端口，线程留下来"),
                   lines: begins + ["<MyThread: 0x…>{number = 2, name = subThread}----执行子线程任务结束", "subThread线程被释放了",
                                    begins[0], "<MyThread: 0x…>{number = 3, name = subThread}----开始执行子线程任务"])
        lab.expectFound(Text("the second thread is still there", "第二个线程还在"), of: "the second thread", ["stays"])
    }
}
