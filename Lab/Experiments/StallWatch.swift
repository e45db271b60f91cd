// stall-watch: a monitor reports when the main loop is stuck, and where; it is not deceived by a loop that sleeps.

import Glibc
import RunLoopDiagnostics
import SwiftRunLoop
import Synchronization

struct StallWatch: Experiment {
    let about = About(
        name: "stall-watch", claims: ["A5"], group: .building, seconds: 3,
        shows: Text("an observer and a watching thread report a stalled main loop, with its stack at that moment",
                    "一个 Observer 和一个监控线程报告主线程的卡顿，并给出当时的调用栈"),
        setting: Text("""
            A monitor (the product RunLoopDiagnostics) watches the main loop with a threshold of 0.25 s. The main loop \
            sleeps for twice that time. Then a timer's callback runs the loop in another mode, where it sleeps a little \
            longer. The next callbacks work for a fifth of the threshold; work for twice the threshold, in \
            decodeImage(); and wait for twice the threshold, in readFile(). At the end the loop idles for a second.
            """, """
            卡顿监控（RunLoopDiagnostics）监视主线程的 RunLoop，阈值 0.25 秒。主线程的 RunLoop 先\
            休眠两倍阈值的时间；然后一个 Timer 的回调让它在另一个 mode 里运行，休眠得稍久一些。接下来几个回\
            调依次是：工作五分之一阈值的时间；在 decodeImage() 里工作两倍阈值；在 readFile() 里等待两倍阈值。\
            最后 RunLoop 空闲一秒。
            """),
        notice: Text("""
            The monitor reports nothing while the loop sleeps, in either mode, or while a callback stays below the \
            threshold. It reports the other two callbacks while they still run, with the stack of the main thread: \
            from the current function through the callout and the steps of the loop out to CFRunLoopRunSpecific, where \
            a run begins. The monitor costs little, because its thread is awake only while the loop is, and then only \
            a few times a second.
            """, """
            不管在哪个 mode 里，RunLoop 休眠时监控都不报警；回调没有超过阈值时也不报警。另外两个回调还没返回，\
            监控就已经报告了，并给出主线程的调用栈：从当前函数，经过 callout 和 RunLoop 的各个步骤，一直到运\
            行开始的 CFRunLoopRunSpecific。监控的代价很小，因为监控线程只在 RunLoop 醒着时才醒来，而且每秒只\
            有几次。
            """),
        correction: Text("""
            The article's monitor takes every silence of the loop for a stall, including sleep: it reports a loop that \
            waits for the user for 200 ms. And it has only a stub in place of the stack.
            """, """
            文章里的监控把 RunLoop 的一切沉默都当成卡顿，连休眠也算：RunLoop 等用户等了 200 毫秒，它就报警。\
            而且该打印调用栈的地方是空的。
            """)
    )

    private static let threshold = 0.25

