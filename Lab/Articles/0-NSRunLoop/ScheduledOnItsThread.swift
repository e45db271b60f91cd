// Article 0, 〈凡事都有例外〉: 0.23.
//
// scheduledTimerWith…, on two threads. What to see: the timer is in the default mode of the thread that makes it.

import SwiftRunLoop

struct ScheduledOnItsThread: Program {
    let about = About(article: "0.23", seconds: 0.3)

    func run() {
        let interval = lab.wait(0.05)
        @Sendable func schedule(_ name: String) -> NSTimer {
            let timer = NSTimer.scheduledTimer(withTimeInterval: interval, repeats: true) { _ in
                if lab.callout(.timer, name) == 1 { NSLog("\(name): 在\(NSThread.isMainThread ? "主线程" : "子线程")触发，\(NSRunLoop.current.currentMode!.rawValue)") }
            }
            NSLog("\(name): 当前线程的默认mode里有它 \(NSRunLoop.current.contains(timer, forMode: .default))，主线程的\(NSRunLoop.main.contains(timer, forMode: .default))")
            return timer
        }
        lab.onThread("idle") {
            let timer = schedule("子线程，没有run")
            usleep(useconds_t(interval * 2.5 * 1e6))
            timer.invalidate()
        }
        lab.onThread("runs") {
            let timer = schedule("子线程，run")
            lab.run { lab.times("子线程，run") > 0 }
            timer.invalidate()
        }
        let timer = schedule("主线程")
        lab.run { lab.times("主线程") > 0 }
        timer.invalidate()
    }

    func judge() {
        lab.article.expect(Text("each timer is in the default mode of its own thread, and fires there", "每个 Timer 都在自己线程的默认 mode 里，并在那里触发"), lines: [
            "子线程，没有run: 当前线程的默认mode里有它 true，主线程的false",
            "子线程，run: 当前线程的默认mode里有它 true，主线程的false", "子线程，run: 在子线程触发，kCFRunLoopDefaultMode",
            "主线程: 当前线程的默认mode里有它 true，主线程的true", "主线程: 在主线程触发，kCFRunLoopDefaultMode",
        ])
        lab.expect(Text("the loop of its thread calls it", "由所在线程的 RunLoop 调用"), each: "子线程，run", \.thread, is: "runs")
        lab.expect(Text("a loop that is not run fires nothing", "没有 run 的 RunLoop 什么也不触发"), order: ["主线程"], to: "主线程", among: ["子线程，没有run"])
    }
}
