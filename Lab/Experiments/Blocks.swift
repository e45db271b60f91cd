// blocks: a loop performs blocks at fixed points of a pass.

import Glibc
import SwiftRunLoop

struct Blocks: Program {
    let about = About(
        name: "blocks", claims: ["X7"], group: .run,
        title: Text("blocks are performed at three fixed points of a pass, and do not wake the loop",
                    "block 在每一轮的三个固定位置执行，而且不会唤醒 RunLoop"),
        setting: Text("""
            Blocks are queued on the main loop before its run, by the callback of a Source0 and by a timer's callback. \
            Another thread queues one while the loop sleeps, without waking it, and that block queues yet another.
            """, """
            运行之前、Source0 的回调里、Timer 的回调里，都向主线程的 RunLoop 加入 block。另一个线程在 \
            RunLoop 休眠时加入一个，但不唤醒它；这个 block 又加入一个。
            """),
        notice: Text("""
            The loop performs blocks after BeforeSources (step 3), after the Source0 callbacks if there was one (step \
            4), and at the end of step 9. A block queued during the sleep waits until the loop is woken. A block \
            queued by a block waits for the next of the three points.
            """, """
            RunLoop 在 BeforeSources 之后（步骤 3）、处理过 Source0 时在其回调之后（步骤 4）、以及步骤 9 的\
            最后执行 block。休眠期间加入的 block 要等 RunLoop 被唤醒。block 里加入的 block，要等到下一个位置。
            """),
        seconds: 0.3
    )

    func run() {
        let loop = RunLoop.main
        lab.watch(loop, .default)
        let source = RunLoop.Source {
            lab.callout(.source0, "source")
            RunLoop.main.perform { lab.callout(.block, "from the source") }
        }
        loop.add(source, forMode: .default)
        source.signal()
        loop.perform { lab.callout(.block, "from before the run") }

        let thread = lab.startThread("sleepless") {
            lab.whenAsleep(.main)
            RunLoop.main.perform {
                lab.callout(.block, "from another thread")
                RunLoop.main.perform { lab.callout(.block, "from a block") }
            }
            Thread.sleep(forTimeInterval: lab.wait(0.1))
            lab.note("wakes the loop", RunLoop.main.isWaiting ? "it is still asleep" : "it is awake")
            RunLoop.main.wakeUp()
            lab.whenAsleep(.main, times: 2)
            RunLoop.main.add(Timer(fire: Date(timeIntervalSinceNow: 0.01), interval: 0, repeats: false) { _ in
                lab.callout(.timer, "timer")
                RunLoop.main.perform { lab.callout(.block, "from the timer") }
                RunLoop.main.stop()
            }, forMode: .default)
        }
        RunLoop.main.runUntilStopped(in: .default) // goes on after a source was handled, as run(mode:before:) does not
        while !thread.isFinished { usleep(1000) }
    }

    func judge() {
        lab.expect(Text("each block is performed at the next of these points", "每个 block 都在下一个位置执行"), order: [
            "BeforeSources", "from before the run", "source", "from the source", "BeforeSources", "wakes the loop",
            "AfterWaiting", "from another thread",
            "BeforeSources", "from a block",
        ], to: "from a block")
        let steps: KeyValuePairs = ["from before the run": "3", "from the source": "4", "from another thread": "9",
                                    "from a block": "3", "from the timer": "9"]
        for (name, step) in steps { lab.expect(Text("\(name): step \(step)", "\(shown(name))：步骤 \(step)"), each: name, \.step, is: step) }
    }
}
