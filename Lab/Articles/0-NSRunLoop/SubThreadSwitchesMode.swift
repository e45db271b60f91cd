// Article 0, 〈本文最大干货〉: 0.36; what it prints: 0.37, 0.38, 0.39; the question: 0.42; the first cure and its output: 0.43, 0.44.
//
// A thread changes the mode of its loop while a text view is dragged. What to see: without the common mode, there is no way back.

import CRunLoop
import SwiftRunLoop
import Synchronization

// MARK: - The listing

private let ends = Counter()

private final class MyThread: NSThread, @unchecked Sendable {}

private final class ViewController: UIViewController, UIScrollViewDelegate, @unchecked Sendable {
    private let mode = Mutex(NSRunLoop.Mode.default), stop = Mutex(false)

    weak var subThread: NSThread? // 子线程
    var runLoopMode: NSRunLoop.Mode { // in which mode to run next
        get { mode.withLock { $0 } }
        set { mode.withLock { $0 = newValue } }
    }
    var isNeedRunLoopStop: Bool { // ends the while
        get { stop.withLock { $0 } }
        set { stop.withLock { $0 = newValue } }
    }
    let myTextView = UIScrollView("myTextView", columns: 1...60, rows: 1...24, contentHeight: 200)

    override func viewDidLoad() {
        super.viewDidLoad()
        view.subviews = [myTextView]
        myTextView.delegate = self
        isNeedRunLoopStop = false

        NSLog("\(NSThread.current)----开辟子线程")

        let tmpThread = MyThread(target: self, action: ViewController.subThreadTodo)
        subThread = tmpThread
        subThread?.name = "subThread"
        subThread?.start()
    }

    func subThreadTodo() {
        NSLog("\(NSThread.current)----开始执行子线程任务")
        autoreleasepool {
            let runLoop = NSRunLoop.current
            // the default mode does nothing: the port only keeps it from being empty
            runLoop.add(NSMachPort(), forMode: .default)
            let timer = NSTimer(timeInterval: shortened(2), target: self, action: ViewController.timerTodo, userInfo: nil, repeats: true)
            runLoop.add(timer, forMode: .tracking)
            runLoopMode = .default
            // the article's comment: 先保持注释状态
            if form == .cured { CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), NSRunLoop.Mode.tracking.cfName) }
            while !isNeedRunLoopStop {
                runLoop.run(mode: runLoopMode, before: .distantFuture)
            }
        }
        ends.add()
    }

    func changeSubThreadRunLoopMode(_ mode: NSRunLoop.Mode) {
        // 断点3
        NSLog("当前线程:\(NSThread.current) RunLoop即将将Mode改变成:\(mode.rawValue)")
        runLoopMode = mode
    }

    func timerTodo(_ timer: NSTimer) {
        NSLog("Timer启动啦,当前RunLoopMode:\(NSRunLoop.current.currentMode?.rawValue ?? "")")
    }

    func scrollViewDidScroll(_ scrollView: UIScrollView) {
        if runLoopMode != .tracking { change(to: .tracking) }
    }

    func scrollViewDidEndDragging(_ scrollView: UIScrollView, willDecelerate decelerate: Bool) {
        if !decelerate, runLoopMode != .default { change(to: .default) } // 断点1
    }

    func scrollViewDidEndDecelerating(_ scrollView: UIScrollView) {
        if runLoopMode != .default { change(to: .default) } // 断点2
        lab.observe("rests")
    }

    private func change(to mode: NSRunLoop.Mode) {
        guard let subThread else { return }
        lab.observe("asks", mode.rawValue)
        try? perform(ViewController.changeSubThreadRunLoopMode, with: mode, on: subThread, waitUntilDone: false)
    }

    /// What the article leaves out: the end.
    override func viewWillDisappear() {
        guard form == .cured, let subThread else { return }
        isNeedRunLoopStop = true
        try? Thread.perform(on: subThread, waitUntilDone: false, modes: [.default, .tracking]) {}
    }
}

// MARK: - Telling and judging

