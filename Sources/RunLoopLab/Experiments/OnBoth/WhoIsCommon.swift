// who-is-common: on every loop only the default mode is common, until the program declares another one.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct WhoIsCommon: Experiment {
    let about = About(
        name: "who-is-common", claims: ["S11"], group: .structure, seconds: 0.3,
        shows: "only the default mode is common, until the program declares another one",
        setting: """
            The main loop and the loop of another thread each get a timer in the common modes, and a timer that ends a \
            run in the tracking mode. Both loops run in the tracking mode: first as they are, then with the tracking \
            mode declared common.
            """,
        notice: """
            On neither loop does the timer fire while the loop tracks, until the tracking mode is declared common.
            """,
        correction: """
            Articles 0, 1, 2 and 4 say that the default mode and the tracking mode are common on the main loop. In an \
            iOS application they are: UIKit declares the tracking mode common on the main loop when the application \
            starts. The loop itself does not, on any thread. A secondary thread has to do so itself, as article 0 \
            finds out. (Correction 11 of ANNOTATIONS.md.)
            """
    )

    func run(_ lab: Lab) {
        track(lab, "on main")
        lab.onThread("other") { track(lab, "elsewhere") }

        for place in ["on main", "elsewhere"] {
            lab.expect("\(place): the timer fires only after the tracking mode is declared common", order: [
                "tracking begins \(place)", "tracking ends \(place)", "declared common \(place)",
                "tracking begins \(place)", "common timer \(place)", "tracking ends \(place)",
            ])
        }
    }

    private func track(_ lab: Lab, _ place: String) {
        let loop = RunLoop.current
        loop.add(Timer(timeInterval: 0.001, repeats: false) { _ in lab.callout(.timer, "common timer \(place)") },
                 forMode: .common)
        for isDeclared in [false, true] {
            if isDeclared {
                loop.addCommonMode(.tracking)
                lab.note("declared common \(place)")
            }
            lab.note("tracking begins \(place)")
            loop.add(Timer(timeInterval: lab.wait(0.05), repeats: false) { _ in RunLoop.current.stop() }, forMode: .tracking)
            _ = loop.run(mode: .tracking, before: .distantFuture)
            lab.note("tracking ends \(place)")
        }
    }
}
