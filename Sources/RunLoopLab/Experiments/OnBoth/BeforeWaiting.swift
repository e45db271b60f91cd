// before-waiting: gestures, layout and idle work are driven by observers of BeforeWaiting.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct BeforeWaiting: Experiment {
    let about = About(
        name: "before-waiting", claims: ["O4", "O5", "O6"], group: .observers, seconds: 0.2,
        shows: "gestures are recognised, layout is committed and idle work is done before the loop sleeps",
        setting: """
            A small application runs on the main loop. Two touches arrive through a Source0, whose callback only \
            records changes: a gesture recogniser has work, a view needs layout. There are three observers of \
            BeforeWaiting. By their orders they recognise gestures, commit layout and drawing (at Exit, too), and do \
            idle work, of which there are three pieces. The second touch ends the run.
            """,
        notice: """
            The first touch changes the view three times, but there is one commit, when the loop is about to sleep. \
            The observer for idle work does one piece before each sleep and then asks for another pass, so that the \
            loop serves new events first.
            """,
        correction: """
            Article 4 says that a Source0 refreshes the interface. An observer of this kind does. (Correction 26 of \
            ANNOTATIONS.md.)
            """
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

        lab.expect("each touch is recognised and committed once; then there is one piece of idle work before each sleep", order: [
            "touch", "gesture recognised", "layout committed", "idle work", "idle work", "idle work", "touch",
            "layout committed at the end",
        ])
        lab.expect("gestures are recognised before a sleep", each: "gesture recognised", \.step, is: "6")
        lab.expect("idle work is done before a sleep", each: "idle work", \.step, is: "6")
        lab.expect("the last touch's changes are committed when the run ends", each: "layout committed at the end", \.step,
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
