// thread-stops: a thread that its loop keeps alive until it is told to stop; it ends then, and its loop with it.

import SwiftRunLoop

struct ThreadStops: Experiment {
    let about = About(
        name: "thread-stops", claims: ["A2"], group: .building, seconds: 0.1,
        shows: "a flag and CFRunLoopStop, on the thread itself, end a thread and its loop",
        setting: """
            A keep-alive thread (Components/KeepAliveThread.swift) runs its loop again and again, as long as a flag is not \
            set. The main thread performs work on it, calls CFRunLoopStop there without setting the flag, performs more work, \
            and then stops it. A source in its loop tells when the loop goes. A second such thread is not stopped, but nobody \
            has a reference to it any more.
            """,
        notice: """
            CFRunLoopStop alone ends one run: the thread begins the next, and works on. With the flag set as well, the loop \
            around the runs ends, the thread ends, and its run loop with it. What is performed on it after that fails. The \
            second thread ends in the same way.
            """,
        correction: """
            An article's thread looks at its flag through a weak reference: while (!weakSelf.stopped). When the object has \
            gone, that is true for ever, and the thread never ends. Another article ends its thread with one CFRunLoopStop, \
            which is enough only where the run was begun by CFRunLoopRun.
            """
    )

    func run(_ lab: Lab) {
        let kept = KeepAliveThread(name: "kept") { tellOfEnd(lab, "the loop has gone") }
        work(lab, on: kept)
        try? kept.perform(waitUntilDone: true) {
            lab.callout(.source0, "CFRunLoopStop alone")
            RunLoop.current.stop()
        }
        work(lab, on: kept)
        lab.note("stops it")
        kept.stopAndWait()
        lab.waitUntil { lab.times("the loop has gone") == 1 }
        do {
            try kept.perform { lab.callout(.source0, "work", "after the end") }
        } catch {
            lab.note("perform has failed", "\(error)")
        }

        var dropped: KeepAliveThread? = KeepAliveThread(name: "dropped") { tellOfEnd(lab, "the dropped one's loop has gone") }
        let thread = dropped!.thread
        work(lab, on: dropped!)
        lab.note("drops the other")
        dropped = nil
        lab.waitUntil { lab.times("the dropped one's loop has gone") == 1 }

        lab.expect("CFRunLoopStop alone does not end the thread", order: ["work", "CFRunLoopStop alone", "work", "stops it"],
                   to: "stops it")
        lab.expect("with the flag, the thread ends, and its loop with it",
                   order: ["stops it", "the loop has gone", "perform has failed"], from: "stops it", to: "perform has failed",
                   among: ["work"])
        lab.expect("the loop goes on its own thread", each: "the loop has gone", \.thread, is: "kept")
        lab.expect("without a reference to it, a thread ends as well",
                   order: ["drops the other", "the dropped one's loop has gone"])
        for thread in [kept.thread, thread] { lab.observe("thread", thread.isFinished ? "finished" : "not finished") }
        lab.expect("both have finished", of: "thread", is: ["finished", "finished"]) { $0.map(\.detail) }
    }

    private func work(_ lab: Lab, on thread: KeepAliveThread) {
        try? thread.perform(waitUntilDone: true) { lab.callout(.source0, "work") }
    }

    /// A source's `cancel` is called when its loop goes.
    private func tellOfEnd(_ lab: Lab, _ name: String) {
        Source(cancel: { _, _ in lab.note(name) }, perform: {}).add(to: .current, forMode: .default)
    }
}
