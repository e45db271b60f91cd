// after-delay: a delayed perform is a timer of the current loop, and nothing without that loop running.

import SwiftRunLoop

struct AfterDelay: Experiment {
    let about = About(
        name: "after-delay", claims: ["T5"], group: .timers, seconds: 0.4,
        shows: "a delayed perform is a timer of the current loop: without a run nothing comes of it",
        setting: """
            A thread asks for two calls after a twentieth of a second, one without modes and one in the mode "special". It \
            waits for much longer without running its loop, then runs it in the default mode, and in "special".
            """,
        notice: """
            While the loop does not run, nothing is called, however late it is. Each is called in its own mode, as a timer: \
            step 9.1. In the stack stands __NSFireDelayedPerform, as on a Mac.
            """,
        correction: """
            Article 3 says that the call does nothing if the thread has no loop. Asking for it makes the loop; what is missing \
            is a run of it. (Correction 13 of ANNOTATIONS.md.)
            """
    )

    func run(_ lab: Lab) {
        lab.onThread("loop") {
            let loop = RunLoop.current, special = RunLoop.Mode("special")
            lab.note("asks for two calls")
            loop.perform(afterDelay: lab.wait(0.05)) { lab.callout(.timer, "called, without modes") }
            loop.perform(afterDelay: lab.wait(0.05), inModes: [special]) { lab.callout(.timer, "called, in special") }
            Thread.sleep(forTimeInterval: lab.wait(0.3))
            lab.note("has waited without a run")
            loop.run(mode: .default, before: Date())
            lab.note("has run in the default mode")
            loop.run(mode: special, before: Date())
        }

        lab.expect("each is called when its mode is run, and not before", order: [
            "asks for two calls", "has waited without a run", "called, without modes", "has run in the default mode",
            "called, in special",
        ])
        lab.expect("as a timer", each: "called, in special", \.step, is: "9.1")
    }
}
