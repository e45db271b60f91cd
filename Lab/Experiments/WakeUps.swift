// wake-ups: what ends a sleep, and what the loop serves afterwards.

import Dispatch
import Glibc
import SwiftRunLoop

struct WakeUps: Program {
    let about = About(
        name: "wake-ups", claims: ["X5"], group: .run,
        title: Text("five things wake a loop: a port, a timer, the main queue, CFRunLoopWakeUp and the time limit",
                    "五种东西会唤醒 RunLoop：端口、Timer、主队列、CFRunLoopWakeUp 和超时"),
        setting: Text("""
            The main loop sleeps, and something else wakes it each time: a byte in a pipe, a timer, work on the main \
            queue, CFRunLoopWakeUp from another thread, and CFRunLoopStop, which ends the run. A time limit ends a \
            second run.
            """, """
            主线程的 RunLoop 休眠着，每次由不同的东西唤醒：管道里的一个字节、Timer、主队列上的任务、另一个线\
            程调用的 CFRunLoopWakeUp，以及让运行结束的 CFRunLoopStop。第二次运行由超时结束。
            """),
        notice: Text("""
            After each AfterWaiting you see what woke the loop. After CFRunLoopWakeUp it has nothing to serve. When it \
            was stopped, or at its limit, it leaves.
            """, """
            每个 AfterWaiting 后面，可以看到是什么唤醒了 RunLoop。CFRunLoopWakeUp 唤醒之后没有要处理的事。被\
            停止或超时的时候，RunLoop 退出。
            """),
        correction: Text("""
            Articles 1 to 3 name four reasons. The main dispatch queue is the fifth. (Correction 28 of \
            corrections.md.)
            """, """
            文章 1 到文章 3 列了四种原因，主队列是第五种。（corrections.zh.md，更正 28。）
            """),
        seconds: 0.3
    )

    func run() {
        let (readEnd, writeEnd) = makePipe()
        let source = try! RunLoop.Source(fileDescriptor: readEnd) { _, _ in
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
        RunLoop.main.runUntilStopped(in: .default, until: Date(timeIntervalSinceNow: lab.wait(0.2)))
    }

    func judge() {
        let sleep = ["BeforeWaiting", "AfterWaiting"]
        lab.expect(Text("three times the loop serves what woke it", "三次处理的就是唤醒它的东西"),
                   order: sleep + ["the port"] + sleep + ["the timer"] + sleep + ["the main queue"], to: "the main queue")
        lab.expect(Text("after CFRunLoopWakeUp it serves nothing; after CFRunLoopStop it leaves",
                        "CFRunLoopWakeUp 之后没有要处理的；CFRunLoopStop 之后退出"), order: [
            "the main queue", "BeforeWaiting", "calls CFRunLoopWakeUp", "AfterWaiting", "BeforeWaiting", "stops the loop", "AfterWaiting",
            "Exit",
        ], from: "the main queue", to: "Exit")
        lab.expect(Text("at its limit it leaves, too", "超时也会退出"), order: ["run with a limit", "BeforeWaiting", "AfterWaiting", "Exit"], from: "run with a limit")
    }
}
