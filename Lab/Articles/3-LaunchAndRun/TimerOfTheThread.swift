// Article 3, 〈B-- CFRunLoopTimerRef:系统内“定时闹钟”〉: 3.13.
//
// A printed timer, and which loop a timer belongs to. What to see: scheduling uses the calling thread's loop.

import SwiftRunLoop

// MARK: - The listing

private final class Worker: Performing {
    func delayed() {
        lab.callout(.timer, "delayed")
        NSLog("performSelector:afterDelay:")
    }
}

// MARK: - Telling and judging

struct TimerOfTheThread: Program {
    let about = About(article: "3.13", seconds: 0.3)

    func run() {
        let interval = lab.wait(0.05)
        let thread = lab.startThread("second") {
            let invocation = Invocation { lab.callout(.timer, "timer") }
            let timer = NSTimer.scheduledTimer(timeInterval: interval, invocation: invocation, repeats: true)
            timer.tolerance = 0.01
            let loops = [(NSRunLoop.main, "main"), (NSRunLoop.current, "second")].filter { $0.0.contains(timer, forMode: .default) }.map(\.1)
            lab.observe("the timer is in the loop of", loops.joined(separator: " "))
            let print = timer.description
            lab.observe("print", print)
            NSLog(print)

            Worker().perform(Worker.delayed, afterDelay: interval)
            lab.note("no loop runs")
            Thread.sleep(forTimeInterval: 3 * interval)
            lab.note("the loop runs")
            lab.run { lab.times("delayed") > 0 && lab.times("timer") >= 2 }
            timer.invalidate()
        }
        lab.run { thread.isFinished } // the main loop must not fire it
    }

    func judge() {
        lab.article.expect(Text("these fields are printed", "打印出这些字段"), of: "print", is: "firing, interval, tolerance, next fire date, callout") { prints in
            ["firing", "interval", "tolerance", "next fire date", "callout"].filter { field in prints.contains { $0.detail.contains("\(field) = ") } }.joined(separator: ", ")
        }
        lab.article.expect(Text("a scheduled timer is in the main thread's loop", "scheduledTimer 在主线程的 runLoop 里"), each: "the timer is in the loop of", \.detail, is: "main")
        lab.expect(Text("it is in the loop of the thread that scheduled it, and fires there", "它在调用线程的 RunLoop 里，并在那里触发"), each: "timer", \.thread, is: "second")
        lab.expect(Text("a delayed perform waits until the loop is run", "afterDelay: 一直等到 RunLoop 运行"), order: ["no loop runs", "the loop runs", "delayed"])
        lab.expect(Text("it is made by a timer", "它由 Timer 执行"), each: "delayed", \.kind, is: "timer")
    }
}
