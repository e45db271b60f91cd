// wake-ups: what ends a sleep, and what the loop serves afterwards.

import Dispatch
import Glibc
import SwiftRunLoop

struct WakeUps: Experiment {
    let about = About(
        name: "wake-ups", claims: ["X5"], group: .run, seconds: 0.3,
        shows: "five things wake a loop: a port, a timer, the main queue, CFRunLoopWakeUp and the time limit",
        setting: """
            The main loop sleeps, and something else wakes it each time: a byte in a pipe, a timer, work on the main \
            queue, CFRunLoopWakeUp from another thread, and CFRunLoopStop, which ends the run. A time limit ends a \
            second run.
            """,
        notice: """
            After each AfterWaiting you see what woke the loop. After CFRunLoopWakeUp it has nothing to serve. When it \
            was stopped, or at its limit, it leaves.
            """,
        correction: """
            Articles 1 to 3 name four reasons. The main dispatch queue is the fifth. (Correction 28 of \
            ANNOTATIONS.md.)
            """
    )

    func run(_ lab: Lab) {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        let (readEnd, writeEnd) = (ends[0], ends[1])
        let source = RunLoop.DescriptorSource(fileDescriptor: readEnd) {
            var byte: UInt8 = 0
            read(readEnd, &byte, 1)
            lab.callout(.source1, "the port")
        }
        RunLoop.main.add(source, forMode: .default)
        lab.watch(.main, .default, [.beforeWaiting, .afterWaiting, .exit])

        let thread = lab.startThread("waker") {
            lab.whenAsleep(.main)
            write(writeEnd, "x", 1)
            lab.whenAsleep(.main, times: 2)
            RunLoop.main.add(Timer(timeInterval: 0.01, repeats: false) { _ in lab.callout(.timer, "the timer") },
                             forMode: .default)
            lab.whenAsleep(.main, times: 3)
            DispatchQueue.main.async { lab.callout(.mainQueue, "the main queue") }
            lab.whenAsleep(.main, times: 4)
            lab.note("calls CFRunLoopWakeUp")
            RunLoop.main.wakeUp()
            lab.whenAsleep(.main, times: 5)
            lab.note("stops the loop")
            RunLoop.main.stop()
        }
        RunLoop.main.runUntilStopped()
        while !thread.isFinished { usleep(1000) }
        lab.note("run with a limit")
        RunLoop.main.run(.default, until: Date(timeIntervalSinceNow: lab.wait(0.2)))

        let sleep = ["BeforeWaiting", "AfterWaiting"]
        lab.expect("three times the loop serves what woke it",
                   order: sleep + ["the port"] + sleep + ["the timer"] + sleep + ["the main queue"], to: "the main queue")
        lab.expect("after CFRunLoopWakeUp it serves nothing; after CFRunLoopStop it leaves", order: [
            "the main queue", "BeforeWaiting", "calls CFRunLoopWakeUp", "AfterWaiting", "BeforeWaiting", "stops the loop", "AfterWaiting",
            "Exit",
        ], from: "the main queue", to: "Exit")
        lab.expect("at its limit it leaves, too", order: ["run with a limit", "BeforeWaiting", "AfterWaiting", "Exit"], from: "run with a limit")
    }
}
