// timer-target: a timer retains its target until it is invalidated, unless the target is weak.

import SwiftRunLoop

struct TimerTarget: Experiment {
    let about = About(
        name: "timer-target", claims: ["T6"], group: .timers, seconds: 0.3,
        shows: "a timer retains its target until it is invalidated; it does not retain a weak target",
        setting: """
            Three clocks have a repeating timer each: one is the timer's target, one is its weak target, and the \
            timer's closure captures the third weakly. When each has ticked twice, the last references to the clocks \
            are dropped. The first timer is invalidated a little later.
            """,
        notice: """
            The clock that is a target outlives the last other reference and is deallocated when its timer is \
            invalidated. So an object that invalidates its timer in its deinit is never deallocated. The other clocks \
            are deallocated at once, and the timer with the weak target invalidates itself.
            """
    )

    func run(_ lab: Lab) {
        let mode = RunLoop.Mode("work"), interval = lab.wait(0.03)
        var clocks = ["target", "weak target", "captured weakly"].map { Clock($0, lab) }
        let held = Timer(timeInterval: interval, target: clocks[0], action: Clock.tick, userInfo: nil, repeats: true)
        let weak = Timer(timeInterval: interval, weakTarget: clocks[1], action: Clock.tick, userInfo: nil, repeats: true)
        nonisolated(unsafe) weak let clock = clocks[2]
        let closure = Timer(timeInterval: interval, repeats: true) { timer in
            if let clock { clock.tick(timer) } else { timer.invalidate() }
        }
        for timer in [held, weak, closure] { RunLoop.main.add(timer, forMode: mode) }
        let ticks = ["tick of target", "tick of weak target", "tick of captured weakly"]
        while ticks.contains(where: { lab.times($0) < 2 }) {
            RunLoop.main.run(mode: mode, before: Date(timeIntervalSinceNow: interval / 4))
        }

        lab.note("the last references are dropped")
        clocks = []
        while weak.isValid || closure.isValid { RunLoop.main.run(mode: mode, before: Date(timeIntervalSinceNow: interval / 4)) }
        lab.note("the first timer is invalidated")
        held.invalidate()

        lab.expect("the weakly referenced clocks go with their last reference, the target only with its timer", order: [
            "the last references are dropped", "deinit of weak target", "deinit of captured weakly",
            "the first timer is invalidated", "deinit of target",
        ])
        for tick in ticks { lab.expect("before that, all three ticked: \(tick)", tick, times: 2, to: "the last references are dropped") }
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
