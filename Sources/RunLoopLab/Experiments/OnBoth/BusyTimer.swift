// busy-timer: on a busy loop, a timer fires late, skips the dates it missed and keeps its rhythm; another thread's is on time.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct BusyTimer: Experiment {
    let about = About(
        name: "busy-timer", claims: ["T3", "T9"], group: .timers, seconds: 1.4,
        shows: "a late timer skips the dates it missed and keeps its rhythm; on a thread of its own it is on time",
        setting: """
            Two timers have the same interval and the same first date: one in the main loop, one in the loop of a \
            thread of its own. After the second tick, a block keeps the main thread busy for three and a half \
            intervals.
            """,
        notice: """
            The main loop's third tick comes late, as soon as the loop is free. It stands for all the dates that have \
            passed: they are not made up for. The fourth tick is on a date of the old rhythm again. The timer on the \
            other thread is not affected.
            """,
        correction: """
            Articles 0 and 3 say that a timer that missed its date is not called late, but at its next date. It is \
            called late, once, as soon as the loop is free. Only the further dates are skipped. (Correction 8 of \
            ANNOTATIONS.md.)
            """
    )

    func run(_ lab: Lab) {
        let interval = lab.wait(0.2), start = Date(timeIntervalSinceNow: interval)

        let thread = lab.startThread("worker") {
            let timer = Timer(fire: start, interval: interval, repeats: true) { timer in
                if lab.callout(.timer, "tick on the worker") == 6 { timer.invalidate() }
            }
            RunLoop.current.add(timer, forMode: .default)
            RunLoop.current.run() // until the timer is invalidated
        }

        let timer = Timer(fire: start, interval: interval, repeats: true) { timer in
            let date = timer.fireDate.timeIntervalSince(start) / interval // the date that this tick is for, counted in intervals
            let tick = lab.callout(.timer, "tick", "for date \(seconds(date, unit: ""))", value: date)
            if tick == 2 { RunLoop.main.perform { work(lab, for: 3.5 * interval) } }
            if tick == 4 { timer.invalidate() }
        }
        RunLoop.main.add(timer, forMode: .default)
        while timer.isValid || !thread.isFinished { RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.02)) }

        lab.expect("one tick stands for all the dates that passed", order: ["tick", "tick", "busy", "free", "tick", "tick"])
        lab.expect("the worker's timer ticks meanwhile", "tick on the worker", times: 2...6, from: "busy", to: "free")
        lab.expect("every tick is for a date of the rhythm; the largest deviation", of: "tick", isIn: 0...0.01,
                   unit: "intervals") { $0.values.map { abs($0 - $0.rounded()) }.max() }
        lab.expect("dates that were skipped between the first tick and the fourth", of: "tick", isIn: 1...100, unit: "dates") {
            $0.values.last.map { $0 - 3 }
        }
    }

    private func work(_ lab: Lab, for time: Double) {
        lab.callout(.block, "busy")
        Thread.sleep(forTimeInterval: time) // to a loop, a callback that sleeps and one that computes are the same
        lab.callout(.block, "free")
    }
}
