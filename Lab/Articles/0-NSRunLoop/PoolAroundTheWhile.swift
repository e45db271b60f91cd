// Article 0, 〈<2>需要用while循环控制的RunLoop〉: 0.32.
//
// A pool around the while of a thread's loop; cured: a pool in each turn. What to see: when ten objects go.

import SwiftRunLoop
import Synchronization

// MARK: - The listing

private let isNeedStopRunLoop = Mutex(false)

private func subThreadTodo() {
    autoreleasepool {
        let runLoop = NSRunLoop.current
        runLoop.add(NSMachPort(), forMode: .default)
        while !isNeedStopRunLoop.withLock({ $0 }) {
            switch form {
            case .asWritten: runLoop.run(mode: .default, before: .distantFuture)
            case .cured: autoreleasepool { _ = runLoop.run(mode: .default, before: .distantFuture) }
            }
        }
    }
}

// MARK: - Telling and judging

struct PoolAroundTheWhile: Program {
    let about = About(article: "0.32", seconds: 0.1, isPair: true)

    func run() {
        let thread = NSThread { subThreadTodo() }
        thread.start()
        tenEvents(on: thread)
        lab.note("isNeedStopRunLoop")
        isNeedStopRunLoop.withLock { $0 = true }
        try? Thread.perform(on: thread, waitUntilDone: false) {}
        lab.waitUntil { thread.isFinished && lab.times("an object is released") == 10 }
    }

    func judge() {
        expectReleases(before: "isNeedStopRunLoop")
    }
}

extension Program {
    /// Ten events of a thread, with an object each. As written, none of them goes while the loop runs.
    func tenEvents(on thread: NSThread) {
        for number in 1...10 {
            try? Thread.perform(on: thread, waitUntilDone: true) {
                NSLog("事件\(number)")
                AutoreleasePool.autorelease(Temporary { lab.note("an object is released") })
            }
        }
        lab.waitUntil { form == .asWritten || lab.times("an object is released") == 10 }
    }

    /// Expects how many of the ten objects go before the end.
    func expectReleases(before end: String) {
        func expect(_ claimant: some Claimant, _ claim: Text, _ times: Int) { claimant.expect(claim, "an object is released", times: times, to: end) }
        if form == .asWritten {
            expect(lab.article, Text("the objects of ten events are released in the passes of the loop", "十个事件的对象在 RunLoop 的迭代中释放"), 10)
            expect(lab, Text("none of them is released while the loop runs", "RunLoop 运行期间一个也没有释放"), 0)
        } else {
            expect(lab, Text("the objects of ten events are released while the loop runs", "十个事件的对象在 RunLoop 运行期间释放"), 10)
        }
    }
}
