// Article 0, 〈一个小测试〉, 〈图中标识的perform事件源〉: 0.40, 0.41.
//
// The same perform, on the main thread while it tracks; it prints the loop. What to see: how often it prints, and where the perform's source is.

import SwiftRunLoop

// MARK: - The listing

private final class ViewController: UIViewController, UIScrollViewDelegate, @unchecked Sendable {
    private var runLoopMode = NSRunLoop.Mode.default // of the main thread alone
    private var printedBefore: LoopPrint?
    private var prints = 0

    override func viewDidLoad() {
        super.viewDidLoad()
        let myTextView = UIScrollView("myTextView", columns: 1...60, rows: 1...24, contentHeight: 200)
        myTextView.decelerates = false
        myTextView.delegate = self
        view.subviews = [myTextView]
        printedBefore = LoopPrint(NSRunLoop.current)
    }

    func changeSubThreadRunLoopMode(_ mode: NSRunLoop.Mode) {
        lab.callout(.source0, "printed")
        NSLog("当前线程:\(NSThread.current) RunLoop即将将Mode改变成:\(mode.rawValue)")
        let lines = "\(NSRunLoop.current)".split(separator: "\n")
        prints += 1
        NSLog(prints == 1 ? lines.joined(separator: "\n") : "\(lines[0]) ……（\(lines.count)行，与第一次打印相同）")
        if let before = printedBefore {
            // what is new since before the perform
            for line in LoopPrint(NSRunLoop.current).marked(against: before) where line.mark == "+" && line.text.contains("__NSThreadPerformPerform") {
                NSLog("+ \(line.place): __NSThreadPerformPerform")
            }
            printedBefore = nil
        }
        lab.observe("modes of the perform", MainThreadInTracking.modesOfPerform(LoopPrint(NSRunLoop.current)))
        if form == .cured { runLoopMode = mode }
    }

    func scrollViewDidScroll(_ scrollView: UIScrollView) {
        lab.observe("scrollViewDidScroll")
        if runLoopMode != .tracking {
            try? performOnMainThread(ViewController.changeSubThreadRunLoopMode, with: .tracking, waitUntilDone: false)
        }
    }

    func scrollViewDidEndDragging(_ scrollView: UIScrollView, willDecelerate decelerate: Bool) { lab.observe("ended") }
}

// MARK: - Telling and judging

struct MainThreadInTracking: Program {
    let about = About(article: "0.40", seconds: 0.5, isPair: true)

    func run() {
        lab.onThread("subThread") {
            let thread = NSThread.current
            try? Thread.perform(on: thread, waitUntilDone: false) {}
            lab.observe("modes of the perform, subThread", Self.modesOfPerform(LoopPrint(NSRunLoop.current)))
        }
        Stage.run(ViewController(), script: [
            .drag(column: 30, from: 20, to: 15), .lift, .until { lab.times("ended") == 1 && lab.times("printed") == (form == .cured ? 1 : lab.times("scrollViewDidScroll")) },
        ])
    }

    /// The modes in which a printed loop has the source of the performs.
    fileprivate static func modesOfPerform(_ print: LoopPrint) -> String {
        print.modes(where: "sources0", has: "__NSThreadPerformPerform").joined(separator: ", ")
    }

    func judge() {
        let both = "UITrackingRunLoopMode, kCFRunLoopDefaultMode", scrolled = "scrollViewDidScroll", printed = "printed"
        func ratio(_ claimant: some Claimant, _ claim: Text, _ expected: String, _ times: @escaping @Sendable (Int) -> Int) {
            claimant.judge(claim, expected, looksAt: [scrolled, printed]) { events in
                let (scrolls, prints) = (events.count { $0.name == scrolled }, events.count { $0.name == printed })
                return (scrolls >= 3 && scrolls <= 8 && prints == times(scrolls), "\(prints) / \(scrolls)")
            }
        }
        lab.article.expect(Text("the main thread performs it in the tracking mode", "主线程在 tracking mode 下执行"), each: "printed", \.mode, is: "tracking")
        lab.article.expect(Text("its source is in the two common modes", "事件源在两个 common mode 里"), of: "modes of the perform", is: [both]) { Array(Set($0.map(\.detail))) }
        lab.article.expectFound(Text("on a secondary thread it is in the default mode alone", "子线程上只在默认 mode 里"), of: "modes of the perform, subThread", ["kCFRunLoopDefaultMode"])
        lab.article.expect(Text("compared with the print before, it is new in both, and among the common mode items", "与之前的打印对比，它是新增的：两个 mode 里都有，common mode items 里也有"), of: linesLogged,
                   is: ["+ UITrackingRunLoopMode sources0: __NSThreadPerformPerform", "+ common mode items: __NSThreadPerformPerform", "+ kCFRunLoopDefaultMode sources0: __NSThreadPerformPerform"]) {
            $0.map(\.detail).filter { $0.hasPrefix("+ ") }.sorted()
        }
        ratio(lab.article, Text("it prints once (prints / scroll events)", "打印一次（打印次数 / 滑动事件数）"), "1 / n") { _ in 1 }
        if form == .asWritten { ratio(lab, Text("it prints for each scroll event", "每个滑动事件都打印"), "n / n") { $0 } } else { ratio(lab, Text("it prints once", "只打印一次"), "1 / n") { _ in 1 } }
        lab.expect(Text("a Source0 calls it", "由 Source0 调用"), each: "printed", \.kind, is: "Source0")
    }
}
