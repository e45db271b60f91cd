// registry: each thread has one loop; four functions return loops.

import CRunLoop
import SwiftRunLoop

struct Registry: Experiment {
    let about = About(
        name: "registry", claims: ["R1", "R2"], group: .threads, seconds: 0.1,
        shows: "four getters return loops; each thread has a loop of its own",
        setting: """
            The main thread and two other threads ask for loops: with CFRunLoopGetCurrent, CFRunLoopGetMain, \
            RunLoop.current and RunLoop.main. There is no fifth function, and no function that creates a loop.
            """,
        notice: """
            Asking twice returns the same loop. Every thread gets the same main loop, and its own loop as the current \
            one; on the main thread both are the same. RunLoop is a wrapper of CFRunLoop.
            """
    )

    func run(_ lab: Lab) {
        ask(lab)
        lab.onThread("one") {
            ask(lab)
            lab.onThread("other") { ask(lab) } // while the first thread is alive, because its loop ends with it
        }

        let current = "CFRunLoopGetCurrent", main = "CFRunLoopGetMain"
        lab.expect("on the main thread the current loop is the main loop", of: current, main, is: 1) {
            Set($0.filter { $0.thread == "main" }.map(\.detail)).count
        }
        lab.expect("all three threads get the same main loop", of: main, is: [3, 1]) { [$0.count, Set($0.map(\.detail)).count] }
        lab.expect("three threads have three loops", of: current, is: 3) { Set($0.map(\.detail)).count }
        lab.expect("asking again returns the same loops, and RunLoop wraps the same CFRunLoop", "the same loops again", times: 3)
    }

    /// Asks all four getters, the first two twice.
    private func ask(_ lab: Lab) {
        let loops = (current: CFRunLoopGetCurrent(), main: CFRunLoopGetMain())
        lab.note("CFRunLoopGetCurrent, CFRunLoopGetMain", loops.current == loops.main ? "the same loop" : "two loops")
        lab.observe("CFRunLoopGetCurrent", "\(loops.current!)")
        lab.observe("CFRunLoopGetMain", "\(loops.main!)")
        _ = CFRetain(UnsafeRawPointer(loops.current!)) // permanently: another loop may get the address of one that is gone
        let again = (CFRunLoopGetCurrent(), CFRunLoopGetMain())
        let wrapped = (RunLoop.current.getCFRunLoop(), RunLoop.main.getCFRunLoop())
        let isSame = loops == again && loops == wrapped
        lab.note(isSame ? "the same loops again" : "other loops", "from RunLoop.current and RunLoop.main, too")
    }
}
