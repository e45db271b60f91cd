// pool-observers: two observers, one before and one after all others, keep an autorelease pool for each pass.

import SwiftRunLoop

struct PoolObservers: Experiment {
    let about = About(
        name: "pool-observers", claims: ["O3"], group: .observers, seconds: 0.2,
        shows: "two observers keep the autorelease pool: the first at Entry, the last at BeforeWaiting and Exit",
        setting: """
            The main loop gets the two observers that UIKit's application object installs on an iPhone: \
            AutoreleasePool.install. A timer's callback autoreleases an object, once in a pass that sleeps afterwards \
            and once in the last pass. An observer with the second-highest order reports BeforeWaiting and Exit.
            """,
        notice: """
            The object outlives its callback and every other observer of BeforeWaiting: the pool is drained last, just \
            before the thread sleeps. At the end of the run the same happens at Exit.
            """,
        correction: """
            In the code of article 0, every loop manages pools by itself. In CF-855 and CF-1153 the loop does not: the \
            application does so for the main loop, and a thread of your own needs a pool of its own. The current \
            source has a switch for a pool around each callout, but the macros behind it are empty as published. \
            (Correction 25 of ANNOTATIONS.md.)
            """
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

        lab.expect("the pool is drained after all other observers of BeforeWaiting, or of Exit",
                   order: ["timer", "BeforeWaiting", "the object is released", "timer", "Exit", "the object is released"], from: "timer")
        lab.expect("the two observers are the first and the last", each: "orders of the observers", \.detail,
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
