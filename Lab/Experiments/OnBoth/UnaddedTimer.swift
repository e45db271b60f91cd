// unadded-timer: a timer does nothing until it is added to a loop.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct UnaddedTimer: Experiment {
    let about = About(
        name: "unadded-timer", claims: ["T1"], group: .timers, seconds: 0.4,
        shows: Text("a timer does nothing until it is added; the scheduled forms add it themselves",
                    "Timer 不加到 RunLoop 里就不起作用；scheduled 开头的方法会自动添加"),
        setting: Text("""
            A thread creates a timer without adding it, creates another with scheduledTimer, and runs its loop until \
            the second has fired twice. Then it adds the first timer, which has been due for a while.
            """, """
            一个线程创建一个 Timer 但不添加，再用 scheduledTimer 创建一个，运行 RunLoop 直到第二个触发两次。\
            然后添加第一个，它早已到期。
            """),
        notice: Text("""
            A timer that is in no loop does not fire, however long it has been due. scheduledTimer adds its timer to \
            the default mode of the calling thread's loop.
            """, """
            不在任何 RunLoop 里的 Timer 不会触发，到期多久都一样。scheduledTimer 把 Timer 加到当前线程的 \
            RunLoop 的默认 mode 里。
            """),
        correction: Text("""
            Article 3 says that the scheduled forms add the timer to the main thread's loop. They add it to the \
            current thread's loop. (Correction 16 of corrections.md.)
            """, """
            文章 3 说 scheduled 开头的方法会把 Timer 加到主线程的 RunLoop。其实加到的是当前线程的 RunLoop。\
            （corrections.zh.md，更正 16。）
            """),
        differences: [.init(row: Text("an interval after it was created", "创建后过一个间隔"),
                            reason: Text("D25: Foundation's Timer(timeInterval:repeats:block:) on Linux fires at once.",
                                         "D25：Linux 上 Foundation 的 Timer(timeInterval:repeats:block:) 会马上触发。"))]
    )

    func run(_ lab: Lab) {
        lab.onThread("loop") {
            let loop = RunLoop.current, interval = lab.wait(0.1)
            let unadded = Timer(timeInterval: interval / 10, repeats: false) { _ in lab.callout(.timer, "first timer") }
            lab.note("made the first timer")
            _ = Timer.scheduledTimer(withTimeInterval: interval, repeats: true) { timer in
                if lab.callout(.timer, "scheduled timer") == 2 { timer.invalidate() }
            }
            loop.run() // until the scheduled timer is invalidated
            lab.note("added the first timer")
            loop.add(unadded, forMode: .default)
            loop.run()

            let start = Date()
            loop.add(Timer(timeInterval: interval, repeats: false) { _ in
                lab.callout(.timer, "third timer", value: Date().timeIntervalSince(start))
            }, forMode: .default)
            loop.run()
        }

        lab.expect(Text("the first timer fires only after it was added", "第一个 Timer 添加之后才触发"), order: [
            "made the first timer", "scheduled timer", "scheduled timer", "added the first timer", "first timer",
        ])
        lab.expect(Text("the scheduled timer is in the default mode", "scheduledTimer 创建的 Timer 在默认 mode 里"), each: "scheduled timer", \.mode, is: "default")
        lab.expect(Text("it is in the loop of the thread that scheduled it", "它在创建它的线程的 RunLoop 里"), each: "scheduled timer", \.thread, is: "loop")
        lab.expect(Text("a third timer, added at once, fires an interval after it was created, or later",
                        "第三个 Timer 马上添加，创建后过一个间隔或更久才触发"), of: "third timer",
                   isIn: lab.wait(0.099)...60) { $0.values.first }
    }
}
