// common-modes: the common modes are a set of names. The loop remembers an item added to them and puts it into each.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct CommonModes: Experiment {
    let about = About(
        name: "common-modes", claims: ["S9", "S10"], group: .structure, seconds: 0.3,
        shows: "the common modes are a set of names; an item added to them is put into each",
        setting: """
            A Source0 is added to the common modes of a thread's loop. Then a mode "late" is declared common; a mode \
            "other" is not. The loop runs in each of these modes with the source signalled, and in the common modes \
            themselves.
            """,
        notice: """
            "late" got the source when it was declared common, because the loop remembers the items that were added to \
            the common modes. A run in the common modes returns at once: kCFRunLoopCommonModes is not a mode.
            """,
        correction: """
            Article 1 says that in a common mode the loop serves the remembered items directly, and articles 1 and 2 \
            say that the items are synchronised whenever something changes. They are copied at two moments: when an \
            item is added to the common modes, and when a mode is declared common. (Correction 10 of ANNOTATIONS.md.)
            """
    )

    func run(_ lab: Lab) {
        lab.onThread("loop") {
            let loop = RunLoop.current, late = RunLoop.Mode("late"), other = RunLoop.Mode("other")
            let source = RunLoop.Source { lab.callout(.source0, "source") }
            loop.add(source, forMode: .common)
            loop.addCommonMode(late)
            for mode in [.default, late, other, .common] {
                source.signal()
                lab.note("run in \(mode.rawValue)")
                let hasRun = loop.run(mode: mode, before: Date(timeIntervalSinceNow: lab.wait(10)))
                lab.note(hasRun ? "it ran" : "it did not run")
            }
        }

        lab.expect("the source is served in both common modes and in no other; kCFRunLoopCommonModes is not a mode", order: [
            "run in kCFRunLoopDefaultMode", "source", "it ran", "run in late", "source", "it ran", "run in other",
            "it did not run",
            "run in kCFRunLoopCommonModes", "it did not run",
        ])
    }
}
