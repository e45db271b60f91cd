// event-to-source0: a source 1 receives an event, and only signals a source 0, which handles it. So does a touch travel.

import Glibc
import SwiftRunLoop
import Synchronization

struct EventToSource0: Experiment {
    let about = About(
        name: "event-to-source0", claims: ["I3"], group: .sources, seconds: 0.2,
        shows: "an event may arrive at a source 1 and be handled by a source 0",
        setting: """
            The main loop has a source 1 on a pipe, which stands for the port at which the system delivers touches. Its \
            callback puts the event into a queue and signals a source 0, which takes it from there. Another thread writes \
            three events.
            """,
        notice: """
            The source 1 is served in step 9.3 of the pass that it has woken. The source 0 that it signals comes in step 4 of \
            the next pass: nobody has to wake the loop, which is awake. In a stack of a Mac's touch handler one therefore sees \
            a source 0.
            """
    )

    func run(_ lab: Lab) {
        let mode = RunLoop.Mode("work"), queue = Mutex<[UInt8]>([])
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        let (readEnd, writeEnd) = (ends[0], ends[1])

        let handler = Source {
            for event in queue.withLock({ events in defer { events = [] }; return events }) {
                lab.callout(.source0, "handled \(Character(UnicodeScalar(event)))")
            }
        }
        let receiver = FileDescriptorSource(fileDescriptor: readEnd) {
            var event: UInt8 = 0
            read(readEnd, &event, 1)
            queue.withLock { $0.append(event) }
            lab.callout(.source1, "received \(Character(UnicodeScalar(event)))")
            handler.signal()
        }
        handler.add(to: .main, forMode: mode)
        receiver.add(to: .main, forMode: mode)

        lab.watch(.main, mode, [.beforeWaiting, .afterWaiting])
        let thread = lab.startThread("system") {
            for (number, event) in ["a", "b", "c"].enumerated() {
                lab.whenAsleep(.main, times: number + 1)
                write(writeEnd, event, 1)
            }
        }
        while lab.times("handled c") == 0 { RunLoop.main.run(mode: mode, before: .distantFuture) }
        while !thread.isFinished { usleep(1000) }

        let events = ["a", "b", "c"]
        lab.expect("each event wakes the loop, is received, and then handled",
                   order: events.flatMap { ["AfterWaiting", "received \($0)", "handled \($0)"] })
        lab.expect("received in step 9.3", each: "received b", \.step, is: "9.3")
        lab.expect("handled in step 4", each: "handled b", \.step, is: "4")
    }
}
