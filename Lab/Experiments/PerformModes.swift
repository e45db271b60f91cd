// perform-modes: a perform without modes waits for a common mode; a perform with modes waits for one of them.

import SwiftRunLoop

struct PerformModes: Experiment {
    let about = About(
        name: "perform-modes", claims: ["I5"], group: .sources, seconds: 0.2,
        shows: Text("a perform without modes is served in the common modes; with modes, only in those",
                    "不指定 mode 的 perform 在 commonModes 里执行；指定了 mode，就只在这些 mode 里执行"),
        setting: Text("""
            Another thread asks the main thread to perform three calls: one without modes, one in the mode "special", \
            one in the tracking mode. The main loop then runs in the tracking mode, which is not common yet; in \
            "special"; in the tracking mode, now declared common; and in the default mode.
            """, """
            另一个线程请求主线程执行三次调用：一次不指定 mode，一次在 mode “special” 里，一次在 tracking \
            mode 里。主线程的 RunLoop 先在 tracking mode 里运行（这时它还不是 common mode），再在 “special” \
            里运行，然后把 tracking mode 声明为 common mode 后再运行一次，最后在默认 mode 里运行。
            """),
        notice: Text("""
            The call without modes waits until the tracking mode is common, and is then performed there. The others \
            are performed in their own modes, whichever modes are common.
            """, """
            不指定 mode 的调用一直等到 tracking mode 成为 common mode，然后在那里执行。其余两次各在自己的 \
            mode 里执行，与哪些 mode 是 common mode 无关。
            """)
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

        lab.expect(Text("each call is performed once, in the first run in one of its modes",
                        "每次调用只执行一次，在第一次进入它的某个 mode 时执行"), order: [
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
