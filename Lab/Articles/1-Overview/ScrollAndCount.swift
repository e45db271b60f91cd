// Article 1, 〈NSTimer在滑动时停止工作的问题〉: 1.19; 〈想要解决这个问题也很简单〉: 1.20. Its first part is 0.24, too.
//
// A count that rests while a view is dragged, and its two cures. What to see: no number is missing, but time is; where the cures differ.

import SwiftRunLoop

// MARK: - The listing

private final class ViewController: UIViewController, UIScrollViewDelegate, @unchecked Sendable {
    private var scr: UIScrollView!

    override func viewDidLoad() {
        super.viewDidLoad()
        scr = UIScrollView("scr", columns: 100...200, rows: 1...20, contentHeight: 60)
        scr.delegate = self
        view.subviews = [scr]

        func count(_ name: String) -> @Sendable (NSTimer) -> Void {
            let count = Counter()
            return { _ in NSLog("\(name) \(count.add())") }
        }
        _ = NSTimer.scheduledTimer(withTimeInterval: shortened(1), repeats: true, block: count("default"))

        let timer = NSTimer(timeInterval: shortened(1), repeats: true, block: count("common"))
        NSRunLoop.current.add(timer, forMode: .common)
        let both = NSTimer(timeInterval: shortened(1), repeats: true, block: count("both"))
        NSRunLoop.current.add(both, forMode: .default)
        NSRunLoop.current.add(both, forMode: .tracking)
        timers = [("common", timer), ("both", both)]
    }

    private var timers: [(String, NSTimer)] = []

    func scrollViewDidEndDecelerating(_ scrollView: UIScrollView) {
        lab.note("rests")
        let late = NSRunLoop.Mode("late")
        NSRunLoop.current.addCommonMode(late)
        for (name, timer) in timers {
            lab.observe("a mode becomes common", "\(name): \(NSRunLoop.current.contains(timer, forMode: late) ? "is in it" : "is not")")
        }
    }
}

// MARK: - Telling and judging

struct ScrollAndCount: Program {
    let about = About(article: "1.19", seconds: 20)

    func run() {
        Stage.run(ViewController(), script: [
            .waitForLine("default", times: 2), .drag(column: 150, from: 14, to: 4), .note("dragged"),
            .until { ["common", "both"].allSatisfy { lab.lines(with: $0, since: "dragged").count >= 4 } }, .note("lifted"), .lift,
            .until { lab.times("rests") == 1 }, .until { lab.lines(with: "default", since: "rests").count >= 2 },
            .until { lab.times("a mode becomes common") == 2 },
        ])
    }

    func judge() {
        func expect(_ claim: Text, _ timer: String, _ times: ClosedRange<Int>) { lab.article.expect(claim, line: "\(timer) ", times: times, from: "dragged", to: "lifted") }
        expect(Text("while the view is dragged, the count of the default mode rests", "拖拽时默认 mode 的计数停止"), "default", 0...0)
        expect(Text("the one in the common modes goes on", "common modes 里的计数继续"), "common", 2...1000)
        expect(Text("the one in both modes goes on", "两个 mode 里的计数继续"), "both", 2...1000)
        lab.expect(Text("no number is missing", "没有漏掉数字"), countIn: "default ", least: 4)
        lab.expectFound(Text("a mode that becomes common later gets the timer of the common modes alone", "之后声明为 common 的 mode 只得到加到 common modes 的 Timer"),
                        of: "a mode becomes common", ["common: is in it", "both: is not"])
    }
}
