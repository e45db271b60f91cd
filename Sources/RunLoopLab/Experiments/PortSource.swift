// port-source: a Source1 has a port, and what arrives there wakes the loop.

import Glibc
import SwiftRunLoop

struct PortSource: Experiment {
    let about = About(
        name: "port-source", claims: ["I2"], group: .sources, seconds: 0.3,
        shows: "a Source1 has a port, and wakes the loop by itself",
        setting: """
            The main loop sleeps with two Source1 sources in it: one on the read end of a pipe, and one that belongs \
            to a Port. Another thread writes a byte into the pipe and, when the loop is asleep again, sends a message \
            to the port. It calls no function of the loop.
            """,
        notice: """
            Both wake the loop, and both are served in step 9.3. On a Mac the port is a mach port; here it is any \
            descriptor that can be polled. The loop does not read from it: the source's callback does.
            """
    )

    func run(_ lab: Lab) {
        let mode = RunLoop.Mode("work"), port = Port(), delegate = Delegate(lab: lab)
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        let (readEnd, writeEnd) = (ends[0], ends[1])
        let source = RunLoop.DescriptorSource(fileDescriptor: readEnd) {
            var byte: UInt8 = 0
            read(readEnd, &byte, 1)
            lab.callout(.source1, "a byte from the pipe")
        }
        RunLoop.main.add(source, forMode: mode)
        port.setDelegate(delegate)
        RunLoop.main.add(port, forMode: mode)
        lab.watch(.main, mode, [.beforeWaiting, .afterWaiting])

        let thread = lab.startThread("sender") {
            lab.whenAsleep(.main)
            write(writeEnd, "x", 1)
            lab.whenAsleep(.main, times: 2)
            _ = port.send(before: .distantFuture, components: nil, from: nil, reserved: 0)
        }
        while lab.times("a message") == 0 { RunLoop.main.run(mode: mode, before: .distantFuture) }
        while !thread.isFinished { usleep(1000) }

        let sleep = ["BeforeWaiting", "AfterWaiting"]
        lab.expect("each arrival ends a sleep", order: sleep + ["a byte from the pipe"] + sleep + ["a message"])
        lab.expect("the loop serves it in step 9.3", each: "a byte from the pipe", \.step, is: "9.3")
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