    func run(_ lab: Lab) {
        let long = 2 * Self.threshold, short = Self.threshold / 5
        let monitor = RunLoopDiagnostics(threshold: Self.threshold, log: false) { stall in
            lab.nameThread("monitor")
            let mode = stall.mode == .default ? "the default mode" : "another mode"
            lab.note("stall", "in \(mode), for \(seconds(stall.duration)) so far", value: stall.duration)
            lab.observe("stack", stall.functions.joined(separator: stackSeparator))
            for frame in shown(stall.functions) { lab.note("frame", frame) }
        } onEnd: { length in
            lab.note("stall over", "after \(seconds(length))", value: length)
        }
        monitor.start()

        during(lab, "sleep") { RunLoop.main.run(until: Date(timeIntervalSinceNow: long)) }
        during(lab, "nested sleep") {
            callback(lab) {
                let nested = RunLoop.Mode("nested")
                RunLoop.main.add(Port(), forMode: nested)
                // not a multiple of the threshold: the monitor looks at this mode then, and must not find it awake by chance
                RunLoop.main.run(mode: nested, before: Date(timeIntervalSinceNow: 2.5 * Self.threshold))
            }
        }
        during(lab, "short work") { callback(lab) { decodeImage(for: short) { true } } }
        var stalls = lab.times("stall") // none, unless something else keeps the processors busy
        during(lab, "long work") { callback(lab) { decodeImage(for: long) { lab.times("stall") > stalls } } }
        stalls = lab.times("stall")
        during(lab, "long wait") { callback(lab) { readFile(for: long) { lab.times("stall") > stalls } } }
        stalls = lab.times("stall")

        lab.waitUntil { lab.times("stall over") == stalls && lab.times("stack") == stalls }
        let before = now(CLOCK_PROCESS_CPUTIME_ID)
        during(lab, "idle") { idle(for: lab.wait(1)) }
        let share = (now(CLOCK_PROCESS_CPUTIME_ID) - before) / lab.wait(1) * 100
        lab.note("cost", "of the time, the program takes \(seconds(share, unit: " %"))", value: share)
        monitor.stop()

        lab.expect(Text("the monitor reports no stall while the loop sleeps", "RunLoop 休眠时，监控不报卡顿"), "stall", times: 0, from: "sleep", to: "sleep over")
        lab.expect(Text("it reports no stall while the loop sleeps in a nested run", "RunLoop 在嵌套的运行里休眠时，也不报卡顿"), "stall", times: 0, from: "nested sleep", to: "nested sleep over")
        lab.expect(Text("it reports no stall below the threshold", "没有超过阈值，不报卡顿"), "stall", times: 0, from: "short work", to: "short work over")
        lab.expect(Text("it reports one stall while a callback works too long", "回调工作太久，报一次卡顿"), order: ["long work", "stall", "long work over"],
                   from: "long work", to: "long work over")
        lab.expect(Text("it reports one stall while a callback waits too long", "回调等待太久，报一次卡顿"), order: ["long wait", "stall", "long wait over"],
                   from: "long wait", to: "long wait over")
        lab.expect(Text("the shortest time after which a stall is reported", "最快过多久报告卡顿"), of: "stall", isIn: Self.threshold...10) {
            $0.values.min()
        }
        lab.expect(Text("the shortest whole length, reported when the stall is over", "卡顿结束时报告的总时长，最短的一次"), of: "stall over", isIn: long - 0.05...60) { $0.values.min() }
        let loop = ["__CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__", "__CFRunLoopDoTimers", "__CFRunLoopRun",
                    "CFRunLoopRunSpecific"]
        for (index, (name, function)) in [("first", "decodeImage"), ("second", "readFile")].enumerated() {
            lab.expect(Text("the \(name) stack leads from the loop into \(function)", "第 \(index + 1) 个调用栈从 RunLoop 到 \(function)"), of: "stack", is: [function] + loop) { stacks in
                stacks.count == 2 ? found([function] + loop, in: frames(of: stacks[index])) : []
            }
        }
        lab.expect(Text("what the monitored program takes while its loop ticks 20 times a second", "RunLoop 每秒触发 20 次 Timer 时，被监控的程序占用的 CPU"), of: "cost", isIn: 0...5, unit: Text("% of a processor", "% CPU")) {
            $0.values.first
        }
    }

    // MARK: - What the main loop does

    private func during(_ lab: Lab, _ name: String, _ body: () -> Void) {
        lab.note(name)
        body()
        lab.note("\(name) over")
    }

    /// Makes the main loop call `body` from a timer.
    private func callback(_ lab: Lab, _ body: @escaping () -> Void) {
        nonisolated(unsafe) let body = body // it stays on this thread
        nonisolated(unsafe) var isDone = false
        RunLoop.main.perform(afterDelay: 0) {
            body()
            isDone = true
        }
        lab.runMain { isDone }
    }

    private func idle(for time: Double) {
        let timer = Timer.scheduledTimer(withTimeInterval: 0.05, repeats: true) { _ in }
        RunLoop.main.run(until: Date(timeIntervalSinceNow: time))
        timer.invalidate()
    }

    // MARK: - What the stacks show

    /// The frames from the callback's own function out to the loop. The frames further in differ from moment to moment.
    private func shown(_ stack: [String]) -> ArraySlice<String> {
        let start = stack.firstIndex { $0.hasPrefix("decodeImage") || $0.hasPrefix("readFile") } ?? 0
        let end = stack.lastIndex(of: "CFRunLoopRunSpecific") ?? stack.count - 1
        return start <= end ? stack[start...end] : []
    }

    private func frames(of event: Event) -> [String] { event.detail.split(separator: stackSeparator).map(String.init) }

    /// The names that begin a frame, in the order of the frames.
    private func found(_ names: [String], in stack: [String]) -> [String] {
        stack.filter(names.contains)
    }
}

/// Waits in system calls for as long.
@inline(never)
private func readFile(for time: Double, and hasHappened: () -> Bool) {
    let start = now()
    repeat { Thread.sleep(forTimeInterval: time) } while !hasHappened() && now() < start + 30
    withExtendedLifetime(time) {}
}
