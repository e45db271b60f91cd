// Article 3, 〈1、与线程和自动释放池相关〉: 3.4.
//
// The two observers that keep the main loop's autorelease pool, and a run inside a run. What to see: when each object is released.

import CRunLoop
import SwiftRunLoop

struct PoolChain: Program {
    let about = About(article: "3.4", seconds: 0.2)

    private static let inner = RunLoop.Mode("inner")

    func run() {
        let loop = NSRunLoop.current
        for (mode, name) in [(RunLoop.Mode.default, "runloop"), (Self.inner, "子runloop")] {
            AutoreleasePool.install(in: loop, forMode: mode)
            loop.add(RunLoop.Observer(activities: [.entry, .beforeWaiting, .exit]) { _, activity in
                NSLog("\(name)\(activity == .entry ? "将进入" : activity == .exit ? "将退出" : "将睡")")
                if activity == .entry { autoreleased("\(name)进入时的对象") }
            }, forMode: mode)
        }
        let timers = Counter(), outer = CFRunLoopGetCurrent()!
        loop.add(NSTimer(timeInterval: lab.wait(0.05), repeats: true) { timer in
            if timers.add() == 1 { return callback("第1次回调") }
            callback("第2次回调")
            let nested = NSRunLoop.current
            nested.add(NSTimer(timeInterval: 0.01, repeats: false) { _ in
                callback("子runloop的回调")
                lab.observe("the loop of the inner run", CFRunLoopGetCurrent() == outer ? "the same" : "another")
            }, forMode: Self.inner)
            _ = nested.runUntilStopped(in: Self.inner)
            NSLog("子runloop返回")
            timer.invalidate()
            nested.stop()
        }, forMode: .default)
        lab.observe("result", "\(loop.runUntilStopped())")
    }

    func judge() {
        lab.article.expect(Text("pools are made and drained along the chain, the inner one first", "释放池沿着链条创建和销毁，内层的先销毁"), lines: [
            "runloop将进入", "runloop将睡", "释放 runloop进入时的对象",
            "第1次回调", "runloop将睡", "释放 第1次回调的对象",
            "第2次回调", "子runloop将进入", "子runloop将睡", "释放 子runloop进入时的对象", "子runloop的回调", "子runloop将退出", "释放 子runloop的回调的对象",
            "子runloop返回", "runloop将退出", "释放 第2次回调的对象",
        ])
        lab.article.expect(Text("what is nested in a loop is a loop of its own", "嵌套的是另一个 RunLoop"), each: "the loop of the inner run", \.detail, is: "another")
        lab.expect(Text("the inner run is a run of the same loop", "内层 run 运行的是同一个 RunLoop"), each: "the loop of the inner run", \.detail, is: "the same")
    }
}

private func callback(_ name: String) {
    NSLog(name)
    autoreleased("\(name)的对象")
}

private func autoreleased(_ name: String) {
    AutoreleasePool.autorelease(Temporary { NSLog("释放 \(name)") })
}
