// tolerance: a timer may fire late by its tolerance, so that one wake-up serves several timers; its dates do not drift.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct Tolerance: Experiment {
    let about = About(
        name: "tolerance", claims: ["T4"], group: .timers, seconds: 1.6,
        shows: "the tolerance is how late a timer may fire; it saves wake-ups and adds no drift",
        setting: """
            The main loop has ten timers that are due one after the other within a fifth of a second, each with a \
            tolerance of a second. It runs until all have fired, and its wake-ups are counted. Then it has one \
            repeating timer whose tolerance is half its interval.
            """,
        notice: """
            The loop sleeps past nine dates and wakes for the last: one wake-up serves all ten timers, and none is \
            later than its tolerance allows. Every date of the repeating timer is a whole number of intervals after \
            the first.
            """,
        correction: """
            Article 0 recommends a tolerance for a timer that has to be precise. It is the other way round: the \
            tolerance is how much later the timer may fire. (Correction 14 of ANNOTATIONS.md.)
            """,
        differences: [.init(row: "a few wake-ups serve all ten timers",
                            reason: "D12: Foundation's loop on Linux ignores tolerances, and wakes for each timer.")]
    )

    func run(_ lab: Lab) {
        let mode = RunLoop.Mode("work"), wakeUps = Counter(), fired = Counter(), start = Date(timeIntervalSinceNow: lab.wait(0.1))
        let observer = RunLoop.Observer(activities: .afterWaiting) { _, _ in wakeUps.add() }
        RunLoop.main.add(observer, forMode: mode)
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

        lab.expect("a few wake-ups serve all ten timers", of: "wake-ups", isIn: 1...3, unit: "wake-ups") { $0.values.first }
        lab.expect("no timer is early; the shortest delay", of: "timer", isIn: 0...60) { $0.values.min() }
        lab.expect("no tick is later than its tolerance, on an idle machine; the shortest delay of the repeating timer",
                   of: "lateness", isIn: 0...interval / 2) { $0.values.min() }
        lab.expect("the dates do not drift; the largest deviation", of: "tick", isIn: 0...0.01, unit: "intervals") {
            $0.values.map { abs($0 - $0.rounded()) }.max()
        }
    }
}
