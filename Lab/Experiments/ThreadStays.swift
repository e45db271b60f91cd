// thread-stays: a thread with a port in its loop stays and does the work performed on it; a thread without one ends at once.

import SwiftRunLoop

struct ThreadStays: Experiment {
    let about = About(
        name: "thread-stays", claims: ["A1"], group: .building, seconds: 0.1,
        shows: Text("a port keeps a thread's loop alive, and work is performed on it",
                    "一个端口让线程的 RunLoop 不退出，线程就能执行交给它的任务"),
        setting: Text("""
            A thread named "bare" runs its loop, which is empty. A resident thread (Lab/Designs/ResidentThread.swift) \
            runs its loop with a port in it. The main thread performs three calls on the resident thread, tries to \
            stop it with CFRunLoopStop, and performs one more call.
            """, """
            名为 “bare” 的线程运行自己的 RunLoop，里面是空的。常驻线程（Lab/Designs/ResidentThread.swift）的 \
            RunLoop 里有一个端口。主线程在常驻线程上执行三次调用，用 CFRunLoopStop 试着让它停下，然后再执行\
            一次调用。
            """),
        notice: Text("""
            The bare thread's run returns at once, so the thread ends, and a perform on it fails. The resident thread \
            does all its work, each call in a Source0, and sleeps in between. Each call ends a run, and so does \
            CFRunLoopStop. But RunLoop.run() begins another run each time, so the thread stays.
            """, """
            “bare” 线程的 run 马上返回，线程随之结束，再在它上面 perform 就失败了。常驻线程完成了所有任务，\
            每次都是 Source0，其间休眠。每次调用都会结束一次运行，CFRunLoopStop 也一样。但 RunLoop.run() 每\
            次都会再开始一次运行，所以线程一直在。
            """),
        correction: Text("""
            One article adds an observer as an example of what keeps a loop alive. An observer does not (L2). The loop \
            needs a source or a timer.
            """, """
            有一篇文章举例说加一个 Observer 就能让 RunLoop 不退出。Observer 做不到（L2），需要的是 Source 或\
             Timer。
            """)
    )

    func run(_ lab: Lab) {
        let bare = lab.startThread("bare") {
            lab.note("runs its loop")
            RunLoop.current.run()
            lab.note("the run has returned")
        }
        lab.waitUntil { bare.isFinished }
        do {
            try Thread.perform(on: bare, waitUntilDone: true) { lab.callout(.source0, "work on the bare thread") }
        } catch {
            lab.note("perform has failed", "\(error)")
        }

        let resident = ResidentThread(name: "resident")
        nonisolated(unsafe) var loop: RunLoop! // set before the perform returns
        resident.perform(waitUntilDone: true) {
            lab.watch(.current, .default, [.entry, .exit])
            loop = .current
        }
        for piece in 1...3 {
            lab.waitUntil { loop.isWaiting }
            lab.note("asks for work")
            resident.perform(waitUntilDone: true) { lab.callout(.source0, "work", "piece \(piece)") }
        }
        lab.waitUntil { loop.isWaiting }
        resident.perform(waitUntilDone: true) {
            lab.callout(.source0, "CFRunLoopStop")
            RunLoop.current.stop()
        }
        resident.perform(waitUntilDone: true) { lab.callout(.source0, "work", "after CFRunLoopStop") }
        lab.waitUntil { lab.times("Entry") == 6 }

        lab.expect(Text("without a port, the run returns at once", "没有端口，run 马上返回"), order: ["runs its loop", "the run has returned"], on: "bare")
        lab.expect(Text("a perform fails because that thread has ended", "那个线程已经结束，所以 perform 失败"), order: ["the run has returned", "perform has failed"],
                   among: ["work on the bare thread"])
        lab.expect(Text("with a port, each call is performed when it is asked for", "有端口，每次调用都能执行"),
                   order: ["asks for work", "work", "asks for work", "work", "asks for work", "work"], to: "CFRunLoopStop")
        lab.expect(Text("calls arrive as a Source0", "调用作为 Source0 到来"), each: "work", \.kind, is: "Source0")
        lab.expect(Text("they are performed on the resident thread", "调用在常驻线程上执行"), each: "work", \.thread, is: "resident")
        lab.expect(Text("CFRunLoopStop ends a run, and another begins", "CFRunLoopStop 结束一次运行，然后又开始下一次"), order: ["CFRunLoopStop", "Exit", "Entry", "work"],
                   on: "resident", from: "CFRunLoopStop", to: "work")
        lab.observe("resident thread", resident.thread.isExecuting ? "executing" : "not executing")
        lab.expect(Text("the resident thread has not ended", "常驻线程没有结束"), of: "resident thread", is: ["executing"]) { $0.map(\.detail) }
    }
}
