// who-is-common: of every loop the default mode is common, and no other until somebody says so.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct WhoIsCommon: Experiment {
    let about = About(
        name: "who-is-common", claims: ["S11"], group: .structure, seconds: 0.3,
        shows: "only the default mode is common, until somebody declares another",
        setting: """
            The main loop and that of another thread get a timer for the common modes and a timer that ends a run in the \
            tracking mode. Both run in that mode: first as they are, then with the tracking mode declared common.
            """,
        notice: "On neither loop is the timer served while the loop tracks, until the tracking mode has been declared common.",
        correction: """
            Articles 0, 1, 2 and 4 say that on the main loop default and tracking are common. So they are in an iOS \
            application: it is UIKit that declares the tracking mode common on the main loop, when the application starts. The \
            loop itself does not, on any thread. A secondary thread says it for itself, as article 0 finds out. (Correction 11 of ANNOTATIONS.md.)
            """
    )

    func run(_ lab: Lab) {
        track(lab, "on main")
        lab.onThread("other") { track(lab, "elsewhere") }

        for place in ["on main", "elsewhere"] {
            lab.expect("\(place): not served, declared common, served", order: [
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
