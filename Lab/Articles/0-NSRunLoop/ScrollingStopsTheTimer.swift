// Article 0, 〈<2>使用NSTimer遇到的坑〉: 0.24; the same demo in 1.19, 1.20, 2.9, 2.13, 2.15, 4.3.
//
// Three timers while the user drags a list. What to see: the one in the default mode rests, and fires at once when the list rests.

import SwiftRunLoop

// MARK: - The listing

private final class ViewController: ListController, @unchecked Sendable {
    override func viewDidLoad() {
        super.viewDidLoad()
        func timer(_ name: String) -> NSTimer {
            NSTimer(timeInterval: lab.wait(0.1), repeats: true) { _ in NSLog("\(name) \(NSRunLoop.current.currentMode?.rawValue ?? "")") }
        }
        NSRunLoop.main.add(timer("default"), forMode: .default)
        let both = timer("both")
        NSRunLoop.main.add(both, forMode: .default)
        NSRunLoop.main.add(both, forMode: .tracking)
        NSRunLoop.main.add(timer("common"), forMode: .common)
    }
}

// MARK: - Telling and judging

struct ScrollingStopsTheTimer: Program {
    let about = About(article: "0.24", seconds: 2)

    func run() {
        Stage.run(ViewController(), script: [
            .waitForLine("default", times: 2), .note("dragged"),
            .drag(column: 30, from: 20, to: 10),
            .until { ["common UI", "both UI"].allSatisfy { lab.lines(with: $0, since: "dragged").count >= 4 } }, .note("lifted"), .lift,
            .until { lab.times("rests") == 1 }, .until { lab.lines(with: "default k", since: "rests").count >= 3 },
        ])
    }

    func judge() {
        let tracking = "UITrackingRunLoopMode"
        lab.article.expect(Text("the timer in the default mode rests while the list is dragged", "拖动时，默认 mode 里的 Timer 不响应"), line: "default \(tracking)", times: 0...0, to: "rests")
        lab.article.expect(Text("the timer in both modes goes on", "两个 mode 里的 Timer 照常响应"), line: "both \(tracking)", times: 3...100, from: "dragged", to: "lifted")
        lab.article.expect(Text("the timer in the common modes goes on", "common modes 里的 Timer 照常响应"), line: "common \(tracking)", times: 3...100, from: "dragged", to: "lifted")
        lab.expect(Text("when the list rests, the first timer fires again", "列表停下后，第一个 Timer 恢复"), line: "default kCFRunLoopDefaultMode", times: 1...100, from: "rests")
    }
}
