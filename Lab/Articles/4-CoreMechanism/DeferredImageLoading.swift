// Article 4, 〈实现图片的延迟加载〉: 4.16.
//
// A list of images is scrolled twice. What to see: images are loaded when the list rests, once each, and only for the cells that are visible.

import SwiftRunLoop

// MARK: - The listing

private final class MyImageCell: UITableViewCell {
    init(row: Int) {
        super.init(row: row, imageView: UIImageView { _ in })
        lab.observe("made", value: Double(row))
    }

    /// Loads the image unless it is there.
    func loadImage() {
        if imageView.image != nil { return }
        imageView.setImage("image \(row)")
        NSLog("加载图片 \(row)")
        lab.observe("loadImage", value: Double(row))
    }
}

private final class ViewController: UIViewController, UIScrollViewDelegate, @unchecked Sendable {
    private var tableView: UITableView!

    override func viewDidLoad() {
        super.viewDidLoad()
        tableView = UITableView("list", columns: 1...60, rows: 1...24, numberOfRows: 50, rowHeight: 4) { MyImageCell(row: $0) }
        tableView.delegate = self
        view.subviews = [tableView]
    }

    func scrollViewDidScroll(_ scrollView: UIScrollView) { lab.observe("scrolls") }

    func scrollViewDidEndDecelerating(_ scrollView: UIScrollView) {
        lab.observe("end", "DidEndDecelerating")
        loadVisibleImages()
    }

    func scrollViewDidEndDragging(_ scrollView: UIScrollView, willDecelerate decelerate: Bool) {
        lab.observe("end", "DidEndDragging" + (decelerate ? " decelerate" : ""))
        if !decelerate {
            loadVisibleImages()
        }
    }

    private func loadVisibleImages() {
        let visibleCells = tableView.visibleCells
        for cell in visibleCells {
            lab.observe("visible", value: Double(cell.row))
            if let imageCell = cell as? MyImageCell {
                imageCell.loadImage()
            }
        }
        tableView.decelerates = false // the second time the user stops before lifting the finger
        lab.note("rests")
    }
}

// MARK: - Telling and judging

struct DeferredImageLoading: Program {
    let about = About(article: "4.16", seconds: 1)

    func run() {
        Stage.run(ViewController(), script: [
            .drag(column: 30, from: 20, to: 4), .lift, .until { lab.times("rests") == 1 },
            .other { lab.observe("next") }, .drag(column: 30, from: 20, to: 10), .lift, .until { lab.times("rests") == 2 },
        ])
    }

    func judge() {
        let ends = "end", loads = "loadImage"
        lab.article.expect(Text("both ends are reported", "两种结束方式都有通知"), of: ends,
                   is: ["DidEndDragging decelerate", "DidEndDecelerating", "DidEndDragging"]) { $0.map(\.detail) }
        lab.article.expect(Text("images are loaded at an end only: those that are loaded while scrolling", "只在停下时加载：滚动时加载的图片数"), of: ends, loads, "scrolls", is: 0) { events in
            zip(events, events.dropFirst()).count { $1.name == loads && ($0.name == "scrolls" || $0.detail == "DidEndDragging decelerate") }
        }
        lab.article.expect(Text("the visible cells load theirs, once each", "可见的 cell 各加载一次"), of: loads, is: Set(lab.events.values(of: "visible")).sorted()) { $0.values.sorted() }
        lab.article.expect(Text("a cell that passed by loads none: what becomes of row 0", "滚过的 cell 不加载：第 0 行发生了什么"), of: loads, "made", is: ["made"]) {
            $0.filter { $0.value == 0 }.map(\.name)
        }
        lab.expect(Text("nothing is loaded before the first end", "第一次停下之前什么也不加载"), of: loads, "next", is: loads) { $0.first?.name ?? "" }
    }
}
