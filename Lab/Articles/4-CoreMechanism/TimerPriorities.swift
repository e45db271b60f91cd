// Article 4, 〈3.2 任务优先级调度技术〉: 4.15.
//
// Two timers, one in the common modes, one in the default mode, while a list is dragged. What to see: the call is not NSTimer's.

import SwiftRunLoop

// MARK: - The listing

private final class ViewController: ListController, @unchecked Sendable {
    private var links: [DisplayLink] = []

    override func viewDidLoad() {
        super.viewDidLoad()
        @Sendable func task(_ name: String) { NSLog("\(name) \(NSRunLoop.current.currentMode?.rawValue ?? "")") }
        // high: in all modes of the user interface; low: not while the user drags
        let tasks = [("高优先级任务", RunLoop.Mode.common), ("低优先级任务", .default)]
        for (name, mode) in tasks {
            switch form {
            case .asWritten: // with what has this method
                let timer = DisplayLink(maximumFramesPerSecond: 20) { _ in task(name) }
                timer.add(to: NSRunLoop.main, forMode: mode)
                links.append(timer)
            case .cured:
                NSRunLoop.main.add(NSTimer(timeInterval: 0.05, repeats: true) { _ in task(name) }, forMode: mode)
            }
        }
    }

    override func viewWillDisappear() { links.forEach { $0.invalidate() } }
}

// MARK: - Telling and judging

struct TimerPriorities: Program {
    let about = About(article: "4.15", seconds: 1, isPair: true)

    func run() {
        if form == .asWritten { lab.compile(Self.listing) }
        let low = "低优先级任务", inTracking = "高优先级任务 UITrackingRunLoopMode"
        Stage.run(ViewController(), script: [
            .waitForLine("\(low) kCFRunLoopDefaultMode", times: 2), .drag(column: 30, from: 20, to: 10), .note("dragged"),
            .other { lab.waitForLine(inTracking, times: lab.lines(with: inTracking).count + 5) }, .note("lifted"), .lift,
            .until { lab.times("rests") == 1 }, .note("at rest"),
            .until { !lab.lines(with: "\(low) kCFRunLoopDefaultMode", since: "at rest").isEmpty },
        ])
    }

    private static let listing = ObjectiveCListing("""
        void schedule(NSTimer *timer) {
            [timer addToRunLoop:[NSRunLoop mainRunLoop] forMode:NSRunLoopCommonModes];
            [timer addToRunLoop:[NSRunLoop mainRunLoop] forMode:NSDefaultRunLoopMode];
        }
        void scheduleLink(CADisplayLink *timer) {
            [timer addToRunLoop:[NSRunLoop mainRunLoop] forMode:NSRunLoopCommonModes];
        }
        """)

    func judge() {
        let claimant: any Claimant = form == .cured ? lab : lab.article
        claimant.expect(Text("while the list is dragged, the low one rests", "拖动时，低优先级暂停"), line: "低优先级任务", times: 0...0, from: "dragged", to: "lifted")
        claimant.expect(Text("and the high one goes on", "高优先级照常执行"), line: "高优先级任务 UITracking", times: 4...1000, from: "dragged", to: "lifted")
        claimant.expect(Text("when the list rests, the low one goes on", "列表停下后，低优先级恢复"), line: "低优先级任务 kCFRunLoopDefaultMode", times: 1...1000, from: "at rest")
        if form == .cured { return }
        lab.article.expect(Text("a timer has this method", "Timer 有这个方法"), compilerError, times: 0)
        lab.expectFound(Text("the compiler refuses it for a timer, and for nothing else", "编译器只拒绝对 Timer 的调用"), of: compilerError, ["no visible @interface for 'NSTimer' declares the selector 'addToRunLoop:forMode:'"])
    }
}
