// Article 3, 〈1、与线程和自动释放池相关〉: 3.4.
//
// The two observers that keep the main loop's autorelease pool, and a run inside a run. What to see: when each object is released.

import CRunLoop
import SwiftRunLoop

struct PoolChain: Program {
    let about = About(
        name: "3.4", title: Text("The chain of the autorelease pools, with a run inside a run", "自动释放池的链条，以及嵌套的 run"),
        says: Text("The thread, then: the loop enters and the first observer makes a pool; the loop is about to sleep and the last observer drains it and makes another; the loop exits and it drains that one. Loops can be nested in the root loop.",
                   "线程(创建)→runloop将进入→最高优先级OB创建释放池→runloop将睡→最低优先级OB销毁旧池创建新池→runloop将退出→最低优先级OB销毁新池→线程(销毁)。根runloop里可以嵌套子runloop。"),
        notice: Text("""
            What is nested is a run, not a loop: the thread has one loop, which is run again from one of its own callbacks. With the observers in \
            its mode, the inner run has a pool of its own, which is drained at its Exit; the object of the outer callback outlives it. The chain \
            is right.
            """, "嵌套的是 run，不是 RunLoop：线程只有一个 RunLoop，在它自己的回调里又运行了一次。内层 mode 里也有这两个 Observer，所以内层 run 有自己的释放池，在它 Exit 时销毁；外层回调里的对象比它活得久。链条是对的。"),
        verdict: .otherwise, seconds: 0.2)

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
