// lazy-loop: a loop is created when its thread first asks for it; the first request of all creates the main loop too.

import CRunLoop
import Glibc

struct LazyLoop: Experiment {
    let about = About(
        name: "lazy-loop", claims: ["R3", "R4"], group: .threads, seconds: 0.1,
        shows: "a thread has no loop until it asks for one; the first request also creates the main loop",
        setting: """
            No thread of this process has asked for a loop yet. A thread looks into the dictionary of all loops, asks \
            for its own loop, and looks again. (It looks with _CFRunLoopGet0b, which creates nothing and is not \
            public.)
            """,
        notice: """
            The first look finds no loop, not even the main thread's. After the thread has asked, there are two loops. \
            A thread that ends without asking never has one.
            """,
        correction: """
            Articles 2 and 4 say that the main thread has its loop from the start. That is true of an application, \
            whose framework asks early. The first request creates the main loop, whichever thread makes it. \
            (Correction 27 of ANNOTATIONS.md.)
            """
    )

    func run(_ lab: Lab) {
        let mainThread = pthread_self()
        lab.onThread("asks") {
            look(lab, mainThread)
            lab.note("CFRunLoopGetCurrent()")
            CFRunLoopGetCurrent()
            look(lab, mainThread)
        }
        lab.onThread("never asks") { look(lab, mainThread) }

        let none = "this thread: none", one = "this thread: a loop"
        lab.expect("a thread has a loop from its first request on", order: [none, "CFRunLoopGetCurrent()", one], on: "asks",
                   among: [none, one])
        lab.expect("the same request creates the main thread's loop",
                   order: ["main thread: none", "CFRunLoopGetCurrent()", "main thread: a loop"], on: "asks",
                   among: ["main thread: none", "main thread: a loop"])
        lab.expect("a thread that does not ask has no loop", order: [none], on: "never asks", among: [one])
    }

    private func look(_ lab: Lab, _ mainThread: pthread_t) {
        lab.note("this thread: " + (_CFRunLoopGet0b(pthread_self()) == nil ? "none" : "a loop"))
        lab.note("main thread: " + (_CFRunLoopGet0b(mainThread) == nil ? "none" : "a loop"))
    }
}
