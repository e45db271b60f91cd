// perform-modes: without modes a perform waits for a common mode, with modes for one of these.

import SwiftRunLoop

struct PerformModes: Experiment {
    let about = About(
        name: "perform-modes", claims: ["I5"], group: .sources, seconds: 0.2,
        shows: "a perform without modes is served in the common modes; with modes, in those alone",
        setting: """
            Another thread has the main thread perform three things: one without modes, one in the mode "special", one in the \
            tracking mode. The main loop then runs in the tracking mode, which is not common yet, in "special", in the \
            tracking mode declared common, and in the default mode.
            """,
        notice: """
            The one without modes waits until the tracking mode is common: then it is served there. The others are served in \
            their own modes, whatever is common.
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

        lab.expect("each is performed once, in the first run of one of its modes", order: [
            "run in UITrackingRunLoopMode", "for tracking", "run in special", "for special",
            "tracking is declared common", "run in UITrackingRunLoopMode", "without modes", "run in kCFRunLoopDefaultMode",
        ])
    }

    /// Serves what is there, without waiting.
    private func once(_ lab: Lab, _ mode: RunLoop.Mode) {
        lab.note("run in \(mode.rawValue)")
        RunLoop.main.run(mode: mode, before: Date())
    }
}
