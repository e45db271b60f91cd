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
    let about = About(
        name: "3.24", claims: ["O5"], title: Text("A gesture interrupts a touch, and an observer calls its action", "手势打断触摸回调，由 Observer 执行手势的回调"),
        says: Text("When a gesture is recognised, the series of touches callbacks is cancelled and the recogniser is marked. An observer of BeforeWaiting, _UIGestureRecognizerUpdateObserver, executes the callbacks of all marked recognisers.",
                   "识别到手势时，会调用 Cancel 打断当前的 touchesBegin/Move/End 系列回调，并把 UIGestureRecognizer 标记为待处理；监测 BeforeWaiting 的 Observer（_UIGestureRecognizerUpdateObserver）执行所有被标记的手势的回调。"),
        notice: Text("The touch is cancelled in the callback of the Source0 that handles events; the action follows in the same pass, in step 6. Later moves reach the gesture alone. A tap does not cancel: it is recognised when the finger is lifted.",
                     "触摸在处理事件的 Source0 回调里被取消，手势的回调在同一轮循环的第 6 步执行。之后的移动只传给手势。轻点手势不会打断：手指抬起时才识别出来。"),
        verdict: .asTheArticleSays, seconds: 0.2)

    func run() {
        Stage.run(ViewController(), script: [.drag(column: 5, from: 5, to: 3), .lift, .tap(column: 5, row: 5)])
    }

    func judge() {
        lab.article.expect(Text("the drag cancels the touch, and its action comes afterwards", "拖动打断触摸，然后执行手势的回调"), lines: [
            "touchesBegan", "touchesCancelled", "pan began", "pan changed", "pan ended", "touchesBegan", "touchesEnded", "tap ended",
        ])
        lab.article.expect(Text("an observer calls the actions, in step 6", "由 Observer 在第 6 步执行手势的回调"), of: "gesture",
                   is: ["observer 6", "observer 6", "observer 6", "observer 6"]) { $0.map { "\($0.kind) \($0.step)" } }
        lab.expect(Text("both happen in one pass: the loop does not wait in between", "二者在同一轮循环里：中间没有休眠"), order: ["cancelled", "gesture"],
                   from: "cancelled", to: "gesture", among: ["AfterWaiting"])
    }
}
