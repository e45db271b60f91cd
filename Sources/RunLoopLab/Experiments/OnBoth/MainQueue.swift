// main-queue: work on the main queue wakes the main loop, which does it; other queues involve no loop.

import Dispatch
import Glibc
#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct MainQueue: Experiment {
    let about = About(
        name: "main-queue", claims: ["X6"], group: .run, seconds: 0.3,
        shows: "work on the main queue wakes the main loop, which does it; other queues involve no loop",
        setting: """
            The main loop sleeps. Another thread puts work on a queue of its own. When that work is done, and the loop \
            has slept for a while, the thread puts work on the main queue. Then the loop runs in a mode that is not \
            common, after more work was put on the main queue.
            """,
        notice: """
            A dispatch thread does the work on the other queue, and the main loop sleeps on. Work on the main queue \
            wakes the main loop, and is done in step 9.2. In a mode that is not common, the loop does not serve the \
            main queue.
            """,
        correction: """
            After work on the main queue, run(mode:before:) returns: the work counts as a handled source. (Correction \
            5 of ANNOTATIONS.md.)
            """
    )

    func run(_ lab: Lab) {
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

        lab.expect("only work on the main queue wakes the main loop, which then does it", order: [
            "BeforeWaiting", "done on another queue", "puts work on the main queue", "AfterWaiting", "done on the main queue",
        ], to: "done on the main queue")
        lab.expect("the loop does this work in step 9.2", each: "done on the main queue", \.step, is: "9.2")
        lab.expect("the loop serves the main queue only in common modes",
                   order: ["run in a mode that is not common", "run in the default mode", "done later"])
    }
}
