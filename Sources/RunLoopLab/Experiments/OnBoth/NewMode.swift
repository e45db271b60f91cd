// new-mode: a mode is made by the first item that is added to it, and stays.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct NewMode: Experiment {
    let about = About(
        name: "new-mode", claims: ["S3"], group: .structure, seconds: 0.1,
        shows: "a mode is made when its name is first used with an item, and is never removed",
        setting: """
            A thread lists the modes of its loop: at first, when the name of another mode has been used for running and for \
            declaring it common, when a timer has been added to that mode, and when the timer is invalid and gone.
            """,
        notice: "Only adding an item makes the mode. The last item leaves, and the mode stays.",
        correction: """
            Article 1 says that five modes are registered by default, and article 3 that CFRunLoopAddCommonMode adds one. The \
            main loop of a running iOS application does have five. A new loop has one, and AddCommonMode makes one only if \
            there are remembered items to put into it. (Correction 12 of ANNOTATIONS.md.)
            """
    )

    func run(_ lab: Lab) {
        lab.onThread("loop") {
            let loop = RunLoop.current, work = RunLoop.Mode("work")
            list(lab, loop)
            lab.note("run in work, declare it common")
            _ = loop.run(mode: work, before: Date())
            loop.addCommonMode(work)
            list(lab, loop)
            lab.note("add a timer to work")
            let timer = Timer(timeInterval: 60, repeats: true) { _ in }
            loop.add(timer, forMode: work)
            list(lab, loop)
            lab.note("invalidate the timer")
            timer.invalidate()
            list(lab, loop)
        }

        let one = "modes: kCFRunLoopDefaultMode", two = "modes: kCFRunLoopDefaultMode, work"
        lab.expect("the mode is there from the first item on, and for good",
                   order: [one, "run in work, declare it common", one, "add a timer to work", two, "invalidate the timer", two])
    }

    private func list(_ lab: Lab, _ loop: RunLoop) {
        lab.note("modes: " + loop.allModes.map(\.rawValue).sorted().joined(separator: ", "))
    }
}
