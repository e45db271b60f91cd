// dispatch-timer: a dispatch timer needs no run loop; one on the main queue is served by the main loop.

import Dispatch
#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct DispatchTimer: Experiment {
    let about = About(
        name: "dispatch-timer", claims: ["T7"], group: .timers, seconds: 0.8,
        shows: Text("a dispatch timer needs no run loop; on the main queue, the main loop serves it",
                    "GCD 的 Timer 不需要 RunLoop；放在主队列上时，由主线程的 RunLoop 处理"),
        setting: Text("""
            There are two dispatch timers: one on a queue of its own, one on the main queue. The main thread first \
            waits, without running its loop, until the first timer has fired three times. Then it runs its loop until \
            the second has fired three times, too.
            """, """
            有两个 GCD 的 Timer：一个在自己的队列上，一个在主队列上。主线程先不运行 RunLoop，等第一个触发三\
            次；再运行 RunLoop，直到第二个也触发三次。
            """),
        notice: Text("""
            The first timer fires while no loop runs: on a dispatch thread, outside any loop. The second fires only \
            while the main loop runs, in step 9.2: the loop serves the main queue there, not a timer of its own.
            """, """
            没有 RunLoop 在运行，第一个 Timer 也触发：在 GCD 的线程上，与 RunLoop 无关。第二个只有在主线程的\
             RunLoop 运行时才触发，在步骤 9.2：RunLoop 在那里处理的是主队列，不是它自己的 Timer。
            """)
    )

    func run(_ lab: Lab) {
        let firedThree = DispatchSemaphore(value: 0)
        lab.note("the main thread waits")
        let one = timer(on: DispatchQueue(label: "own queue"), every: lab.wait(0.1)) {
            let times = lab.times("fires on its own queue")
            if times < 3 { lab.note("fires on its own queue") }
            if times == 2 { firedThree.signal() }
        }
        let other = timer(on: .main, every: lab.wait(0.1)) {
            if lab.callout(.mainQueue, "fires on the main queue") == 3 { RunLoop.main.stop() }
        }

        firedThree.wait()
        lab.note("the main loop runs")
        while lab.times("fires on the main queue") < 3 { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
        one.cancel()
        other.cancel()

        let own = "fires on its own queue", main = "fires on the main queue"
        lab.expect(Text("the timer on its own queue needs no loop; the one on the main queue waits for the main loop",
                        "自己队列上的 Timer 不需要 RunLoop；主队列上的要等主线程的 RunLoop"),
                   order: ["the main thread waits", own, own, own, "the main loop runs", main, main, main])
        lab.expect(Text("the loop serves the main queue in step 9.2", "RunLoop 在步骤 9.2 处理主队列"), each: main, \.step, is: "9.2")
    }

    private func timer(on queue: DispatchQueue, every interval: Double,
                       handler: @escaping @Sendable () -> Void) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + interval, repeating: interval)
        timer.setEventHandler(handler: handler)
        timer.resume()
        return timer
    }
}
