// Article 0, 〈<1>初识NSTimer遇到的坑〉: 0.22.
//
// A timer without addTimer:, and with it; then a task that takes two intervals. What to see: the missed date is made up
// for, late and once.

import SwiftRunLoop

// MARK: - The listing

private final class ViewController: UIViewController, @unchecked Sendable {
    var timer: NSTimer?

    override func viewDidLoad() {
        super.viewDidLoad()

        let timer = NSTimer(timeInterval: shortened(1), target: self, action: ViewController.wantTodo, userInfo: nil, repeats: true)
        // the line without which nothing fires
        if form == .cured { NSRunLoop.current.add(timer, forMode: .default) }
        self.timer = timer
    }

    func wantTodo(_ timer: NSTimer) {
        NSLog("wantTodo")
    }
}

// MARK: - Telling and judging

struct TimerMustBeAdded: Program {
    let about = About(article: "0.22", seconds: 5, isPair: true)

    func run() {
        let interval = lab.wait(0.3), first = shortened(1)
        let controller = ViewController()
        controller.viewDidLoad()
        NSRunLoop.main.run(until: Date(timeIntervalSinceNow: first * 2.5))
        if form == .cured { lab.run { !lab.lines(with: "wantTodo").isEmpty } }
        lab.note("the first timer is over")
        controller.timer?.invalidate()

        // Two timers, and a task that misses two of their dates: a block's, and then the timer's own.
        let another = MissedDates("another task", interval)
        another.task = {
            NSRunLoop.main.perform { // before the next tick
                let next = another.timer.fireDate
                NSThread.sleep(until: next.addingTimeInterval(interval * 1.5)) // a task that takes long
                another.lookAtDate("over", since: next)
            }
        }
        another.run(ticks: 2)
        let own = MissedDates("its own task", interval)
        own.task = { NSThread.sleep(until: own.first.addingTimeInterval(interval * 2.5)) }
        own.run(ticks: 1)
    }

    /// A timer whose dates are told in intervals from an earlier one. All of it on the main thread.
    private final class MissedDates: @unchecked Sendable {
        let first: Date
        var task: () -> Void = {}
        private let name: String, interval: Double
        private(set) var timer: NSTimer!
        private var ticks = 0

        init(_ name: String, _ interval: Double) {
            (self.name, self.interval, first) = (name, interval, Date(timeIntervalSinceNow: interval))
            timer = NSTimer(fire: first, interval: interval, repeats: true) { [self] _ in
                ticks += 1
                lab.callout(.timer, "\(name), tick \(ticks)")
                if ticks == 1 { task() }
            }
            NSRunLoop.main.add(timer, forMode: .default)
        }

        /// Records which date the timer has.
        func lookAtDate(_ when: String, since earlier: Date) { lab.observe("\(name) \(when)", value: timer.fireDate.timeIntervalSince(earlier) / interval) }

        func run(ticks limit: Int) {
            lab.run { ticks >= limit }
            lookAtDate("afterwards", since: first)
            timer.invalidate()
        }
    }

    func judge() {
        let over = "the first timer is over", unit = Text.none, isOver = "another task over", own = "its own task"
        func whole(_ claim: Text, _ name: String) { // however late the machine is
            lab.expect(claim, of: name, isIn: 0...0.01, unit: unit, places: 2) { $0.values.first.map { $0 > 2.5 ? abs($0 - $0.rounded()) : 9 } }
        }
        if form == .asWritten {
            lab.article.expect(Text("without addTimer: nothing", "不加 addTimer，什么也没有"), line: "wantTodo", times: 0...0, to: over)
            lab.article.expect(Text("a missed date is not executed late: after the task the timer waits for another one, two intervals later", "错过的时间点不会延后执行：任务结束后，Timer 等的是两个间隔之后的时间点"),
                       of: isOver, isIn: 2...1000, unit: unit, places: 2) { $0.values.first }
        } else {
            lab.article.expect(Text("with addTimer: it fires", "加上 addTimer，Timer 触发"), line: "wantTodo", times: 1...1000, to: over)
        }
        lab.expect(Text("after the task the timer still has its date from before, which has passed", "任务结束后，Timer 的时间点还是原来那个，已经过去了"), of: isOver, isIn: -0.01...0.01, unit: unit, places: 2) { $0.values.first }
        lab.expect(Text("so the late tick comes when the loop is free, once", "所以 RunLoop 一空闲就补上迟到的那次，只补一次"),
                   order: ["another task, tick 1", isOver, "another task, tick 2"])
        whole(Text("then the old rhythm: the next date is a whole number of intervals after the first (the distance to it)", "之后恢复原来的节奏：下一个时间点与第一个相差整数个间隔（与整数之差）"), "another task afterwards")
        whole(Text("dates within the timer's own callback are skipped: here the article is right (the distance to a whole number)", "Timer 自己的回调期间错过的时间点直接跳过：这种情况文章是对的（与整数之差）"),
              "\(own) afterwards")
    }
}
