// main-queue: work on the main queue wakes the main loop, which does it; other queues involve no loop.

import Dispatch
import Glibc
import SwiftRunLoop

struct MainQueue: Program {
    let about = About(
        name: "main-queue", claims: ["X6"], group: .run,
        title: Text("work on the main queue wakes the main loop, which does it; other queues involve no loop",
                    "主队列上的任务唤醒主线程的 RunLoop，由它执行；其他队列与 RunLoop 无关"),
        setting: Text("""
            The main loop sleeps. Another thread puts work on a queue of its own. When that work is done, and the loop \
            has slept for a while, the thread puts work on the main queue. Then the loop runs in a mode that is not \
            common, after more work was put on the main queue.
            """, """
            主线程的 RunLoop 休眠着。另一个线程先向自己的队列派发任务；任务完成、RunLoop 又休眠了一会儿之后，\
            再向主队列派发任务。然后主队列上又有了任务，RunLoop 在一个不是 common mode 的 mode 里运行。
            """),
        notice: Text("""
            A dispatch thread does the work on the other queue, and the main loop sleeps on. Work on the main queue \
            wakes the main loop, and is done in step 9.2. In a mode that is not common, the loop does not serve the \
            main queue.
            """, """
            其他队列上的任务由 GCD 的线程执行，主线程的 RunLoop 继续休眠。主队列上的任务唤醒主线程的 RunLoop，\
            在第 9.2 步执行。在不是 common mode 的 mode 里，RunLoop 不处理主队列。
            """),
        correction: Text("""
            After work on the main queue, run(mode:before:) returns: the work counts as a handled source. (Correction \
            5 of corrections.md.)
            """, """
            执行过主队列上的任务之后，run(mode:before:) 返回：这算处理了一个 Source。（corrections.zh.md，更\
            正 5。）
            """),
        seconds: 0.3
    )

    func run() {
        let uncommon = RunLoop.Mode("not common")
        lab.watch(.main, .default, [.beforeWaiting, .afterWaiting])
        let thread = lab.startThread("caller") {
            lab.whenAsleep(.main)
            let isDone = DispatchSemaphore(value: 0)
            DispatchQueue(label: "other queue").async {
                lab.note("done on another queue")
                isDone.signal()
            }
            isDone.wait()
            Thread.sleep(forTimeInterval: lab.wait(0.1))
            lab.note("puts work on the main queue", RunLoop.main.isWaiting ? "the loop is still asleep" : "the loop is awake")
            DispatchQueue.main.async { lab.callout(.mainQueue, "done on the main queue") }
        }
        _ = RunLoop.main.run(mode: .default, before: .distantFuture)
        while !thread.isFinished { usleep(1000) }

        DispatchQueue.main.async { lab.callout(.mainQueue, "done later") }
        RunLoop.main.add(Timer(timeInterval: lab.wait(0.1), repeats: false) { _ in RunLoop.main.stop() }, forMode: uncommon)
        lab.note("run in a mode that is not common")
        _ = RunLoop.main.run(mode: uncommon, before: .distantFuture)
        lab.note("run in the default mode")
        _ = RunLoop.main.run(mode: .default, before: .distantFuture)
    }

    func judge() {
        lab.expect(Text("only work on the main queue wakes the main loop, which then does it",
                        "只有主队列上的任务唤醒主线程的 RunLoop，随后由它执行"), order: [
            "BeforeWaiting", "done on another queue", "puts work on the main queue", "AfterWaiting", "done on the main queue",
        ], to: "done on the main queue")
        lab.expect(Text("the loop does this work in step 9.2", "RunLoop 在第 9.2 步执行"), each: "done on the main queue", \.step, is: "9.2")
        lab.expect(Text("the loop serves the main queue only in common modes", "RunLoop 只在 common mode 里处理主队列"),
                   order: ["run in a mode that is not common", "run in the default mode", "done later"])
    }
}
