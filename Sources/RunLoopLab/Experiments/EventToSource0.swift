// event-to-source0: a Source1 receives an event and signals a Source0, which handles it. A touch takes this way.

import Glibc
import SwiftRunLoop
import Synchronization

struct EventToSource0: Experiment {
    let about = About(
        name: "event-to-source0", claims: ["I3"], group: .sources, seconds: 0.2,
        shows: "an event may arrive at a Source1 and be handled by a Source0",
        setting: """
            The main loop has a Source1 on a pipe, which stands for the port that the system delivers touches to. Its \
            callback puts the event into a queue and signals a Source0, whose callback takes it out of the queue. \
            Another thread writes three events.
            """,
        notice: """
            The loop serves the Source1 in step 9.3 of the pass that the event has woken. It serves the Source0 in \
            step 4 of the next pass. No wake-up is needed, because the loop is awake. That is why the stack of a touch \
            handler on a Mac shows a Source0.
            """
    )

    func run(_ lab: Lab) {
        let mode = RunLoop.Mode("work"), queue = Mutex<[UInt8]>([])
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        let (readEnd, writeEnd) = (ends[0], ends[1])

        let handler = RunLoop.Source {
            for event in queue.withLock({ events in defer { events = [] }; return events }) {
                lab.callout(.source0, "handled \(Character(UnicodeScalar(event)))")
            }
        }
        let receiver = RunLoop.DescriptorSource(fileDescriptor: readEnd) {
            var event: UInt8 = 0
            read(readEnd, &event, 1)
            queue.withLock { $0.append(event) }
            lab.callout(.source1, "received \(Character(UnicodeScalar(event)))")
            handler.signal()
        }
        RunLoop.main.add(handler, forMode: mode)
        RunLoop.main.add(receiver, forMode: mode)

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
        lab.expect("each event wakes the loop, is received, and is then handled",
                   order: events.flatMap { ["AfterWaiting", "received \($0)", "handled \($0)"] })
        lab.expect("events are received in step 9.3", each: "received b", \.step, is: "9.3")
        lab.expect("events are handled in step 4", each: "handled b", \.step, is: "4")
    }
}
