// pool-observers: two observers, one before and one after all others, keep an autorelease pool for each pass.

import SwiftRunLoop

struct PoolObservers: Experiment {
    let about = About(
        name: "pool-observers", claims: ["O3"], group: .observers, seconds: 0.2,
        shows: Text("two observers keep the autorelease pool: the first at Entry, the last at BeforeWaiting and Exit",
                    "自动释放池由两个 Observer 维护：一个在 Entry 时最先，一个在 BeforeWaiting 和 Exit 时最后"),
        setting: Text("""
            The main loop gets the two observers that UIKit's application object installs on an iPhone: \
            AutoreleasePool.install. A timer's callback autoreleases an object, once in a pass that sleeps afterwards \
            and once in the last pass. An observer with the second-highest order reports BeforeWaiting and Exit.
            """, """
            主线程的 RunLoop 装上 UIKit 的应用对象在 iPhone 上注册的那两个 Observer：AutoreleasePool.install。\
            一个 Timer 的回调 autorelease 一个对象，一次所在的那一轮随后会休眠，一次在最后一轮。order 仅次于\
            最后的一个 Observer 报告 BeforeWaiting 和 Exit。
            """),
        notice: Text("""
            The object outlives its callback and every other observer of BeforeWaiting: the pool is drained last, just \
            before the thread sleeps. At the end of the run the same happens at Exit.
            """, """
            对象在它的回调返回、其他监听 BeforeWaiting 的 Observer 都通知过之后仍然存在：自动释放池最后才清\
            空，紧接着线程就休眠。运行结束时，Exit 那里也一样。
            """),
        correction: Text("""
            In the code of article 0, every loop manages pools by itself. In CF-855 and CF-1153 the loop does not: the \
            application does so for the main loop, and a thread of your own needs a pool of its own. The current \
            source has a switch for a pool around each callout, but the macros behind it are empty as published. \
            (Correction 25 of corrections.md.)
            """, """
            按文章 0 的代码，每个 RunLoop 都自己管理自动释放池。CF-855 和 CF-1153 里的 RunLoop 并不这样做：\
            主线程的 RunLoop 由应用管理，自己创建的线程要自己管理。现行源码有一个给每次回调套自动释放池的开\
            关，但公开的源码里，相应的宏是空的。（corrections.zh.md，更正 25。）
            """)
    )

    func run(_ lab: Lab) {
        let loop = RunLoop.main
        AutoreleasePool.install(in: loop, forMode: .default)
        lab.note("orders of the observers", orders(in: loop.description))
        loop.add(RunLoop.Observer(activities: [.beforeWaiting, .exit], order: Int(Int32.max) - 1) { _,
            activity in lab.activity(activity) }, forMode: .default)
        let soon = lab.wait(0.05)
        loop.add(Timer(timeInterval: soon, repeats: true) { _ in
            let tick = lab.callout(.timer, "timer")
            AutoreleasePool.autorelease(Passing(lab))
            if tick == 2 { RunLoop.main.stop() }
        }, forMode: .default)
        loop.run(mode: .default, before: .distantFuture)

        lab.expect(Text("the pool is drained after all other observers of BeforeWaiting, or of Exit",
                        "自动释放池在其他监听 BeforeWaiting 或 Exit 的 Observer 之后清空"),
                   order: ["timer", "BeforeWaiting", "the object is released", "timer", "Exit", "the object is released"], from: "timer")
        lab.expect(Text("the two observers are the first and the last", "两个 Observer 一个最先，一个最后"), each: "orders of the observers", \.detail,
                   is: "-2147483647, 2147483647")
    }

    private func orders(in description: String) -> String {
        description.matches(of: /<CFRunLoopObserver [^\n]*order = (-?[0-9]+)/).map { String($0.1) }.joined(separator: ", ")
    }

    private final class Passing {
        let lab: Lab

        init(_ lab: Lab) {
            self.lab = lab
        }

        deinit { lab.note("the object is released") }
    }
}
