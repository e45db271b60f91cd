// after-delay: a delayed perform is a timer in the current loop; it is called only while that loop runs.

import SwiftRunLoop

struct AfterDelay: Experiment {
    let about = About(
        name: "after-delay", claims: ["T5"], group: .timers, seconds: 0.4,
        shows: Text("a delayed perform is a timer in the current loop: it is called only while that loop runs",
                    "延迟执行就是当前 RunLoop 里的一个 Timer：只有这个 RunLoop 运行时才会调用"),
        setting: Text("""
            A thread asks for two calls after a twentieth of a second, one without modes and one in the mode \
            "special". It waits for much longer without running its loop. Then it runs the loop in the default mode, \
            and after that in "special".
            """, """
            一个线程请求两次延迟 0.05 秒的调用，一次不指定 mode，一次指定 mode “special”。它先等上很久，不运\
            行自己的 RunLoop；然后让 RunLoop 在默认 mode 里运行，再在 “special” 里运行。
            """),
        notice: Text("""
            While the loop does not run, nothing is called, however late it is. Then each call is made in its own \
            mode, and it is made as a timer: in step 9.1. The stack shows __NSFireDelayedPerform, as on a Mac.
            """, """
            RunLoop 不运行，就什么也不会调用，时间过了多久都一样。之后每次调用都在自己的 mode 里执行，而且是\
            作为 Timer 执行的：在步骤 9.1。和 Mac 上一样，调用栈里有 __NSFireDelayedPerform。
            """),
        correction: Text("""
            Article 3 says that the call does nothing if the thread has no loop. The request itself creates the loop. \
            What is missing is a run of that loop. (Correction 13 of corrections.md.)
            """, """
            文章 3 说，线程没有 RunLoop 时这个调用不起作用。其实发出请求时就创建了 RunLoop，缺的是让它运行。\
            （corrections.zh.md，更正 13。）
            """)
    )

    func run(_ lab: Lab) {
        lab.onThread("loop") {
            let loop = RunLoop.current, special = RunLoop.Mode("special")
            lab.note("asks for two calls")
            loop.perform(afterDelay: lab.wait(0.05)) { lab.callout(.timer, "called, without modes") }
            loop.perform(afterDelay: lab.wait(0.05), inModes: [special]) { lab.callout(.timer, "called, in special") }
            Thread.sleep(forTimeInterval: lab.wait(0.3))
            lab.note("has waited without a run")
            loop.run(mode: .default, before: Date())
            lab.note("has run in the default mode")
            loop.run(mode: special, before: Date())
        }

        lab.expect(Text("each is called when the loop runs in its mode, and not before", "RunLoop 在它的 mode 里运行时才调用，之前不会"), order: [
            "asks for two calls", "has waited without a run", "called, without modes", "has run in the default mode",
            "called, in special",
        ])
        lab.expect(Text("the loop calls it as a timer, in step 9.1", "RunLoop 把它当作 Timer，在步骤 9.1 调用"), each: "called, in special", \.step, is: "9.1")
    }
}
