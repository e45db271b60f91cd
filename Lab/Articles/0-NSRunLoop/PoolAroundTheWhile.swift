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
    let about = About(
        name: "0.32", claims: ["A10"], title: Text("A pool around while { runMode:beforeDate: }, and a pool in each turn", "autoreleasepool 包住整个 while；放进每次循环里"),
        says: Text("The loop needs no pool within the while: each loop manages pools by itself, so the objects of its events are released in its passes.",
                   "while 里面不需要添加 autoreleasepool：每个 RunLoop 内部都会自动管理 autoreleasepool，事件源等 autorelease 对象会在 RunLoop 的迭代中自动释放。"),
        notice: Text("The objects of all events pile up in the pool around the while, until the thread ends. Only the main loop has pools, by the application's observers. (Apple's newest sources have a switch for a pool around each callout; CF-855 and CF-1153 have not.)",
                     "所有事件的对象都堆在 while 外面的池里，直到线程结束。只有主线程的 RunLoop 有池，是应用注册的 Observer 做的。（Apple 最新的源码里有一个开关，可以给每次回调加池；CF-855 和 CF-1153 没有。）"),
        verdict: .otherwise, seconds: 0.1, isPair: true)

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
