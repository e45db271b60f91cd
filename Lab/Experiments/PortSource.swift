// port-source: a Source1 has a port, and what arrives there wakes the loop.

import Glibc
import SwiftRunLoop

struct PortSource: Experiment {
    let about = About(
        name: "port-source", claims: ["I2"], group: .sources, seconds: 0.3,
        shows: Text("a Source1 has a port, and wakes the loop by itself", "Source1 有端口，能自己唤醒 RunLoop"),
        setting: Text("""
            The main loop sleeps with two Source1 sources in it: one on the read end of a pipe, and one that belongs \
            to a Port. Another thread writes a byte into the pipe and, when the loop is asleep again, sends a message \
            to the port. It calls no function of the loop.
            """, """
            主线程的 RunLoop 休眠着，里面有两个 Source1：一个在管道的读端，一个属于 Port。另一个线程向管道写\
            一个字节；等 RunLoop 再次休眠，再给 Port 发一条消息。它不调用 RunLoop 的任何函数。
            """),
        notice: Text("""
            Both wake the loop, and both are served in step 9.3. On a Mac the port is a mach port; here it is any \
            descriptor that can be polled. The loop does not read from it: the source's callback does.
            """, """
            两者都唤醒了 RunLoop，也都在步骤 9.3 处理。Mac 上的端口是 mach port，这里可以是任何能被 poll \
            的描述符。RunLoop 不从里面读数据，读数据的是 Source 的回调。
            """)
    )

    func run(_ lab: Lab) {
        let mode = RunLoop.Mode("work"), port = Port(), delegate = Delegate(lab: lab)
        let (readEnd, writeEnd) = makePipe()
        let source = RunLoop.Source(fileDescriptor: readEnd) { _, _ in
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
        lab.expect(Text("each arrival ends a sleep", "每次到来都结束一次休眠"), order: sleep + ["a byte from the pipe"] + sleep + ["a message"])
        lab.expect(Text("the loop serves it in step 9.3", "RunLoop 在步骤 9.3 处理它"), each: "a byte from the pipe", \.step, is: "9.3")
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
