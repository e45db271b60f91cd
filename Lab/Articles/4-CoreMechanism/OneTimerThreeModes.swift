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
    let about = About(article: "4.3", seconds: 12)

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
