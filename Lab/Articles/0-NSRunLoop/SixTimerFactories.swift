// Article 0, 〈NSTimer有如下几个创建方式〉: 0.21.
//
// Three factories that only make a timer, and three that also add it. What to see: which timers fire without addTimer:.

import SwiftRunLoop

// MARK: - The listing

private final class Clock: Sendable {
    func timerTodo(_ timer: NSTimer) { tick(timer.userInfo as? String ?? "") }
    func tick(_ name: String) { lab.callout(.timer, "fires", name) }
}

private func makeTimers(_ clock: Clock, _ interval: Double) -> (plain: [NSTimer], scheduled: [NSTimer]) {
    let plain = [
        NSTimer(timeInterval: interval, invocation: Invocation { clock.tick("timer invocation") }, repeats: true),
        NSTimer(timeInterval: interval, target: clock, action: Clock.timerTodo, userInfo: "timer target", repeats: true),
        NSTimer(timeInterval: interval, repeats: true) { _ in clock.tick("timer block") },
    ]
    let scheduled = [
        NSTimer.scheduledTimer(timeInterval: interval, invocation: Invocation { clock.tick("scheduled invocation") }, repeats: true),
        NSTimer.scheduledTimer(timeInterval: interval, target: clock, action: Clock.timerTodo, userInfo: "scheduled target", repeats: true),
        NSTimer.scheduledTimer(withTimeInterval: interval, repeats: true) { _ in clock.tick("scheduled block") },
    ]
    return (plain, scheduled)
}

// MARK: - Telling and judging

struct SixTimerFactories: Program {
    let about = About(article: "0.21", seconds: 0.3)

    private static let scheduled = ["scheduled block", "scheduled invocation", "scheduled target"], plain = ["timer block", "timer invocation", "timer target"]

    func run() {
        lab.onThread("subThread") {
            let runLoop = NSRunLoop.current, interval = lab.wait(0.05)
            let (plain, scheduled) = makeTimers(Clock(), interval)
            lab.run { Set(lab.events.map(\.detail)).isSuperset(of: Self.scheduled) }
            lab.note("addTimer")
            for timer in plain { runLoop.add(timer, forMode: .default) }
            lab.run { Set(lab.events.map(\.detail)).isSuperset(of: Self.plain) }
            for timer in plain + scheduled { timer.invalidate() }
        }
    }

    func judge() {
        lab.article.expect(Text("three fire by themselves", "三个直接就能触发"), of: "fires", "addTimer", is: Self.scheduled) { Set($0.prefix { $0.name == "fires" }.map(\.detail)).sorted() }
        lab.article.expect(Text("the others once they are added", "另外三个添加之后才触发"), of: "fires", is: Self.scheduled + Self.plain) { Set($0.map(\.detail)).sorted() }
        lab.expect(Text("all are called by the loop, as timers", "都由 RunLoop 作为 Timer 调用"), each: "fires", \.kind, is: "timer")
    }
}
