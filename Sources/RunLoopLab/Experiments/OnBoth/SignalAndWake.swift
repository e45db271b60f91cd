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
        shows: "you must signal a Source0 explicitly, and wake its loop explicitly",
        setting: """
            The main loop sleeps with a Source0 in it. Another thread wakes it without signalling the source. Then it \
            signals the source without waking the loop, and wakes the loop a while later.
            """,
        notice: """
            Woken without a signal, the loop makes a pass and goes to sleep again. After the signal it sleeps on. It \
            performs the source in the pass after the wake-up, in step 4. Because it has handled a source, that pass \
            does not sleep, and leaves out steps 6 and 8.
            """
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

        lab.expect("a wake-up without a signal performs nothing, and a signal without a wake-up does not wake the loop",
                   order: ["wakes", "AfterWaiting", "signals", "wakes again", "AfterWaiting", "performed"])
        lab.expect("the loop performs the source in step 4", each: "performed", \.step, is: "4")
    }
}
