// thread-stays: a thread with a port in its loop stays and does the work performed on it; a thread without one ends at once.

import SwiftRunLoop

struct ThreadStays: Experiment {
    let about = About(
        name: "thread-stays", claims: ["A1"], group: .building, seconds: 0.1,
        shows: "a port keeps a thread's loop alive, and work is performed on it",
        setting: """
            A thread named "bare" runs its loop, which is empty. A resident thread (Components/ResidentThread.swift) \
            runs its loop with a port in it. The main thread performs three calls on the resident thread, tries to \
            stop it with CFRunLoopStop, and performs one more call.
            """,
        notice: """
            The bare thread's run returns at once, so the thread ends, and a perform on it fails. The resident thread \
            does all its work, each call in a Source0, and sleeps in between. Each call ends a run, and so does \
            CFRunLoopStop. But RunLoop.run() begins another run each time, so the thread stays.
            """,
        correction: """
            One article adds an observer as an example of what keeps a loop alive. An observer does not (L2). The loop \
            needs a source or a timer.
            """
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

        lab.expect("without a port, the run returns at once", order: ["runs its loop", "the run has returned"], on: "bare")
        lab.expect("a perform fails because that thread has ended", order: ["the run has returned", "perform has failed"],
                   among: ["work on the bare thread"])
        lab.expect("with a port, each call is performed when it is asked for",
                   order: ["asks for work", "work", "asks for work", "work", "asks for work", "work"], to: "CFRunLoopStop")
        lab.expect("calls arrive as a Source0", each: "work", \.kind, is: "Source0")
        lab.expect("they are performed on the resident thread", each: "work", \.thread, is: "resident")
        lab.expect("CFRunLoopStop ends a run, and another begins", order: ["CFRunLoopStop", "Exit", "Entry", "work"],
                   on: "resident", from: "CFRunLoopStop", to: "work")
        lab.observe("resident thread", resident.thread.isExecuting ? "executing" : "not executing")
        lab.expect("the resident thread has not ended", of: "resident thread", is: ["executing"]) { $0.map(\.detail) }
    }
}
