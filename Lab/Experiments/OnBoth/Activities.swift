// activities: a run notifies its observers of six activities.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct Activities: Experiment {
    let about = About(
        name: "activities", claims: ["O1"], group: .observers, seconds: 0.1,
        shows: Text("there are six activities, and each has a bit of its own", "一共有六种状态（时机），各占一位"),
        setting: Text("""
            The loop of a thread has an observer of all activities, and a timer that stops the loop at its second \
            tick. The observer is notified of each activity. Each row shows the value that the observer receives.
            """, """
            一个线程的 RunLoop 里有一个监听所有状态的 Observer，还有一个 Timer，第二次触发时停止 RunLoop。每\
            个状态都通知 Observer，每一行给出它收到的值。
            """),
        notice: Text("""
            Entry and Exit come once in a run, the other four once in each pass that sleeps. Their values are the bits \
            0, 1, 2, 5, 6 and 7, so a mask can combine several.
            """, """
            一次运行里 Entry 和 Exit 各一次，其余四个在每一轮有休眠的循环里各一次。它们的值是第 0、1、2、5、\
            6、7 位，所以可以用掩码组合。
            """)
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
        lab.expect(Text("Entry, two passes, Exit", "Entry、两轮循环、Exit"), order: ["Entry"] + pass + pass + ["Exit"])
        let bits: KeyValuePairs = ["Entry": 0, "BeforeTimers": 1, "BeforeSources": 2, "BeforeWaiting": 5, "AfterWaiting": 6,
                                   "Exit": 7]
        for (name, number) in bits {
            lab.expect(Text("\(name) has bit \(number)", "\(shown(name)) 是第 \(number) 位"), each: name, \.detail, is: "value \(1 << number)")
        }
    }
}
