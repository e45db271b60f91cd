// Article 3, 〈界面刷新〉: 3.22.
//
// A touch marks a view three times. What to see: nothing is laid out or drawn before the loop is about to sleep, and then once.

import SwiftRunLoop

// MARK: - The listing

private final class ViewController: UIViewController, @unchecked Sendable {
    private let picture = PictureView("the picture", columns: 1...1, rows: 1...1)

    override func viewDidLoad() {
        super.viewDidLoad()
        view.subviews = [picture]
    }

    override func touchesBegan(_ touch: Touch) {
        for _ in 1...3 {
            NSLog("setNeedsLayout")
            picture.setNeedsLayout()
            NSLog("setNeedsDisplay")
            picture.setNeedsDisplay()
        }
        let touches = lab.callout(.source0, "marked")
        NSLog("touchesBegan结束")
        if touches == 2 { RunLoop.current.stop() }
    }
}

private final class PictureView: UIView {
    private var times = 0

    override func layoutSubviews() { NSLog("layoutSubviews") }

    override func draw() {
        times += 1
        NSLog("drawRect")
        layer.contents = ["第\(times)次"]
    }
}

// MARK: - Telling and judging

struct Refresh: Program {
    let about = About(article: "3.22", seconds: 0.2)

    func run() {
        LayerTransaction.current.begin { layers, activity in
            lab.activity(activity, "commit")
            NSLog("更新界面 (\(activity)): \(layers.flatMap(\.contents).joined())")
        }
        Stage.run(ViewController(), script: [.tap(column: 5, row: 5), .waitForLine("更新界面", times: 1), .tap(column: 5, row: 5), .waitForLine("更新界面", times: 2)])
        LayerTransaction.current.end()
    }

    func judge() {
        let once = ["setNeedsLayout", "setNeedsDisplay", "touchesBegan结束", "layoutSubviews", "drawRect"]
        lab.article.expect(Text("three marks, then one layout, one drawing and one commit", "标记三次，然后布局、绘制、提交各一次"), lines:
            ["setNeedsLayout", "setNeedsDisplay", "setNeedsLayout", "setNeedsDisplay"] + once + ["更新界面 (BeforeWaiting): 第1次"]
            + ["setNeedsLayout", "setNeedsDisplay", "setNeedsLayout", "setNeedsDisplay"] + once + ["更新界面 (Exit): 第2次"])
        lab.article.expect(Text("the observer commits at BeforeWaiting, or at Exit", "Observer 在 BeforeWaiting 或 Exit 时提交"), of: "commit",
                   is: ["BeforeWaiting", "Exit"]) { $0.map(\.kind) }
        lab.expect(Text("the marks are made in the Source0's callback", "标记在 Source0 的回调里完成"), each: "marked", \.kind, is: "Source0")
    }
}
