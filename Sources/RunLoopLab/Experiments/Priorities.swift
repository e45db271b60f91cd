// priorities: urgent work in the common modes, the rest in the default mode.

import SwiftRunLoop

struct Priorities: Experiment {
    let about = About(
        name: "priorities", claims: ["A6"], group: .building, seconds: 0.3,
        shows: "urgent work goes to the common modes, work that can wait to the default mode",
        setting: """
            The main thread is given three pieces of work that can wait and three urgent ones, by turns, and has a timer of \
            each kind (Components/ModePriorities.swift). The tracking mode is common. The main loop runs in it until the \
            urgent timer has ticked three times, and then in the default mode.
            """,
        notice: """
            While the loop tracks, the urgent work is done and the urgent timer ticks. What can wait is done in the default \
            mode, in the order in which it came. That is all that modes can do: in the default mode nothing comes before \
            anything else.
            """
    )

    func run(_ lab: Lab) {
        let main = RunLoop.main
        main.addCommonMode(.tracking) // as the application object does
        lab.watch(main, .common, [.entry, .exit])
        let urgentTimer = Timer(timeInterval: lab.wait(0.05), repeats: true) { timer in
            if lab.callout(.timer, "urgent tick") == 3 {
                timer.invalidate()
                RunLoop.main.stop()
            }
        }
        let deferrableTimer = Timer(fire: Date(), interval: 10, repeats: true) { _ in
            lab.callout(.timer, "deferrable tick")
            RunLoop.main.stop()
        }
        main.add(urgentTimer, .urgent)
        main.add(deferrableTimer, .deferrable)
        for piece in 1...3 {
            main.perform(.deferrable) { lab.callout(.block, "deferrable work", "piece \(piece)", value: Double(piece)) }
            main.perform(.urgent) { lab.callout(.block, "urgent work", "piece \(piece)") }
        }

        lab.note("the user scrolls")
        main.run(mode: .tracking, before: .distantFuture)
        lab.note("the user lets go")
        main.run(mode: .default, before: .distantFuture)
        lab.note("over")

        let urgent = "urgent work", tick = "urgent tick", deferrable = "deferrable work", deferrableTick = "deferrable tick"
        lab.expect("while the loop tracks, urgent work alone is done", order: [urgent, urgent, urgent, tick, tick, tick],
                   from: "the user scrolls", to: "the user lets go", among: [deferrable, deferrableTick])
        lab.expect("afterwards, what could wait", order: [deferrable, deferrable, deferrable, deferrableTick],
                   from: "the user lets go", to: "over", among: [urgent, tick])
        lab.expect("in the order in which it came", of: deferrable, is: [1, 2, 3]) { $0.values }
        lab.expect("in the default mode", each: deferrable, \.mode, is: "default")
    }
}
