// Article 0, 〈一般我们常用的Mode有三种〉: 0.5.
//
// The default mode, the tracking mode, the common modes. What to see: the third is no mode to run in, it is a set of modes.

import CRunLoop
import SwiftRunLoop

// MARK: - The listing

private final class ViewController: UIViewController, @unchecked Sendable {
    override func viewDidLoad() {
        super.viewDidLoad()
        NSLog("启动后 主线程: \(commonModes())")
    }
}

// MARK: - Telling and judging

struct ThreeCommonModes: Program {
    let about = About(article: "0.5", seconds: 0.2)

    func run() {
        NSLog("启动前 主线程: \(commonModes())")
        Stage.run(ViewController(), script: [])
        lab.onThread("subThread") {
            NSLog("子线程: \(commonModes())")
            let timer = NSTimer(timeInterval: 60, repeats: true) { _ in }
            NSRunLoop.current.add(timer, forMode: .common)
            NSLog("① 运行 common modes: \(NSRunLoop.current.run(mode: .common, before: Date(timeIntervalSinceNow: 5)))")
            NSLog("② 默认 mode 里有它: \(NSRunLoop.current.contains(timer, forMode: .default))")
            CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), own.cfName)
            NSLog("③ 自定义 mode 里有它: \(NSRunLoop.current.contains(timer, forMode: own))")
            NSLog("子线程，之后: \(commonModes())")
        }
    }

    func judge() {
        lab.article.expect(Text("on an application's main thread: the default and the tracking mode", "应用的主线程：默认 mode 和 tracking mode"), oneLine: "启动后 主线程: kCFRunLoopDefaultMode, UITrackingRunLoopMode")
        lab.article.expect(Text("on a thread: the default mode alone", "子线程：只有默认 mode"), oneLine: "子线程: kCFRunLoopDefaultMode")
        lab.article.expect(Text("the common modes cannot be run in", "不能以 common modes 运行"), oneLine: "① 运行 common modes: false")
        lab.article.expect(Text("an item for the common modes is in the default mode", "加到 common modes 的事件源在默认 mode 里"), oneLine: "② 默认 mode 里有它: true")
        lab.article.expect(Text("and in a mode that is declared common later", "也在后来标记为 common 的自定义 mode 里"), oneLine: "③ 自定义 mode 里有它: true")
        lab.expect(Text("before an application has started, the main thread's common modes are the default mode alone", "应用启动前，主线程的 common modes 只有默认 mode"), oneLine: "启动前 主线程: kCFRunLoopDefaultMode")
    }
}

private let own = NSRunLoop.Mode("自定义Mode")

/// The common modes of the calling thread's loop: those into which an item for the common modes comes.
private func commonModes() -> String {
    let timer = NSTimer(timeInterval: 60, repeats: true) { _ in }
    NSRunLoop.current.add(timer, forMode: .common)
    defer { timer.invalidate() }
    return [NSRunLoop.Mode.default, .tracking, own].filter { NSRunLoop.current.contains(timer, forMode: $0) }.map(\.rawValue).joined(separator: ", ")
}
