// lazy-loop: a loop is made when its thread first asks for it, and the main thread's along with the first of all.

import CRunLoop
import Glibc

struct LazyLoop: Experiment {
    let about = About(
        name: "lazy-loop", claims: ["R3", "R4"], group: .threads, seconds: 0.1,
        shows: "a thread has no loop until it asks; the main loop comes along with the first ask",
        setting: """
            Nobody in this process has asked for a loop yet. A thread looks into the dictionary of all loops, asks for its \
            own, and looks again. (It looks with _CFRunLoopGet0b, which makes nothing and is not public.)
            """,
        notice: """
            The first look finds nothing, not even for the main thread. After the ask of another thread there are two loops. A \
            thread that ends without asking has never had one.
            """,
        correction: """
            Articles 2 and 4 say that the main thread has its loop from the start. That is true of an application, whose \
            framework asks early. The loop is made at the first ask, by whichever thread. (Correction 27 of ANNOTATIONS.md.)
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
        lab.expect("a thread has a loop from its first ask on", order: [none, "CFRunLoopGetCurrent()", one], on: "asks",
                   among: [none, one])
        lab.expect("with it came the main thread's",
                   order: ["main thread: none", "CFRunLoopGetCurrent()", "main thread: a loop"], on: "asks",
                   among: ["main thread: none", "main thread: a loop"])
        lab.expect("a thread that does not ask has none", order: [none], on: "never asks", among: [one])
    }

    private func look(_ lab: Lab, _ mainThread: pthread_t) {
        lab.note("this thread: " + (_CFRunLoopGet0b(pthread_self()) == nil ? "none" : "a loop"))
        lab.note("main thread: " + (_CFRunLoopGet0b(mainThread) == nil ? "none" : "a loop"))
    }
}
