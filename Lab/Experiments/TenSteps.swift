// ten-steps: the passes of a run, in the ten steps that the articles count.

import Dispatch
import SwiftRunLoop

struct TenSteps: Program {
    let about = About(
        name: "ten-steps", claims: ["X1"], group: .run,
        title: Text("a run, in the ten steps that the articles count", "一次运行，按文章里的十个步骤"),
        setting: Text("""
            The main loop makes four passes, with an observer of all activities. Before the run, a block is queued and \
            a Source0 is signalled. The source's callback queues another block. When the loop is about to sleep, a \
            timer is added. Its callback puts work on the main queue and queues a third block. A second timer stops \
            the loop.
            """, """
            主线程的 RunLoop 走四轮，有一个监听所有状态的 Observer。运行之前加入一个 block，标记一个 Source0。\
            Source0 的回调再加入一个 block。RunLoop 即将休眠时加入一个 Timer，它的回调向主队列派发任务，又加\
            入第三个 block。第二个 Timer 停止 RunLoop。
            """),
        notice: Text("""
            The first pass handles a Source0 in step 4, so it leaves out steps 6 and 8, and does not wait in step 7. \
            The second pass sleeps and serves a timer. The third finds the main queue ready in step 5, goes straight \
            to step 9, and does not sleep. Steps 5 and 7 have no callbacks: you recognise them by what follows.
            """, """
            第一轮在步骤 4 处理了 Source0，所以跳过步骤 6 和 8，步骤 7 也不等待。第二轮休眠，处理一个 Timer。\
            第三轮在步骤 5 发现主队列就绪，直接到步骤 9，不休眠。步骤 5 和 7 没有回调，要从后面发生的事看出\
            来。
            """),
        correction: Text("""
            Articles 1 to 3 say that step 5 checks for a ready Source1. It checks one port: the main dispatch queue's, \
            and not in the first pass of a run, nor in the pass after it has served that queue. They leave out only \
            step 6 after a Source0; the loop leaves out 6 and 8. They always perform blocks in step 4; the loop \
            performs them there only if it handled a Source0. Article 4 sends AfterWaiting after the events; the loop \
            sends it before. (Corrections 1 to 4 of corrections.md.)
            """, """
            文章 1 到文章 3 说，步骤 5 检查有没有 Source1 就绪。其实只检查一个端口，即主队列的；而且一\
            次运行的第一轮不检查，刚处理过主队列的下一轮也不检查。文章说处理 Source0 之后只跳过步骤 6，其实\
            跳过 6 和 8。文章说步骤 4 总会执行 block，其实只有处理过 Source0 才会。文章 4 说处理完事件才通知\
             AfterWaiting，其实通知在前。（corrections.zh.md，更正 1 到 4。）
            """),
        seconds: 0.1
    )

    func run() {
        let loop = RunLoop.main
        lab.watch(loop, .default)
        loop.add(RunLoop.Observer(activities: .beforeWaiting, order: 1) { _, _ in // fires when the loop is asleep or about to sleep
            RunLoop.main.add(Timer(timeInterval: 0.15, repeats: false) { _ in timerFires() }, forMode: .default)
        }, forMode: .default)
        let source = RunLoop.Source {
            lab.callout(.source0, "source")
            RunLoop.main.perform { lab.callout(.block, "block queued by the source") }
        }
        loop.add(source, forMode: .default)
        source.signal()
        loop.perform { lab.callout(.block, "block queued before the run") }
        loop.runUntilStopped(in: .default) // goes on after a source was handled, as run(mode:before:) does not
    }

    func judge() {
        let passes = [
            ["Entry"],
            ["BeforeTimers", "BeforeSources", "block queued before the run", "source", "block queued by the source"],
            ["BeforeTimers", "BeforeSources", "BeforeWaiting", "AfterWaiting", "timer", "block queued by the timer"],
            ["BeforeTimers", "BeforeSources", "main queue"],
            ["BeforeTimers", "BeforeSources", "BeforeWaiting", "AfterWaiting", "timer"],
            ["Exit"],
        ]
        lab.expect(Text("Entry, four passes, Exit", "Entry、四轮循环、Exit"), order: passes.flatMap { $0 })
        let steps: KeyValuePairs = ["block queued before the run": "3", "source": "4", "block queued by the source": "4",
                                    "timer": "9.1",
                                    "block queued by the timer": "9", "main queue": "9.2"]
        for (name, step) in steps {
            lab.expect(Text("\(name): in step \(step)", "\(shown(name))：在步骤 \(step)"), each: name, \.step, is: step)
        }
    }

    private func timerFires() {
        if lab.callout(.timer, "timer") == 2 { return RunLoop.main.stop() }
        DispatchQueue.main.async { lab.callout(.mainQueue, "main queue") }
        RunLoop.main.perform { lab.callout(.block, "block queued by the timer") }
    }
}
