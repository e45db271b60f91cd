// common-modes: the common modes are a set of names. The loop remembers an item added to them and puts it into each.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct CommonModes: Experiment {
    let about = About(
        name: "common-modes", claims: ["S9", "S10"], group: .structure, seconds: 0.3,
        shows: Text("the common modes are a set of names; an item added to them is put into each",
                    "commonModes 是一组 mode 的名字；加到 commonModes 的 item 会加进其中每一个"),
        setting: Text("""
            A Source0 is added to the common modes of a thread's loop. Then a mode "late" is declared common; a mode \
            "other" is not. The loop runs in each of these modes with the source signalled, and in the common modes \
            themselves.
            """, """
            把一个 Source0 加到某个线程的 RunLoop 的 commonModes 里。然后把 mode “late” 声明为 common mode，\
            mode “other” 不声明。RunLoop 依次在这些 mode 里运行，每次都先标记 Source；最后用 \
            kCFRunLoopCommonModes 本身运行。
            """),
        notice: Text("""
            "late" got the source when it was declared common, because the loop remembers the items that were added to \
            the common modes. A run in the common modes returns at once: kCFRunLoopCommonModes is not a mode.
            """, """
            “late” 被声明为 common mode 时就得到了这个 Source，因为 RunLoop 记着加到 commonModes 的 item。用\
             kCFRunLoopCommonModes 运行会马上返回：它不是 mode。
            """),
        correction: Text("""
            Article 1 says that in a common mode the loop serves the remembered items directly, and articles 1 and 2 \
            say that the items are synchronised whenever something changes. They are copied at two moments: when an \
            item is added to the common modes, and when a mode is declared common. (Correction 10 of corrections.md.)
            """, """
            文章 1 说，在 common mode 里 RunLoop 直接处理它记着的 item；文章 1 和文章 2 说，RunLoop 的内容每\
            次变化时都会同步这些 item。其实只有两个时机会复制：把 item 加到 commonModes 时，以及把一个 mode \
            声明为 common mode 时。（corrections.zh.md，更正 10。）
            """)
    )

    func run(_ lab: Lab) {
        lab.onThread("loop") {
            let loop = RunLoop.current, late = RunLoop.Mode("late"), other = RunLoop.Mode("other")
            let source = RunLoop.Source { lab.callout(.source0, "source") }
            loop.add(source, forMode: .common)
            loop.addCommonMode(late)
            for mode in [.default, late, other, .common] {
                source.signal()
                lab.note("run in \(mode.rawValue)")
                let hasRun = loop.run(mode: mode, before: Date(timeIntervalSinceNow: lab.wait(10)))
                lab.note(hasRun ? "it ran" : "it did not run")
            }
        }

        lab.expect(Text("the source is served in both common modes and in no other; kCFRunLoopCommonModes is not a mode",
                        "Source 在两个 common mode 里都会处理，在其他 mode 里不会；kCFRunLoopCommonModes 不是 mode"), order: [
            "run in kCFRunLoopDefaultMode", "source", "it ran", "run in late", "source", "it ran", "run in other",
            "it did not run",
            "run in kCFRunLoopCommonModes", "it did not run",
        ])
    }
}
