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

struct TimerMustBeAdded: ArticleProgram {
    let about = ArticleAbout(
        items: ["0.22"], heading: "<1>初识NSTimer遇到的坑",
        title: Text("timerWith… without addTimer: and with it; and a date that is missed", "timerWith… 不加 addTimer 和加上 addTimer；以及错过的时间点"),
        says: Text("""
            A timer that is made with timerWith… does not fire unless it is added to a loop. If a task takes long and a date is missed, the timer waits for the next date: it is not \
            executed late. For precision, set the tolerance.
            """, "timerWith 开头的方法创建的 Timer，不加 addTimer 就无法运行。如果一个任务执行时间较长，错过一个时间点后只能等到下一个时间点执行，并不会延后执行。想要尽可能准确，可以设置 tolerance。"),
        notice: Text("""
            If another task keeps the loop busy, the timer is late, once: it fires as soon as the loop is free, between two dates. Only the other dates are skipped, and the old rhythm goes on. The \
            article is right for a task in the timer's own callback: the next date is chosen when that has returned. The tolerance does the \
            opposite of precision: it is how much later the timer may fire. Leave it at 0, or let a thread of its own wait for a timer that must not be late.
            """, "如果是别的任务占住了 RunLoop，Timer 会迟到一次：RunLoop 一空闲就触发，这时在两个时间点之间；其余时间点被跳过，之后恢复原来的节奏。如果任务就在 Timer 自己的回调里，文章是对的：回调返回后才选定下一个时间点。tolerance 与准确正相反：它是允许晚多少。要准确就让它保持 0，或者把 Timer 放到单独的线程。"),
        verdict: .otherwise, seconds: 5, isPair: true)

    func run() {
        let interval = lab.wait(0.3), first = shortened(1)
        let controller = ViewController()
        controller.viewDidLoad()
        NSRunLoop.main.run(until: Date(timeIntervalSinceNow: first * 2.5))
        lab.note("the first timer is over")
        controller.timer?.invalidate()

        // Two timers, and a task that ends two and a half intervals after the first date: another timer's, and then the timer's own.
        missDates(interval, "another task", ticks: 3) { first in
            let task = NSTimer(fire: first.addingTimeInterval(interval / 2), interval: 0, repeats: false) { _ in NSThread.sleep(until: first.addingTimeInterval(interval * 2.5)) }
            NSRunLoop.main.add(task, forMode: .default) // 执行时间较长的任务
        } ticked: { _, _ in }
        missDates(interval, "its own task", ticks: 2) { _ in } ticked: { tick, first in
            if tick == 1 { NSThread.sleep(until: first.addingTimeInterval(interval * 2.5)) }
        }
    }

    /// Runs the loop until a timer has fired so often. Its ticks are recorded in intervals from its first date.
    private func missDates(_ interval: Double, _ name: String, ticks limit: Int, _ begin: (Date) -> Void, ticked: @escaping @Sendable (Int, Date) -> Void) {
        nonisolated(unsafe) var ticks = 0 // on this thread alone
        let first = Date(timeIntervalSinceNow: interval)
        let timer = NSTimer(fire: first, interval: interval, repeats: true) { _ in
            ticks += 1
            lab.callout(.timer, "\(name), tick \(ticks)", value: Date().timeIntervalSince(first) / interval)
            ticked(ticks, first)
        }
        NSRunLoop.main.add(timer, forMode: .default)
        begin(first)
        let end = now() + 10
        while ticks < limit, now() < end { NSRunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: interval)) }
        timer.invalidate()
    }

    func judge() {
        let line = linesLogged, over = "the first timer is over"
        func first(_ claim: Text, _ times: ClosedRange<Int>) {
            lab.judge(claim, "\(times)", looksAt: [line, over]) { events in
                guard let end = events.firstIndex(where: { $0.name == over }) else { return (false, "-") }
                let count = events[..<end].count { $0.name == line && $0.detail == "wantTodo" }
                return (times.contains(count), "\(count)")
            }
        }
        let late = "another task, tick 2"
        if form == .asWritten {
            lab.theArticleSays {
                first(Text("without addTimer: nothing", "不加 addTimer，什么也没有"), 0...0)
                lab.expect(Text("a missed date is not executed late: the tick waits for the next date, 3", "错过的时间点不会延后执行：等到下一个时间点 3"),
                           of: late, isIn: 2.95...4, unit: Text("intervals", "个间隔"), places: 2) { $0.values.first }
            }
        } else {
            lab.theArticleSays { first(Text("with addTimer: it fires", "加上 addTimer，Timer 触发"), 1...3) }
        }
        lab.expect(Text("the late tick comes when the loop is free, between the dates 2 and 3", "迟到的那次在 RunLoop 空闲时触发，在时间点 2 和 3 之间"),
                   of: late, isIn: 2.4...2.95, unit: Text("intervals", "个间隔"), places: 2) { $0.values.first }
        lab.expect(Text("then the old rhythm: the date 3", "之后恢复原来的节奏：时间点 3"), of: "another task, tick 3", isIn: 2.99...3.6, unit: Text("intervals", "个间隔"), places: 2) { $0.values.first }
        lab.expect(Text("dates within the timer's own callback are skipped: here the article is right", "Timer 自己的回调期间错过的时间点直接跳过：这种情况文章是对的"),
                   of: "its own task, tick 2", isIn: 2.99...3.6, unit: Text("intervals", "个间隔"), places: 2) { $0.values.first }
    }
}
