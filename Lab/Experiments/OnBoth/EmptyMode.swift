// empty-mode: a run in a mode without sources and timers returns at once.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct EmptyMode: Experiment {
    let about = About(
        name: "empty-mode", claims: ["L1", "L3"], group: .leaving, seconds: 0.1,
        shows: Text("a run in a mode without sources and timers returns at once", "mode 里没有 Source 和 Timer，run 马上返回"),
        setting: Text("""
            A thread runs its loop with a limit of ten seconds: with nothing in it, with a timer in another mode, and \
            with a timer in this mode.
            """, """
            一个线程让 RunLoop 运行，超时时间十秒：第一次什么也没有，第二次在另一个 mode 里有 Timer，第三次在这\
            个 mode 里有 Timer。
            """),
        notice: Text("""
            run(mode:before:) returns false twice, without having run. An item in another mode does not count. Only \
            the third run waits for its timer, which stops it.
            """, """
            run(mode:before:) 两次返回 false，根本没有运行。别的 mode 里的 item 不算数。只有第三次等到了 \
            Timer，由 Timer 停止它。
            """),
        correction: Text("""
            This experiment uses a secondary thread, because the main loop is never empty in a common mode: work may \
            arrive on the main dispatch queue at any time. None of the articles says so (L10).
            """, """
            这个实验用的是子线程，因为主线程的 RunLoop 在 common mode 里从来不算空：主队列上随时可能来任务。\
            没有一篇文章提到这一点（L10）。
            """)
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

        lab.expect(Text("only the call with a timer in its mode runs the loop", "只有这个 mode 里有 Timer 的那次调用才真正运行"), order: [
            "nothing in it", "it did not run", "a timer in another mode", "it did not run", "a timer in it", "timer", "it ran",
        ], among: ["timer of another mode"])
    }

    private func run(_ loop: RunLoop, _ lab: Lab, _ content: String) {
        lab.note(content)
        let hasRun = loop.run(mode: .default, before: Date(timeIntervalSinceNow: 10))
        lab.note(hasRun ? "it ran" : "it did not run")
    }
}
