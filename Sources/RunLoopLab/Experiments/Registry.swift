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
        let main = ask(lab)
        nonisolated(unsafe) var one = main, other = main
        lab.onThread("one") {
            one = ask(lab)
            lab.onThread("other") { other = ask(lab) } // while the first is there: its loop ends with it
        }

        lab.expect("on the main thread the current loop is the main loop", observed: main.current == main.main, is: true)
        lab.expect("all threads get the same main loop", observed: Set([main.main, one.main, other.main]).count, is: 1)
        lab.expect("three threads have three loops", observed: Set([main.current, one.current, other.current]).count, is: 3)
        lab.expect("asking again gives the same, and RunLoop has the CFRunLoop of its thread", "the same loops again", times: 3)
    }

    /// Asks all four getters, the first two twice.
    private func ask(_ lab: Lab) -> (current: OpaquePointer?, main: OpaquePointer?) {
        let loops = (current: CFRunLoopGetCurrent(), main: CFRunLoopGetMain())
        lab.note("CFRunLoopGetCurrent, CFRunLoopGetMain", loops.current == loops.main ? "the same loop" : "two loops")
        _ = CFRetain(UnsafeRawPointer(loops.current!)) // for good: when a loop is gone, another may get its address
        let again = (CFRunLoopGetCurrent(), CFRunLoopGetMain())
        let faces = (RunLoop.current.getCFRunLoop(), RunLoop.main.getCFRunLoop())
        let isSame = loops == again && loops == faces
        lab.note(isSame ? "the same loops again" : "other loops", "from RunLoop.current and RunLoop.main, too")
        return loops
    }
}
