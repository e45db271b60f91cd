// Article 2, 〈第二种(奇葩法)〉: 2.22.
//
// A thread is kept by calling run again and again. What to see: without an input the loop spins; with one, run never returns.

import Glibc
import SwiftRunLoop

// MARK: - The listing

private func asWritten() {
    while true {
        NSRunLoop.current.run()
        returns.add()
    }
}

private func cured() {
    NSRunLoop.current.add(NSMachPort(), forMode: .default)
    while stops.value == 0 { NSRunLoop.current.run(mode: .default, before: .distantFuture) }
    lab.note("the thread's method ends")
}

private let returns = Counter(), stops = Counter()

// MARK: - Telling and judging

struct OddKeeping: Program {
    let about = About(article: "2.22", seconds: 0.5, isPair: true, limits: [.asWritten: 0.5])

    func run() {
        let start = now(CLOCK_PROCESS_CPUTIME_ID)
        let thread = NSThread { form == .asWritten ? asWritten() : cured() }
        thread.start()
        switch form {
        case .asWritten: while true { sleep(1) } // the harness ends it
        case .cured:
            try? Thread.perform(on: thread, waitUntilDone: true) { lab.note("a task of the thread") }
            usleep(useconds_t(lab.wait(0.3) * 1e6))
            lab.observe("processor time", value: now(CLOCK_PROCESS_CPUTIME_ID) - start)
            try? Thread.perform(on: thread, waitUntilDone: false) { _ = stops.add() }
            lab.waitUntil { thread.isFinished }
        }
    }

    func judge() {
        if form == .cured {
            lab.expect(Text("the thread works, sleeps, and ends when it is told to", "线程干活、休眠，让它结束就结束"),
                       order: ["a task of the thread", "the thread's method ends"])
            lab.expect(Text("it takes no processor time while it waits", "等待时不占用处理器"),
                       of: "processor time", isIn: 0...0.1) { $0.values.first }
            return
        }
        lab.observe("returns of run", value: Double(returns.value))
        lab.article.expectCount(Text("run keeps the thread without spinning", "run 让线程常驻，不空转"), of: "returns of run", isIn: 0...10,
                        unit: Text("returns", "次")) { Int($0.values.first ?? -1) }
        lab.expectCount(Text("run returned thousands of times", "run 返回了成千上万次"), of: "returns of run", isIn: 1000...1_000_000_000,
                        unit: Text("returns", "次")) { Int($0.values.first ?? -1) }
    }
}
