// batches: large work in batches, one in a pass, leaves room for other things.

import SwiftRunLoop

struct Batches: Experiment {
    let about = About(
        name: "batches", claims: ["A7"], group: .building, seconds: 0.1,
        shows: "large work, a batch in each pass by a delayed perform, lets other things in between",
        setting: """
            500 items are to be processed on the main loop: first all in one callback, then in batches of 100 \
            (Components/BatchedWork.swift). After every 100 items something else turns up that wants to be done: a block for \
            the loop.
            """,
        notice: """
            In one callback, everything else waits until the end. In batches, each batch is a timer of its own pass (a delayed \
            perform), and the block that turned up meanwhile is performed before the next.
            """,
        correction: """
            The article's listing does not compile: its block changes a variable that lacks __block. With it, it works, and the \
            weak reference to the block does no harm: a delayed perform holds its argument until it has been performed. The \
            delay of 0.01 s is not needed: without any delay, too, the next batch waits for the next pass. (Correction 33 \
            of ANNOTATIONS.md.)
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
        let passes = Observer(activities: .beforeTimers) { _, _ in lab.observe("pass") }
        let work = BatchedWork(items, batchSize: size) { batch in
            lab.callout(.timer, "batch", "items \(batch.first!) to \(batch.last!)")
            done(batch)
            somethingElse(lab)
        } finish: {
            lab.callout(.timer, "finished")
            passes.invalidate()
            isFinished = true
        }
        passes.add(to: .main, forMode: .default)
        work.start()
        lab.runMain { isFinished }

        let other = "something else", batches = items.count / size
        lab.expect("all at once, everything else waits for the end",
                   order: Array(repeating: "\(size) items", count: batches) + Array(repeating: other, count: batches),
                   to: "in batches")
        lab.expect("in batches, it comes in between",
                   order: Array(repeating: ["batch", other], count: batches - 1).flatMap { $0 } + ["batch", "finished"],
                   from: "in batches", to: "finished")
        lab.expect("a batch is a timer", each: "batch", \.step, is: "9.1")
        lab.expect("the most that a pass has had", of: "pass", "batch", is: 1) { events in
            events.split { $0.name == "pass" }.map(\.count).max()
        }
        lab.expect("nothing is left out, and nothing done twice", of: "sum", is: Double(2 * items.reduce(0, +))) {
            $0.values.reduce(0, +)
        }
    }

    private func somethingElse(_ lab: Lab) {
        RunLoop.main.perform { lab.callout(.block, "something else") }
        RunLoop.main.wakeUp()
    }
}
