// Article 0, 〈<3>不需要用while〉: 0.33.
//
// A pool around run, which does not return; cured: the main loop's two observers. What to see: when ten objects go.

import SwiftRunLoop

// MARK: - The listing

private func subThreadTodo() {
    autoreleasepool {
        let runLoop = NSRunLoop.current
        runLoop.add(NSMachPort(), forMode: .default)
        if form == .cured { AutoreleasePool.install(in: runLoop) }
        runLoop.run()
    }
}

// MARK: - Telling and judging

struct PoolAroundRun: Program {
    let about = About(
        name: "0.33", title: Text("A pool around run, and a pool for each pass", "autoreleasepool 包住 run；给每轮循环装上池"),
        says: Text("This is the right way to write it: a pool around run.", "这就是正确的写法：用 autoreleasepool 包住 run。"),
        notice: Text("run does not return, so the pool around it is never emptied: the thread keeps the objects of all its events. Cured, the thread's loop has the two observers that an application's main loop has, and empties a pool whenever it is about to sleep.",
                     "run 不会返回，外面的池永远不会清空：线程一直留着所有事件的对象。改正：给这个 RunLoop 装上主线程 RunLoop 的那两个 Observer，每次即将休眠时清空池。"),
        verdict: .otherwise, seconds: 0.1, isPair: true)

    func run() {
        let thread = NSThread { subThreadTodo() }
        thread.start()
        tenEvents(on: thread)
        usleep(useconds_t(lab.wait(0.05) * 1e6))
        lab.note("the end of the demo")
    }

    func judge() {
        expectReleases(before: "the end of the demo")
    }
}
