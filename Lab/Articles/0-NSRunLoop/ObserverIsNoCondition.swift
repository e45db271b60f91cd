// Article 0, 〈它不能作为让RunLoop正常运行的条件〉: 0.7.
//
// A mode with an observer alone; an item added twice, and to two modes. What to see: the run that returns at once, and the counts.

import SwiftRunLoop

struct ObserverIsNoCondition: Program {
    let about = About(article: "0.7", seconds: 0.5)

    func run() {
        lab.onThread("subThread") {
            let runLoop = NSRunLoop.current
            let observer = NSRunLoop.Observer { _, activity in lab.observe("notified", "\(activity)") }
            runLoop.add(observer, forMode: .default)
            NSLog("只有Observer: \(runLoop.run(mode: .default, before: Date(timeIntervalSinceNow: 5)))")
            lab.observe("observers alone", "returned")

            let interval = lab.wait(0.1)
            let timer = NSTimer(timeInterval: interval, repeats: true) { _ in lab.callout(.timer, "tick") }
            for (time, mode) in [NSRunLoop.Mode.default, .default, .tracking].enumerated() {
                runLoop.add(timer, forMode: mode)
                let print = LoopPrint(runLoop)
                NSLog("加入第\(time + 1)次: \(print.items("timers", in: .default).count) + \(print.items("timers", in: .tracking).count)")
            }
            timer.fireDate = Date(timeIntervalSinceNow: interval) // the prints have taken a while
            let start = timer.fireDate
            lab.run { lab.times("tick") >= 2 }
            lab.observe("dates", value: (Date().timeIntervalSince(start) / interval).rounded(.down) + 1)
            lab.observe("ticks", value: Double(lab.times("tick")))
        }
    }

    func judge() {
        lab.article.expect(Text("an observer alone keeps no run; an item is once in each mode", "只有 Observer 时直接退出；item 在每个 mode 里只有一份"),
                   lines: ["只有Observer: false", "加入第1次: 1 + 0", "加入第2次: 1 + 0", "加入第3次: 1 + 1"])
        lab.article.expect(Text("the timer fires at most once a date", "每个时间点最多触发一次"), of: "tick", "dates", "ticks", isIn: 0.01...1, unit: Text("ticks a date", "次/时间点"), places: 2) { events in
            guard let dates = events.values(of: "dates").first, let ticks = events.values(of: "ticks").first, dates > 0 else { return nil }
            return Double(events.count { $0.name == "tick" }) == ticks ? ticks / dates : nil
        }
        lab.expect(Text("the observer of the empty run was not notified", "空的那次 run 没有通知 Observer"), "notified", times: 0, to: "observers alone")
    }
}
