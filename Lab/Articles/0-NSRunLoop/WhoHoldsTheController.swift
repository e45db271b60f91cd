// Article 0, 〈<3>NSTimer导致的ViewController无法释放问题〉: 0.25.
//
// Six controllers with a timer each, all of them left. What to see: which are released.

import Dispatch
import SwiftRunLoop

// MARK: - The listing

private final class ViewController: UIViewController, @unchecked Sendable {
    private let name: String

    init(_ name: String) {
        self.name = name
        super.init()
    }

    deinit { NSLog("\(name): 被释放了") }

    override func viewDidLoad() {
        super.viewDidLoad()
        let interval = 0.02
        switch name {
        case "target":
            WhoHoldsTheController.timer = NSTimer.scheduledTimer(timeInterval: interval, target: self, action: ViewController.timerTodo, userInfo: nil, repeats: true)
        case "proxy": _ = NSTimer.scheduledTimer(timeInterval: interval, target: WeakProxy(self, ViewController.timerTodo), action: WeakProxy.fire, userInfo: nil, repeats: true)
        case "block, self": _ = NSTimer.scheduledTimer(withTimeInterval: interval, repeats: true) { [self] in timerTodo($0) }
        case "block, weak self": _ = NSTimer.scheduledTimer(withTimeInterval: interval, repeats: true) { [weak self] in self?.timerTodo($0) }
        case "GCD, self": start { [self] in work() }
        default: start { [weak self] in self?.work() }
        }
    }

    private func start(_ handler: @escaping @Sendable () -> Void) {
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .now(), repeating: 0.02)
        timer.setEventHandler(handler: handler)
        timer.activate()
        WhoHoldsTheController.dispatchTimers.append(timer)
    }

    func timerTodo(_ timer: NSTimer) {}
    private func work() {}
}

// MARK: - Telling and judging

struct WhoHoldsTheController: Program {
    let about = About(article: "0.25", seconds: 0.2)

    private static let names = ["target", "proxy", "block, self", "block, weak self", "GCD, self", "GCD, weak self"]

    func run() {
        for name in Self.names {
            NSLog("\(name): viewDidLoad")
            autoreleasepool {
                let controller = ViewController(name)
                controller.viewDidLoad()
            }
            lab.observe("left", name)
        }
        NSRunLoop.main.run(until: Date(timeIntervalSinceNow: lab.wait(0.1)))
        lab.note("the first timer is invalidated")
        Self.timer?.invalidate()
    }

    func judge() {
        func released(_ claimant: some Claimant, _ claim: Text, _ name: String, _ times: Int, until end: String? = "the first timer is invalidated") {
            claimant.expect(claim, line: "\(name): 被释放了", times: times...times, to: end)
        }
        released(lab.article, Text("the timer holds its target", "Timer 强引用 target"), "target", 0)
        released(lab.article, Text("with GCD's timer the controller is released", "用 GCDTimer，ViewController 能释放"), "GCD, weak self", 1)
        released(lab, Text("it does so until it is invalidated", "直到 Timer 失效"), "target", 1, until: nil)
        released(lab, Text("but only if its handler holds self weakly", "但前提是 handler 弱引用 self"), "GCD, self", 0)
        released(lab, Text("a block holds self as a target does", "block 对 self 的引用和 target 一样"), "block, self", 0)
        released(lab, Text("a block with weak self does not", "block 里用 weak self 就不会"), "block, weak self", 1)
        released(lab, Text("nor does a proxy as the target, which references self weakly", "用弱引用 self 的 proxy 作 target 也不会"), "proxy", 1)
    }

    nonisolated(unsafe) fileprivate static var dispatchTimers: [any DispatchSourceTimer] = [], timer: NSTimer? // on the main thread alone
}
