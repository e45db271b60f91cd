// Article 0, 〈在主线程中〉: 0.30.
//
// The main loop's autorelease pool, in the article's five steps. What to see: an object goes when the loop is about to sleep.

import SwiftRunLoop

struct MainThreadsPool: Program {
    let about = About(
        name: "0.30", claims: ["O3"], title: Text("The autorelease pool of the main loop, from Entry to Exit", "主线程 RunLoop 的自动释放池，从进入到退出"),
        says: Text("When the loop starts, it creates a pool. Before it rests, it releases what is in the pool and creates an empty one. When it is woken, new events such as timers and sources are put there.",
                   "RunLoop 开启时自动创建一个自动释放池；休息之前释放池里的东西，然后重新创建一个空的；被唤醒后，Timer、Source 等新的事件放到新的池里；如此重复。"),
        notice: Text("""
            Two observers do it, not the loop: the application installs them in the main loop. The first is called before all others at Entry, and pushes a pool. The other is called after \
            all others: at BeforeWaiting it pops the pool and pushes a new one, and at Exit it pops it. Look for _wrapRunLoopWithAutoreleasePoolHandler in a printed main loop. What goes to the \
            pool is what the callbacks autorelease; the timers and sources themselves are the loop's, and survive the pool. (Correction 45 of corrections.md.)
            """, "做这件事的不是 RunLoop 本身，而是应用在主线程 RunLoop 里注册的两个 Observer：一个在 Entry 时最先被调用，创建池（push）；另一个最后被调用，在 BeforeWaiting 时先 pop 再 push，在 Exit 时 pop。打印主线程的 RunLoop，能看到 _wrapRunLoopWithAutoreleasePoolHandler。进入池的是回调里 autorelease 的对象；Timer 和 Source 本身由 RunLoop 持有，池清空后还在。（见 corrections.zh.md 更正 45。）"),
        verdict: .otherwise, seconds: 0.2)

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
