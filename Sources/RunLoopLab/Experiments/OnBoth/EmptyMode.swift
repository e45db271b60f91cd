// empty-mode: a run in a mode without sources and timers is over at once.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct EmptyMode: Experiment {
    let about = About(
        name: "empty-mode", claims: ["L1", "L3"], group: .leaving, seconds: 0.1,
        shows: "a run in a mode without sources and timers is over at once",
        setting: """
            A thread runs its loop with a limit of ten seconds: with nothing in it, with a timer in another mode, and with a \
            timer in the mode.
            """,
        notice: """
            run(mode:before:) says false without having run, twice. What is in another mode counts for nothing. Only the third \
            run waits for its timer, which stops it.
            """,
        correction: """
            This is shown on a thread of its own, because the main loop is never empty in a common mode: the main dispatch \
            queue may post to it at any time. None of the articles says so (L10).
            """
    )

    func run(_ lab: Lab) {
        lab.onThread("loop") {
            let loop = RunLoop.current
            run(loop, lab, "nothing in it")
            loop.add(Timer(timeInterval: 0.001, repeats: false) { _ in lab.callout(.timer, "timer of another mode") },
                     forMode: RunLoop.Mode("other"))
            run(loop, lab, "a timer in another mode")
            loop.add(Timer(timeInterval: lab.wait(0.05), repeats: false) { _ in
                lab.callout(.timer, "timer")
                RunLoop.current.stop()
            }, forMode: .default)
            run(loop, lab, "a timer in it")
        }

        lab.expect("only the run with a timer in its mode is one", order: [
            "nothing in it", "it did not run", "a timer in another mode", "it did not run", "a timer in it", "timer", "it ran",
        ], among: ["timer of another mode"])
    }

    private func run(_ loop: RunLoop, _ lab: Lab, _ content: String) {
        lab.note(content)
        let hasRun = loop.run(mode: .default, before: Date(timeIntervalSinceNow: 10))
        lab.note(hasRun ? "it ran" : "it did not run")
    }
}
