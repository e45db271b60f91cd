// port-source: a source 1 has a port, and what arrives there wakes the loop.

import Glibc
import SwiftRunLoop

struct PortSource: Experiment {
    let about = About(
        name: "port-source", claims: ["I2"], group: .sources, seconds: 0.3,
        shows: "a source 1 has a port, and wakes the loop by itself",
        setting: """
            The main loop sleeps with two sources 1 in it: one on the read end of a pipe, one that belongs to a Port. Another \
            thread writes a byte into the pipe and, when the loop is asleep again, sends the port a message. It calls nothing \
            of the loop.
            """,
        notice: """
            Both wake the loop, and are served in step 9.3. On a Mac the port would be a mach port; here any descriptor that \
            can be polled will do. The loop does not read from it: that is up to the source's callback.
            """
    )

    func run(_ lab: Lab) {
        let mode = RunLoop.Mode("work"), port = Port(), delegate = Delegate(lab: lab)
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        let (readEnd, writeEnd) = (ends[0], ends[1])
        let source = FileDescriptorSource(fileDescriptor: readEnd) {
            var byte: UInt8 = 0
            read(readEnd, &byte, 1)
            lab.callout(.source1, "a byte from the pipe")
        }
        source.add(to: .main, forMode: mode)
        port.setDelegate(delegate)
        RunLoop.main.add(port, forMode: mode)
        lab.watch(.main, mode, [.beforeWaiting, .afterWaiting])

        nonisolated(unsafe) let there = port
        let thread = lab.startThread("sender") {
            lab.whenAsleep(.main)
            write(writeEnd, "x", 1)
            lab.whenAsleep(.main, times: 2)
            _ = there.send(before: .distantFuture, components: nil, from: nil, reserved: 0)
        }
        while lab.times("a message") == 0 { RunLoop.main.run(mode: mode, before: .distantFuture) }
        while !thread.isFinished { usleep(1000) }

        let sleep = ["BeforeWaiting", "AfterWaiting"]
        lab.expect("each arrival ends a sleep", order: sleep + ["a byte from the pipe"] + sleep + ["a message"])
        lab.expect("and is served in step 9.3", each: "a byte from the pipe", \.step, is: "9.3")
    }

    private final class Delegate: PortDelegate {
        let lab: Lab

        init(lab: Lab) {
            self.lab = lab
        }

        func handle(_ message: PortMessage) {
            lab.callout(.source1, "a message")
        }
    }
}
