// activities: a run notifies its observers of six activities.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct Activities: Experiment {
    let about = About(
        name: "activities", claims: ["O1"], group: .observers, seconds: 0.1,
        shows: "there are six activities, and each has a bit of its own",
        setting: """
            The loop of a thread has an observer of all activities, and a timer that stops the loop at its second \
            tick. The observer is notified of each activity. Each row shows the value that the observer receives.
            """,
        notice: """
            Entry and Exit come once in a run, the other four once in each pass that sleeps. Their values are the bits \
            0, 1, 2, 5, 6 and 7, so a mask can combine several.
            """
    )

    func run(_ lab: Lab) {
        lab.onThread("loop") {
            let loop = RunLoop.current
            loop.add(RunLoop.Observer { _, activity in lab.activity(activity, nil, "value \(activity.rawValue)") }, forMode: .default)
            loop.add(Timer(timeInterval: lab.wait(0.05), repeats: true) { _ in
                if lab.callout(.timer, "timer") == 2 { RunLoop.current.stop() }
            }, forMode: .default)
            _ = loop.run(mode: .default, before: .distantFuture)
        }

        let pass = ["BeforeTimers", "BeforeSources", "BeforeWaiting", "AfterWaiting", "timer"]
        lab.expect("Entry, two passes, Exit", order: ["Entry"] + pass + pass + ["Exit"])
        let bits: KeyValuePairs = ["Entry": 0, "BeforeTimers": 1, "BeforeSources": 2, "BeforeWaiting": 5, "AfterWaiting": 6,
                                   "Exit": 7]
        for (name, number) in bits {
            lab.expect("\(name) has bit \(number)", each: name, \.detail, is: "value \(1 << number)")
        }
    }
}
