// observers-alone: observers do not keep a loop running.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct ObserversAlone: Experiment {
    let about = About(
        name: "observers-alone", claims: ["L2"], group: .leaving, seconds: 0.1,
        shows: Text("observers alone do not keep a loop running", "只有 Observer，RunLoop 不会一直运行"),
        setting: Text("""
            The loop of a thread has an observer of all activities and nothing else, and runs. Then the thread adds a \
            Source0 that is already signalled, and runs the loop again.
            """, """
            一个线程的 RunLoop 里有一个监听所有状态的 Observer，此外什么也没有，然后运行。接着线程加入一个已\
            经标记为待处理的 Source0，再运行一次。
            """),
        notice: Text("""
            In the first run the observer is not called at all: the mode counts as empty, and the run returns before \
            step 1. With a source in the mode, the same observer is notified of the run from Entry to Exit.
            """, """
            第一次运行，Observer 一次也没有被调用：mode 算是空的，在步骤 1 之前就返回了。mode 里有了 Source，\
            同一个 Observer 就从 Entry 到 Exit 都收到通知。
            """),
        correction: Text("""
            Articles 1, 2 and 3 say that an observer keeps a mode from being empty, and article 1 keeps its resident \
            thread alive with one. An observer does not do that: article 0 is right. (Correction 6 of corrections.md.)
            """, """
            文章 1、2、3 说，有 Observer，mode 就不算空；文章 1 还用一个 Observer 来让常驻线程不退出。\
            Observer 做不到：文章 0 是对的。（corrections.zh.md，更正 6。）
            """)
    )

    func run(_ lab: Lab) {
        lab.onThread("loop") {
            let loop = RunLoop.current
            lab.watch(loop, .default)
            lab.note("run with an observer alone")
            lab.note(loop.run(mode: .default, before: Date(timeIntervalSinceNow: 10)) ? "it ran" : "it did not run")

            let source = RunLoop.Source { lab.callout(.source0, "source") }
            loop.add(source, forMode: .default)
            source.signal()
            lab.note("run with a source")
            lab.note(loop.run(mode: .default, before: Date(timeIntervalSinceNow: 10)) ? "it ran" : "it did not run")
        }

        lab.expect(Text("the observer is notified of the second run only", "只有第二次运行通知了 Observer"), order: [
            "run with an observer alone", "it did not run", "run with a source", "Entry", "source", "Exit", "it ran",
        ])
    }
}
