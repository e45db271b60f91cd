// before-waiting: gestures, layout and idle work hang on BeforeWaiting.

#if ON_FOUNDATION
import CoreFoundation
import Foundation
#else
import CRunLoop
import SwiftRunLoop
#endif

struct BeforeWaiting: Experiment {
    let about = About(
        name: "before-waiting", claims: ["O4", "O5", "O6"], group: .observers, seconds: 0.2,
        shows: "gestures are recognised, layout is committed and idle work is done before the loop sleeps",
        setting: """
            A small application on the main loop. Two touches come as a source 0, and only change things: a gesture has \
            something to recognise, a view needs layout. Three observers of BeforeWaiting, by their orders: gestures, then the \
            commit of layout and drawing (at Exit, too), then idle work, of which there are three pieces. The second touch \
            ends the run.
            """,
        notice: """
            The first touch changes the view three times, and there is one commit, when the loop is about to sleep. Idle work \
            does one piece before a sleep and then asks for another pass, so that whatever has come meanwhile goes first.
            """,
        correction: "Article 4 calls refreshing the interface a source 0. It is such an observer. (Correction 26 of ANNOTATIONS.md.)"
    )

    func run(_ lab: Lab) {
        nonisolated(unsafe) let app = Application() // used on the main thread alone
        let touches = Source {
            if lab.callout(.source0, "touch") == 2 { RunLoop.main.stop() }
            app.gestureWaits = true
            for _ in 1...3 { app.needsLayout = true }
        }
        touches.add(to: .main, forMode: .default)

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
        CFRunLoopRun() // goes on after a source was handled, as run(mode:before:) does not

        lab.expect("one recognition and one commit for a touch; then idle work, a piece before each sleep", order: [
            "touch", "gesture recognised", "layout committed", "idle work", "idle work", "idle work", "touch",
            "layout committed at the end",
        ])
        lab.expect("gestures are recognised before a sleep", each: "gesture recognised", \.step, is: "6")
        lab.expect("idle work is done before a sleep", each: "idle work", \.step, is: "6")
        lab.expect("what the last touch changed is committed when the run ends", each: "layout committed at the end", \.step,
                   is: "10")
    }

    private func observe(_ activities: Observer.Activity, order: Int, _ body: @escaping (Observer.Activity) -> Void) {
        nonisolated(unsafe) let body = body
        Observer(activities: activities, order: order) { _, activity in body(activity) }.add(to: .main, forMode: .default)
    }

    private final class Application {
        var gestureWaits = false, needsLayout = false, idleWork = 3
    }
}
