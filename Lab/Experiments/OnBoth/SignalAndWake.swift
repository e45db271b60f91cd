// signal-and-wake: you have to signal a Source0, and wake its loop.

import Glibc
#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct SignalAndWake: Experiment {
    let about = About(
        name: "signal-and-wake", claims: ["I1"], group: .sources, seconds: 0.7,
        shows: Text("you must signal a Source0 explicitly, and wake its loop explicitly",
                    "Source0 要手动标记为待处理，还要手动唤醒 RunLoop"),
        setting: Text("""
            The main loop sleeps with a Source0 in it. Another thread wakes it without signalling the source. Then it \
            signals the source without waking the loop, and wakes the loop a while later.
            """, """
            主线程的 RunLoop 休眠着，里面有一个 Source0。另一个线程先只唤醒它，不标记 Source；再只标记 \
            Source，不唤醒 RunLoop；过了一会儿才唤醒。
            """),
        notice: Text("""
            Woken without a signal, the loop makes a pass and goes to sleep again. After the signal it sleeps on. It \
            performs the source in the pass after the wake-up, in step 4. Because it has handled a source, that pass \
            does not sleep, and leaves out steps 6 and 8.
            """, """
            没有标记就唤醒，RunLoop 走一轮，又休眠。只标记不唤醒，它继续休眠。唤醒之后的那一轮，在步骤 4 执\
            行 Source。因为处理了 Source，这一轮不休眠，跳过步骤 6 和 8。
            """)
    )

    func run(_ lab: Lab) {
        let mode = RunLoop.Mode("work") // in a common mode the main loop looks at the main queue as well
        let source = RunLoop.Source {
            lab.callout(.source0, "performed")
            RunLoop.main.stop()
        }
        RunLoop.main.add(source, forMode: mode)
        lab.watch(.main, mode)

        let thread = lab.startThread("signaller") {
            lab.whenAsleep(.main)
            lab.note("wakes")
            RunLoop.main.wakeUp()
            lab.whenAsleep(.main, times: 2)
            source.signal()
            lab.note("signals")
            Thread.sleep(forTimeInterval: lab.wait(0.4))
            lab.note("wakes again", RunLoop.main.isWaiting ? "the loop is still asleep" : "the loop is awake")
            RunLoop.main.wakeUp()
        }
        _ = RunLoop.main.run(mode: mode, before: .distantFuture)
        while !thread.isFinished { usleep(1000) }

        lab.expect(Text("a wake-up without a signal performs nothing, and a signal without a wake-up does not wake the loop",
                        "只唤醒不标记，什么也不执行；只标记不唤醒，RunLoop 不会醒"),
                   order: ["wakes", "AfterWaiting", "signals", "wakes again", "AfterWaiting", "performed"])
        lab.expect(Text("the loop performs the source in step 4", "RunLoop 在步骤 4 执行 Source"), each: "performed", \.step, is: "4")
    }
}
