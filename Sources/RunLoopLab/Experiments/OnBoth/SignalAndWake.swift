// signal-and-wake: a source 0 has to be signalled, and its loop woken.

import Glibc
#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct SignalAndWake: Experiment {
    let about = About(
        name: "signal-and-wake", claims: ["I1"], group: .sources, seconds: 0.7,
        shows: "a source 0 must be signalled by hand, and its loop woken by hand",
        setting: """
            The main loop sleeps with a source 0 in it. Another thread wakes it without a signal, then signals the source and \
            does not wake the loop, and wakes it a good while later.
            """,
        notice: """
            Woken without a signal, the loop makes a pass and goes to sleep again. After the signal it sleeps on; the source \
            is performed in the pass after the wake-up, in step 4. Since a source was handled, that pass does not sleep, and \
            leaves out steps 6 and 8.
            """
    )

    func run(_ lab: Lab) {
        let mode = RunLoop.Mode("work") // in a common mode the main loop looks at the main queue as well
        let source = Source {
            lab.callout(.source0, "performed")
            RunLoop.main.stop()
        }
        source.add(to: .main, forMode: mode)
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

        lab.expect("a wake-up without a signal performs nothing, a signal without a wake-up wakes nobody; both together do",
                   order: ["wakes", "AfterWaiting", "signals", "wakes again", "AfterWaiting", "performed"])
        lab.expect("it is performed in step 4", each: "performed", \.step, is: "4")
    }
}
