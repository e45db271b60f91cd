// wake-ups: what ends a sleep, and what the loop then serves.

import CRunLoop
import Dispatch
import Glibc
import SwiftRunLoop

struct WakeUps: Experiment {
    let about = About(
        name: "wake-ups", claims: ["X5"], group: .run, seconds: 0.5,
        shows: "five things wake a loop: a port, a timer, the main queue, a hand, and the time limit",
        setting: """
            The main loop goes to sleep five times, and is woken each time by something else: a byte in a pipe, a timer, work \
            on the main queue, CFRunLoopWakeUp from another thread, and the limit of the run.
            """,
        notice: """
            After each AfterWaiting comes what has woken the loop. Woken by hand, it has nothing to serve; the limit ends the \
            run.
            """,
        correction: "Articles 1 to 3 name four reasons. The main dispatch queue is a fifth. (Correction 28 of ANNOTATIONS.md.)"
    )

    func run(_ lab: Lab) {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        let (readEnd, writeEnd) = (ends[0], ends[1])
        let source = FileDescriptorSource(fileDescriptor: readEnd) {
            var byte: UInt8 = 0
            read(readEnd, &byte, 1)
            lab.callout(.source1, "the port")
        }
        source.add(to: .main, forMode: .default)
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
            lab.note("wakes the loop by hand")
            RunLoop.main.wakeUp()
        }
        CFRunLoopRunInMode(kCFRunLoopDefaultMode, lab.wait(0.5), false)
        while !thread.isFinished { usleep(1000) }

        lab.expect("five sleeps, and what ended them", order: [
            "BeforeWaiting", "AfterWaiting", "the port", "BeforeWaiting", "AfterWaiting", "the timer", "BeforeWaiting",
            "AfterWaiting", "the main queue",
            "BeforeWaiting", "wakes the loop by hand", "AfterWaiting", "BeforeWaiting", "AfterWaiting", "Exit",
        ])
    }
}
