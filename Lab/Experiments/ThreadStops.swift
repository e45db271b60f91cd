// thread-stops: a loop keeps its thread alive until the thread is stopped; then the thread ends, and its loop with it.

import SwiftRunLoop

struct ThreadStops: Experiment {
    let about = About(
        name: "thread-stops", claims: ["A2"], group: .building, seconds: 0.1,
        shows: Text("a flag and CFRunLoopStop, on the thread itself, end a thread and its loop",
                    "在线程自己身上设标志并调用 CFRunLoopStop，线程和它的 RunLoop 才会结束"),
        setting: Text("""
            A keep-alive thread (Lab/Designs/KeepAliveThread.swift) runs its loop again and again until a flag is set. \
            The main thread performs work on it, calls CFRunLoopStop there without setting the flag, performs more \
            work, and then stops it. A source in its loop reports when the loop is deallocated. A second thread of \
            this kind is not stopped, but the last reference to it goes away.
            """, """
            一个保活线程（Lab/Designs/KeepAliveThread.swift）反复运行 RunLoop，直到标志被设置。主线程在它上面\
            执行任务，不设标志就在那里调用 CFRunLoopStop，再执行一些任务，最后让它停止。它的 RunLoop 里有一\
            个 Source，RunLoop 销毁时会报告。另一个同样的线程没有被停止，但对它的最后一个引用没有了。
            """),
        notice: Text("""
            CFRunLoopStop alone ends one run: the thread begins the next run and goes on working. When the flag is set \
            as well, the thread stops beginning runs and ends, and its run loop ends with it. After that, a perform on \
            it fails. The second thread ends in the same way.
            """, """
            只调用 CFRunLoopStop，结束的是一次运行：线程又开始下一次，继续工作。同时设了标志，线程就不再开始\
            新的运行，随之结束，RunLoop 也跟着销毁，之后再在它上面 perform 就失败了。第二个线程以同样的方式\
            结束。
            """),
        correction: Text("""
            One article's thread checks its flag through a weak reference: while (!weakSelf.stopped). When the object \
            is gone, that condition is always true, and the thread never ends. Another article ends its thread with \
            one CFRunLoopStop, which is enough only if CFRunLoopRun began the run.
            """, """
            有一篇文章的线程通过弱引用检查标志：while (!weakSelf.stopped)。对象不在了，这个条件永远为真，线\
            程就永远不结束。另一篇只用一次 CFRunLoopStop 结束线程，这只有在用 CFRunLoopRun 开始运行时才够。
            """)
    )

    func run(_ lab: Lab) {
        let kept = KeepAliveThread(name: "kept") { reportEnd(lab, "the loop is gone") }
        work(lab, on: kept)
        try? kept.perform(waitUntilDone: true) {
            lab.callout(.source0, "CFRunLoopStop alone")
            RunLoop.current.stop()
        }
        work(lab, on: kept)
        lab.note("stops it")
        kept.stopAndWait()
        lab.waitUntil { lab.times("the loop is gone") == 1 }
        do {
            try kept.perform { lab.callout(.source0, "work", "after the end") }
        } catch {
            lab.note("perform has failed", "\(error)")
        }

        var dropped: KeepAliveThread? = KeepAliveThread(name: "dropped") { reportEnd(lab, "the dropped thread's loop is gone") }
        let thread = dropped!.thread
        work(lab, on: dropped!)
        lab.note("drops the other thread")
        dropped = nil
        lab.waitUntil { lab.times("the dropped thread's loop is gone") == 1 }

        lab.expect(Text("CFRunLoopStop alone does not end the thread", "只调用 CFRunLoopStop，线程不会结束"), order: ["work", "CFRunLoopStop alone", "work", "stops it"],
                   to: "stops it")
        lab.expect(Text("with the flag set, the thread ends, and its loop with it", "设了标志，线程结束，它的 RunLoop 也随之销毁"),
                   order: ["stops it", "the loop is gone", "perform has failed"], from: "stops it", to: "perform has failed",
                   among: ["work"])
        lab.expect(Text("the loop is deallocated on its own thread", "RunLoop 在自己的线程上销毁"), each: "the loop is gone", \.thread, is: "kept")
        lab.expect(Text("a thread without references ends as well", "没有引用的线程也会结束"),
                   order: ["drops the other thread", "the dropped thread's loop is gone"])
        for thread in [kept.thread, thread] { lab.observe("thread", thread.isFinished ? "finished" : "not finished") }
        lab.expect(Text("both threads have finished", "两个线程都结束了"), of: "thread", is: ["finished", "finished"]) { $0.map(\.detail) }
    }

    private func work(_ lab: Lab, on thread: KeepAliveThread) {
        try? thread.perform(waitUntilDone: true) { lab.callout(.source0, "work") }
    }

    /// A source's `cancel` is called when its loop is deallocated.
    private func reportEnd(_ lab: Lab, _ name: String) {
        RunLoop.current.add(RunLoop.Source(cancel: { _, _ in lab.note(name) }, perform: {}), forMode: .default)
    }
}