struct SubThreadSwitchesMode: Program {
    let about = About(
        name: "0.36", claims: ["A3"], title: Text("A thread goes to the tracking mode while a text view is dragged, and back", "拖动 textView 时，子线程切换到 tracking mode，松手后切回来"),
        says: Text("""
            The thread goes to the tracking mode, as is wanted. When the finger is lifted, the timer goes on: the delegates ask for the default mode, but the \
            method is not performed. The perform is put into the common modes, and on this thread only the default mode is common. Declare the tracking \
            mode common, and the thread goes there and back.
            """, "子线程如愿切换到 UITrackingRunLoopMode；松手后 Timer 仍在执行，说明切换失败：代理里的断点都能进，方法却没有执行。因为 perform 加在 common modes 里，而子线程的 common modes 只有默认 mode。把 UITrackingRunLoopMode 标记为 common，就能来回切换。"),
        notice: Text("""
            A mode is a name, so a secondary thread can run in any mode: leave the run, and begin the next one in another mode. A perform ends the run; the loop \
            around it reads the new mode. The way back must arrive in the mode that runs. The first tick comes at once if its date has passed: a \
            timer that misses a date is late, it does not wait for the next one. As the article has it, the thread never ends, because nothing sets \
            isNeedRunLoopStop. The cured form sets it, and performs a call in both modes, so that the run returns and the flag is read. The documentation says no more \
            about it, and it is good for resting some inputs for a while (4.22). (The listing also has a stray "0", with which it does not compile, and it compares modes by their \
            pointers, which is right as long as everyone uses the two constants: Swift compares the strings. Its other fault is shown by 0.46.)
            """, "mode 只是一个名字，子线程可以在任何 mode 下运行：退出当前的 run，再以另一个 mode 进入下一次 run。perform 让 run 返回，外面的 while 读到新的 mode。返回的请求必须送到正在运行的 mode。如果 Timer 的时间点已过，第一次触发会立即发生：错过时间点的 Timer 只是迟到，不会等到下一个时间点。按文章的写法，没有任何地方设置 isNeedRunLoopStop，线程永远不会结束；改正后的写法设置它，再向两个 mode 各 perform 一次，让 run 返回并读到标志。文档没有更多说明；它的用处是让一些 Source 暂停一会儿（见 4.22）。（文章的代码里还多了一个“0”，无法编译；它用指针比较 mode，只要大家都用那两个常量就没有问题，Swift 比较的是字符串。它的另一个问题见 0.46。）"),
        verdict: .asTheArticleSays, seconds: 20, isPair: true)

    private static let start = ["<NSThread: 0x…>{number = 1, name = main}----开辟子线程", "<MyThread: 0x…>{number = 2, name = subThread}----开始执行子线程任务"]
    private static func change(to mode: String) -> String { "当前线程:<MyThread: 0x…>{number = 2, name = subThread} RunLoop即将将Mode改变成:\(mode)" }
    private static let toTracking = change(to: "UITrackingRunLoopMode"), toDefault = change(to: "kCFRunLoopDefaultMode")
    private static let tick = "Timer启动啦,当前RunLoopMode:UITrackingRunLoopMode"

    func run() {
        let before = ends.value // a figure runs both forms
        let begin: [UserAction] = [.waitForLine("开始执行子线程任务"), .wait(seconds: 0.2), .other { lab.observe("before the drag", "\(lab.lines(with: "").count) lines") }]
        func moreTicks(_ more: Int) -> UserAction { .other { lab.waitForLine(Self.tick, times: lab.lines(with: Self.tick).count + more) } }
        func drag(_ number: Int) -> [UserAction] {
            [.drag(column: 30, from: 20, to: 19), .waitForLine(Self.toTracking, times: number), moreTicks(1), .wait(seconds: 0.2), .move(to: 16), .lift,
             .until { lab.times("rests") == number }]
        }
        Stage.run(ViewController(), script: form == .asWritten ? begin + drag(1) + [moreTicks(3)]
            : begin + drag(1) + [.waitForLine(Self.toDefault, times: 1), .wait(seconds: 0.6)] + drag(2) + [.waitForLine(Self.toDefault, times: 2)])
        if form == .cured { lab.waitUntil { ends.value == before + 1 } }
        lab.observe("the thread", ends.value == before + 1 ? "has ended" : "goes on")
    }

    func judge() {
        lab.article.expectFound(Text("two lines before the drag", "拖动之前有两行"), of: "before the drag", ["2 lines"])
        switch form {
        case .asWritten:
            expectLines(Text("to the tracking mode, and only ticks from then on", "切换到 tracking mode，此后只有 Timer 的输出"), Self.start + [Self.toTracking, Self.tick])
            lab.article.expect(Text("the ticks go on when the text view rests", "textView 停下后，Timer 仍在执行"), line: Self.tick, times: 2...1000, from: "rests")
        case .cured:
            expectLines(Text("there and back, twice", "来回切换两次"), Self.start + [Self.toTracking, Self.tick, Self.toDefault, Self.toTracking, Self.tick, Self.toDefault])
        }
        lab.expect(Text("at the end the thread \(form == .asWritten ? "goes on: nothing sets the flag" : "has ended")",
                        form == .asWritten ? "最后线程还在：没有任何地方设置标志" : "最后线程已经结束"),
                   of: "the thread", is: [form == .asWritten ? "goes on" : "has ended"]) { $0.map(\.detail) }
    }

    /// Expects these lines, where any number of ticks counts as one. The pass that changes the mode back may still fire the timer once.
    private func expectLines(_ claim: Text, _ lines: [String]) {
        lab.article.judge(claim, lines.joined(separator: " | "), looksAt: [linesLogged]) { events in
            var found: [String] = []
            for line in events.filter({ $0.name == linesLogged }).map(\.detail) where line != Self.tick || found.last != line && found.last != Self.toDefault {
                found.append(line)
            }
            return (found == lines, found == lines ? Text("these lines", "就是这些行").description : found.joined(separator: " | "))
        }
    }
}
