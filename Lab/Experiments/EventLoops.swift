// event-loops: a run loop is an event loop like JavaScript's, with other rules about the order of work.

import SwiftRunLoop

struct EventLoops: Program {
    let about = About(
        name: "event-loops", claims: ["X8"], group: .run,
        title: Text("an event loop like JavaScript's, with other rules about the order of work",
                    "像 JavaScript 那样的 Event Loop，但工作的先后另有规则"),
        setting: Text("""
            Two tasks are due, A and B. A queues m1, to be done right after it, and m1 queues m2. An observer of \
            BeforeWaiting draws. In JavaScript m1 and m2 are microtasks, and both are done before B. In the first \
            part, tasks are timers, and m1 and m2 are blocks of the loop. In the second part, m1 and m2 go into a \
            microtask queue, ten lines on top of the loop, that each task empties at its end.
            """, """
            两个任务 A 和 B 都到期了。A 要求紧接着做 m1，m1 又要求做 m2；一个监听 BeforeWaiting 的 Observer \
            负责绘制。在 JavaScript 里，m1 和 m2 是微任务，都在 B 之前完成。第一部分里，任务是 Timer，m1 和 \
            m2 是 RunLoop 的 block。第二部分里，m1 和 m2 放进微任务队列：那是在 RunLoop 之上加的十行代码，每\
            个任务结束时清空它。
            """),
        notice: Text("""
            The loop performs its own blocks at fixed points of a pass, one generation at a time: m1 after all timers \
            that are due, and m2 in step 3 of the next pass. With the microtask queue, the order is JavaScript's. \
            Drawing comes last in both, before the loop sleeps; a browser draws at times of its own.
            """, """
            RunLoop 在每一轮的固定位置执行 block，一次只执行一批：到期的 Timer 都触发之后才是 m1，m2 要到下\
            一轮的步骤 3。用微任务队列，顺序就和 JavaScript 一样。两种情况下，绘制都在最后，RunLoop 休眠之前；\
            浏览器则按自己的时机绘制。
            """),
        seconds: 0.1
    )

    func run() {
        let mode = RunLoop.Mode("work")
        let observer = RunLoop.Observer(activities: .beforeWaiting) { _, activity in
            if lab.times("B") == lab.times("draw") { return } // nothing has changed
            lab.activity(activity, "draw")
            RunLoop.main.stop()
        }
        RunLoop.main.add(observer, forMode: mode)
        lab.watch(.main, mode, .beforeSources)
        RunLoop.main.add(Timer(timeInterval: 60, repeats: true) { _ in }, forMode: mode) // keeps the mode from being empty

        lab.note("tasks and blocks")
        task(mode, 2) {
            lab.callout(.timer, "A")
            RunLoop.main.perform(inModes: [mode]) {
                lab.callout(.block, "m1")
                RunLoop.main.perform(inModes: [mode]) { lab.callout(.block, "m2") }
            }
        }
        task(mode, 1) { lab.callout(.timer, "B") }
        _ = RunLoop.main.run(mode: mode, before: .distantFuture)

        lab.note("tasks and microtasks")
        let microtasks = Microtasks()
        task(mode, 2) {
            lab.callout(.timer, "A")
            microtasks.add {
                lab.callout(.timer, "m1")
                microtasks.add { lab.callout(.timer, "m2") }
            }
            microtasks.empty()
        }
        task(mode, 1) {
            lab.callout(.timer, "B")
            microtasks.empty()
        }
        _ = RunLoop.main.run(mode: mode, before: .distantFuture)
    }

    func judge() {
        lab.expect(Text("blocks: the loop performs one generation at each point", "block：RunLoop 在每个位置只执行一批"), order: ["A", "B", "m1", "m2", "draw"], to: "draw")
        lab.expect(Text("blocks: m2 comes in step 3 of the next pass", "block：m2 在下一轮的步骤 3"), order: ["m1", "BeforeSources", "m2"], from: "m1", to: "m2")
        lab.expect(Text("microtasks: all come before the next task", "微任务：全部在下一个任务之前"), order: ["A", "m1", "m2", "B", "draw"], from: "tasks and microtasks")
    }

    /// A timer that has been due for that many seconds.
    private func task(_ mode: RunLoop.Mode, _ age: Double, _ body: @escaping @Sendable () -> Void) {
        RunLoop.main.add(Timer(fire: Date(timeIntervalSinceNow: -age), interval: 0, repeats: false) { _ in body() },
                         forMode: mode)
    }

    /// Work that comes before any other task. Each task empties it at its end; only one thread uses it.
    private final class Microtasks: @unchecked Sendable {
        private var waiting: [() -> Void] = []

        func add(_ microtask: @escaping () -> Void) {
            waiting.append(microtask)
        }

        /// Does the waiting work, and the work that this adds.
        func empty() {
            while !waiting.isEmpty { waiting.removeFirst()() }
        }
    }
}
