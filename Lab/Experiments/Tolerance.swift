// tolerance: a timer may fire late by its tolerance, so that one wake-up serves several timers; its dates do not drift.

import SwiftRunLoop

struct Tolerance: Program {
    let about = About(
        name: "tolerance", claims: ["T4"], group: .timers,
        title: Text("the tolerance is how late a timer may fire; it saves wake-ups and adds no drift",
                    "tolerance 是允许 Timer 迟到多少；它减少唤醒次数，不会带来累积误差"),
        setting: Text("""
            The main loop has ten timers that are due one after the other within a fifth of a second, each with a \
            tolerance of a second. It runs until all have fired, and its wake-ups are counted. Then it has one \
            repeating timer whose tolerance is half its interval.
            """, """
            主线程的 RunLoop 里有十个 Timer，在五分之一秒内先后到期，tolerance 各一秒。运行到全部触发为止，\
            数一数唤醒了几次。然后换成一个重复的 Timer，tolerance 是间隔的一半。
            """),
        notice: Text("""
            The loop sleeps past nine dates and wakes for the last: one wake-up serves all ten timers, and none is \
            later than its tolerance allows. Every date of the repeating timer is a whole number of intervals after \
            the first.
            """, """
            RunLoop 在前九个时间点一直休眠，到最后一个才醒来：一次唤醒触发全部十个 Timer，都没有超出 tolerance。重复\
            的 Timer 的每个时间点，都与第一个相差整数个间隔。
            """),
        correction: Text("""
            Article 0 recommends a tolerance for a timer that has to be precise. It is the other way round: the \
            tolerance is how much later the timer may fire. (Correction 14 of corrections.md.)
            """, """
            文章 0 建议给需要精确的 Timer 设置 tolerance。其实正好相反：tolerance 是 Timer 可以迟到多少。（\
            corrections.zh.md，更正 14。）
            """),
        seconds: 1.6
    )

    func run() {
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
    }

    func judge() {
        lab.expect(Text("a few wake-ups serve all ten timers", "几次唤醒就触发了全部十个 Timer"), of: "wake-ups", isIn: 1...3, unit: Text("wake-ups", "次唤醒")) { $0.values.first }
        lab.expect(Text("no timer is early; the shortest delay", "没有 Timer 提前；最短的延迟"), of: "timer", isIn: 0...60) { $0.values.min() }
        lab.expect(Text("no tick is later than its tolerance, on an idle machine; the shortest delay of the repeating timer",
                        "机器空闲时，触发都不超出 tolerance；重复的 Timer 最短的延迟"),
                   of: "lateness", isIn: 0...lab.wait(0.2) / 2) { $0.values.min() }
        lab.expect(Text("the dates do not drift; the largest deviation", "时间点没有累积误差；最大偏差"), of: "tick", isIn: 0...0.01, unit: Text("intervals", "个间隔")) {
            $0.values.map { abs($0 - $0.rounded()) }.max()
        }
    }
}
