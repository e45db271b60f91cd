// stop-innermost: runs nest, each in a mode of its own, and a stop ends the innermost run.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct StopInnermost: Experiment {
    let about = About(
        name: "stop-innermost", claims: ["L7", "S7"], group: .leaving, seconds: 0.1,
        shows: "runs nest, each in a mode of its own, and a stop ends the innermost run",
        setting: """
            The main loop runs in "outer". The callback of a timer there runs the loop again, in "inner", where \
            another timer stops the loop twice. Later, a second timer in "outer" stops it once more.
            """,
        notice: """
            During the inner run the loop is in "inner", and the items of "outer" wait. The first stop ends the inner \
            run, and the outer run goes on; the second stop of the same callback has no further effect. The next stop \
            comes outside the inner run, and ends the outer one.
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

        lab.expect("each stop ends one run, the inner run first", order: [
            "outer run begins", "inner run begins", "inner stopper", "inner run has ended", "outer stopper",
            "outer run has ended",
        ])
        lab.expect("during the inner run the mode is \"inner\"", each: "inner stopper", \.mode, is: "inner")
        lab.expect("after the inner run the mode is \"outer\" again", each: "inner run has ended", \.mode, is: "outer")
    }
}
