// priorities: urgent work in the common modes, all other work in the default mode.

import SwiftRunLoop

struct Priorities: Experiment {
    let about = About(
        name: "priorities", claims: ["A6"], group: .building, seconds: 0.3,
        shows: Text("urgent work goes to the common modes, work that can wait to the default mode",
                    "紧急的工作放进 commonModes，可以等的放进默认 mode"),
        setting: Text("""
            The main thread gets three blocks of work that can wait and three urgent ones, in turn, and has one timer \
            of each kind (Lab/Designs/ModePriorities.swift). The tracking mode is common. The main loop runs in it \
            until the urgent timer has ticked three times, and then in the default mode.
            """, """
            主线程轮流收到三个可以等的 block 和三个紧急的 block，两类还各有一个 Timer（\
            Lab/Designs/ModePriorities.swift）。tracking mode 是 common mode。主线程的 RunLoop 先在其中运行，\
            直到紧急的 Timer 触发三次，再在默认 mode 里运行。
            """),
        notice: Text("""
            While the loop tracks, it does the urgent work, and the urgent timer ticks. It does the other work in the \
            default mode, in the order in which that was queued. Modes can do no more than this: in the default mode, \
            urgent work does not come before other work.
            """, """
            在 tracking mode 里，RunLoop 做紧急的工作，紧急的 Timer 也触发；其余的工作在默认 mode 里做，\
            按加入的顺序。靠 mode 只能做到这一步：在默认 mode 里，紧急的工作并不排在前面。
            """)
    )

    func run(_ lab: Lab) {
        let main = RunLoop.main
        main.addCommonMode(.tracking) // as UIKit does
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
        lab.note("the user stops")
        main.run(mode: .default, before: .distantFuture)
        lab.note("over")

        let urgent = "urgent work", tick = "urgent tick", deferrable = "deferrable work", deferrableTick = "deferrable tick"
        lab.expect(Text("while the loop tracks, it does only the urgent work", "在 tracking mode 里，只做紧急的工作"), order: [urgent, urgent, urgent, tick, tick, tick],
                   from: "the user scrolls", to: "the user stops", among: [deferrable, deferrableTick])
        lab.expect(Text("afterwards it does the work that could wait", "之后做可以等的工作"), order: [deferrable, deferrable, deferrable, deferrableTick],
                   from: "the user stops", to: "over", among: [urgent, tick])
        lab.expect(Text("it does this work in the order in which it was queued", "按加入的顺序做"), of: deferrable, is: [1, 2, 3]) { $0.values }
        lab.expect(Text("it does this work in the default mode", "在默认 mode 里做"), each: deferrable, \.mode, is: "default")
    }
}
