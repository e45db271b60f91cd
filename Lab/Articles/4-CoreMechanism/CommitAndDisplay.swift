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
    let about = About(
        name: "4.17", title: Text("From a change to the screen: commit at BeforeWaiting, shown at the next frame", "从改动到屏幕：BeforeWaiting 时提交，下一帧显示"),
        says: Text("The screen shows 60 frames a second. The system registers a CADisplayLink in the loop; [CATransaction flush] commits all changes at BeforeWaiting, and the render server shows them at the VSync signal.",
                   "屏幕每秒刷新 60 次，系统会注册一个 CADisplayLink 到 RunLoop。beforeWaiting 阶段调用 [CATransaction flush] 提交所有更新，渲染服务在 VSync 信号到来时渲染。"),
        notice: Text("""
            Changes are committed together by an observer when the loop is about to sleep. No display link is needed for that, and none is in the loop: you add one \
            if you want a call for each frame. The render server is another process with its own rhythm, here a thread that ticks every 16.7 ms; there is no GPU and no \
            VSync signal here.
            """, "改动由 Observer 在 RunLoop 即将休眠时一起提交。这不需要 CADisplayLink，RunLoop 里也没有：想要每帧回调一次，才由自己添加。渲染服务是另一个进程，有自己的节奏，这里用每 16.7 毫秒走一次的线程代替；这里没有 GPU，也没有 VSync 信号。"),
        verdict: .otherwise, seconds: 0.3)

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
