// Article 1, 〈CFRunLoop对外暴露的管理Mode接口只有下面两个〉: 1.12; the same interface in 2.10, 3.8, 3.10.
//
// The two functions for modes and the six for their items, called with a new name each. What to see: modes come by being named, and stay.

import CRunLoop
import SwiftRunLoop

// MARK: - The listing

private func callAll() {
    let runloop = CFRunLoopGetCurrent()!
    var context = CFRunLoopSourceContext()
    let source = CFRunLoopSourceCreate(nil, 0, &context)
    let observer = CFRunLoopObserverCreateWithHandler(nil, CFRunLoopActivity.allActivities.rawValue, true, 0) { _, _ in lab.note("observed") }
    let timer = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + 1000, 1000, 0, 0) { _ in }

    count(runloop, "CFRunLoopGetCurrent")
    CFRunLoopAddSource(runloop, source, name("sources"))
    count(runloop, "CFRunLoopAddSource")
    CFRunLoopAddSource(runloop, source, name("sources"))
    count(runloop, "CFRunLoopAddSource, again")
    CFRunLoopAddObserver(runloop, observer, name("observers"))
    count(runloop, "CFRunLoopAddObserver")
    CFRunLoopAddTimer(runloop, timer, name("timers"))
    count(runloop, "CFRunLoopAddTimer")
    CFRunLoopAddCommonMode(runloop, name("common"))
    count(runloop, "CFRunLoopAddCommonMode")
    lab.observe("run in the observer's mode", value: Double(CFRunLoopRunInMode(name("observers"), 5, false).rawValue))
    lab.observe("run in an unknown mode", value: Double(CFRunLoopRunInMode(name("unknown"), 5, false).rawValue))
    count(runloop, "CFRunLoopRunInMode, twice")
    CFRunLoopRemoveSource(runloop, source, name("sources"))
    lab.observe("added twice, removed once", CFRunLoopContainsSource(runloop, source, name("sources")) ? "is there" : "is gone")
    CFRunLoopRemoveObserver(runloop, observer, name("observers"))
    CFRunLoopRemoveTimer(runloop, timer, name("timers"))
    count(runloop, "CFRunLoopRemoveSource, …Observer, …Timer")
    CFRunLoopTimerInvalidate(timer)
}

private func name(_ text: String) -> CFString { NSRunLoop.Mode(text).cfName }

/// Says how many modes there are.
private func count(_ runloop: CFRunLoop, _ call: String) {
    let modes = CFRunLoopCopyAllModes(runloop)!
    lab.observe("modes", "\(CFArrayGetCount(modes)) after \(call)")
    NSLog("modes: \(CFArrayGetCount(modes)) after \(call)")
    CFRelease(UnsafeRawPointer(modes))
}

// MARK: - Telling and judging

struct ModeInterface: Program {
    let about = About(article: "1.12", seconds: 0.1)

    func run() {
        lab.onThread("worker") { callAll() }
    }

    func judge() {
        lab.article.expectFound(Text("a new name makes a mode, and modes only become more", "新的 name 会创建 mode，mode 只增不减"), of: "modes", [
            "1 after CFRunLoopGetCurrent", "2 after CFRunLoopAddSource", "2 after CFRunLoopAddSource, again", "3 after CFRunLoopAddObserver",
            "4 after CFRunLoopAddTimer", "4 after CFRunLoopAddCommonMode", "4 after CFRunLoopRunInMode, twice",
            "4 after CFRunLoopRemoveSource, …Observer, …Timer",
        ])
        lab.article.expectFound(Text("adding an item a second time has no effect", "重复加入同一个 mode 没有效果"), of: "added twice, removed once", ["is gone"])
        lab.article.expect(Text("a mode that is not there ends a run: Finished", "没有这个 mode，run 直接返回 Finished"),
                   of: "run in an unknown mode", is: [1]) { $0.values }
        lab.expect(Text("so does a mode with an observer alone", "只有 Observer 的 mode 也一样"), of: "run in the observer's mode", is: [1]) { $0.values }
    }
}
