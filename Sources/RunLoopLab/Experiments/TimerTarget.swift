// timer-target: a timer holds its target until it is invalidated, unless it was told not to.

import SwiftRunLoop

struct TimerTarget: Experiment {
    let about = About(
        name: "timer-target", claims: ["T6"], group: .timers, seconds: 0.3,
        shows: "a timer holds its target until it is invalidated; a weak target it does not hold",
        setting: """
            Three clocks have a repeating timer each: one as its target, one as its weak target, one captured weakly by the \
            timer's closure. After two ticks of each the last references to the clocks go. The first timer is invalidated a \
            little later.
            """,
        notice: """
            The clock that is a target outlives its last reference, and goes when its timer is invalidated: so an object that \
            invalidates its timer in its deinit never does. The others go at once, and the timer of a weak target ends by \
            itself.
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

        lab.note("the last references go")
        clocks = []
        while weak.isValid || closure.isValid { RunLoop.main.run(mode: mode, before: Date(timeIntervalSinceNow: interval / 4)) }
        lab.note("the first timer is invalidated")
        held.invalidate()

        lab.expect("the weakly known go with their last reference, the target only with its timer", order: [
            "the last references go", "the end of the clock: weak target", "the end of the clock: captured weakly",
            "the first timer is invalidated", "the end of the clock: target",
        ])
        for tick in ticks { lab.expect("until then all three ticked: \(tick)", tick, times: 2, to: "the last references go") }
    }

    private final class Clock {
        let name: String, lab: Lab

        init(_ name: String, _ lab: Lab) {
            (self.name, self.lab) = (name, lab)
        }

        deinit { lab.note("the end of the clock: \(name)") }

        func tick(_ timer: Timer) {
            if lab.times("tick of \(name)") < 2 { lab.callout(.timer, "tick of \(name)") }
        }
    }
}
