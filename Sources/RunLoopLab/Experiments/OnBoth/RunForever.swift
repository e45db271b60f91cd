// run-forever: run() and run(until:) begin another run when they are stopped.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct RunForever: Experiment {
    let about = About(
        name: "run-forever", claims: ["L5"], group: .leaving, seconds: 1.5,
        shows: "a stop ends neither run() nor run(until:)",
        setting: """
            A thread calls run(until:) with a date that is far enough, and has a timer that stops the loop three \
            times. Then it calls run() with a timer that stops the loop three times and then invalidates itself. An \
            observer reports Entry and Exit.
            """,
        notice: """
            Each stop ends one run: you see Exit. But run(until:) and run() are loops around such runs: you see Entry \
            again. The first returns at its date, the second when nothing is left in the mode.
            """,
        correction: """
            Article 0 says that run() goes on forever. It goes on until the mode is empty. Article 2 says that \
            run(mode:before:) with a distant date is the same as run(). It is the single run that run() repeats. \
            (Corrections 17 and 18 of ANNOTATIONS.md.)
            """,
        differencesOfTime: [.init(from: "run(until:)", to: "stop", long: 0.01,
                                  reason: "D25: Foundation's Timer(timeInterval:repeats:block:) on Linux fires at once.")]
    )

    func run(_ lab: Lab) {
        lab.onThread("loop") {
            let loop = RunLoop.current
            lab.watch(loop, .default, [.entry, .exit])

            let keeper = Timer(timeInterval: 60, repeats: true) { _ in } // keeps the mode from being empty
            loop.add(keeper, forMode: .default)
            stopThreeTimes(lab, loop)
            lab.note("run(until:)")
            let date = Date(timeIntervalSinceNow: lab.wait(1))
            loop.run(until: date)
            lab.note(Date() >= date ? "returns at the date" : "returns before the date")
            keeper.invalidate()

            stopThreeTimes(lab, loop)
            lab.note("run()")
            loop.run()
            lab.note("returns: nothing is left")

            let threeStops = ["stop", "Exit", "Entry", "stop", "Exit", "Entry", "stop", "Exit"]
            lab.expect("after each stop, run(until:) begins another run, until its date",
                       order: ["run(until:)", "Entry"] + threeStops + ["Entry", "Exit", "returns at the date"],
                       to: "returns at the date", among: ["returns before the date"])
            lab.expect("after each stop, run() begins another run, until nothing is left",
                       order: ["run()", "Entry"] + threeStops + ["returns: nothing is left"], from: "run()")
        }
    }

    private func stopThreeTimes(_ lab: Lab, _ loop: RunLoop) {
        let stops = lab.times("stop")
        loop.add(Timer(timeInterval: lab.wait(0.05), repeats: true) { timer in
            if lab.callout(.timer, "stop") == stops + 3 { timer.invalidate() }
            RunLoop.current.stop()
        }, forMode: .default)
    }
}
