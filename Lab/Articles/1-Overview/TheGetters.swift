// Article 1, 〈Runloop对象的获取〉: 1.3, 1.4; the getters are 0.1, too.
//
// Four functions return loops. What to see: they return two objects, again and again; what another thread may do with them.

import CArticles
import CRunLoop
import Glibc
import SwiftRunLoop

// MARK: - The listing

/// 1.3. What the two C functions do (1.4) stands under their names in Sources/CRunLoop/CFRunLoopRegistry.c, in the listing's order.
private func getLoops() {
    // Foundation
    var runloop = NSRunLoop.current
    let current = runloop
    runloop = NSRunLoop.main
    let main = runloop
    // Core Foundation
    let cfCurrent = CFRunLoopGetCurrent()
    let cfMain = CFRunLoopGetMain()
    show("getters", cfCurrent == current.getCFRunLoop() ? "the current loop" : "another loop")
    show("getters", cfMain == main.getCFRunLoop() ? "the main loop" : "another loop")
    show("getters", cfCurrent == cfMain && NSRunLoop.current === runloop ? "the same again" : "another loop")
}

// MARK: - Telling and judging

struct TheGetters: Program {
    let about = About(article: "1.3", seconds: 0.2)

    func run() {
        getLoops()

        lab.onThread("other") {
            show("other thread", CFRunLoopGetCurrent() == CFRunLoopGetMain() ? "has the main loop" : "has its own loop")
            show("other thread", NSRunLoop.main.run(mode: .default, before: .distantFuture) ? "runs the main loop" : "is refused to run the main loop")
            let timer = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent(), 0, 0, 0) { _ in
                lab.callout(.timer, "the timer of the other thread")
                NSLog(Text("the timer of the other thread fires on the main thread", "子线程加入的 Timer 在主线程触发").description)
                CFRunLoopStop(CFRunLoopGetCurrent())
            }
            CFRunLoopAddTimer(CFRunLoopGetMain(), timer, kCFRunLoopDefaultMode)
        }
        CFRunLoopRunInMode(kCFRunLoopDefaultMode, 10, false)
        show("forked child", [SIGILL, SIGTRAP, SIGABRT].contains(ArticleSignalOfForkedChild()) ? "is ended by a trap" : "goes on")
    }

    func judge() {
        lab.article.expectFound(Text("NSRunLoop wraps the loops that the C functions return", "NSRunLoop 封装的就是 C 函数返回的 RunLoop"), of: "getters",
                        ["the current loop", "the main loop", "the same again"])
        lab.article.expect(Text("the C functions work from another thread", "C 函数可以在其他线程调用"), each: "the timer of the other thread",
                   \.thread, is: "main")
        lab.article.expectFound(Text("NSRunLoop's run does not", "NSRunLoop 的 run 不行"), of: "other thread", ["has its own loop", "is refused to run the main loop"])
        lab.expectFound(Text("a forked child that asks is ended by a signal", "fork 出来的子进程获取 RunLoop 时被信号中止"), of: "forked child", ["is ended by a trap"])
    }
}

private func show(_ name: String, _ found: String) {
    lab.observe(name, found)
    NSLog("\(shown(name)): \(shown(found))")
}
