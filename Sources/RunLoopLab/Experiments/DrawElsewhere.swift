// draw-elsewhere: a picture is drawn on a background thread and committed on the main loop.

import Dispatch
import SwiftRunLoop

struct DrawElsewhere: Experiment {
    let about = About(
        name: "draw-elsewhere", claims: ["A9", "O4"], group: .building, seconds: 0.2,
        shows: "what is drawn in the background is committed when the main loop is about to sleep",
        setting: """
            An observer of BeforeWaiting and Exit commits the layers that have changed \
            (Components/BackgroundDrawing.swift). First, a timer's callback changes two layers, one of them twice. \
            Then a layer is drawn on the main thread, and after that on a background queue. Each drawing goes on until \
            a timer of the main loop has ticked, or for a limited time if the timer does not tick.
            """,
        notice: """
            Changes are committed together, once, when the pass has nothing left to do. Drawing on the main thread \
            keeps the loop from its timer. Drawing in the background does not. Its picture reaches the main loop as a \
            block on the main queue, and is then committed like any other change.
            """,
        correction: """
            Article 4 says that drawsAsynchronously moves drawing to a background thread. It only moves the execution \
            of the drawing commands; the method that draws is still called on the main thread. The technique that the \
            article shows beside it is the one used here: a picture is made on a background queue and set on the main \
            queue. (Correction 38 of ANNOTATIONS.md.)
            """
    )

    func run(_ lab: Lab) {
        nonisolated(unsafe) let one = Layer(), other = Layer() // on the main thread alone
        LayerTransaction.current.begin { layers, activity in
            lab.activity(activity, "commit", layers.map { $0.contents.joined(separator: "/") }.joined(separator: ", "))
            lab.observe("layers", value: Double(layers.count))
            RunLoop.main.stop()
        }

        RunLoop.main.perform(afterDelay: 0) {
            lab.callout(.timer, "changes layers")
            (one.contents, other.contents) = (["/\\"], ["[]"])
            one.contents = ["<>"]
        }
        run { lab.times("commit") == 1 }

        RunLoop.main.perform(afterDelay: 0) {
            lab.callout(.timer, "draws on the main thread")
            one.contents = draw("..", lab)
        }
        run { lab.times("commit") == 2 && lab.times("tick") == 1 }

        one.display {
            lab.note("draws in the background")
            return draw("##", lab)
        }
        run { lab.times("commit") == 3 }
        LayerTransaction.current.end()

        lab.expect("several changes make one commit", order: ["changes layers", "commit"], to: "commit")
        lab.expect("the commit is of two layers, each with its last change", of: "layers", is: 2) { $0.values.first }
        lab.expect("drawing on the main thread delays its timer", order: ["draws on the main thread", "has drawn", "tick"],
                   from: "draws on the main thread", to: "tick")
        lab.expect("drawing in the background does not delay it", order: ["draws in the background", "tick", "has drawn", "commit"],
                   from: "draws in the background", to: "commit")
        lab.expect("commits are made on the main thread", each: "commit", \.thread, is: "main")
        lab.expect("commits are made when the loop is about to sleep, in step 6", each: "commit", \.step, is: "6")
        lab.expect("there are three commits", "commit", times: 3)
    }

    /// runUntilStopped goes on after it has handled a source. run(mode:before:) would return, and the commit would be made at its Exit.
    private func run(until isDone: () -> Bool) {
        while !isDone() { RunLoop.main.runUntilStopped() }
    }
}

/// Draws until a timer of the main loop has ticked, or for a limited time.
private func draw(_ picture: String, _ lab: Lab) -> Picture {
    let hasTicked = DispatchSemaphore(value: 0)
    try? Thread.performOnMainThread(waitUntilDone: false) {
        RunLoop.main.perform(afterDelay: 0) {
            lab.callout(.timer, "tick")
            if LayerTransaction.current.changed.isEmpty { RunLoop.main.stop() } // else the commit does
            hasTicked.signal()
        }
    }
    _ = hasTicked.wait(timeout: .now() + (Thread.isMainThread ? lab.wait(0.1) : 30))
    lab.note("has drawn")
    return [picture]
}
