// Article 1, 〈RunLoop关闭方法〉: 1.29.
//
// A run is to end because its port is removed. What to see: it does, unless a call was performed on the thread before.

import SwiftRunLoop

struct RemovingIsNotEnough: Program {
    let about = About(article: "1.29", seconds: 0.4)

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
