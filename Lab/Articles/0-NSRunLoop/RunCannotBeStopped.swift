// Article 0, 〈1.- (void)run〉: 0.10.
//
// run, a message to its port, and three calls of CFRunLoopStop. What to see: each ends a run, and run begins the next; it returns when the
// mode is empty.

import CRunLoop
import SwiftRunLoop

// MARK: - The listing

private func subThreadTodo() {
    NSLog("\(NSThread.current)----开始执行子线程任务")
    let runLoop = NSRunLoop.current
    runLoop.add(port, forMode: .default)
    runLoop.run()
    NSLog("\(NSThread.current)----执行子线程任务结束")
}

// MARK: - Telling and judging

struct RunCannotBeStopped: Program {
    let about = About(article: "0.10", seconds: 0.3)

    func run() {
        let loop = OtherLoop()
        let thread = NSThread {
            lab.watch(.current, .default, [.entry, .exit])
            loop.set()
            subThreadTodo()
        }
        thread.start()
        lab.waitUntil { lab.times("Entry") == 1 && loop.isAsleep }
        lab.note("a message to the port")
        _ = port.send(before: .distantFuture, components: nil, from: nil, reserved: 0)
        for stops in 1...3 {
            lab.waitUntil { lab.times("Entry") == stops + 1 && loop.isAsleep }
            lab.note("CFRunLoopStop")
            CFRunLoopStop(loop.value!.getCFRunLoop())
        }
        lab.waitUntil { lab.times("Entry") == 5 && loop.isAsleep }
        lab.observe("after three stops", thread.isFinished ? "the thread has ended" : "the thread is there")
        lab.note("the port goes")
        loop.value?.remove(port, forMode: .default)
        loop.value?.wakeUp()
        lab.observe("without the port", lab.waitUntil(limit: 5) { thread.isFinished } ? "the thread has ended" : "the thread is there")
    }

    func judge() {
        lab.article.expectFound(Text("CFRunLoopStop does not end run", "CFRunLoopStop 停不下 run"), of: "after three stops", ["the thread is there"])
        lab.article.expectFound(Text("run goes on for ever", "run 永久运行"), of: "without the port", ["the thread is there"])
        let stop = ["CFRunLoopStop", "Exit", "Entry"]
        lab.expect(Text("the message and each stop end a run, and the next one begins", "这条消息和每次 stop 各结束一次 run，接着又开始一次"),
                   order: ["Entry", "a message to the port", "Exit", "Entry"] + stop + stop + stop + ["the port goes", "Exit"])
        lab.expectFound(Text("run returns when nothing is left in the mode", "mode 里什么都没有了，run 就返回"), of: "without the port", ["the thread has ended"])
    }
}

private let port = NSMachPort()
