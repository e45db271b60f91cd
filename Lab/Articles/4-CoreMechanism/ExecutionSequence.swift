// Article 4, 〈RunLoop执行序列〉: 4.7.
//
// One run of the main loop, each step logged under the article's name. What to see: two rows of the table are not so.

import SwiftRunLoop

struct ExecutionSequence: Program {
    let about = About(article: "4.7", seconds: 0.1)

    func run() {
        let loop = NSRunLoop.main
        loop.add(RunLoop.Observer { _, activity in NSLog("观察者通知:\(activity)") }, forMode: .default)
        // The timer begins when the first pass is over, so that it cannot be due before.
        loop.add(RunLoop.Observer(activities: .beforeWaiting, order: 1, repeats: false) { _, _ in
            NSRunLoop.main.add(NSTimer(timeInterval: 0.02, repeats: false) { _ in
                NSLog("Timer事件")
                NSRunLoop.main.perform { NSLog("处理Blocks") }
                NSRunLoop.main.stop()
            }, forMode: .default)
        }, forMode: .default)
        let source = RunLoop.Source {
            NSLog("处理Source0")
            NSRunLoop.main.perform { NSLog("处理Blocks") }
        }
        loop.add(source, forMode: .default)
        source.signal()
        loop.perform { NSLog("处理Blocks") }
        loop.runUntilStopped()
    }

    func judge() {
        func notified(_ names: [String]) -> [String] { names.map { "观察者通知:\($0)" } }
        let begins = notified(["BeforeTimers", "BeforeSources"])
        let waiting = "观察者通知:BeforeWaiting", after = "观察者通知:AfterWaiting", timer = "Timer事件"
        lab.article.expect(Text("a to e: BeforeTimers, BeforeSources, blocks, Source0, blocks", "a 到 e：BeforeTimers、BeforeSources、Blocks、Source0、Blocks"),
                   of: linesLogged, is: notified(["Entry"]) + begins + ["处理Blocks", "处理Source0", "处理Blocks"]) { Array($0.map(\.detail).prefix(6)) }
        lab.article.expect(Text("f: BeforeWaiting in each pass", "f：每一轮都有 BeforeWaiting"), of: linesLogged, is: 2) { $0.count { $0.detail == waiting } }
        lab.article.expect(Text("i: AfterWaiting after the event", "i：处理事件之后才是 AfterWaiting"), of: linesLogged, is: [timer, after]) {
            $0.map(\.detail).filter { [timer, after].contains($0) }
        }
        lab.article.expect(Text("3: Exit at the end", "3：最后是 Exit"), of: linesLogged, is: "观察者通知:Exit") { $0.last?.detail ?? "" }
        lab.expect(Text("two passes: one with the Source0 and without sleep, one with the sleep and the timer", "两轮：一轮处理 Source0，不休眠；一轮休眠，然后处理 Timer"),
                   lines: notified(["Entry"]) + begins + ["处理Blocks", "处理Source0", "处理Blocks"] + begins + [waiting, after, timer, "处理Blocks"] + notified(["Exit"]))
    }
}
