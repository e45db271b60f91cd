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
    let about = About(article: "0.36", seconds: 20, isPair: true)

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
