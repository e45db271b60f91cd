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
    let about = About(article: "0.11", seconds: 10, isPair: true)

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
