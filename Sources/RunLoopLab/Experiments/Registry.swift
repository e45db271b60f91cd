// registry: one loop a thread, handed out by four getters.

import CRunLoop
import SwiftRunLoop

struct Registry: Experiment {
    let about = About(
        name: "registry", claims: ["R1", "R2"], group: .threads, seconds: 0.1,
        shows: "four getters hand out loops; each thread has one of its own",
        setting: """
            The main thread and two others ask for loops: CFRunLoopGetCurrent, CFRunLoopGetMain, RunLoop.current and \
            RunLoop.main. There is no fifth function, and none that makes a loop.
            """,
        notice: """
            Asking twice gives the same loop. Every thread gets the same main loop, and its own as the current one; on the \
            main thread both are the same. RunLoop and CFRunLoop are two faces of one loop.
            """
    )

    func run(_ lab: Lab) {
        ask(lab)
        lab.onThread("one") {
            ask(lab)
            lab.onThread("other") { ask(lab) } // while the first is there: its loop ends with it
        }

        let current = "CFRunLoopGetCurrent", main = "CFRunLoopGetMain"
        lab.expect("on the main thread the current loop is the main loop", of: current, main, is: 1) {
            Set($0.filter { $0.thread == "main" }.map(\.detail)).count
        }
        lab.expect("all threads get the same main loop", of: main, is: [3, 1]) { [$0.count, Set($0.map(\.detail)).count] }
        lab.expect("three threads have three loops", of: current, is: 3) { Set($0.map(\.detail)).count }
        lab.expect("asking again gives the same, and RunLoop has the CFRunLoop of its thread", "the same loops again", times: 3)
    }

    /// Asks all four getters, the first two twice.
    private func ask(_ lab: Lab) {
        let loops = (current: CFRunLoopGetCurrent(), main: CFRunLoopGetMain())
        lab.note("CFRunLoopGetCurrent, CFRunLoopGetMain", loops.current == loops.main ? "the same loop" : "two loops")
        lab.observe("CFRunLoopGetCurrent", "\(loops.current!)")
        lab.observe("CFRunLoopGetMain", "\(loops.main!)")
        _ = CFRetain(UnsafeRawPointer(loops.current!)) // for good: when a loop is gone, another may get its address
        let again = (CFRunLoopGetCurrent(), CFRunLoopGetMain())
        let faces = (RunLoop.current.getCFRunLoop(), RunLoop.main.getCFRunLoop())
        let isSame = loops == again && loops == faces
        lab.note(isSame ? "the same loops again" : "other loops", "from RunLoop.current and RunLoop.main, too")
    }
}
