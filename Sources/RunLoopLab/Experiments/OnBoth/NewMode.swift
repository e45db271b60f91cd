// new-mode: the first item added to a mode creates it, and the mode stays.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct NewMode: Experiment {
    let about = About(
        name: "new-mode", claims: ["S3"], group: .structure, seconds: 0.1,
        shows: "a mode is created when its name is first used with an item, and is never removed",
        setting: """
            A thread lists the modes of its loop: at first; after it has run the loop in another mode and declared \
            that mode common; after it has added a timer to that mode; and after it has invalidated the timer.
            """,
        notice: """
            Only adding an item creates the mode. When its last item leaves, the mode stays.
            """,
        correction: """
            Article 1 says that five modes are registered by default, and article 3 says that CFRunLoopAddCommonMode \
            adds one. The main loop of a running iOS application does have five. A new loop has one. \
            CFRunLoopAddCommonMode creates the mode only if the loop remembers items to put into it. (Correction 12 of \
            ANNOTATIONS.md.)
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
        lab.expect("the mode exists from its first item on, and permanently",
                   order: [one, "run in work, declare it common", one, "add a timer to work", two, "invalidate the timer", two])
    }

    private func list(_ lab: Lab, _ loop: RunLoop) {
        lab.note("modes: " + loop.allModes.map(\.rawValue).sorted().joined(separator: ", "))
    }
}
