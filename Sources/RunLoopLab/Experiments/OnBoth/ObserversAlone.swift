// observers-alone: observers do not keep a loop running.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct ObserversAlone: Experiment {
    let about = About(
        name: "observers-alone", claims: ["L2"], group: .leaving, seconds: 0.1,
        shows: "observers alone do not keep a loop running",
        setting: """
            The loop of a thread has an observer of all activities and nothing else, and runs. Then the thread adds a \
            Source0 that is already signalled, and runs the loop again.
            """,
        notice: """
            In the first run the observer is not called at all: the mode counts as empty, and the run returns before \
            step 1. With a source in the mode, the same observer is notified of the run from Entry to Exit.
            """,
        correction: """
            Articles 1, 2 and 3 say that an observer keeps a mode from being empty, and article 1 keeps its resident \
            thread alive with one. An observer does not do that: article 0 is right. (Correction 6 of ANNOTATIONS.md.)
            """
    )

    func run(_ lab: Lab) {
        lab.onThread("loop") {
            let loop = RunLoop.current
            lab.watch(loop, .default)
            lab.note("run with an observer alone")
            lab.note(loop.run(mode: .default, before: Date(timeIntervalSinceNow: 10)) ? "it ran" : "it did not run")

            let source = RunLoop.Source { lab.callout(.source0, "source") }
            loop.add(source, forMode: .default)
            source.signal()
            lab.note("run with a source")
            lab.note(loop.run(mode: .default, before: Date(timeIntervalSinceNow: 10)) ? "it ran" : "it did not run")
        }

        lab.expect("the observer is notified of the second run only", order: [
            "run with an observer alone", "it did not run", "run with a source", "Entry", "source", "Exit", "it ran",
        ])
    }
}
