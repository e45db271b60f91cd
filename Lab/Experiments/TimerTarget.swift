// timer-target: a timer retains its target until it is invalidated, so a proxy takes the place of a target that is not to be retained.

import SwiftRunLoop

struct TimerTarget: Experiment {
    let about = About(
        name: "timer-target", claims: ["T6"], group: .timers, seconds: 0.3,
        shows: Text("a timer retains its target until it is invalidated; with a proxy as the target, it does not retain the object behind it",
                    "Timer 在失效之前一直持有它的 target；用 proxy 作 target，就不持有它背后的对象"),
        setting: Text("""
            Three clocks have a repeating timer each: one is the timer's target, one is called by a proxy that is the \
            target and references the clock weakly, and the timer's closure captures the third weakly. When each has \
            ticked twice, the last references to the clocks are dropped. The first timer is invalidated a little later.
            """, """
            三个时钟各有一个重复的 Timer：第一个是 Timer 的 target；第二个由一个 proxy 调用，proxy 是 target，弱引用\
            这个时钟；第三个被 Timer 的闭包弱引用。各触发两次之后，去掉对时钟的最后一个引用。第一个 Timer 稍后才失效。
            """),
        notice: Text("""
            The clock that is a target outlives the last other reference and is deallocated when its timer is \
            invalidated. So an object that invalidates its timer in its deinit is never deallocated. The other clocks \
            are deallocated at once, and the proxy invalidates its timer at the next firing.
            """, """
            作为 target 的时钟，在其他引用都没有之后仍然存在，Timer 失效时才销毁。所以，如果对象在自己的 \
            deinit 里让 Timer 失效，它就永远不会销毁。另外两个时钟马上销毁；proxy 在下一次触发时让\
            自己的 Timer 失效。
            """)
    )

    func run(_ lab: Lab) {
        let mode = RunLoop.Mode("work"), interval = lab.wait(0.03)
        var clocks = ["target", "target of a proxy", "captured weakly"].map { Clock($0, lab) }
        let held = Timer(timeInterval: interval, target: clocks[0], action: Clock.tick, userInfo: nil, repeats: true)
        let weak = Timer(timeInterval: interval, target: WeakProxy(clocks[1], Clock.tick), action: WeakProxy.fire, userInfo: nil, repeats: true)
        nonisolated(unsafe) weak let clock = clocks[2]
        let closure = Timer(timeInterval: interval, repeats: true) { timer in
            if let clock { clock.tick(timer) } else { timer.invalidate() }
        }
        for timer in [held, weak, closure] { RunLoop.main.add(timer, forMode: mode) }
        let ticks = ["tick of target", "tick of target of a proxy", "tick of captured weakly"]
        while ticks.contains(where: { lab.times($0) < 2 }) {
            RunLoop.main.run(mode: mode, before: Date(timeIntervalSinceNow: interval / 4))
        }

        lab.note("the last references are dropped")
        clocks = []
        while weak.isValid || closure.isValid { RunLoop.main.run(mode: mode, before: Date(timeIntervalSinceNow: interval / 4)) }
        lab.note("the first timer is invalidated")
        held.invalidate()

        lab.expect(Text("the weakly referenced clocks go with their last reference, the target only with its timer",
                        "弱引用的时钟随最后一个引用销毁，作为 target 的时钟要等 Timer 失效"), order: [
            "the last references are dropped", "deinit of target of a proxy", "deinit of captured weakly",
            "the first timer is invalidated", "deinit of target",
        ])
        for tick in ticks { lab.expect(Text("before that, all three ticked: \(tick)", "在这之前三个都触发过：\(shown(tick))"), tick, times: 2, to: "the last references are dropped") }
    }

    private final class Clock {
        let name: String, lab: Lab

        init(_ name: String, _ lab: Lab) {
            (self.name, self.lab) = (name, lab)
        }

        deinit { lab.note("deinit of \(name)") }

        func tick(_ timer: Timer) {
            if lab.times("tick of \(name)") < 2 { lab.callout(.timer, "tick of \(name)") }
        }
    }
}
