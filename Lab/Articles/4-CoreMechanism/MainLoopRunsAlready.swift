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
    let about = About(
        name: "4.5", title: Text("A timer on the main loop, in a plain program and in an application", "把 Timer 加到主线程的 RunLoop：在普通程序里，在 App 里"),
        says: Text("The main thread's loop is made and started automatically. You need not start it; just add the timer.",
                   "主线程的 RunLoop 自动创建并启动，不需要手动启动，可以直接添加 Timer。"),
        notice: Text("""
            The loop is made when it is first asked for, but it runs only because UIApplicationMain runs it. A program without an application, such as a command-line \
            tool, has to run the main loop itself. The cure here is the application.
            """, "RunLoop 在第一次获取时创建，但让它运行的是 UIApplicationMain。没有 UIApplication 的程序（比如命令行工具）要自己运行主线程的 RunLoop。这里的改正就是放进 App。"),
        verdict: .otherwise, seconds: 4, isPair: true)

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
