// after-delay: a delayed perform is a timer in the current loop; it is called only while that loop runs.

import SwiftRunLoop

struct AfterDelay: Experiment {
    let about = About(
        name: "after-delay", claims: ["T5"], group: .timers, seconds: 0.4,
        shows: "a delayed perform is a timer in the current loop: it is called only while that loop runs",
        setting: """
            A thread asks for two calls after a twentieth of a second, one without modes and one in the mode \
            "special". It waits for much longer without running its loop. Then it runs the loop in the default mode, \
            and after that in "special".
            """,
        notice: """
            While the loop does not run, nothing is called, however late it is. Then each call is made in its own \
            mode, and it is made as a timer: in step 9.1. The stack shows __NSFireDelayedPerform, as on a Mac.
            """,
        correction: """
            Article 3 says that the call does nothing if the thread has no loop. The request itself creates the loop. \
            What is missing is a run of that loop. (Correction 13 of ANNOTATIONS.md.)
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

        lab.expect("each is called when the loop runs in its mode, and not before", order: [
            "asks for two calls", "has waited without a run", "called, without modes", "has run in the default mode",
            "called, in special",
        ])
        lab.expect("the loop calls it as a timer, in step 9.1", each: "called, in special", \.step, is: "9.1")
    }
}
