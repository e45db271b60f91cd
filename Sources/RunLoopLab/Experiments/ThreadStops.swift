// thread-stops: a loop keeps its thread alive until the thread is stopped; then the thread ends, and its loop with it.

import SwiftRunLoop

struct ThreadStops: Experiment {
    let about = About(
        name: "thread-stops", claims: ["A2"], group: .building, seconds: 0.1,
        shows: "a flag and CFRunLoopStop, on the thread itself, end a thread and its loop",
        setting: """
            A keep-alive thread (Components/KeepAliveThread.swift) runs its loop again and again until a flag is set. \
            The main thread performs work on it, calls CFRunLoopStop there without setting the flag, performs more \
            work, and then stops it. A source in its loop reports when the loop is deallocated. A second thread of \
            this kind is not stopped, but the last reference to it goes away.
            """,
        notice: """
            CFRunLoopStop alone ends one run: the thread begins the next run and goes on working. When the flag is set \
            as well, the thread stops beginning runs and ends, and its run loop ends with it. After that, a perform on \
            it fails. The second thread ends in the same way.
            """,
        correction: """
            One article's thread checks its flag through a weak reference: while (!weakSelf.stopped). When the object \
            is gone, that condition is always true, and the thread never ends. Another article ends its thread with \
            one CFRunLoopStop, which is enough only if CFRunLoopRun began the run.
            """
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

        lab.expect("CFRunLoopStop alone does not end the thread", order: ["work", "CFRunLoopStop alone", "work", "stops it"],
                   to: "stops it")
        lab.expect("with the flag set, the thread ends, and its loop with it",
                   order: ["stops it", "the loop is gone", "perform has failed"], from: "stops it", to: "perform has failed",
                   among: ["work"])
        lab.expect("the loop is deallocated on its own thread", each: "the loop is gone", \.thread, is: "kept")
        lab.expect("a thread without references ends as well",
                   order: ["drops the other thread", "the dropped thread's loop is gone"])
        for thread in [kept.thread, thread] { lab.observe("thread", thread.isFinished ? "finished" : "not finished") }
        lab.expect("both threads have finished", of: "thread", is: ["finished", "finished"]) { $0.map(\.detail) }
    }

    private func work(_ lab: Lab, on thread: KeepAliveThread) {
        try? thread.perform(waitUntilDone: true) { lab.callout(.source0, "work") }
    }

    /// A source's `cancel` is called when its loop is deallocated.
    private func reportEnd(_ lab: Lab, _ name: String) {
        RunLoop.current.add(RunLoop.Source(cancel: { _, _ in lab.note(name) }, perform: {}), forMode: .default)
    }
}
