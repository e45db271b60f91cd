// Article 4, 〈3.3 UI渲染与RunLoop关系〉: 4.17.
//
// Layers are changed, committed by the main loop, and shown by a display that has its own rhythm. What to see: no display link takes part.

import CRunLoop
import Glibc
import SwiftRunLoop
import Synchronization

// MARK: - The listing

/// What the render server does, as far as a thread can stand for it: at each tick, it shows what it has received.
private final class RenderServer: Sendable {
    private let received = Mutex<[String]>([]), stopped = Atomic(false)

    init() {
        _ = lab.startThread("render server") { [self] in
            var tick = 0
            while !stopped.load(ordering: .relaxed) {
                usleep(16_667)
                tick += 1
                let pictures = received.withLock { pictures in
                    defer { pictures = [] }
                    return pictures
                }
                if pictures.isEmpty { continue }
                NSLog("显示 \(pictures.joined(separator: " "))")
                lab.observe("shown", pictures.joined(separator: " "), value: Double(tick))
                NSRunLoop.main.stop() // the next change
            }
        }
    }

    func receive(_ pictures: [String]) { received.withLock { $0 = pictures } }
    func stop() { stopped.store(true, ordering: .relaxed) }
}

// MARK: - Telling and judging

struct CommitAndDisplay: Program {
    let about = About(article: "4.17", seconds: 0.3)

    private static let changes = 3

    func run() {
        let server = RenderServer()
        LayerTransaction.current.begin { layers, activity in
            let pictures = layers.map { $0.contents.joined() }
            lab.activity(activity, "commit", pictures.joined(separator: " "))
            NSLog("提交 \(pictures.joined(separator: " "))")
            server.receive(pictures)
        }
        nonisolated(unsafe) let one = Layer(), other = Layer() // on the main thread alone
        lab.observe("timers in the loop", value: CFRunLoopGetNextTimerFireDate(CFRunLoopGetMain(), kCFRunLoopDefaultMode) == 0 ? 0 : 1)
        for number in 1...Self.changes {
            NSRunLoop.main.perform(afterDelay: 0) {
                one.contents = ["draft"]
                one.contents = ["a\(number)"]
                other.contents = ["b\(number)"]
                lab.callout(.timer, "change", "a\(number) b\(number)")
            }
            while lab.times("shown") < number { NSRunLoop.main.runUntilStopped() }
        }
        server.stop()
        LayerTransaction.current.end()
    }

    func judge() {
        let change = "change", commit = "commit", shown = "shown"
        lab.article.expect(Text("a display link is registered in the loop: the number of timers", "RunLoop 里注册了 CADisplayLink：Timer 的个数"), of: "timers in the loop", is: [1]) { $0.values }
        lab.article.expect(Text("all changes are committed together, and shown at a frame after that", "所有改动一起提交，在之后的一帧显示"),
                   order: Array(repeating: [change, commit, shown], count: Self.changes).flatMap { $0 })
        lab.article.expect(Text("the commit is at BeforeWaiting", "在 BeforeWaiting 时提交"), each: commit, \.kind, is: "BeforeWaiting")
        lab.expect(Text("the loop has no timer: no display link", "RunLoop 里没有 Timer，也就没有 CADisplayLink"), of: "timers in the loop", is: [0]) { $0.values }
        lab.expectFound(Text("what is shown is the last contents of both layers", "显示的是两个 layer 最后的内容"), of: shown, (1...Self.changes).map { "a\($0) b\($0)" })
        lab.expect(Text("another thread shows it", "由另一个线程显示"), each: shown, \.thread, is: "render server")
    }
}
