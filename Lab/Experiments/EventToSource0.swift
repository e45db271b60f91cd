// event-to-source0: a Source1 receives an event and signals a Source0, which handles it. A touch takes this way.

import Glibc
import SwiftRunLoop
import Synchronization

struct EventToSource0: Experiment {
    let about = About(
        name: "event-to-source0", claims: ["I3"], group: .sources, seconds: 0.2,
        shows: Text("an event may arrive at a Source1 and be handled by a Source0", "事件可以由 Source1 接收，再由 Source0 处理"),
        setting: Text("""
            The main loop has a Source1 on a pipe, which stands for the port that the system delivers touches to. Its \
            callback puts the event into a queue and signals a Source0, whose callback takes it out of the queue. \
            Another thread writes three events.
            """, """
            主线程的 RunLoop 在管道上有一个 Source1，代表系统传递触摸事件的那个端口。它的回调把事件放进队列，\
            并把一个 Source0 标记为待处理；Source0 的回调再从队列里取出事件。另一个线程写入三个事件。
            """),
        notice: Text("""
            The loop serves the Source1 in step 9.3 of the pass that the event has woken. It serves the Source0 in \
            step 4 of the next pass. No wake-up is needed, because the loop is awake. That is why the stack of a touch \
            handler on a Mac shows a Source0.
            """, """
            事件唤醒 RunLoop，RunLoop 在同一轮的步骤 9.3 处理 Source1，在下一轮的步骤 4 处理 Source0。\
            RunLoop 本来就醒着，所以不需要再唤醒。在 Mac 上，触摸回调的调用栈里看到的是 Source0，原因就在这\
            里。
            """)
    )

    func run(_ lab: Lab) {
        let mode = RunLoop.Mode("work"), queue = Mutex<[UInt8]>([])
        let (readEnd, writeEnd) = makePipe()

        let handler = RunLoop.Source {
            for event in queue.withLock({ events in defer { events = [] }; return events }) {
                lab.callout(.source0, "handled \(Character(UnicodeScalar(event)))")
            }
        }
        let receiver = RunLoop.Source(fileDescriptor: readEnd) { _, _ in
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
        lab.expect(Text("each event wakes the loop, is received, and is then handled", "每个事件都唤醒 RunLoop，先被接收，再被处理"),
                   order: events.flatMap { ["AfterWaiting", "received \($0)", "handled \($0)"] })
        lab.expect(Text("events are received in step 9.3", "在步骤 9.3 接收事件"), each: "received b", \.step, is: "9.3")
        lab.expect(Text("events are handled in step 4", "在步骤 4 处理事件"), each: "handled b", \.step, is: "4")
    }
}
