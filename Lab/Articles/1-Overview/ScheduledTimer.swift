// Article 1, 〈scheduledTimerWithTimeInterval和RunLoop的关系〉: 1.18; 〈CFRunLoopTimerRef类〉: 1.17.
//
// A scheduled timer, and a timer that is added to the default mode. What to see: the two loops print the same.

import CRunLoop
import SwiftRunLoop

// MARK: - The listing

private final class Target: Sendable {
    func run(_ timer: NSTimer) { NSLog("run") }
}

private func makeTimer(_ isScheduled: Bool, _ target: Target) -> NSTimer {
    if isScheduled { return NSTimer.scheduledTimer(timeInterval: 2.0, target: target, action: Target.run, userInfo: nil, repeats: true) }

    let timer = NSTimer(timeInterval: 2.0, target: target, action: Target.run, userInfo: nil, repeats: true)
    NSRunLoop.current.add(timer, forMode: .default)
    return timer
}

// MARK: - Telling and judging

struct ScheduledTimer: Program {
    let about = About(article: "1.18", seconds: 0.1)

    func run() {
        let target = Target()
        for isScheduled in [true, false] {
            lab.onThread(isScheduled ? "scheduled" : "added") {
                let timer = makeTimer(isScheduled, target)
                let loop = CFRunLoopGetCurrent()!
                lab.observe("printed", LoopPrint(.current).lines.map(\.text).joined(separator: "\n"))
                lab.observe("interval of its CFRunLoopTimer", value: CFRunLoopTimerGetInterval(timer.cfTimer))
                lab.observe("its CFRunLoopTimer", CFRunLoopContainsTimer(loop, timer.cfTimer, kCFRunLoopDefaultMode) ? "is in the default mode" : "is not there")
                timer.invalidate()
                lab.observe("its CFRunLoopTimer", CFRunLoopTimerIsValid(timer.cfTimer) ? "is valid" : "is invalid as well")
            }
        }
        NSLog(lab.events.first { $0.name == "printed" }?.detail ?? "")
    }

    func judge() {
        lab.article.expect(Text("both loops print the same (the loops, those that print a timer, the texts)", "两个 RunLoop 打印出来相同（RunLoop 数，印有 Timer 的个数，文本数）"),
                   of: "printed", is: [2, 2, 1]) { [$0.count, $0.count { $0.detail.contains("CFRunLoopTimer") }, Set($0.map(\.detail)).count] }
        lab.article.expect(Text("the C functions take the timer's CFRunLoopTimer", "C 函数接受它的 CFRunLoopTimer"), of: "interval of its CFRunLoopTimer",
                   is: [2, 2]) { $0.values }
        lab.expectFound(Text("it is one timer: what is done to one is done to the other", "它们是同一个 Timer"), of: "its CFRunLoopTimer",
                        ["is in the default mode", "is invalid as well", "is in the default mode", "is invalid as well"])
    }
}
