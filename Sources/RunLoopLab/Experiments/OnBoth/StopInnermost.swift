// stop-innermost: runs nest, each in its mode, and a stop ends the innermost.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct StopInnermost: Experiment {
    let about = About(
        name: "stop-innermost", claims: ["L7", "S7"], group: .leaving, seconds: 0.1,
        shows: "runs nest, each in a mode of its own, and a stop ends the innermost",
        setting: """
            The main loop runs in "outer". Its timer's callback runs the loop again, in "inner", whose timer stops the loop \
            twice. A second timer of "outer" then stops it once more.
            """,
        notice: """
            While the inner run is on, the loop is in "inner", and what is in "outer" waits. The first stop ends the inner run \
            and the outer goes on; that the loop was stopped twice makes no difference. The next stop, outside of the inner \
            run, ends the outer.
            """
    )

    func run(_ lab: Lab) {
        let outer = RunLoop.Mode("outer"), inner = RunLoop.Mode("inner"), soon = lab.wait(0.02)
        RunLoop.main.add(Timer(timeInterval: soon, repeats: false) { _ in
            lab.callout(.timer, "inner stopper")
            RunLoop.main.stop()
            RunLoop.main.stop()
        }, forMode: inner)
        RunLoop.main.add(Timer(timeInterval: soon, repeats: false) { _ in
            lab.callout(.timer, "inner run begins")
            _ = RunLoop.main.run(mode: inner, before: .distantFuture)
            lab.callout(.timer, "inner run has ended")
            RunLoop.main.add(Timer(timeInterval: soon, repeats: false) { _ in
                lab.callout(.timer, "outer stopper")
                RunLoop.main.stop()
            }, forMode: outer)
        }, forMode: outer)

        lab.note("outer run begins")
        _ = RunLoop.main.run(mode: outer, before: .distantFuture)
        lab.note("outer run has ended")

        lab.expect("each stop ends one run, the inner one first", order: [
            "outer run begins", "inner run begins", "inner stopper", "inner run has ended", "outer stopper",
            "outer run has ended",
        ])
        lab.expect("within the inner run the mode is \"inner\"", each: "inner stopper", \.mode, is: "inner")
        lab.expect("after it, it is \"outer\" again", each: "inner run has ended", \.mode, is: "outer")
    }
}
