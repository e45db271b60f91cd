// loop-ends: a loop ends with its thread, after the other data of that thread.

import CRunLoop
import Glibc
import SwiftRunLoop
import Synchronization

struct LoopEnds: Experiment {
    let about = About(
        name: "loop-ends", claims: ["R6"], group: .threads, seconds: 0.1,
        shows: "a loop ends with its thread, after the thread's other data",
        setting: """
            A thread puts a source into its loop and stores a value as thread-specific data, with a destructor that \
            asks for the loop. Then the thread ends. The source's cancel callback reports when it leaves the loop.
            """,
        notice: """
            The destructor is called first and still gets the same loop, with the source in it: the loop's finalizer \
            puts itself off until one of the last destructor rounds. Then the source leaves the loop, and the loop is \
            deallocated.
            """,
        correction: """
            Article 2 says that the finalizer is registered once for the thread. What is registered is a countdown of \
            destructor rounds. (Correction 24 of ANNOTATIONS.md.)
            """
    )

    func run(_ lab: Lab) {
        Destructor.lab.withLock { $0 = lab }
        RunLoop.main.wakeUp() // creates the library's pthread key before the key below, so its destructor is the first in each round
        var key = pthread_key_t()
        pthread_key_create(&key) { value in Destructor.call(value) }
        let data = key

        lab.onThread("mortal", untilGone: true) {
            let loop = RunLoop.current
            let source = RunLoop.Source(cancel: { _, _ in lab.note("the source leaves its loop") }, perform: {})
            loop.add(source, forMode: .default)
            pthread_setspecific(data, UnsafeRawPointer(loop.getCFRunLoop()))
            lab.note("the thread's function returns")
        }

        lab.expect("the loop ends after the thread's function, and after the other destructors",
                   order: ["the thread's function returns", "destructor: still the same loop", "the source leaves its loop"],
                   among: ["destructor: another loop"])
        lab.expect("the loop ends on its own thread", each: "the source leaves its loop", \.thread, is: "mortal")
    }
}

private enum Destructor {
    static let lab = Mutex<Lab?>(nil)

    static func call(_ value: UnsafeMutableRawPointer?) {
        let isSame = CFRunLoopGetCurrent() == value?.assumingMemoryBound(to: __CFRunLoop.self)
        lab.withLock { $0 }?.note(isSame ? "destructor: still the same loop" : "destructor: another loop")
    }
}
