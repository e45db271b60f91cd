// Article 0, 〈在主线程中〉: 0.30; and once more in 〈<1>分析〉: 0.48.
//
// The main loop's autorelease pool, in the article's five steps. What to see: an object goes when the loop is about to sleep.

import SwiftRunLoop

struct MainThreadsPool: Program {
    let about = About(article: "0.30", seconds: 0.2)

    private static let isThere = Text("the timer is still there", "Timer 还在").description, isGone = Text("the timer is gone", "Timer 没有了").description

    func run() {
        let loop = NSRunLoop.main
        AutoreleasePool.install(in: loop, forMode: .default)
        for item in LoopPrint(loop).items("observers", in: .default) {
            guard let found = item.firstMatch(of: /activities = (0x…|[0-9a-fx]+).*order = (-?[0-9]+), callout = ([A-Za-z_]+)/) else { continue }
            lab.observe("observer", "\(found.3) \(found.2)")
        }
        nonisolated(unsafe) weak var fired: NSTimer?
        // called before the pool's observer
        loop.add(NSRunLoop.Observer(activities: [.beforeWaiting, .afterWaiting, .exit], order: Int(Int32.max) - 1) { _, activity in
            if activity == .afterWaiting, fired != nil { lab.observe("after the pool was drained", Self.isThere) }
            NSLog(activity == .exit ? "退出RunLoop" : activity == .beforeWaiting ? "即将休眠" : "被唤醒")
        }, forMode: .default)
        nonisolated(unsafe) var events = 0 // on this thread alone
        loop.add(NSTimer(timeInterval: lab.wait(0.05), repeats: true) { timer in
            fired = timer
            events += 1
            let number = events
            NSLog("事件\(number): 对象放到自动释放池")
            AutoreleasePool.autorelease(Temporary { NSLog("事件\(number)的对象释放") })
            if number == 2 { timer.invalidate(); NSRunLoop.main.stop() }
        }, forMode: .default)
        loop.run(mode: .default, before: .distantFuture)
        NSLog("RunLoop结束")
    }

    func judge() {
        lab.article.expect(Text("an object is released before the loop rests, or when it ends", "休息之前或退出时释放对象"), lines: [
            "即将休眠", "被唤醒", "事件1: 对象放到自动释放池", "即将休眠", "事件1的对象释放", "被唤醒", "事件2: 对象放到自动释放池", "退出RunLoop", "事件2的对象释放", "RunLoop结束",
        ])
        lab.article.expectFound(Text("a timer that has fired goes with the pool", "触发过的 Timer 随池一起释放"), of: "after the pool was drained", [Self.isGone])
        lab.expectFound(Text("the timer itself is not in the pool", "Timer 本身不在池里"), of: "after the pool was drained", [Self.isThere])
        lab.expect(Text("two observers do it, the first and the last of all", "由两个 Observer 完成，一个最先、一个最后"), of: "observer",
                   is: ["_wrapRunLoopWithAutoreleasePoolHandler -2147483647", "_wrapRunLoopWithAutoreleasePoolHandler 2147483647"]) { $0.map(\.detail) }
    }
}
