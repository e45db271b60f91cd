// perform-modes: a perform without modes waits for a common mode; a perform with modes waits for one of them.

import SwiftRunLoop

struct PerformModes: Experiment {
    let about = About(
        name: "perform-modes", claims: ["I5"], group: .sources, seconds: 0.2,
        shows: "a perform without modes is served in the common modes; with modes, only in those",
        setting: """
            Another thread asks the main thread to perform three calls: one without modes, one in the mode "special", \
            one in the tracking mode. The main loop then runs in the tracking mode, which is not common yet; in \
            "special"; in the tracking mode, now declared common; and in the default mode.
            """,
        notice: """
            The call without modes waits until the tracking mode is common, and is then performed there. The others \
            are performed in their own modes, whichever modes are common.
            """
    )

    func run(_ lab: Lab) {
        let special = RunLoop.Mode("special")
        lab.onThread("caller") {
            try? Thread.performOnMainThread(waitUntilDone: false) { lab.callout(.source0, "without modes") }
            try? Thread.performOnMainThread(waitUntilDone: false, modes: [special]) { lab.callout(.source0, "for special") }
            try? Thread.performOnMainThread(waitUntilDone: false, modes: [.tracking]) { lab.callout(.source0, "for tracking") }
        }
        once(lab, .tracking)
        once(lab, special)
        RunLoop.main.addCommonMode(.tracking)
        lab.note("tracking is declared common")
        once(lab, .tracking)
        once(lab, .default)

        lab.expect("each call is performed once, in the first run in one of its modes", order: [
            "run in UITrackingRunLoopMode", "for tracking", "run in special", "for special",
            "tracking is declared common", "run in UITrackingRunLoopMode", "without modes", "run in kCFRunLoopDefaultMode",
        ])
    }

    /// Serves what is ready, without waiting.
    private func once(_ lab: Lab, _ mode: RunLoop.Mode) {
        lab.note("run in \(mode.rawValue)")
        RunLoop.main.run(mode: mode, before: Date())
    }
}
