// Article 1, 〈RunLoop启动方法〉: 1.28; 〈CFRunLoopStop()方法只会结束当前〉: 1.30. The three starts are 0.10 to 0.12, too.
//
// run, runUntilDate: and runMode:beforeDate:, and a stop in each. What to see: the first two are the third, repeated.

import SwiftRunLoop

struct ThreeStarts: Program {
    let about = About(
        name: "1.28", title: Text("The three ways to start a loop, with three events and a stop in each", "三种启动方法，每种都给三个事件和一次 stop"),
        says: Text("run calls runMode:beforeDate: for ever; runUntilDate: calls it until the date; runMode:beforeDate: returns after one input source or at its date. CFRunLoopStop ends only the current runMode:beforeDate:, not those that follow.",
                   "run 无限调用 runMode:beforeDate:；runUntilDate: 重复调用直到超时；runMode:beforeDate: 处理一个 Source 或超时就返回。CFRunLoopStop 只会结束当前这次 runMode:beforeDate:，不会结束后续的调用。"),
        notice: Text("""
            The first two call runMode:beforeDate: again and again, so neither a source nor a stop ends them. The third runs once, and either ends it. The observer of Entry \
            counts the runs. The article says that only killing the thread stops a run: it also ends when its mode becomes empty, \
            as here when the source is removed. But see 1.29.
            """, "前两种反复调用 runMode:beforeDate:，处理一个 Source 或一次 stop 都不能让它们返回；第三种只运行一次，这两者都会让它返回。Entry 的 Observer 数出 runMode 的次数。文章说只有杀死线程才能停止 run：mode 变空时 run 也会返回，这里移除 Source 之后就是这样；但请看 1.29。"),
        verdict: .roughly, seconds: 0.6)

    func run() {
        start("run") { $0.run() }
        start("runUntilDate") { $0.run(until: Date(timeIntervalSinceNow: 1.5)) }
        start("runMode") { $0.run(mode: .default, before: .distantFuture) }
    }

    private func start(_ name: String, _ body: @escaping @Sendable (NSRunLoop) -> Void) {
        let events = Counter(), runs = Counter(), returned = Counter()
        let source = NSRunLoop.Source { _ = events.add() }
        let loop = OtherLoop()
        let thread = lab.startThread(name) {
            let runLoop = NSRunLoop.current
            runLoop.add(source, forMode: .default)
            runLoop.add(NSRunLoop.Observer(activities: .entry) { _, _ in _ = runs.add() }, forMode: .default)
            loop.set()
            body(runLoop)
            returned.add()
        }
        lab.waitUntil { loop.isAsleep }
        let runLoop = loop.value!
        for event in 1...3 where returned.value == 0 {
            source.signal()
            runLoop.wakeUp()
            lab.waitUntil { events.value == event && (runLoop.isWaiting && runs.value == event + 1 || returned.value == 1) }
        }
        lab.observe("\(name): events", value: Double(events.value))
        if returned.value == 0 {
            let before = runs.value
            runLoop.stop()
            lab.waitUntil { runLoop.isWaiting && runs.value == before + 1 || returned.value == 1 }
        }
        lab.observe("\(name): runs", value: Double(runs.value))
        lab.observe("\(name) after the stop", returned.value == 1 ? "has returned" : "goes on")
        if name == "runUntilDate" { lab.waitUntil { returned.value == 1 } }
        lab.observe("\(name) at the end", returned.value == 1 ? "has returned" : "goes on")
        source.invalidate()
        runLoop.wakeUp()
        lab.waitUntil { thread.isFinished }
        lab.observe("\(name) without the source", returned.value == 1 ? "has returned" : "goes on")
        NSLog(Text("\(name): \(runs.value) runs, \(events.value) events", "\(name)：run \(runs.value) 次，事件 \(events.value) 个").description)
    }

    func judge() {
        func number(_ claim: Text, _ name: String, _ value: Double) {
            lab.article.expect(claim, of: name, is: [value]) { $0.values }
        }
        number(Text("run: three events and a stop end a run each, and a fifth has begun", "run：三个事件和一次 stop 各结束一次，第五次已经开始"), "run: runs", 5)
        number(Text("runUntilDate: as well", "runUntilDate：也一样"), "runUntilDate: runs", 5)
        number(Text("runMode: returns after one source", "runMode：处理一个源就返回"), "runMode: runs", 1)
        number(Text("runMode: so it has handled one event", "runMode：所以只处理了一个事件"), "runMode: events", 1)
        lab.article.expectFound(Text("runUntilDate goes on after the stop", "stop 之后 runUntilDate 仍继续"), of: "runUntilDate after the stop", ["goes on"])
        lab.article.expectFound(Text("and returns at its date", "到时间才返回"), of: "runUntilDate at the end", ["has returned"])
        lab.article.expectFound(Text("run does not return", "run 不返回"), of: "run at the end", ["goes on"])
        lab.expectFound(Text("run returns when its mode is empty", "mode 变空后 run 返回"), of: "run without the source", ["has returned"])
    }
}
