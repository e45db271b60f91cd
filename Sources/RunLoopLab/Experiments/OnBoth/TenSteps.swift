// ten-steps: the passes of a run, in the ten steps that the articles count.

import Dispatch
#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct TenSteps: Experiment {
    let about = About(
        name: "ten-steps", claims: ["X1"], group: .run, seconds: 0.1,
        shows: "a run, in the ten steps that the articles count",
        setting: """
            The main loop makes four passes, with an observer of all activities. Before the run, a block is queued and \
            a Source0 is signalled. The source's callback queues another block. When the loop is about to sleep, a \
            timer is added. Its callback puts work on the main queue and queues a third block. A second timer stops \
            the loop.
            """,
        notice: """
            The first pass handles a Source0 in step 4, so it leaves out steps 6 and 8, and does not wait in step 7. \
            The second pass sleeps and serves a timer. The third finds the main queue ready in step 5, goes straight \
            to step 9, and does not sleep. Steps 5 and 7 have no callbacks: you recognise them by what follows.
            """,
        correction: """
            Articles 1 to 3 say that step 5 checks for a ready Source1. It checks one port: the main dispatch queue's, \
            and not in the first pass of a run, nor in the pass after it has served that queue. They leave out only \
            step 6 after a Source0; the loop leaves out 6 and 8. They always perform blocks in step 4; the loop \
            performs them there only if it handled a Source0. Article 4 sends AfterWaiting after the events; the loop \
            sends it before. (Corrections 1 to 4 of ANNOTATIONS.md.)
            """,
        differencesOfTime: [.init(from: "BeforeWaiting", to: "timer", long: 0.01,
                                  reason: "D25: Foundation's Timer(timeInterval:repeats:block:) on Linux fires at once.")]
    )

    func run(_ lab: Lab) {
        let loop = RunLoop.main
        lab.watch(loop, .default)
        loop.add(RunLoop.Observer(activities: .beforeWaiting, order: 1) { _, _ in // fires when the loop is asleep or about to sleep
            RunLoop.main.add(Timer(timeInterval: 0.02, repeats: false) { _ in timerFires(lab) }, forMode: .default)
        }, forMode: .default)
        let source = RunLoop.Source {
            lab.callout(.source0, "source")
            RunLoop.main.perform { lab.callout(.block, "block queued by the source") }
        }
        loop.add(source, forMode: .default)
        source.signal()
        loop.perform { lab.callout(.block, "block queued before the run") }
        loop.runUntilStopped(in: .default) // goes on after a source was handled, as run(mode:before:) does not

        let passes = [
            ["Entry"],
            ["BeforeTimers", "BeforeSources", "block queued before the run", "source", "block queued by the source"],
            ["BeforeTimers", "BeforeSources", "BeforeWaiting", "AfterWaiting", "timer", "block queued by the timer"],
            ["BeforeTimers", "BeforeSources", "main queue"],
            ["BeforeTimers", "BeforeSources", "BeforeWaiting", "AfterWaiting", "timer"],
            ["Exit"],
        ]
        lab.expect("Entry, four passes, Exit", order: passes.flatMap { $0 })
        let steps: KeyValuePairs = ["block queued before the run": "3", "source": "4", "block queued by the source": "4",
                                    "timer": "9.1",
                                    "block queued by the timer": "9", "main queue": "9.2"]
        for (name, step) in steps {
            lab.expect("\(name): in step \(step)", each: name, \.step, is: step)
        }
    }

    private func timerFires(_ lab: Lab) {
        if lab.callout(.timer, "timer") == 2 { return RunLoop.main.stop() }
        DispatchQueue.main.async { lab.callout(.mainQueue, "main queue") }
        RunLoop.main.perform { lab.callout(.block, "block queued by the timer") }
    }
}
