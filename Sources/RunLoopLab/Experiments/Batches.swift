// batches: large work that is done in batches, one in each pass, leaves room for other work.

import SwiftRunLoop

struct Batches: Experiment {
    let about = About(
        name: "batches", claims: ["A7"], group: .building, seconds: 0.1,
        shows: "large work done as one batch in each pass, by a delayed perform, lets other work in between",
        setting: """
            The main loop processes 500 items: first all of them in one callback, then in batches of 100 \
            (Components/BatchedWork.swift). After every 100 items, other work arrives: a block for the loop.
            """,
        notice: """
            In one callback, all other work waits until the end. In batches, each batch is a timer (a delayed perform) \
            in a pass of its own, and the loop performs the block that arrived during one batch before it begins the \
            next.
            """,
        correction: """
            The article's listing does not compile: its block changes a variable that is not declared __block. With \
            __block it works, and the weak reference to the block does no harm, because a delayed perform holds its \
            argument until it has been performed. The delay of 0.01 s is not needed: the next batch waits for the next \
            pass without any delay. (Correction 33 of ANNOTATIONS.md.)
            """
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
        lab.expect("in one callback, other work waits until the end",
                   order: Array(repeating: "\(size) items", count: batches) + Array(repeating: other, count: batches),
                   to: "in batches")
        lab.expect("in batches, other work is done in between",
                   order: Array(repeating: ["batch", other], count: batches - 1).flatMap { $0 } + ["batch", "finished"],
                   from: "in batches", to: "finished")
        lab.expect("the loop calls each batch as a timer", each: "batch", \.step, is: "9.1")
        lab.expect("the largest number of batches in one pass", of: "pass", "batch", is: 1) { events in
            events.split { $0.name == "pass" }.map(\.count).max()
        }
        lab.expect("every item is processed once in each way", of: "sum", is: Double(2 * items.reduce(0, +))) {
            $0.values.reduce(0, +)
        }
    }

    private func somethingElse(_ lab: Lab) {
        RunLoop.main.perform { lab.callout(.block, "something else") }
        RunLoop.main.wakeUp()
    }
}
