// Article 4, 〈2.1 主线程RunLoop特性〉: 4.5.
//
// A timer is added to the main loop, which is said to run already. What to see: without an application, nothing runs that loop.

import Glibc
import SwiftRunLoop

// MARK: - The listing

private final class ViewController: UIViewController, @unchecked Sendable {
    override func viewDidLoad() {
        super.viewDidLoad()
        let mainRunLoop = NSRunLoop.main
        let timer = NSTimer(timeInterval: shortened(1), target: self, action: ViewController.onTimer, userInfo: nil, repeats: true)
        mainRunLoop.add(timer, forMode: .common)
    }

    func onTimer(_ timer: NSTimer) { NSLog("onTimer:") }
}

// MARK: - Telling and judging

struct MainLoopRunsAlready: Program {
    let about = About(article: "4.5", seconds: 4, isPair: true)

    func run() {
        switch form {
        case .asWritten:
            ViewController().viewDidLoad()
            usleep(useconds_t(shortened(3) * 1e6)) // the main thread does something else
            lab.observe("has waited", RunLoop.main.currentMode == nil ? "not running" : "running")
        case .cured:
            Stage.run(ViewController(), script: [
                .waitForLine("onTimer:", times: 3), .other { lab.observe("has waited", RunLoop.main.currentMode == nil ? "not running" : "running") },
            ])
        }
    }

    func judge() {
        let claim = Text("the timer ticks", "Timer 触发")
        if form == .cured {
            lab.expect(claim, line: "onTimer:", times: 3...1000)
            lab.expectFound(Text("in an application the main loop runs", "在应用里，主线程的 RunLoop 在运行"), of: "has waited", ["running"])
            return
        }
        lab.article.expect(claim, line: "onTimer:", times: 1...1000)
        lab.expect(Text("the timer has not ticked once", "Timer 一次也没有触发"), linesLogged, times: 0)
        lab.expectFound(Text("the main loop is not running", "主线程的 RunLoop 没有运行"), of: "has waited", ["not running"])
    }
}
