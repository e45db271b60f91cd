// batches: large work that is done in batches, one in each pass, leaves room for other work.

import SwiftRunLoop

struct Batches: Experiment {
    let about = About(
        name: "batches", claims: ["A7"], group: .building, seconds: 0.1,
        shows: Text("large work done as one batch in each pass, by a delayed perform, lets other work in between",
                    "把大任务拆开，用延迟执行每轮只做一批，其他工作就能穿插进来"),
        setting: Text("""
            The main loop processes 500 items: first all of them in one callback, then in batches of 100 \
            (Lab/Designs/BatchedWork.swift). After every 100 items, other work arrives: a block for the loop.
            """, """
            主线程的 RunLoop 要处理 500 项数据：第一次在一个回调里全部处理完，第二次每批处理 100 项（\
            Lab/Designs/BatchedWork.swift）。每处理 100 项，就来一件别的工作：交给 RunLoop 的一个 block。
            """),
        notice: Text("""
            In one callback, all other work waits until the end. In batches, each batch is a timer (a delayed perform) \
            in a pass of its own, and the loop performs the block that arrived during one batch before it begins the \
            next.
            """, """
            在一个回调里全部处理时，别的工作都要等到最后。分批处理时，每一批都是一个 Timer（延迟执行），各占\
            一轮循环；处理某一批时来的 block，会在下一批之前执行。
            """),
        correction: Text("""
            The article's listing does not compile: its block changes a variable that is not declared __block. With \
            __block it works, and the weak reference to the block does no harm, because a delayed perform holds its \
            argument until it has been performed. The delay of 0.01 s is not needed: the next batch waits for the next \
            pass without any delay. (Correction 33 of corrections.md.)
            """, """
            文章里的代码编译不过：block 修改了一个没有声明为 __block 的变量。加上 __block 就能用了，对 block\
             的弱引用也没有坏处，因为延迟执行会持有它的参数，直到执行完。0.01 秒的延迟并不需要：即使延迟为 0，\
            下一批也要等到下一轮。（corrections.zh.md，更正 33。）
            """)
    )

    func run(_ lab: Lab) {
        let items = Array(1...500), size = 100

        @Sendable func done(_ items: ArraySlice<Int>) { lab.observe("sum", value: Double(items.reduce(0, +))) }
        lab.note("all at once")
        RunLoop.main.perform {
            for start in stride(from: 0, to: items.count, by: size) {
                lab.callout(.block, "\(size) items")
                done(items[start..<start + size])
                somethingElse(lab)
            }
        }
        lab.runMain { lab.times("something else") == items.count / size }

        lab.note("in batches")
        nonisolated(unsafe) var isFinished = false
        let passes = RunLoop.Observer(activities: .beforeTimers) { _, _ in lab.observe("pass") }
        let work = BatchedWork(items, batchSize: size) { batch in
            lab.callout(.timer, "batch", "items \(batch.first!) to \(batch.last!)")
            done(batch)
            somethingElse(lab)
        } finish: {
            lab.callout(.timer, "finished")
            passes.invalidate()
            isFinished = true
        }
        RunLoop.main.add(passes, forMode: .default)
        work.start()
        lab.runMain { isFinished }

        let other = "something else", batches = items.count / size
        lab.expect(Text("in one callback, other work waits until the end", "在一个回调里全部处理时，别的工作等到最后"),
                   order: Array(repeating: "\(size) items", count: batches) + Array(repeating: other, count: batches),
                   to: "in batches")
        lab.expect(Text("in batches, other work is done in between", "分批处理时，别的工作穿插在各批之间"),
                   order: Array(repeating: ["batch", other], count: batches - 1).flatMap { $0 } + ["batch", "finished"],
                   from: "in batches", to: "finished")
        lab.expect(Text("the loop calls each batch as a timer", "RunLoop 把每一批当作 Timer 调用"), each: "batch", \.step, is: "9.1")
        lab.expect(Text("the largest number of batches in one pass", "一轮里最多处理了几批"), of: "pass", "batch", is: 1) { events in
            events.split { $0.name == "pass" }.map(\.count).max()
        }
        lab.expect(Text("every item is processed once in each way", "两种做法都把每一项处理了一次"), of: "sum", is: Double(2 * items.reduce(0, +))) {
            $0.values.reduce(0, +)
        }
    }

    private func somethingElse(_ lab: Lab) {
        RunLoop.main.perform { lab.callout(.block, "something else") }
        RunLoop.main.wakeUp()
    }
}
