// draw-elsewhere: a picture is drawn on a background thread and committed on the main loop.

import Dispatch
import SwiftRunLoop

struct DrawElsewhere: Experiment {
    let about = About(
        name: "draw-elsewhere", claims: ["A9", "O4"], group: .building, seconds: 0.2,
        shows: Text("what is drawn in the background is committed when the main loop is about to sleep",
                    "后台画好的内容，在主线程的 RunLoop 即将休眠时提交"),
        setting: Text("""
            An observer of BeforeWaiting and Exit commits the layers that have changed \
            (Lab/Designs/BackgroundDrawing.swift). First, a timer's callback changes two layers, one of them twice. \
            Then a layer is drawn on the main thread, and after that on a background queue. Each drawing goes on until \
            a timer of the main loop has ticked, or for a limited time if the timer does not tick.
            """, """
            一个监听 BeforeWaiting 和 Exit 的 Observer 负责提交有改动的图层（\
            Lab/Designs/BackgroundDrawing.swift）。先由一个 Timer 的回调改动两个图层，其中一个改两次；然后在\
            主线程上画一个图层；最后在后台队列上画。每次都画到主线程的一个 Timer 触发为止；如果 Timer 没有触\
            发，就画到超时时间。
            """),
        notice: Text("""
            Changes are committed together, once, when the pass has nothing left to do. Drawing on the main thread \
            keeps the loop from its timer. Drawing in the background does not. Its picture reaches the main loop as a \
            block on the main queue, and is then committed like any other change.
            """, """
            这一轮没有别的事可做时，所有改动一次提交。在主线程上画，会耽误 RunLoop 里的 Timer；在后台画就不\
            会。画好的图片作为主队列上的 block 来到主线程的 RunLoop，之后像其他改动一样提交。
            """),
        correction: Text("""
            Article 4 says that drawsAsynchronously moves drawing to a background thread. It only moves the execution \
            of the drawing commands; the method that draws is still called on the main thread. The technique that the \
            article shows beside it is the one used here: a picture is made on a background queue and set on the main \
            queue. (Correction 38 of corrections.md.)
            """, """
            文章 4 说 drawsAsynchronously 会把绘制放到后台线程。它只把绘图命令的执行放到后台，负责绘制的方法\
            仍在主线程上调用。文章同时给出的另一种做法才是这里用的：在后台队列上生成图片，再到主队列上设置。\
            （corrections.zh.md，更正 38。）
            """)
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

        lab.expect(Text("several changes make one commit", "几处改动只提交一次"), order: ["changes layers", "commit"], to: "commit")
        lab.expect(Text("the commit is of two layers, each with its last change", "提交的是两个图层，各自取最后一次改动"), of: "layers", is: 2) { $0.values.first }
        lab.expect(Text("drawing on the main thread delays its timer", "在主线程上画，会耽误 Timer"), order: ["draws on the main thread", "has drawn", "tick"],
                   from: "draws on the main thread", to: "tick")
        lab.expect(Text("drawing in the background does not delay it", "在后台画，不会耽误 Timer"), order: ["draws in the background", "tick", "has drawn", "commit"],
                   from: "draws in the background", to: "commit")
        lab.expect(Text("commits are made on the main thread", "提交发生在主线程上"), each: "commit", \.thread, is: "main")
        lab.expect(Text("commits are made when the loop is about to sleep, in step 6", "提交发生在 RunLoop 即将休眠时，即步骤 6"), each: "commit", \.step, is: "6")
        lab.expect(Text("there are three commits", "一共提交三次"), "commit", times: 3)
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
