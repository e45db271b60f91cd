// Article 0, 〈3.- (BOOL)runMode〉: 0.12.
//
// What makes runMode:beforeDate: return. What to see: a source, a stop and the date do; a timer does not.

import CRunLoop
import SwiftRunLoop

// MARK: - The listing

/// Says what runMode:beforeDate: has returned, and whether its date has passed.
private func run(_ cause: String, until date: Date) {
    let returned = NSRunLoop.current.run(mode: .default, before: date)
    NSLog("\(cause): \(returned ? "YES" : "NO")\(Date() < date ? "" : "，到时间")")
}

private func subThreadTodo() {
    let runLoop = NSRunLoop.current, thread = NSThread.current, limit = lab.wait(0.3)
    run("空的Mode", until: .distantFuture)
    runLoop.add(NSMachPort(), forMode: .default)

    try? Thread.perform(on: thread, waitUntilDone: false) {}
    run("PerformSelector", until: .distantFuture)

    stopWhenAsleep()
    run("CFRunLoopStop", until: .distantFuture)

    let timer = NSTimer(timeInterval: limit / 4, repeats: true) { _ in lab.callout(.timer, "timer") }
    runLoop.add(timer, forMode: .default)
    run("Timer", until: Date(timeIntervalSinceNow: limit))
    lab.note("the timer's run has returned")
    timer.invalidate()
    run("limitDate", until: Date(timeIntervalSinceNow: limit / 4))
}

/// Calls CFRunLoopStop from another thread.
private func stopWhenAsleep() {
    let loop = OtherLoop()
    loop.set()
    NSThread.detachNewThread {
        lab.waitUntil { loop.isAsleep }
        CFRunLoopStop(loop.value!.getCFRunLoop())
    }
}

// MARK: - Telling and judging

struct RunModeReturns: Program {
    let about = About(article: "0.12", seconds: 0.5)

    func run() { lab.onThread("subThread") { subThreadTodo() } }

    func judge() {
        lab.article.expect(Text("a performed call ends it: YES", "PerformSelector 之后返回 YES"), oneLine: "PerformSelector: YES")
        lab.article.expect(Text("a timer that fires does not: the date ends it", "Timer 触发不会让它退出，到时间才退出"), "timer", times: 1...5, to: "the timer's run has returned")
        lab.expect(Text("what each returns", "各自的返回值"),
                   lines: ["空的Mode: NO", "PerformSelector: YES", "CFRunLoopStop: YES", "Timer: YES，到时间", "limitDate: YES，到时间"])
    }
}
