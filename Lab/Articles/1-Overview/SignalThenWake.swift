// Article 1, 〈Source0〉: 1.14; 〈CFRunLoopSourceRef类〉: 1.13.
//
// A CFRunLoopSourceContext, signaled and woken. What to see: a signal alone does not wake the loop; ten signals are one perform; orders sort.

import CRunLoop
import SwiftRunLoop

// MARK: - The listing

private func source(_ name: String, _ order: Int) -> CFRunLoopSource {
    var context = CFRunLoopSourceContext()
    context.info = UnsafeMutableRawPointer(bitPattern: order)
    context.perform = { info in
        let name = "order \(Int(bitPattern: info))"
        lab.callout(.source0, name)
        NSLog(Text("\(name) is performed", "\(name) 执行").description)
    }
    return CFRunLoopSourceCreate(nil, order, &context)
}

// MARK: - Telling and judging

struct SignalThenWake: Program {
    let about = About(article: "1.14", seconds: 0.4)

    func run() {
        let worker = lab.startThread("worker") {
            let first = source("order 1", 1), second = source("order 2", 2)
            let loop = CFRunLoopGetCurrent()!
            for source in [first, second] { CFRunLoopAddSource(loop, source, kCFRunLoopDefaultMode) }
            let sources = (first, second, loop)
            let user = lab.startThread("user") { use(sources.0, sources.1, sources.2) }
            CFRunLoopRun()
            lab.waitUntil { user.isFinished }
            for source in [first, second] { CFRunLoopSourceInvalidate(source) }
        }
        lab.waitUntil { worker.isFinished }
    }

    private func use(_ first: CFRunLoopSource, _ second: CFRunLoopSource, _ loop: CFRunLoop) {
        func asleep() { lab.waitUntil { CFRunLoopIsWaiting(loop) } }
        asleep()
        CFRunLoopSourceSignal(first)
        lab.note("signaled")
        usleep(useconds_t(lab.wait(0.2) * 1e6))
        lab.note("woken")
        CFRunLoopWakeUp(loop)
        lab.waitUntil { lab.times("order 1") == 1 }
        asleep()
        for _ in 1...10 {
            CFRunLoopSourceSignal(second)
            CFRunLoopSourceSignal(first)
        }
        lab.note("signaled ten times")
        CFRunLoopWakeUp(loop)
        lab.waitUntil { lab.times("order 2") == 1 }
        asleep()
        lab.note("asleep again")
        CFRunLoopStop(loop)
    }

    func judge() {
        lab.article.expect(Text("a signal alone performs nothing; after the wake-up it is performed", "只标记不会执行，唤醒后才执行"),
                   order: ["signaled", "woken", "order 1"], to: "order 1")
        lab.article.expect(Text("the orders decide within a pass", "同一轮里按 order 执行"), order: ["signaled ten times", "order 1", "order 2"],
                   from: "signaled ten times", to: "order 2")
        lab.expect(Text("ten signals are one perform", "十次标记只执行一次"), order: ["signaled ten times", "order 1", "order 2", "asleep again"],
                   from: "signaled ten times")
        lab.expect(Text("in step 4", "在第 4 步"), each: "order 1", \.step, is: "4")
    }
}
