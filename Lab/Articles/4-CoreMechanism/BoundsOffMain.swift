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
    let about = About(
        name: "4.24", title: Text("A view's bounds are read on a global queue, while the main thread resizes the view", "在全局队列里读 self.bounds，同时主线程改变 view 的大小"),
        says: Text("On a global queue, an image context is made with self.bounds.size; what is drawn there becomes the layer's contents on the main queue.",
                   "在全局队列里用 self.bounds.size 创建图形上下文，绘制完成后回到主队列设置 layer.contents。"),
        notice: Text("""
            A view may be used on the main thread alone, and reading counts: here the main thread resizes the view in between, and the picture has a size that nobody asked \
            for. On a Mac, Xcode's Main Thread Checker stops at this line. Cured, the size is read on the main thread before the work is handed over, and goes with it. \
            (4.18 is the same listing with a size of its own.)
            """, "view 只能在主线程使用，读也算：这里主线程在中途改变了 view 的大小，画出来的图就不是要求的大小。在 Mac 上，Xcode 的 Main Thread Checker 会停在这一行。改正后的写法先在主线程读出大小，再交给队列。（4.18 是同一段代码，用的是固定的大小。）"),
        verdict: .otherwise, seconds: 0.1, isPair: true)

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
