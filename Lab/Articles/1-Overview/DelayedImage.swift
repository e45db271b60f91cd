// Article 1, 〈ImageView延迟显示〉: 1.31; with another delay in 0.28.
//
// An image is set after a delay, in the default mode. What to see: due while the list is dragged, it is shown when the list rests.

import SwiftRunLoop

// MARK: - The listing

private final class ViewController: UIViewController, UIScrollViewDelegate, @unchecked Sendable {
    private let imageView = UIImageView { lab.callout(.timer, $0); NSLog($0) }

    override func viewDidLoad() {
        super.viewDidLoad()
        let table = UITableView("table", columns: 1...60, rows: 1...24, numberOfRows: 100, rowHeight: 2) { row in
            UITableViewCell(row: row, imageView: UIImageView { _ in })
        }
        table.delegate = self
        view.subviews = [table]
    }

    func scrollViewWillBeginDragging(_ scrollView: UIScrollView) {
        lab.note("dragged")
        imageView.perform(UIImageView.setImage, with: "imgName.png", afterDelay: shortened(3), inModes: [.default])
        imageView.perform(UIImageView.setImage, with: "common.png", afterDelay: shortened(3), inModes: [.common])
    }

    func scrollViewDidEndDecelerating(_ scrollView: UIScrollView) { lab.note("rests") }
}

// MARK: - Telling and judging

struct DelayedImage: Program {
    let about = About(
        name: "1.31", title: Text("An image is set after a delay, in the default mode alone", "延迟设置图片，只在默认 mode 里执行"),
        says: Text("performSelector:withObject:afterDelay:inModes: with the default mode defers the image: it is not shown while the table is dragged, but when the dragging has ended.",
                   "performSelector:withObject:afterDelay:inModes: 只用默认 mode，可以推迟显示图片：滑动时不加载，拖动结束再显示。"),
        notice: Text("""
            The delayed call is a timer of the default mode (step 9.1). It becomes due during the drag and fires when the loop is back in that mode. \
            The one for the common modes, beside it, is shown during the drag.
            """, "延迟调用是默认 mode 里的一个 Timer（第 9.1 步）。它在拖动期间到期，RunLoop 回到默认 mode 时才触发。旁边用 common modes 的那一个在拖动期间就显示了。"),
        verdict: .asTheArticleSays, seconds: 4)

    func run() {
        Stage.run(ViewController(), script: [
            .drag(column: 5, from: 20, to: 10), .waitForLine("common.png"), .wait(seconds: 0.2), .note("lifted"),
            .lift, .waitForLine("imgName.png"),
        ])
    }

    func judge() {
        lab.article.expect(Text("the image is shown when the dragging has ended", "拖动结束后才显示"),
                   order: ["dragged", "lifted", "rests", "imgName.png"], among: [])
        lab.article.expect(Text("in the default mode", "在默认 mode 里"), each: "imgName.png", \.mode, is: "default")
        lab.expect(Text("in the common modes it would have been shown during the drag", "用 common modes 则在拖动期间就显示"),
                   order: ["dragged", "common.png", "lifted"], among: [])
        lab.expect(Text("the delayed call is a timer", "延迟调用是 Timer"), each: "imgName.png", \.step, is: "9.1")
    }
}
