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
    let about = About(
        name: "0.25", claims: ["T6"], title: Text("Which timers keep their view controller", "哪些 Timer 会让 ViewController 无法释放"),
        says: Text("A timer that is made with the old methods, those without a block, holds its target: the view controller is never released. GCD's timer is recommended instead.",
                   "用 iOS10 之前的（非 Block 的）方法创建 NSTimer，Timer 对 ViewController（target）有强引用，ViewController 无法释放。总的来说更推荐使用 GCDTimer。"),
        notice: Text("""
            What counts is what holds self, not the kind of timer. A block that mentions self holds the controller exactly as a target does, in NSTimer and in GCD alike. [weak self] frees it in both, and so \
            does a proxy that references the controller weakly and is the target in its place. The timer itself goes on in each case: invalidate it when the controller goes.
            """, "关键在于谁持有 self，而不是 Timer 的种类。block 里用了 self，就和 target 一样强引用，NSTimer 和 GCD 都是如此；[weak self]，或者用弱引用 self 的 proxy 作 target，才能释放。释放之后 Timer 本身还在，要记得 invalidate。"),
        verdict: .roughly, seconds: 0.2)

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
