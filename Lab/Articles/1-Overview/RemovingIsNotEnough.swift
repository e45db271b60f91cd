// Article 1, 〈RunLoop关闭方法〉: 1.29.
//
// A run is to end because its port is removed. What to see: it does, unless a call was performed on the thread before.

import SwiftRunLoop

struct RemovingIsNotEnough: Program {
    let about = About(
        name: "1.29", title: Text("The port is removed from a loop, with and without a perform before", "移除端口能否让 run 返回：之前有、没有 perform 的两种情况"),
        says: Text("Removing the sources and timers may end a run, but this is not reliable: the system may have added sources that the program does not know.",
                   "移除 RunLoop 的 Source 和 Timer 可能会让 run 返回，但并不可靠：系统可能会添加我们不知道的 Source，导致无法退出 RunLoop。"),
        notice: Text("""
            Removing the port ends the run, but not if a method has been performed on the thread before. The stranger is the Source0 of performing on a thread. It enters the loop with the first such call and stays. The printed mode shows it. \
            A Mac's documentation says that this source leaves again; whether it does has not been seen.
            """, "移除端口，run 就返回；但如果之前在这个线程上 perform 过，就不返回。这个“陌生”的源就是 performSelector:onThread: 的 Source0：第一次调用时加入，之后一直留着，打印出来的 mode 里能看到它。Mac 的文档说它会离开，是否如此没有验证过。"),
        verdict: .asTheArticleSays, seconds: 0.4)

    func run() {
        for performs in [false, true] {
            let port = NSMachPort(), latest = OtherLoop(), sleeps = Counter(), name = performs ? "after a perform" : "without a perform"
            let thread = lab.startThread(performs ? "performed" : "plain") {
                let runLoop = NSRunLoop.current
                runLoop.add(port, forMode: .default)
                runLoop.add(RunLoop.Observer(activities: .beforeWaiting) { _, _ in sleeps.add() }, forMode: .default)
                latest.set()
                runLoop.run()
                NSLog("\(shown(name)): \(shown("run has returned"))")
            }
            lab.waitUntil { latest.isAsleep }
            if performs { try? Thread.perform(on: thread, waitUntilDone: true) { NSLog(shown("performed")) } }
            guard let loop = latest.value else { continue }
            lab.waitUntil { loop.isWaiting }
            let before = sleeps.value
            loop.remove(port, forMode: .default)
            loop.wakeUp()
            lab.waitUntil { thread.isFinished || sleeps.value > before && loop.isWaiting }
            if performs {
                lab.observe("what is left", LoopPrint(loop).modes(where: "sources0", has: "__NSThreadPerformPerform").isEmpty ? "nothing" : "the source of performing")
            }
            lab.observe(name, thread.isFinished ? "run has returned" : "run goes on")
        }
    }

    func judge() {
        lab.article.expectFound(Text("removing the only source ends the run", "移除唯一的源，run 返回"), of: "without a perform", ["run has returned"])
        lab.article.expectFound(Text("but not if the system has added another", "但系统加过别的源就不行"), of: "after a perform", ["run goes on"])
        lab.expectFound(Text("the printed loop shows the stranger", "打印出来的 RunLoop 里能看到它"), of: "what is left", ["the source of performing"])
    }
}
