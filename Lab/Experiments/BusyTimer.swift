// busy-timer: on a busy loop, a timer fires late, skips the dates it missed and keeps its rhythm; another thread's is on time.

import SwiftRunLoop

struct BusyTimer: Program {
    let about = About(
        name: "busy-timer", claims: ["T3", "T9"], group: .timers,
        title: Text("a late timer skips the dates it missed and keeps its rhythm; on a thread of its own it is on time",
                    "迟到的 Timer 跳过错过的时间点，保持原来的节奏；放在单独的线程上就能准时"),
        setting: Text("""
            Two timers have the same interval and the same first date: one in the main loop, one in the loop of a \
            thread of its own. After the second tick, a block keeps the main thread busy for three and a half \
            intervals.
            """, """
            两个 Timer 的间隔和首次触发时间都相同：一个在主线程的 RunLoop 里，一个在单独线程的 RunLoop 里。\
            第二次触发之后，一个 block 占用主线程三个半间隔。
            """),
        notice: Text("""
            The main loop's third tick comes late, as soon as the loop is free. It stands for all the dates that have \
            passed: they are not made up for. The fourth tick is on a date of the old rhythm again. The timer on the \
            other thread is not affected.
            """, """
            主线程的第三次触发迟到了，RunLoop 一有空就触发。它代表所有已经过去的时间点，不会一次次补上。第四\
            次又回到原来的节奏。另一个线程上的 Timer 不受影响。
            """),
        correction: Text("""
            Articles 0 and 3 say that a timer that missed its date is not called late, but at its next date. It is \
            called late, once, as soon as the loop is free. Only the further dates are skipped. (Correction 8 of \
            corrections.md.)
            """, """
            文章 0 和文章 3 说，错过了时间点的 Timer 不会延后执行，要等下一个时间点。其实会延后触发一次，\
            RunLoop 一有空就触发；被跳过的只是其余的时间点。（corrections.zh.md，更正 8。）
            """),
        seconds: 1.4
    )

    func run() {
        let interval = lab.wait(0.2), start = Date(timeIntervalSinceNow: interval)

        let phase = Counter() // 1: the main thread is busy; 2: its timer is done

        let thread = lab.startThread("worker") {
            let timer = Timer(fire: start, interval: interval, repeats: true) { timer in
                if phase.value == 1, lab.times("tick on the worker") < 3 { lab.callout(.timer, "tick on the worker") }
                if phase.value == 2 { timer.invalidate() }
            }
            RunLoop.current.add(timer, forMode: .default)
            RunLoop.current.run() // until the timer is invalidated
        }

        let timer = Timer(fire: start, interval: interval, repeats: true) { timer in
            let date = timer.fireDate.timeIntervalSince(start) / interval // the date that this tick is for, counted in intervals
            let tick = lab.callout(.timer, "tick", "for date \(seconds(date, unit: ""))", value: date)
            if tick == 2 { RunLoop.main.perform { work(for: 3.5 * interval, phase) } }
            if tick == 4 {
                timer.invalidate()
                phase.add()
            }
        }
        RunLoop.main.add(timer, forMode: .default)
        while timer.isValid || !thread.isFinished { RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.02)) }
    }

    func judge() {
        lab.expect(Text("one tick stands for all the dates that passed", "一次触发代表所有已经过去的时间点"), order: ["tick", "tick", "busy", "free", "tick", "tick"])
        lab.expect(Text("the worker's timer ticks meanwhile", "这期间，工作线程的 Timer 照常触发"), "tick on the worker", times: 3, from: "busy", to: "free")
        lab.expect(Text("every tick is for a date of the rhythm; the largest deviation", "每次触发都对应原来节奏的时间点；最大偏差"), of: "tick", isIn: 0...0.01,
                   unit: Text("intervals", "个间隔")) { $0.values.map { abs($0 - $0.rounded()) }.max() }
        lab.expect(Text("dates that were skipped between the first tick and the fourth", "从第一次到第四次触发，跳过了几个时间点"), of: "tick", isIn: 1...100, unit: Text("dates", "个时间点")) {
            $0.values.last.map { $0 - 3 }
        }
    }

    private func work(for time: Double, _ phase: Counter) {
        lab.callout(.block, "busy")
        phase.add()
        Thread.sleep(forTimeInterval: time) // to a loop, a callback that sleeps and one that computes are the same
        lab.waitUntil { lab.times("tick on the worker") == 3 } // at once, unless the machine is busy
        lab.callout(.block, "free")
    }
}
