// Article 3, 〈创建与退出:mode切换和item依赖〉: 3.6.
//
// The reasons for a run to end. What to see: which of the article's four is a result, and which it leaves out.

import CRunLoop
import SwiftRunLoop

struct FourExits: Program {
    let about = About(article: "3.6", seconds: 0.3)

    func run() {
        let time = lab.wait(0.05)
        let cases: [(String, @Sendable (RunLoop) -> Void)] = [
            ("线程关闭", { loop in
                loop.add(NSMachPort(), forMode: .default)
                loop.perform { NSThread.exit() }
            }),
            ("设置最大时间到期", { $0.add(NSMachPort(), forMode: .default) }),
            ("modeItem为空", { _ in }),
            ("CFRunLoopStop", { loop in
                loop.add(NSMachPort(), forMode: .default)
                loop.perform { CFRunLoopStop(CFRunLoopGetCurrent()) }
            }),
            ("处理完一个source", { loop in
                let source = RunLoop.Source {}
                loop.add(source, forMode: .default)
                source.signal()
            }),
        ]
        for (name, fill) in cases {
            let thread = lab.startThread(name) {
                let loop = NSRunLoop.current
                loop.add(RunLoop.Observer(activities: .exit) { _, _ in lab.observe("Exit", name) }, forMode: .default)
                fill(loop)
                let result = CFRunLoopRunInMode(kCFRunLoopDefaultMode, time, name == "处理完一个source")
                lab.observe("result", "\(name): \(resultName(result.rawValue))")
                NSLog("\(name): \(resultName(result.rawValue))")
            }
            lab.waitUntil { thread.isFinished }
            if lab.times("result") == 0 { NSLog("\(name): run没有返回") } // the first case
        }
        switchMode()
    }

    /// One timer in the common modes, two modes: how many runs?
    private func switchMode() {
        lab.onThread("switch") {
            let loop = NSRunLoop.current
            loop.addCommonMode(.tracking)
            loop.add(RunLoop.Observer(activities: [.entry, .exit]) { _, activity in
                lab.observe("run", "\(activity) \(RunLoop.current.currentMode?.rawValue ?? "")")
            }, forMode: .common)
            loop.add(NSTimer(timeInterval: 0.005, repeats: true) { _ in CFRunLoopStop(CFRunLoopGetCurrent()) }, forMode: .common)
            for mode in [RunLoop.Mode.default, .tracking] { loop.runUntilStopped(in: mode) }
        }
    }

    func judge() {
        lab.article.expect(Text("the four conditions, and no others, end a run", "使 run 结束的就是这些条件"), of: "result",
                   is: ["线程关闭", "设置最大时间到期", "modeItem为空"]) { $0.map { String($0.detail.prefix { $0 != ":" }) } }
        lab.article.expect(Text("with common modes the loop need not change its mode", "有了 commonModes，runloop 不用切换 mode"), of: "run", is: 1) {
            $0.count { $0.detail.hasPrefix("Entry") }
        }
        lab.expect(Text("these four are results; a thread that ends has none", "返回结果有这四种；线程结束没有结果"), of: "result",
                   is: ["设置最大时间到期: TimedOut", "modeItem为空: Finished", "CFRunLoopStop: Stopped", "处理完一个source: HandledSource"]) { $0.map(\.detail) }
        lab.expect(Text("a thread that ends sends no Exit; an empty mode is not even entered", "线程结束时没有 Exit；空的 mode 根本没有进入"), of: "Exit",
                   is: ["设置最大时间到期", "CFRunLoopStop", "处理完一个source"]) { $0.map(\.detail) }
        lab.expect(Text("two modes take two runs, with common modes as well", "两个 mode 就要两次 run，common modes 也一样"), of: "run",
                   is: ["Entry kCFRunLoopDefaultMode", "Exit kCFRunLoopDefaultMode", "Entry UITrackingRunLoopMode", "Exit UITrackingRunLoopMode"]) {
            $0.map(\.detail)
        }
    }
}
