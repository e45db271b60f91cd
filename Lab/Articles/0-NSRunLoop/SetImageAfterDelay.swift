// Article 0, 〈有个比较经典的用法〉: 0.28; the same in 3.27, and with another delay in 2.16.
//
// setImage: is performed after a delay of 0, in the default mode, while the user drags the table. What to see: when the image is shown.

import SwiftRunLoop

// MARK: - The listing

private final class ViewController: UIViewController, UIScrollViewDelegate, @unchecked Sendable {
    private var hasAsked = false

    override func viewDidLoad() {
        super.viewDidLoad()
        let tableView = UITableView("table", columns: 1...60, rows: 1...24, numberOfRows: 200, rowHeight: 2) { [lab] row in
            UITableViewCell(row: row, imageView: UIImageView { image in
                lab.callout(.timer, "\(image) image")
                NSLog("\(image): 设置图片，当前RunLoopMode:\(NSRunLoop.current.currentMode!.rawValue)")
            })
        }
        tableView.delegate = self
        view.subviews = [tableView]
    }

    func scrollViewDidScroll(_ scrollView: UIScrollView) {
        // The first call still comes in the default mode: the drag begins in a pass that then ends.
        guard !hasAsked, NSRunLoop.current.currentMode == .tracking, let cells = (scrollView as? UITableView)?.visibleCells else { return }
        hasAsked = true
        lab.note("dragged")
        cells[0].imageView.perform(UIImageView.setImage, with: "default", afterDelay: 0, inModes: [.default])
        cells[1].imageView.perform(UIImageView.setImage, with: "common", afterDelay: 0, inModes: [.common])
    }

    func scrollViewDidEndDecelerating(_ scrollView: UIScrollView) { lab.note("rests") }
}

// MARK: - Telling and judging

struct SetImageAfterDelay: Program {
    let about = About(article: "0.28", seconds: 1)

    func run() {
        Stage.run(ViewController(), script: [
            .drag(column: 30, from: 20, to: 15), .waitForLine("common: 设置图片"), .wait(seconds: 0.1), .note("lifted"), .lift,
            .until { lab.times("rests") == 1 }, .waitForLine("default: 设置图片"),
        ])
    }

    func judge() {
        lab.article.expect(Text("in the default mode, the image waits until the table has stopped", "默认 mode：停下之后才设置图片"), order: ["lifted", "rests", "default image"])
        lab.expect(Text("in the common modes, it is set during the drag", "common modes：拖动时就设置"), order: ["dragged", "common image", "lifted"])
        lab.expect(Text("a timer sets it", "由 Timer 设置"), each: "default image", \.step, is: "9.1")
        lab.expect(Text("in the mode that was asked for", "在指定的 mode 里"), each: "default image", \.mode, is: "default")
    }
}
