// Article 0, 〈做出如下改动〉: 0.46.
//
// The second cure: the way back is performed in the tracking mode. What to see: a slow drag works; a flick that ends before the thread has
// changed its mode leaves it in the tracking mode, until the main thread keeps in mind what it has asked for.

import SwiftRunLoop
import Synchronization

// MARK: - The listing

/// The user of the demo keeps the thread busy.
private let shared = Shared()

private final class Shared: Sendable {
    let thread = Mutex<NSThread?>(nil), isBusy = Mutex(false), hasBegun = Counter()
}

private final class MyThread: NSThread, @unchecked Sendable {}

private final class ViewController: UIViewController, UIScrollViewDelegate, @unchecked Sendable {
    private let mode = Mutex(NSRunLoop.Mode.default)

    weak var subThread: NSThread?
    var runLoopMode: NSRunLoop.Mode { // the thread sets it
        get { mode.withLock { $0 } }
        set { mode.withLock { $0 = newValue } }
    }
    private var askedFor = NSRunLoop.Mode.default // cured: of the main thread alone

    override func viewDidLoad() {
        super.viewDidLoad()
        let myTextView = UIScrollView("myTextView", columns: 1...60, rows: 1...24, contentHeight: 200)
        view.subviews = [myTextView]
        myTextView.delegate = self

        NSLog("\(NSThread.current)----开辟子线程")
        let tmpThread = MyThread(target: self, action: ViewController.subThreadTodo)
        subThread = tmpThread
        subThread?.name = "subThread"
        subThread?.start()
        shared.thread.withLock { $0 = tmpThread }
    }

    func subThreadTodo() {
        NSLog("\(NSThread.current)----开始执行子线程任务")
        autoreleasepool {
            let runLoop = NSRunLoop.current
            runLoop.add(NSMachPort(), forMode: .default)
            let timer = NSTimer(timeInterval: shortened(2), target: self, action: ViewController.timerTodo, userInfo: nil, repeats: true)
            runLoop.add(timer, forMode: .tracking)
            while true { runLoop.run(mode: runLoopMode, before: .distantFuture) }
        }
    }

    func changeSubThreadRunLoopMode(_ mode: NSRunLoop.Mode) {
        NSLog("当前线程:\(NSThread.current) RunLoop即将将Mode改变成:\(mode.rawValue)")
        runLoopMode = mode
    }

    func timerTodo(_ timer: NSTimer) {
        NSLog("Timer启动啦,当前RunLoopMode:\(NSRunLoop.current.currentMode?.rawValue ?? "")")
    }

    func scrollViewDidScroll(_ scrollView: UIScrollView) {
        change(to: .tracking, modes: [.common])
    }

    func scrollViewDidEndDragging(_ scrollView: UIScrollView, willDecelerate decelerate: Bool) {
        if !decelerate { change(to: .default, modes: [.tracking]) }
    }

    func scrollViewDidEndDecelerating(_ scrollView: UIScrollView) {
        change(to: .default, modes: [.tracking])
        lab.observe("rests")
    }

    private func change(to new: NSRunLoop.Mode, modes: [NSRunLoop.Mode]) {
        guard let subThread, (form == .cured ? askedFor : runLoopMode) != new else { return }
        askedFor = new
        lab.observe("asks", new.rawValue)
        try? perform(ViewController.changeSubThreadRunLoopMode, with: new, on: subThread, waitUntilDone: false, modes: modes)
    }
}

// MARK: - Telling and judging

struct PerformInTracking: Program {
    let about = About(article: "0.46", seconds: 15, isPair: true)

    private static let toTracking = "即将将Mode改变成:UITrackingRunLoopMode", toDefault = "即将将Mode改变成:kCFRunLoopDefaultMode"
    private static let tick = "Timer启动啦,当前RunLoopMode:UITrackingRunLoopMode"

    func run() {
        Stage.run(ViewController(), script: [
            .waitForLine("开始执行子线程任务"), .wait(seconds: 0.2),
            .drag(column: 30, from: 20, to: 19), .waitForLine(Self.toTracking), .wait(seconds: 0.2), .waitForLine(Self.tick), .lift,
            .until { lab.times("rests") == 1 }, .waitForLine(Self.toDefault), .wait(seconds: 0.6),
            .other { beBusy() }, .drag(column: 30, from: 20, to: 17), .lift,
            .other {
                lab.waitUntil { lab.times("rests") == 2 }
                lab.note("the thread is free again")
                shared.isBusy.withLock { $0 = false }
            },
            form == .cured ? .waitForLine(Self.toDefault, times: 2)
                : .other { lab.waitForLine(Self.tick, times: lab.lines(with: Self.tick).count + 3) },
            .wait(seconds: 0.1),
        ])
    }

    /// The thread works until it is told otherwise.
    private func beBusy() {
        lab.note("the thread is busy")
        shared.isBusy.withLock { $0 = true }
        guard let thread = shared.thread.withLock({ $0 }) else { return }
        try? Thread.perform(on: thread, waitUntilDone: false) {
            shared.hasBegun.add()
            while shared.isBusy.withLock({ $0 }) { usleep(1000) }
        }
        lab.waitUntil { shared.hasBegun.value == 1 }
    }

    func judge() {
        let busy = "the thread is busy", free = "the thread is free again"
        lab.article.expect(Text("a slow drag: to the tracking mode", "慢慢拖动：切换到 tracking mode"), line: Self.toTracking, times: 1...1, to: busy)
        lab.article.expect(Text("and back", "再切回来"), line: Self.toDefault, times: 1...1, to: busy)
        switch form {
        case .asWritten:
            lab.expect(Text("a flick: several requests for the tracking mode", "快速一滑：几次请求 tracking mode"), line: Self.toTracking, times: 2...20, from: free)
            lab.expect(Text("none for the default mode", "没有一次请求默认 mode"), line: Self.toDefault, times: 0...0, from: free)
            lab.expect(Text("the thread stays in the tracking mode", "子线程留在 tracking mode"), line: Self.tick, times: 3...1000, from: free)
        case .cured:
            lab.expect(Text("a flick: one request for the tracking mode", "快速一滑：请求一次 tracking mode"), line: Self.toTracking, times: 1...1, from: free)
            lab.expect(Text("one for the default mode", "请求一次默认 mode"), line: Self.toDefault, times: 1...1, from: free)
            lab.expect(Text("the thread does not stay in the tracking mode", "子线程没有留在 tracking mode"), line: Self.tick, times: 0...2, from: free)
        }
    }
}
