// Article 0, 〈2.- (void)runUntilDate〉: 0.11.
//
// A loop that looks at a flag each time runUntilDate: returns. What to see: how long the thread takes to notice the flag.

import CRunLoop
import SwiftRunLoop
import Synchronization

// MARK: - The listing

private let stop = Mutex(false), loop = OtherLoop()

private func subThreadTodo() {
    NSRunLoop.current.add(NSMachPort(), forMode: .default)
    loop.set()
    while !stop.withLock({ $0 }) {
        lab.note("run")
        switch form {
        case .asWritten: NSRunLoop.current.run(until: Date(timeIntervalSinceNow: shortened(10)))
        case .cured: NSRunLoop.current.run(mode: .default, before: .distantFuture)
        }
    }
    lab.note("the thread ends")
}

// MARK: - Telling and judging

struct RunUntilDateInAWhile: Program {
    let about = About(
        name: "0.11", title: Text("while (!Stop) around runUntilDate:, and around runMode:beforeDate:", "用 while (!Stop) 包住 runUntilDate:，或者包住 runMode:beforeDate:"),
        says: Text("The run ends at its date, so that you can look at a condition and run again. CFRunLoopStop does not end it.", "运行一段时间会退出，给你检查运行条件的机会，需要的话可以再次运行。CFRunLoopStop 仍然无法停止它。"),
        notice: Text("""
            What the article does not say: the flag is noticed when the date comes, up to a whole period late (ten seconds in the article), and the thread wakes in \
            each period for nothing. Cured, the thread runs runMode:beforeDate: with a distant date, and the flag is set by a call that is performed on the \
            thread: the call ends the run, so the flag is seen at once.
            """, "文章没有说的是：要等到时间到了才会看到标志，最多晚整整一个周期（文章里是 10 秒），而且每个周期都白白醒来一次。改正：用 runMode:beforeDate: 和 distantFuture，把设置标志的操作 perform 到该线程；perform 会让 run 返回，标志立即被看到。"),
        verdict: .asTheArticleSays, seconds: 10, isPair: true)

    func run() {
        let period = shortened(10), thread = NSThread { subThreadTodo() }
        thread.start()
        lab.waitUntil { loop.isAsleep }
        let start = now()
        switch form {
        case .asWritten:
            lab.note("Stop")
            stop.withLock { $0 = true }
            lab.note("CFRunLoopStop")
            CFRunLoopStop(loop.value!.getCFRunLoop())
        case .cured:
            try? Thread.perform(on: thread, waitUntilDone: false) {
                lab.note("Stop")
                stop.withLock { $0 = true }
            }
        }
        lab.waitUntil { thread.isFinished }
        lab.observe("from the flag to the end", value: (now() - start) / period)
    }

    func judge() {
        let unit = Text("periods", "个周期"), name = "from the flag to the end"
        switch form {
        case .asWritten:
            lab.article.expect(Text("the thread ends by its flag, and is not run again", "线程根据标志结束，没有再次运行"), order: ["run", "Stop", "the thread ends"])
            lab.article.expect(Text("CFRunLoopStop does not hasten it", "CFRunLoopStop 不能让它提前结束"), order: ["CFRunLoopStop", "the thread ends"])
            lab.expect(Text("the flag is noticed when the date comes", "时间到了才看到标志"), of: name, isIn: 0.5...30, unit: unit, places: 2) { $0.values.first }
        case .cured:
            lab.expect(Text("the thread ends by its flag", "线程根据标志结束"), order: ["run", "Stop", "the thread ends"])
            lab.expect(Text("at once", "立即结束"), of: name, isIn: 0...0.9, unit: unit, places: 2) { $0.values.first }
        }
    }
}
