// modes-isolate: a loop serves the items of one mode at a time.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct ModesIsolate: Experiment {
    let about = About(
        name: "modes-isolate", claims: ["S6", "S7", "L3"], group: .structure, seconds: 0.3,
        shows: "only the items of the current mode are served",
        setting: """
            The main loop has a timer in the mode "work" and a timer in the mode "play". It runs in "work" and then in \
            "play", each time until the timer has fired three times. Then it runs in "rest", which is empty.
            """,
        notice: """
            To change its mode, a loop has to end the run and begin another. While it runs in one mode, the items of \
            the other wait. Neither timer keeps the run in "rest" going.
            """
    )

    func run(_ lab: Lab) {
        let work = RunLoop.Mode("work"), play = RunLoop.Mode("play"), rest = RunLoop.Mode("rest")
        for mode in [work, play] {
            let timer = Timer(timeInterval: lab.wait(0.05), repeats: true) { _ in
                if lab.callout(.timer, "timer of \(mode.rawValue)") == 3 { RunLoop.main.stop() }
            }
            RunLoop.main.add(timer, forMode: mode)
        }

        for mode in [work, play, rest] {
            lab.note("run in \(mode.rawValue)")
            _ = RunLoop.main.run(mode: mode, before: .distantFuture)
        }
        lab.note("no run", "currentMode is \(RunLoop.main.currentMode?.rawValue ?? "nil")")

        lab.expect("while the loop runs in \"work\", only the timer of \"work\" fires",
                   order: ["timer of work", "timer of work", "timer of work"],
                   from: "run in work", to: "run in play", among: ["timer of play"])
        lab.expect("while it runs in \"play\", only the timer of \"play\" fires",
                   order: ["timer of play", "timer of play", "timer of play"],
                   from: "run in play", to: "run in rest", among: ["timer of work"])
        lab.expect("currentMode is the mode of the run", each: "timer of play", \.mode, is: "play")
        lab.expect("the run in \"rest\" returns at once", order: ["run in rest", "no run"], from: "run in rest",
                   among: ["timer of work", "timer of play"])
    }
}
