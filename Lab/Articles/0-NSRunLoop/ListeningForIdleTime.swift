// Article 0, 〈4.监听Observer达到一些目的〉: 0.29.
//
// Two known uses of observers: the heights of cells are computed while the interface is idle, and drawing is committed once for many layers.
// What to see: no height while the table is dragged; one commit.

import CRunLoop
import Dispatch
import SwiftRunLoop
import Synchronization

// MARK: - The listing

private let rows = 12, nodes = 5

private final class ViewController: UIViewController, UIScrollViewDelegate, @unchecked Sendable {
    private var heightsToCompute: [Int] = [], heightCache: [Int: Int] = [:]
    private lazy var transactions = TransactionGroup()

    override func viewDidLoad() {
        super.viewDidLoad()
        let tableView = UITableView("table", columns: 1...60, rows: 1...24, numberOfRows: 200, rowHeight: 2) { row in UITableViewCell(row: row, imageView: UIImageView { _ in }) }
        tableView.delegate = self
        view.subviews = [tableView]
    }

    /// New rows arrive during the drag. Their heights are computed when there is time (fd_precacheIfNeeded).
    func scrollViewDidScroll(_ scrollView: UIScrollView) {
        guard lab.times("new rows") == 0 else { return }
        lab.note("new rows")
        heightsToCompute = Array(0..<rows)
        let controller = Unowned(self) // the observer is called on this thread
        let observer = CFRunLoopObserverCreateWithHandler(CFAllocatorGetDefault(), CFRunLoopActivity.beforeWaiting.rawValue, true, 0) { observer, _ in
            guard !controller.object.heightsToCompute.isEmpty else { return CFRunLoopRemoveObserver(CFRunLoopGetCurrent(), observer, kCFRunLoopDefaultMode) }
            let row = controller.object.heightsToCompute.removeFirst()
            try? controller.object.performOnMainThread(ViewController.precacheHeight, with: row, waitUntilDone: false, modes: [.default])
        }
        CFRunLoopAddObserver(CFRunLoopGetMain(), observer, kCFRunLoopDefaultMode)
    }

    func precacheHeight(_ row: Int) {
        heightCache[row] = 2 + row % 3
        lab.callout(.source0, "height", "row \(row)")
    }

    func scrollViewDidEndDecelerating(_ scrollView: UIScrollView) { lab.note("rests") }

    /// Five layers need their contents, in one event.
    override func touchesBegan(_ touch: Touch) {
        for number in 1...nodes { transactions.add("node \(number)") }
    }
}

/// What is to be drawn in this pass, as AsyncDisplayKit's transaction group: an observer of the main loop commits all of it. Each is drawn on
/// another thread; the results are set together on the main thread.
private final class TransactionGroup {
    private var waiting: [String] = []

    init() {
        let group = Unowned(self) // called on this thread
        RunLoop.main.add(RunLoop.Observer(activities: [.beforeWaiting, .exit], order: 2_000_000) { _, _ in group.object.commit() }, forMode: .common)
    }

    func add(_ node: String) { waiting.append(node) }

    private func commit() {
        guard !waiting.isEmpty else { return }
        lab.callout(.observer, "commit", "\(waiting.count) nodes")
        let (nodes, drawings) = (waiting, DispatchGroup()), pictures = Pictures()
        waiting = []
        for node in nodes {
            DispatchQueue.global().async(group: drawings) {
                lab.note("drawn", node)
                pictures.all.withLock { $0.append("[\(node)]") }
            }
        }
        drawings.notify(queue: .main) {
            for picture in pictures.all.withLock({ $0 }) { lab.callout(.mainQueue, "contents", picture) }
        }
    }
}

private final class Pictures: Sendable {
    let all = Mutex<[String]>([])
}

// MARK: - Telling and judging

struct ListeningForIdleTime: Program {
    let about = About(article: "0.29", seconds: 1)

    func run() {
        Stage.run(ViewController(), script: [
            .drag(column: 30, from: 20, to: 15), .wait(seconds: 0.1), .note("lifted"), .lift,
            .until { lab.times("rests") == 1 && lab.times("height") == rows },
            .tap(column: 5, row: 40), .until { lab.times("contents") == nodes },
        ])
    }

    func judge() {
        lab.article.expect(Text("no height is computed while the table is dragged", "拖动时不计算高度"), "height", times: 0, from: "new rows", to: "rests")
        lab.article.expect(Text("all of them afterwards", "之后全部算完"), "height", times: rows, from: "rests")
        lab.article.expect(Text("drawn on other threads", "在子线程绘制"), each: "drawn", \.thread, is: "dispatch")
        lab.article.expect(Text("set on the main thread", "在主线程设置"), each: "contents", \.thread, is: "main")
        lab.expect(Text("each height comes from the loop, as a Source0", "每个高度由 RunLoop 的 Source0 计算"), each: "height", \.kind, is: "Source0")
        lab.expect(Text("one commit for \(nodes) layers", "\(nodes) 个 layer 提交一次"), "commit", times: 1)
        lab.expect(Text("when the loop is about to sleep", "在即将休眠时"), each: "commit", \.step, is: "6")
    }
}
