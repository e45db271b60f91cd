// run-forever: run() and run(until:) begin another run when they are stopped.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct RunForever: Experiment {
    let about = About(
        name: "run-forever", claims: ["L5"], group: .leaving, seconds: 1.5,
        shows: Text("a stop ends neither run() nor run(until:)", "stop 既结束不了 run()，也结束不了 run(until:)"),
        setting: Text("""
            A thread calls run(until:) with a date that is far enough, and has a timer that stops the loop three \
            times. Then it calls run() with a timer that stops the loop three times and then invalidates itself. An \
            observer reports Entry and Exit.
            """, """
            一个线程用足够远的时间调用 run(until:)，其间一个 Timer 三次停止 RunLoop。然后调用 run()，一个 \
            Timer 三次停止 RunLoop，之后自己失效。一个 Observer 报告 Entry 和 Exit。
            """),
        notice: Text("""
            Each stop ends one run: you see Exit. But run(until:) and run() are loops around such runs: you see Entry \
            again. The first returns at its date, the second when nothing is left in the mode.
            """, """
            每次停止都结束一次运行：可以看到 Exit。但 run(until:) 和 run() 是在这样的运行外面套的循环：又会\
            看到 Entry。前者到时间返回，后者在 mode 里什么都没有时返回。
            """),
        correction: Text("""
            Article 0 says that run() goes on forever. It goes on until the mode is empty. Article 2 says that \
            run(mode:before:) with a distant date is the same as run(). It is the single run that run() repeats. \
            (Corrections 17 and 18 of corrections.md.)
            """, """
            文章 0 说 run() 会一直运行下去。它只运行到 mode 变空为止。文章 2 说，用很远的时间调用 \
            run(mode:before:) 等同于 run()。其实它只是 run() 反复进行的其中一次运行。（corrections.zh.md，更\
            正 17 和 18。）
            """),
        differencesOfTime: [.init(from: "run(until:)", to: "stop", long: 0.07,
                                  reason: Text("D25: Foundation's Timer(timeInterval:repeats:block:) on Linux fires at once.",
                                               "D25：Linux 上 Foundation 的 Timer(timeInterval:repeats:block:) 会马上触发。"))]
    )

    func run(_ lab: Lab) {
        lab.onThread("loop") {
            let loop = RunLoop.current
            lab.watch(loop, .default, [.entry, .exit])

            let keeper = Timer(timeInterval: 60, repeats: true) { _ in } // keeps the mode from being empty
            loop.add(keeper, forMode: .default)
            stopThreeTimes(lab, loop)
            lab.note("run(until:)")
            let date = Date(timeIntervalSinceNow: 1)
            loop.run(until: date)
            lab.note(Date() >= date ? "returns at the date" : "returns before the date")
            keeper.invalidate()

            stopThreeTimes(lab, loop)
            lab.note("run()")
            loop.run()
            lab.note("returns: nothing is left")

            let threeStops = ["stop", "Exit", "Entry", "stop", "Exit", "Entry", "stop", "Exit"]
            lab.expect(Text("after each stop, run(until:) begins another run, until its date",
                            "每次停止之后，run(until:) 又开始一次运行，直到时间到"),
                       order: ["run(until:)", "Entry"] + threeStops + ["Entry", "Exit", "returns at the date"],
                       to: "returns at the date", among: ["returns before the date"])
            lab.expect(Text("after each stop, run() begins another run, until nothing is left",
                            "每次停止之后，run() 又开始一次运行，直到什么都没有"),
                       order: ["run()", "Entry"] + threeStops + ["returns: nothing is left"], from: "run()")
        }
    }

    private func stopThreeTimes(_ lab: Lab, _ loop: RunLoop) {
        let stops = lab.times("stop")
        loop.add(Timer(timeInterval: 0.15, repeats: true) { timer in
            if lab.callout(.timer, "stop") == stops + 3 { timer.invalidate() }
            RunLoop.current.stop()
        }, forMode: .default)
    }
}
