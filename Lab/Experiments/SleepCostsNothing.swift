// sleep-costs-nothing: a loop with nothing to do waits in the kernel and uses no processor time.

import Glibc
import SwiftRunLoop

struct SleepCostsNothing: Program {
    let about = About(
        name: "sleep-costs-nothing", claims: ["X4"], group: .run,
        title: Text("a sleeping loop uses no processor time: its thread waits in the kernel", "休眠的 RunLoop 不占 CPU：线程在内核里等待"),
        setting: Text("""
            The main loop runs with nothing to do. Another thread asks the kernel ten times for the state of the main \
            thread, and then stops the loop. Then the main thread spends the same time asking over and over whether \
            there is something to do.
            """, """
            主线程的 RunLoop 运行着，没有事做。另一个线程向内核查询十次主线程的状态，然后停止 RunLoop。之后\
            主线程用同样长的时间反复查询有没有事做。
            """),
        notice: Text("""
            Whenever it is asked, the kernel shows the thread as S, sleeping, and the thread uses almost no \
            processor time. Asking over and over achieves just as little, and takes all the processor time that it can get.
            """, """
            每次查询，内核都显示线程处于 S（休眠）状态，它几乎不占 CPU。反复查询一样没有做成什么事，却占满了能拿到\
            的全部 CPU。
            """),
        seconds: 2.1
    )

    func run() {
        let mode = RunLoop.Mode("work"), time = lab.wait(1)
        let far = Date(timeIntervalSinceNow: 3600)
        RunLoop.main.add(Timer(fire: far, interval: 3600, repeats: true) { _ in }, forMode: mode) // keeps the mode from being empty
        lab.watch(.main, mode, [.beforeWaiting, .afterWaiting])

        let watcher = lab.startThread("watcher") {
            lab.whenAsleep(.main)
            while SystemThread.stateOfMain != "S" { usleep(1000) } // the loop says that it waits just before its thread does
            for _ in 1...10 {
                Thread.sleep(forTimeInterval: time / 10)
                lab.note("the main thread is \(SystemThread.stateOfMain)")
            }
            RunLoop.main.stop()
        }
        let start = now()
        let asleep = processorTime { _ = RunLoop.main.run(mode: mode, before: .distantFuture) }
        let end = now() + (now() - start)
        lab.note("asleep", "used \(seconds(asleep)) of processor time in \(seconds(end - now()))", value: asleep)
        while !watcher.isFinished { usleep(1000) }

        let answers = Counter()
        let asking = processorTime {
            while now() < end { if RunLoop.main.isWaiting { answers.add() } }
        }
        lab.note("asking", "used \(seconds(asking)) of processor time, for \(count(answers.value, "answer"))", value: asking)
    }

    func judge() {
        lab.expect(Text("there is one sleep", "只休眠一次"), order: ["BeforeWaiting", "AfterWaiting"])
        lab.expect(Text("the kernel shows that the thread sleeps", "内核显示线程在休眠"), "the main thread is S", times: 10, to: "asleep")
        lab.expect(Text("while asleep, the thread uses almost no processor time", "休眠时，线程几乎不占 CPU"), of: "asleep", isIn: 0...0.02) { $0.values.first }
        lab.expect(Text("while asking, it uses more", "反复查询时占得更多"), of: "asleep", "asking", isIn: 1.2...1e9, unit: Text("times as much", "倍")) { events in
            guard let asleep = events.values(of: "asleep").first, let asking = events.values(of: "asking").first else { return nil }
            return asking / max(abs(asleep), 0.0001)
        }
    }

    /// The processor time that the calling thread uses for `body`, in seconds.
    private func processorTime(_ body: () -> Void) -> Double {
        let before = now(CLOCK_THREAD_CPUTIME_ID)
        body()
        return now(CLOCK_THREAD_CPUTIME_ID) - before
    }
}
