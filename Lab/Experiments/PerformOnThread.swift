// perform-on-thread: what you perform on a thread arrives as a Source0 in its loop.

import Glibc
import SwiftRunLoop
import Synchronization

struct PerformOnThread: Experiment {
    let about = About(
        name: "perform-on-thread", claims: ["I4"], group: .sources, seconds: 0.3,
        shows: Text("a call performed on another thread arrives there as a Source0; the caller can wait for it",
                    "在另一个线程上 perform 的调用，在那里作为 Source0 到来；调用方可以等它完成"),
        setting: Text("""
            A worker thread runs its loop. The main thread performs a call on it without waiting, and then one with \
            waiting. Then the worker performs a call on the main thread.
            """, """
            一个工作线程运行自己的 RunLoop。主线程先在它上面 perform 一次，不等待；再 perform 一次，等待完成。\
            然后工作线程在主线程上 perform 一次。
            """),
        notice: Text("""
            Without waiting, the caller goes on at once; with waiting, it goes on when the call has been performed. In \
            the stack, __NSThreadPerformPerform stands between the Source0 callout and the closure, as on a Mac.
            """, """
            不等待时，调用方马上继续；等待时，调用执行完才继续。和 Mac 上一样，调用栈里 Source0 的 callout \
            和闭包之间是 __NSThreadPerformPerform。
            """)
    )

    func run(_ lab: Lab) {
        let isDone = Mutex(false)
        let worker = lab.startThread("worker") {
            RunLoop.current.add(Port(), forMode: .default)
            while !isDone.withLock({ $0 }) { RunLoop.current.run(mode: .default, before: .distantFuture) }
        }
        let pause = lab.wait(0.1)

        lab.note("perform without waiting")
        try? Thread.perform(on: worker, waitUntilDone: false) {
            Thread.sleep(forTimeInterval: pause)
            lab.callout(.source0, "the first is performed")
        }
        lab.note("returned")
        lab.note("perform with waiting")
        try? Thread.perform(on: worker, waitUntilDone: true) { second(lab) }
        lab.note("returned again")

        try? Thread.perform(on: worker, waitUntilDone: false) {
            try? Thread.performOnMainThread(waitUntilDone: false) { lab.callout(.source0, "performed on the main thread") }
            isDone.withLock { $0 = true }
        }
        while lab.times("performed on the main thread") == 0 { RunLoop.main.run(mode: .default, before: .distantFuture) }
        while !worker.isFinished { usleep(1000) }

        lab.expect(Text("only with waitUntilDone does the caller wait for the call", "只有 waitUntilDone 时，调用方才等待"), order: [
            "perform without waiting", "returned", "perform with waiting", "the first is performed", "the second is performed",
            "returned again",
        ])
        lab.expect(Text("the call is performed on the worker thread", "调用在工作线程上执行"), each: "the second is performed", \.thread, is: "worker")
        if canReadStacks {
            let callers = "__NSThreadPerformPerform < __CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__"
            lab.expect(Text("its callers are the callout and __NSThreadPerformPerform",
                            "调用它的是 callout 函数和 __NSThreadPerformPerform"), each: "the second is performed", \.detail, is: callers)
        }
        lab.expect(Text("in the other direction, the call is performed on the main thread", "反过来，调用在主线程上执行"), each: "performed on the main thread", \.thread, is: "main")
    }

    /// Notes the frames that it was called from, out to the callout.
    @inline(never)
    private func second(_ lab: Lab) {
        let frames = stack(from: "second(_:)").filter { $0.hasPrefix("__") && !$0.contains("(") }.prefix(2)
        lab.callout(.source0, "the second is performed", frames.joined(separator: stackSeparator))
    }
}
