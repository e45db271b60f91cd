// Article 3, 〈B-- CFRunLoopTimerRef〉: 3.13.
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
    let about = About(
        name: "3.13", title: Text("A timer printed; timers and delayed performs on a second thread", "打印一个 Timer；子线程里的 Timer 和 performSelector:afterDelay:"),
        says: Text("A timer prints firing, interval, tolerance, next fire date and callout. A scheduled timer is in the default mode of the main thread's loop. performSelector:afterDelay: makes a timer in the current thread's loop; without a loop it has no effect. A date that is missed is skipped.",
                   "Timer 打印出 firing、interval、tolerance、next fire date、callout。scheduledTimer 默认添加到主线程 runLoop 的 DefaultMode。performSelector:afterDelay: 在当前线程的 runloop 里创建 Timer，如果当前线程没 runloop 则方法无效。错过的时间点会跳过去，不会延后执行。"),
        notice: Text("""
            A timer is scheduled in the loop of the thread that calls. And there is always a loop: asking for it creates it. A delayed perform has no effect \
            as long as nobody runs that loop; once it is run, the call is made. A timer that has missed its date fires late, once. (A closure stands for the NSInvocation, which Swift does not \
            have. A run's time limit is a dispatch source on a Mac; here the wait itself has the limit.)
            """, "scheduledTimer 把 Timer 加到调用线程的 RunLoop。而且 RunLoop 总是有的：一问就创建。afterDelay: 无效只是因为没有人运行那个 RunLoop；运行起来，调用就会执行。错过时间点的 Timer 会迟到地触发一次。（Swift 没有 NSInvocation，这里用闭包代替。run 的超时在 Mac 上是 dispatch source，这里由等待本身负责。）"),
        verdict: .otherwise, seconds: 0.3)

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
