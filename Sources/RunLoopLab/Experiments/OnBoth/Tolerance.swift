// tolerance: a timer may be late by its tolerance, so that the loop wakes once for several; its rhythm does not drift.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct Tolerance: Experiment {
    let about = About(
        name: "tolerance", claims: ["T4"], group: .timers, seconds: 1.6,
        shows: "the tolerance is how late a timer may fire, and saves wake-ups; it adds no drift",
        setting: """
            The main loop has ten timers, due one after the other within a fifth of a second, each with a tolerance of a second. \
            It runs until all have fired, and its wake-ups are counted. Then it has one repeating timer whose tolerance is half \
            its interval.
            """,
        notice: """
            The loop sleeps past nine dates and wakes for the last: one wake-up does for all ten, and none is later than its \
            tolerance allows. The dates of the repeating timer are all a whole number of intervals after the first.
            """,
        correction: """
            Article 0 recommends to set a tolerance for a timer that is to be precise. It is the other way round: the \
            tolerance is how much later it may fire. (Correction 14 of ANNOTATIONS.md.)
            """,
        differences: [.init(row: "a few wake-ups do for all",
                            reason: "D12: Foundation's loop on Linux ignores tolerances, and wakes for each timer.")]
    )

    func run(_ lab: Lab) {
        let mode = RunLoop.Mode("work"), wakeUps = Counter(), fired = Counter(), start = Date(timeIntervalSinceNow: lab.wait(0.1))
        let observer = Observer(activities: .afterWaiting) { _, _ in wakeUps.add() }
        observer.add(to: .main, forMode: mode)
        for number in 0..<10 {
            let date = start.addingTimeInterval(0.02 * Double(number))
            let timer = Timer(fire: date, interval: 0, repeats: false) { _ in
                let late = Date().timeIntervalSince(date)
                lab.callout(.timer, "timer", "\(seconds(late)) late", value: late)
                if fired.add() == 10 { RunLoop.main.stop() }
            }
            timer.tolerance = 1
            RunLoop.main.add(timer, forMode: mode)
        }
        _ = RunLoop.main.run(mode: mode, before: .distantFuture)
        lab.note("wake-ups", "\(wakeUps.value) for ten timers", value: Double(wakeUps.value))

        let interval = lab.wait(0.2), first = Date(timeIntervalSinceNow: interval)
        let timer = Timer(fire: first, interval: interval, repeats: true) { timer in
            lab.observe("lateness", value: Date().timeIntervalSince(timer.fireDate))
            let date = timer.fireDate.timeIntervalSince(first) / interval
            if lab.callout(.timer, "tick", "for date \(seconds(date, unit: ""))", value: date) == 4 { RunLoop.main.stop() }
        }
        timer.tolerance = interval / 2
        RunLoop.main.add(timer, forMode: mode)
        _ = RunLoop.main.run(mode: mode, before: .distantFuture)

        lab.expect("a few wake-ups do for all", of: "wake-ups", isIn: 1...3, unit: "wake-ups") { $0.values.first }
        lab.expect("no timer is early; the earliest is late by", of: "timer", isIn: 0...60) { $0.values.min() }
        lab.expect("nor later than its tolerance, but for the machine; of the repeating timer's ticks the least late by",
                   of: "lateness", isIn: 0...interval / 2) { $0.values.min() }
        lab.expect("no date has drifted from the rhythm; the farthest by", of: "tick", isIn: 0...0.01, unit: "intervals") {
            $0.values.map { abs($0 - $0.rounded()) }.max()
        }
    }
}
