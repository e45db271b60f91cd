// before-waiting: gestures, layout and idle work are driven by observers of BeforeWaiting.

import SwiftRunLoop

struct BeforeWaiting: Experiment {
    let about = About(
        name: "before-waiting", claims: ["O4", "O5", "O6"], group: .observers, seconds: 0.2,
        shows: Text("gestures are recognised, layout is committed and idle work is done before the loop sleeps",
                    "RunLoop 休眠之前，识别手势、提交布局、做空闲时的工作"),
        setting: Text("""
            A small application runs on the main loop. Two touches arrive through a Source0, whose callback only \
            records changes: a gesture recogniser has work, a view needs layout. There are three observers of \
            BeforeWaiting. By their orders they recognise gestures, commit layout and drawing (at Exit, too), and do \
            idle work, of which there are three pieces. The second touch ends the run.
            """, """
            一个小应用运行在主线程的 RunLoop 上。两次触摸经由 Source0 到来，它的回调只记录改动：手势识别器有\
            事要做，视图需要布局。有三个监听 BeforeWaiting 的 Observer，按 order 依次识别手势、提交布局和绘\
            制（Exit 时也提交）、做空闲时的工作（一共三件）。第二次触摸结束运行。
            """),
        notice: Text("""
            The first touch changes the view three times, but there is one commit, when the loop is about to sleep. \
            The observer for idle work does one piece before each sleep and then asks for another pass, so that the \
            loop serves new events first.
            """, """
            第一次触摸改了视图三次，但只提交一次，在 RunLoop 即将休眠时。负责空闲工作的 Observer 每次休眠之\
            前只做一件，然后请求再来一轮，这样 RunLoop 会先处理新的事件。
            """),
        correction: Text("""
            Article 4 says that a Source0 refreshes the interface. An observer of this kind does. (Correction 26 of \
            corrections.md.)
            """, """
            文章 4 说 Source0 会刷新界面。做这件事的是这种 Observer。（corrections.zh.md，更正 26。）
            """)
    )

    func run(_ lab: Lab) {
        nonisolated(unsafe) let app = Application() // used only on the main thread
        let touches = RunLoop.Source {
            if lab.callout(.source0, "touch") == 2 { RunLoop.main.stop() }
            app.gestureWaits = true
            for _ in 1...3 { app.needsLayout = true }
        }
        RunLoop.main.add(touches, forMode: .default)

        observe(.beforeWaiting, order: 0) { activity in
            if app.gestureWaits { lab.activity(activity, "gesture recognised") }
            app.gestureWaits = false
        }
        observe([.beforeWaiting, .exit], order: 2_000_000) { activity in
            if app.needsLayout { lab.activity(activity, activity == .exit ? "layout committed at the end" : "layout committed") }
            app.needsLayout = false
        }
        observe(.beforeWaiting, order: 3_000_000) { activity in
            if app.idleWork > 0 {
                lab.activity(activity, "idle work")
                app.idleWork -= 1
            } else {
                touches.signal() // the second touch
            }
            RunLoop.main.wakeUp()
        }

        touches.signal() // the first touch
        RunLoop.main.runUntilStopped(in: .default) // goes on after a source was handled, as run(mode:before:) does not

        lab.expect(Text("each touch is recognised and committed once; then there is one piece of idle work before each sleep",
                        "每次触摸识别一次、提交一次；之后每次休眠之前做一件空闲时的工作"), order: [
            "touch", "gesture recognised", "layout committed", "idle work", "idle work", "idle work", "touch",
            "layout committed at the end",
        ])
        lab.expect(Text("gestures are recognised before a sleep", "手势在休眠之前识别"), each: "gesture recognised", \.step, is: "6")
        lab.expect(Text("idle work is done before a sleep", "空闲时的工作在休眠之前做"), each: "idle work", \.step, is: "6")
        lab.expect(Text("the last touch's changes are committed when the run ends", "最后一次触摸的改动在运行结束时提交"), each: "layout committed at the end", \.step,
                   is: "10")
    }

    private func observe(_ activities: RunLoop.Observer.Activity, order: Int, _ body: @escaping (RunLoop.Observer.Activity) -> Void) {
        nonisolated(unsafe) let body = body
        RunLoop.main.add(RunLoop.Observer(activities: activities, order: order) { _, activity in body(activity) }, forMode: .default)
    }

    private final class Application {
        var gestureWaits = false, needsLayout = false, idleWork = 3
    }
}
