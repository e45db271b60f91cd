// unadded-timer: a timer does nothing until it is added to a loop.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct UnaddedTimer: Experiment {
    let about = About(
        name: "unadded-timer", claims: ["T1"], group: .timers, seconds: 0.4,
        shows: "a timer does nothing until it is added; the scheduled forms add it themselves",
        setting: """
            A thread creates a timer without adding it, creates another with scheduledTimer, and runs its loop until \
            the second has fired twice. Then it adds the first timer, which has been due for a while.
            """,
        notice: """
            A timer that is in no loop does not fire, however long it has been due. scheduledTimer adds its timer to \
            the default mode of the calling thread's loop.
            """,
        correction: """
            Article 3 says that the scheduled forms add the timer to the main thread's loop. They add it to the \
            current thread's loop. (Correction 16 of ANNOTATIONS.md.)
            """,
        differences: [.init(row: "an interval after it was created",
                            reason: "D25: Foundation's Timer(timeInterval:repeats:block:) on Linux fires at once.")]
    )

    func run(_ lab: Lab) {
        lab.onThread("loop") {
            let loop = RunLoop.current, interval = lab.wait(0.1)
            let unadded = Timer(timeInterval: interval / 10, repeats: false) { _ in lab.callout(.timer, "first timer") }
            lab.note("made the first timer")
            _ = Timer.scheduledTimer(withTimeInterval: interval, repeats: true) { timer in
                if lab.callout(.timer, "scheduled timer") == 2 { timer.invalidate() }
            }
            loop.run() // until the scheduled timer is invalidated
            lab.note("added the first timer")
            loop.add(unadded, forMode: .default)
            loop.run()

            let start = Date()
            loop.add(Timer(timeInterval: interval, repeats: false) { _ in
                lab.callout(.timer, "third timer", value: Date().timeIntervalSince(start))
            }, forMode: .default)
            loop.run()
        }

        lab.expect("the first timer fires only after it was added", order: [
            "made the first timer", "scheduled timer", "scheduled timer", "added the first timer", "first timer",
        ])
        lab.expect("the scheduled timer is in the default mode", each: "scheduled timer", \.mode, is: "default")
        lab.expect("it is in the loop of the thread that scheduled it", each: "scheduled timer", \.thread, is: "loop")
        lab.expect("a third timer, added at once, fires an interval after it was created, or later", of: "third timer",
                   isIn: lab.wait(0.099)...60) { $0.values.first }
    }
}
