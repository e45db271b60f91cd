// Article 0, 〈注意添加的Mode〉, 〈又到了愉快的猜谜时间〉: 0.8, 0.9.
//
// The port is in the tracking mode, and the loop is run in the default mode. What to see: the thread ends at once.

import SwiftRunLoop

// MARK: - The listing

private final class MyThread: NSThread, @unchecked Sendable {
    deinit { NSLog("\(name ?? "")线程被释放了") }
}

private final class ViewController: UIViewController, @unchecked Sendable {
    override func viewDidLoad() {
        super.viewDidLoad()

        NSLog("\(NSThread.current)----开辟子线程")

        let subThread = MyThread(target: self, action: ViewController.subThreadTodo)
        subThread.name = "subThread"
        subThread.start()
    }

    func subThreadTodo() {
        NSLog("\(NSThread.current)----开始执行子线程任务")
        let runLoop = NSRunLoop.current
        // in the tracking mode, while run uses the default one
        let port = NSMachPort()
        runLoop.add(port, forMode: .tracking)

        runLoop.run()
        let (tracking, usual) = (runLoop.contains(port, forMode: .tracking), runLoop.contains(port, forMode: .default))
        lab.observe("the port", tracking && !usual ? "in the tracking mode alone" : "elsewhere")
        NSLog("\(NSThread.current)----执行子线程任务结束")
    }
}

// MARK: - Telling and judging

struct WrongMode: Program {
    let about = About(article: "0.8", seconds: 0.1)

    func run() {
        ViewController().viewDidLoad()
        lab.waitForLine("线程被释放了")
    }

    func judge() {
        lab.article.expect(Text("the article's four lines", "文章里的四行"), lines: [
            "<NSThread: 0x…>{number = 1, name = main}----开辟子线程",
            "<MyThread: 0x…>{number = 2, name = subThread}----开始执行子线程任务",
            "<MyThread: 0x…>{number = 2, name = subThread}----执行子线程任务结束",
            "subThread线程被释放了",
        ])
        lab.expectFound(Text("the loop has a second mode, and the port is in it", "RunLoop 有了第二个 mode，端口在里面"), of: "the port", ["in the tracking mode alone"])
    }
}
