// Article 0, 〈2.保持线程的存活后〉: 0.14.
//
// The six performSelector methods. What to see: who waits, the order of the queue, and a thread whose loop is not run.

import SwiftRunLoop

// MARK: - The listing

private final class Worker: Performing, Sendable {
    func work(_ name: String) {
        NSLog("当前线程:\(NSThread.isMainThread ? "main" : "subThread")执行 \(name)")
        lab.callout(name.hasPrefix("after") ? .timer : .source0, name)
    }
}

// MARK: - Telling and judging

struct SixPerforms: Program {
    let about = About(article: "0.14", seconds: 0.3)

    func run() {
        let done = Counter(), worker = Worker()
        let caller = NSThread {
            try? worker.performOnMainThread(Worker.work, with: "main, waiting", waitUntilDone: true)
            lab.note("the caller goes on")
            for number in 1...3 { try? worker.performOnMainThread(Worker.work, with: "main \(number)", waitUntilDone: false) }
            try? worker.performOnMainThread(Worker.work, with: "main, in a mode", waitUntilDone: true, modes: [.default])

            let thread = NSThread {
                NSRunLoop.current.add(NSMachPort(), forMode: .default)
                while !NSThread.current.isCancelled { NSRunLoop.current.run(mode: .default, before: .distantFuture) }
            }
            thread.start()
            for number in 1...3 { try? worker.perform(Worker.work, with: "thread \(number)", on: thread, waitUntilDone: false) }
            try? worker.perform(Worker.work, with: "thread, waiting, in a mode", on: thread, waitUntilDone: true, modes: [.default])
            try? Thread.perform(on: thread, waitUntilDone: true) {
                for number in 1...2 { worker.perform(Worker.work, with: "after \(number)", afterDelay: 0) }
                worker.perform(Worker.work, with: "after, in a mode", afterDelay: 0, inModes: [.default])
            }
            lab.waitUntil { lab.times("after, in a mode") == 1 }
            thread.cancel()
            try? Thread.perform(on: thread, waitUntilDone: false) {}

            let idle = NSThread { lab.waitUntil { lab.times("the idle thread may end") == 1 } } // its loop is never run
            idle.start()
            try? worker.perform(Worker.work, with: "idle", on: idle, waitUntilDone: false)
            after(lab.wait(0.2)) { lab.note("the idle thread may end") }
            do {
                try worker.perform(Worker.work, with: "idle", on: idle, waitUntilDone: true)
            } catch {
                lab.note("the caller gets an error", "\(error)")
            }
            done.add()
        }
        caller.start()
        lab.run { done.value == 1 }
    }

    func judge() {
        lab.article.expect(Text("waitUntilDone blocks the caller", "waitUntilDone 阻断调用方"), order: ["main, waiting", "the caller goes on"])
        lab.article.expect(Text("the main thread performs them in order", "主线程按顺序执行"), order: ["main 1", "main 2", "main 3", "main, in a mode"], on: "main")
        lab.article.expect(Text("so does another thread", "子线程也按顺序执行"), order: ["thread 1", "thread 2", "thread 3", "thread, waiting, in a mode", "after 1", "after 2", "after, in a mode"])
        lab.article.expect(Text("a thread that does not run its loop performs nothing", "没有运行 RunLoop 的线程什么也不执行"), order: ["the idle thread may end", "the caller gets an error"], among: ["idle"])
        lab.expect(Text("calls without a delay come from Source0s", "没有延迟的由 Source0 调用"), each: "thread 2", \.kind, is: "Source0")
        lab.expect(Text("calls after a delay come from timers", "带延迟的由 Timer 调用"), each: "after 1", \.kind, is: "timer")
    }
}
