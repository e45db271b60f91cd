// Article 0, 〈④RunLoop能正常运行的条件是什么?〉: 0.2; what the article concludes: 0.13.
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
    let about = About(article: "0.2", seconds: 0.2)

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
