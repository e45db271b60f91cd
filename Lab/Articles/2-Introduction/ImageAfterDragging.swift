// Article 2, 〈2、ImageView〉: 2.16; 〈题外话〉: 2.24. The first way is left to the reader there; 1.31 and 3.27 have the second way, too.
//
// An image that arrives while a list is dragged, shown in two ways. What to see: both wait until the list rests.

import SwiftRunLoop

// MARK: - The listing

private final class ViewController: UIViewController, UIScrollViewDelegate, @unchecked Sendable {
    private var imageView1: UIImageView!, imageView2: UIImageView!, imageView3: UIImageView!
    private var waiting: String?

    override func viewDidLoad() {
        super.viewDidLoad()
        let list = UIScrollView("list", columns: 1...60, rows: 1...24, contentHeight: 200)
        list.delegate = self
        view.subviews = [list]
        func imageView(_ name: String) -> UIImageView {
            UIImageView { [lab] image in
                lab.callout(.timer, name)
                NSLog("\(name): \(image)")
            }
        }
        (imageView1, imageView2, imageView3) = (imageView("方法1"), imageView("方法2"), imageView("common"))
    }

    func scrollViewWillBeginDragging(_ scrollView: UIScrollView) {
        lab.note("dragged")
        // The images arrive while the user drags.
        perform(ViewController.imageArrives, with: "placeholder", afterDelay: shortened(3), inModes: [.common])
        imageView2.perform(UIImageView.setImage, with: "placeholder", afterDelay: shortened(3), inModes: [.default])
        imageView3.perform(UIImageView.setImage, with: "placeholder", afterDelay: shortened(3), inModes: [.common])
    }

    func imageArrives(_ image: String) { waiting = image }

    func scrollViewDidEndDragging(_ scrollView: UIScrollView, willDecelerate decelerate: Bool) {
        if !decelerate { showImage() }
    }

    func scrollViewDidEndDecelerating(_ scrollView: UIScrollView) { showImage() }

    private func showImage() {
        lab.note("rests")
        if let waiting { imageView1.setImage(waiting) }
        waiting = nil
    }
}

// MARK: - Telling and judging

struct ImageAfterDragging: Program {
    let about = About(article: "2.16", seconds: 4)

    func run() {
        Stage.run(ViewController(), script: [
            .drag(column: 30, from: 20, to: 10), .waitForLine("common"), .wait(seconds: 0.1),
            .note("lifted"), .lift, .waitForLine("方法1"), .waitForLine("方法2"),
        ])
    }

    func judge() {
        lab.article.expect(Text("no image of the two ways is shown before the list rests", "两种方法都在列表停下之后才显示图片"),
                   order: ["dragged", "common", "lifted", "rests", "方法1", "方法2"])
        lab.expect(Text("way 2 shows it in the default mode, from a timer", "方法2 在默认 mode 里由 Timer 显示"), of: "方法2", is: ["default timer"]) {
            $0.map { "\($0.mode) \($0.kind)" }
        }
        lab.expect(Text("the delay had passed during the drag", "拖拽期间时间已到"), each: "common", \.mode, is: "tracking")
    }
}
