// Article 3, 〈手势识别〉: 3.24.
//
// A view with a gesture recogniser is dragged. What to see: the touch is cancelled, and the gesture's action comes when the loop is about to sleep.

import SwiftRunLoop

// MARK: - The listing

private final class ViewController: UIViewController, @unchecked Sendable {
    override func viewDidLoad() {
        super.viewDidLoad()
        let picture = Touched("the picture", columns: 1...20, rows: 1...20)
        func gesture(_ kind: GestureRecognizer.Kind) -> GestureRecognizer {
            GestureRecognizer(kind) { [lab] state in
                lab.callout(.observer, "gesture")
                NSLog("\(kind) \(state)")
            }
        }
        picture.gestures = [gesture(.tap), gesture(.pan)]
        view.subviews = [picture]
        lab.watch(.main, .common, .afterWaiting)
    }
}

private final class Touched: UIView {
    override func touchesBegan(_ touch: Touch) { NSLog("touchesBegan") }
    override func touchesMoved(_ touch: Touch) { NSLog("touchesMoved") }
    override func touchesEnded(_ touch: Touch) { NSLog("touchesEnded") }
    override func touchesCancelled(_ touch: Touch) {
        lab.observe("cancelled")
        NSLog("touchesCancelled")
    }
}

// MARK: - Telling and judging

struct GestureIsRecognised: Program {
    let about = About(article: "3.24", seconds: 0.2)

    func run() {
        Stage.run(ViewController(), script: [.drag(column: 5, from: 5, to: 3), .lift, .tap(column: 5, row: 5)])
    }

    func judge() {
        lab.article.expect(Text("the drag cancels the touch, and its action comes afterwards", "拖动打断触摸，然后执行手势的回调"), lines: [
            "touchesBegan", "touchesCancelled", "pan began", "pan changed", "pan ended", "touchesBegan", "touchesEnded", "tap ended",
        ])
        lab.article.expect(Text("an observer calls the actions, in step 6", "由 Observer 在第 6 步执行手势的回调"), of: "gesture",
                   is: ["observer 6", "observer 6", "observer 6", "observer 6"]) { $0.map { "\($0.kind) \($0.step)" } }
        lab.expect(Text("the loop does not sleep between the two", "二者之间 RunLoop 没有休眠"), order: ["cancelled", "gesture"],
                   from: "cancelled", to: "gesture", among: ["AfterWaiting"])
    }
}
