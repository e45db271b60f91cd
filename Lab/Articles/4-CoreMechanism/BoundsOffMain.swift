// Article 4, 〈异步绘制〉: 4.24.
//
// A drawing method reads self.bounds on a global queue. What to see: on which thread the size is read, and which size the picture has.

import Dispatch
import SwiftRunLoop

// MARK: - The listing

private final class DrawnView: UIView, @unchecked Sendable { // what the queue reads of it is the article's fault
    /// The width of the view, which belongs to the main thread.
    var bounds: Int {
        lab.note("bounds is read")
        return columns.count
    }

    func setupAsyncRendering() {
        let size = form == .cured ? bounds : nil // cured: read here, where the view may be used
        lab.note("asks for a picture")
        DispatchQueue.global().async { [self] in
            lab.waitUntil { lab.times("the view is resized") == 1 }
            let image = [String(repeating: "#", count: size ?? bounds)]
            DispatchQueue.main.async { [self] in
                layer.contents = image
                NSLog("绘制的宽度: \(image[0].count), 要求绘制时的宽度: 10")
                lab.callout(.mainQueue, "contents", "\(image[0].count)")
            }
        }
    }
}

// MARK: - Telling and judging

struct BoundsOffMain: Program {
    let about = About(article: "4.24", seconds: 0.1, isPair: true)

    func run() {
        let view = DrawnView("view", columns: 1...10, rows: 1...2)
        let timer = NSTimer(timeInterval: 0.01, repeats: false) { [view] _ in
            view.columns = 1...20
            lab.callout(.timer, "the view is resized")
        }
        NSRunLoop.main.add(timer, forMode: .default)
        view.setupAsyncRendering()
        lab.run { lab.times("contents") == 1 }
    }

    func judge() {
        lab.article.expectFound(Text("the picture has the size that the view had when it was asked for", "图的大小就是要求绘制时 view 的大小"), of: "contents", ["10"])
        lab.expect(Text("the size is read on \(form == .cured ? "the main thread" : "a thread of the queue")", "在\(form == .cured ? "主线程" : "队列的线程")读取大小"),
                   each: "bounds is read", \.thread, is: form == .cured ? "main" : "dispatch")
        lab.expect(Text("the contents are set on the main thread", "在主线程设置 contents"), each: "contents", \.thread, is: "main")
    }
}
