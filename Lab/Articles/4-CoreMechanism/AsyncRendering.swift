// Article 4, 〈setupAsyncRendering〉: 4.18.
//
// A view is drawn on a global queue and its picture is set on the main queue. What to see: the threads, and when it is committed.

import Dispatch
import SwiftRunLoop

// MARK: - The listing

private final class DrawnView: UIView, @unchecked Sendable { // its layer is used on the main thread alone
    func setupAsyncRendering() {
        DispatchQueue.global().async { [self] in
            lab.note("begins to draw")
            lab.waitUntil { lab.times("tick") == 1 }
            let image = [String(repeating: "#", count: 10)]
            NSLog("绘制, 主线程: \(NSThread.isMainThread)")
            lab.note("has drawn")
            DispatchQueue.main.async { [self] in
                NSLog("设置contents, 主线程: \(NSThread.isMainThread)")
                lab.callout(.mainQueue, "contents")
                layer.contents = image
            }
        }
    }
}

// MARK: - Telling and judging

struct AsyncRendering: Program {
    let about = About(article: "4.18", seconds: 0.1)

    func run() {
        LayerTransaction.current.begin { layers, activity in lab.activity(activity, "commit", layers.map { $0.contents.joined() }.joined()) }
        let view = DrawnView("view", columns: 1...10, rows: 1...2)
        let timer = NSTimer(timeInterval: 0.005, repeats: true) { timer in
            if lab.times("begins to draw") == 0 { return }
            lab.callout(.timer, "tick")
            timer.invalidate()
        }
        NSRunLoop.main.add(timer, forMode: .default)
        view.setupAsyncRendering()
        lab.run { lab.times("commit") == 1 }
        LayerTransaction.current.end()
    }

    func judge() {
        lab.article.expect(Text("the main loop is free while the view is drawn", "绘制期间主线程 RunLoop 不受影响"), order: ["begins to draw", "tick", "has drawn"])
        lab.article.expect(Text("it is drawn on a thread of the global queue", "在全局队列的线程上绘制"), each: "has drawn", \.thread, is: "dispatch")
        lab.article.expect(Text("the contents are set on the main thread", "在主线程设置 contents"), each: "contents", \.thread, is: "main")
        lab.expect(Text("the main queue's port calls for it: step 9.2", "由主队列的端口唤起：第 9.2 步"), each: "contents", \.step, is: "9.2")
        lab.expect(Text("and it is committed when the loop is about to sleep", "RunLoop 即将休眠时提交"), order: ["has drawn", "contents", "commit"])
    }
}
