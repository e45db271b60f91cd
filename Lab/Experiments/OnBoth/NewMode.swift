// new-mode: the first item added to a mode creates it, and the mode stays.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct NewMode: Experiment {
    let about = About(
        name: "new-mode", claims: ["S3"], group: .structure, seconds: 0.1,
        shows: Text("a mode is created when its name is first used with an item, and is never removed",
                    "第一次用某个名字添加 item 时，mode 就创建了，之后不会删除"),
        setting: Text("""
            A thread lists the modes of its loop: at first; after it has run the loop in another mode and declared \
            that mode common; after it has added a timer to that mode; and after it has invalidated the timer.
            """, """
            一个线程列出自己 RunLoop 的 mode：一开始；在另一个 mode 里运行过、并把它声明为 common mode 之后；\
            往那个 mode 里加了 Timer 之后；Timer 失效之后。
            """),
        notice: Text("""
            Only adding an item creates the mode. When its last item leaves, the mode stays.
            """, """
            只有添加 item 才会创建 mode。最后一个 item 离开之后，mode 还在。
            """),
        correction: Text("""
            Article 1 says that five modes are registered by default, and article 3 says that CFRunLoopAddCommonMode \
            adds one. The main loop of a running iOS application does have five. A new loop has one. \
            CFRunLoopAddCommonMode creates the mode only if the loop remembers items to put into it. (Correction 12 of \
            corrections.md.)
            """, """
            文章 1 说系统默认注册了五个 mode，文章 3 说 CFRunLoopAddCommonMode 会添加一个 mode。iOS App 运行\
            起来之后，主线程的 RunLoop 确实有五个；新创建的 RunLoop 只有一个。只有 RunLoop 记着要放进去的 \
            item 时，CFRunLoopAddCommonMode 才会创建这个 mode。（corrections.zh.md，更正 12。）
            """)
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
        lab.expect(Text("the mode exists from its first item on, and permanently", "从第一个 item 开始 mode 就存在，之后一直存在"),
                   order: [one, "run in work, declare it common", one, "add a timer to work", two, "invalidate the timer", two])
    }

    private func list(_ lab: Lab, _ loop: RunLoop) {
        lab.note("modes: " + loop.allModes.map(\.rawValue).sorted().joined(separator: ", "))
    }
}
