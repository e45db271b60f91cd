// Article 4, 〈1.3 运行模式与切换机制〉: 4.3. The demo of a timer that rests while a list is dragged is 0.24.
//
// One timer is added to the default mode, the tracking mode and the common modes. What to see: it fires once a date, in both modes.

import SwiftRunLoop

// MARK: - The listing

private final class ViewController: ListController, @unchecked Sendable {
    override func viewDidLoad() {
        super.viewDidLoad()
        // The stage's user begins when the loop sleeps in the default mode, so its runs are observed from there on.
        for (mode, name) in [(NSRunLoop.Mode.default, "default"), (.tracking, "tracking")] {
            NSRunLoop.main.add(NSRunLoop.Observer(activities: [.entry, .exit]) { [lab] _, activity in
                if lab.times("run") < 5 { lab.observe("run", "\(activity) \(name)") }
            }, forMode: mode)
        }

        let timer = NSTimer(timeInterval: shortened(1), target: self, action: ViewController.timerFired, userInfo: nil, repeats: true)
        NSRunLoop.current.add(timer, forMode: .default)
        NSRunLoop.current.add(timer, forMode: .tracking)
        NSRunLoop.current.add(timer, forMode: .common)
    }

    func timerFired(_ timer: NSTimer) {
        NSLog("timerFired: \(NSRunLoop.current.currentMode?.rawValue ?? "")")
        lab.observe("tick", value: timer.fireDate.timeIntervalSinceReferenceDate)
    }
}

// MARK: - Telling and judging

struct OneTimerThreeModes: Program {
    let about = About(
        name: "4.3", title: Text("One timer, added to the default mode, the tracking mode and the common modes", "同一个 Timer 先后加到默认 mode、tracking mode 和 common modes"),
        says: Text("A loop runs in one mode at a time; for another mode, the run must be left. The common modes stand for default and tracking: a timer there fires in both.",
                   "RunLoop 某一时刻只能运行在一种 mode 下，切换 mode 只能退出当前 RunLoop 再重新进入。common modes 包含 Default 和 Tracking，加在其中的 Timer 在两种 mode 下都有效。"),
        notice: Text("""
            The three calls stand one below the other in the listing, as three choices. As one program they add one timer three times. That doubles nothing, because a \
            mode takes a timer only if it does not have it yet. No loop runs in the common modes: they are a list of modes, not a mode.
            """, "文章里的三次添加是三种选择。当作一段程序，就是把一个 Timer 加了三次：触发次数不会变多，因为一个 mode 里同一个 Timer 只有一份。common modes 不是 RunLoop 能运行的 mode，而是一份 mode 的名单。"),
        verdict: .roughly, seconds: 12)

    func run() {
        Stage.run(ViewController(), script: [
            .waitForLine("kCFRunLoopDefaultMode", times: 3), .drag(column: 30, from: 20, to: 10), .waitForLine("UITrackingRunLoopMode", times: 3), .lift,
            .until { lab.times("rests") == 1 }, .until { lab.lines(with: "kCFRunLoopDefaultMode", since: "rests").count >= 3 },
        ])
    }

    func judge() {
        for mode in ["kCFRunLoopDefaultMode", "UITrackingRunLoopMode"] {
            lab.article.expect(Text("the timer fires in \(mode)", "Timer 在 \(mode) 里触发"), line: "timerFired: \(mode)", times: 3...1000)
        }
        lab.article.expectFound(Text("a run is left before one in another mode begins", "切换 mode 时，先退出当前的运行，再进入新的"),
                                of: "run", ["Entry default", "Exit default", "Entry tracking", "Exit tracking", "Entry default"])
        lab.expect(Text("one tick a date, although the timer was added three times", "加了三次，每个时间点也只触发一次"),
                   of: "tick", isIn: 1...1, unit: Text("ticks a date", "次/时间点"), places: 2) { events in
            let dates = Set(events.values).count
            return dates < 6 ? nil : Double(events.count) / Double(dates)
        }
    }
}
