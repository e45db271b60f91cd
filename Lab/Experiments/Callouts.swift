// callouts: a run makes its callbacks through six functions, and the stack shows which. A source's schedule goes through none.

import Dispatch
import Glibc
import SwiftRunLoop

struct Callouts: Program {
    let about = About(
        name: "callouts", claims: ["X2", "X3"], group: .run,
        title: Text("a run makes its callbacks through six functions, and the stack shows which; a source's schedule goes through none",
                    "一次运行里的回调都经过六个函数之一，从调用栈能看出是哪一个；Source 的 schedule 不经过它们"),
        setting: Text("""
            The main loop has one of each: an observer of Entry, a block, a Source0, a Source1 on a pipe, a timer, and \
            work on the main dispatch queue. Each callback records its stack, from the callout out to \
            CFRunLoopRunSpecific. A debugger shows the same frames. The Source0 also has a schedule, which is called when the \
            source is added.
            """, """
            主线程的 RunLoop 里每种各有一个：监听 Entry 的 Observer、block、Source0、管道上的 Source1、Timer，\
            以及派发到主队列的任务。每个回调都记录自己的调用栈，从 callout 函数一直到 CFRunLoopRunSpecific。\
            用调试器看到的也是这些帧。Source0 还有一个 schedule，在添加它的时候被调用。
            """),
        notice: Text("""
            There are six callout functions, and the name of each says what it calls. Each is called by the function \
            that carries out its step. Entry and Exit are sent from CFRunLoopRunSpecific; every other callout stands \
            above __CFRunLoopRun. The thread that adds the source calls schedule directly, as it calls getPort, and as \
            retain, release, equal and hash of a context are called: so not all of your code goes through the six.
            """, """
            callout 函数一共六个，名字说明了它回调的是什么；每个都由执行那一步的函数调用。Entry 和 Exit 由 \
            CFRunLoopRunSpecific 通知，其他回调在调用栈里都位于 __CFRunLoopRun 之上。schedule 由添加 Source 的线程直接\
            调用，getPort 以及 context 的 retain、release、equal 和 hash 也是。所以你的代码并不都经过这六个函数。
            """),
        seconds: 0.2
    )

    func run() {
        let (readEnd, writeEnd) = makePipe(), loop = RunLoop.main

        loop.add(RunLoop.Observer(activities: .entry) { _, _ in called(.observer) }, forMode: .default)
        lab.watch(loop, .default, .beforeSources)
        loop.perform { called(.block) }
        let source0 = ScheduledSource(schedule: { _, _ in
            lab.observe("schedule", stack(from: "scheduleSource").filter { $0.hasPrefix("__CFRUNLOOP_IS_") || $0 == "CFRunLoopAddSource" }.joined(separator: stackSeparator))
        }, perform: { called(.source0) })
        let source1 = try! RunLoop.Source(fileDescriptor: readEnd) { _, _ in
            called(.source1)
            close(writeEnd)
            RunLoop.main.stop()
        }
        source0.add(to: loop, forMode: .default)
        loop.add(source1, forMode: .default)
        source0.signal()
        loop.add(RunLoop.Observer(activities: .beforeWaiting, repeats: false) { _, _ in // fires when the loop is asleep or about to sleep
            RunLoop.main.add(Timer(timeInterval: 0.02, repeats: false) { _ in
                called(.timer)
                DispatchQueue.main.async {
                    called(.mainQueue)
                    write(writeEnd, "x", 1)
                }
            }, forMode: .default)
        }, forMode: .default)
        loop.runUntilStopped()
    }

    func judge() {
        let expected: KeyValuePairs<Callout, [String]> = [
            .observer: ["CALLING_OUT_TO_AN_OBSERVER_CALLBACK_FUNCTION", "__CFRunLoopDoObservers"],
            .block: ["CALLING_OUT_TO_A_BLOCK", "__CFRunLoopDoBlocks", "__CFRunLoopRun"],
            .source0: ["CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION", "__CFRunLoopDoSource0", "__CFRunLoopDoSources0",
                       "__CFRunLoopRun"],
            .timer: ["CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION", "__CFRunLoopDoTimer", "__CFRunLoopDoTimers", "__CFRunLoopRun"],
            .mainQueue: ["SERVICING_THE_MAIN_DISPATCH_QUEUE", "__CFRunLoopRun"],
            .source1: ["CALLING_OUT_TO_A_SOURCE1_PERFORM_FUNCTION", "__CFRunLoopDoSource1", "__CFRunLoopRun"],
        ]
        lab.expectFound(Text("schedule: no callout is in its stack", "schedule：调用栈里没有 callout"), of: "schedule", ["CFRunLoopAddSource"])
        lab.expect(Text("all six are called", "六种都被调用了"), order: expected.map { "\($0.key.rawValue) called" })
        for (kind, frames) in expected {
            let all = ["__CFRUNLOOP_IS_\(frames[0])__"] + frames.dropFirst() + ["CFRunLoopRunSpecific"]
            lab.expect(Text("\(kind.rawValue): the frames of its stack", "\(shown(kind.rawValue))：调用栈里的各帧"), each: "\(kind.rawValue) called", \.detail,
                       is: all.joined(separator: stackSeparator))
        }
    }

    @inline(never)
    private func called(_ callout: Callout) {
        let frames = stack(from: "called(_:_:)"), first = frames.firstIndex { $0.hasPrefix("__CFRUNLOOP_IS_") } ?? 0
        let last = frames.firstIndex(of: "CFRunLoopRunSpecific") ?? frames.count - 1
        lab.callout(callout, "\(callout.rawValue) called", frames[first...max(first, last)].joined(separator: stackSeparator))
    }
}
