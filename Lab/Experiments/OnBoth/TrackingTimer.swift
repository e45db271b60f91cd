// tracking-timer: while the user scrolls, a timer in the default mode does not fire.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct TrackingTimer: Experiment {
    let about = About(
        name: "tracking-timer", claims: ["T2"], group: .timers, seconds: 1.3,
        shows: Text("while the loop tracks, a timer in the default mode does not fire; there are two cures",
                    "RunLoop 在 tracking mode 里时，默认 mode 里的 Timer 不触发；有两种解决办法"),
        setting: Text("""
            Three timers with the same interval are in the main loop: one in the default mode, one in the default mode \
            and the tracking mode, one in the common modes. The tracking mode is declared common, as UIKit does. The \
            loop runs in the default mode; then in the tracking mode, as if the user scrolled; then in the default \
            mode again.
            """, """
            主线程的 RunLoop 里有三个间隔相同的 Timer：一个在默认 mode，一个同时在默认 mode 和 \
            tracking mode，一个在 commonModes。tracking mode 像 UIKit 那样声明为 common mode。RunLoop 先在 \
            默认 mode 里运行；再在 tracking mode 里运行，就像用户在滑动；然后又在默认 mode 里运行。
            """),
        notice: Text("""
            The timer in the default mode misses its dates while the loop tracks, and fires once, late, when tracking \
            ends. The two others are not affected: a timer in both modes and a timer in all common modes behave the \
            same.
            """, """
            RunLoop 在 tracking mode 里时，默认 mode 里的 Timer 错过了它的时间点，滑动结束后迟到触发一次。\
            另外两个不受影响：同时加到两个 mode 的 Timer，与加到 commonModes 的 Timer 表现相同。
            """)
    )

    func run(_ lab: Lab) {
        RunLoop.main.addCommonMode(.tracking)
        let modes: KeyValuePairs<String, [RunLoop.Mode]> = ["default": [.default], "both modes": [.default, .tracking],
                                                            "common modes": [.common]]
        let interval = lab.wait(0.2), start = Date(timeIntervalSinceNow: interval)
        for (number, (name, modes)) in modes.enumerated() {
            let first = start.addingTimeInterval(0.001 * Double(number)) // one after the other, so that the transcript is in order
            let timer = Timer(fire: first, interval: interval, repeats: true) { _ in
                if lab.callout(.timer, name) % 2 == 0, name == "common modes" { RunLoop.main.stop() } // two ticks a run
            }
            for mode in modes { RunLoop.main.add(timer, forMode: mode) }
        }

        for mode in [RunLoop.Mode.default, .tracking, .default] {
            lab.note(mode == .tracking ? "the user scrolls" : lab.times("the user scrolls") == 0 ? "at rest" : "at rest again")
            _ = RunLoop.main.run(mode: mode, before: .distantFuture)
        }
        lab.note("over")

        for name in ["default", "both modes", "common modes"] {
            lab.expect(Text("at rest, all three tick: \(name)", "静止时，三个都触发：\(shown(name))"), name, times: 1...9, from: "at rest", to: "the user scrolls")
            let times = name == "default" ? 0...0 : 1...9
            lab.expect(Text("while the user scrolls, only those in the tracking mode tick: \(name)",
                            "用户滑动时，只有 tracking mode 里的触发：\(shown(name))"), name, times: times,
                       from: "the user scrolls", to: "at rest again")
            lab.expect(Text("at rest again, all three tick: \(name)", "再次静止时，三个都触发：\(shown(name))"), name, times: 1...9, from: "at rest again", to: "over")
        }
    }
}
