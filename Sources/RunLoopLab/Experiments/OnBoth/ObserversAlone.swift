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
            A thread's loop has an observer of all activities and nothing else, and is run; then it gets a source 0 that is \
            signalled already, and is run again.
            """,
        notice: """
            The observer is not called once in the first run: the mode counts as empty, and the run is over before step 1. \
            With a source in it, the same observer is told of the run from Entry to Exit.
            """,
        correction: """
            Articles 1, 2 and 3 count observers among what keeps a mode from being empty, and article 1 keeps its resident \
            thread alive with one. It is not: article 0 is right. (Correction 6 of ANNOTATIONS.md.)
            """
    )

    func run(_ lab: Lab) {
        lab.onThread("loop") {
            let loop = RunLoop.current
            lab.watch(loop, .default)
            lab.note("run with an observer alone")
            lab.note(loop.run(mode: .default, before: Date(timeIntervalSinceNow: 10)) ? "it ran" : "it did not run")

            let source = Source { lab.callout(.source0, "source") }
            source.add(to: loop, forMode: .default)
            source.signal()
            lab.note("run with a source")
            lab.note(loop.run(mode: .default, before: Date(timeIntervalSinceNow: 10)) ? "it ran" : "it did not run")
        }

        lab.expect("the observer is told of nothing but the second run", order: [
            "run with an observer alone", "it did not run", "run with a source", "Entry", "source", "Exit", "it ran",
        ])
    }
}
