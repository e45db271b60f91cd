// Article 2, 〈4.常驻线程(重要)〉: 2.18. The article has the names of four methods; these are the methods.
//
// Four threads, each with another input in its loop. What to see: which of them stay.

import CRunLoop
import SwiftRunLoop

// MARK: - The listing

private final class ViewController: UIViewController, @unchecked Sendable {
    static let methods: [(name: String, method: @Sendable (ViewController) -> () -> Void)] = [
        ("createRunloopByNormal", ViewController.createRunloopByNormal), ("createRunloopByCFObserver", ViewController.createRunloopByCFObserver),
        ("createRunloopByCFTimer", ViewController.createRunloopByCFTimer), ("createRunloopByCFSource", ViewController.createRunloopByCFSource),
        ("createRunloopByCFTimer, OneShot", ViewController.createRunloopByOneShotTimer),
    ]
    private(set) var threads: [NSThread] = []
    let loops = Dictionary(uniqueKeysWithValues: methods.map { ($0.name, OtherLoop()) })
    var pause = 0.0

    override func viewDidLoad() {
        super.viewDidLoad()
        for (name, method) in Self.methods {
            let thread = NSThread(target: self, action: method)
            thread.name = name
            threads.append(thread)
            thread.start()
        }
    }

    private func showLoop() { loops[NSThread.current.name!]!.set() }

    func createRunloopByNormal() {
        NSRunLoop.current.add(NSMachPort(), forMode: .default)
        showLoop()
        NSRunLoop.current.run()
    }

    func createRunloopByCFObserver() {
        let observer = CFRunLoopObserverCreateWithHandler(nil, CFRunLoopActivity.allActivities.rawValue, true, 0) { _, _ in }
        CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, kCFRunLoopDefaultMode)
        showLoop()
        CFRunLoopRun()
    }

    func createRunloopByCFTimer() { runWithTimer(every: 1000) }

    func createRunloopByOneShotTimer() { runWithTimer(every: 0) }

    private func runWithTimer(every interval: Double) {
        let timer = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + pause, interval, 0, 0) { _ in }
        CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, kCFRunLoopDefaultMode)
        showLoop()
        CFRunLoopRun()
    }

    func createRunloopByCFSource() {
        var context = CFRunLoopSourceContext()
        context.perform = { _ in }
        let source = CFRunLoopSourceCreate(nil, 0, &context)
        CFRunLoopAddSource(CFRunLoopGetCurrent(), source, kCFRunLoopDefaultMode)
        showLoop()
        CFRunLoopRun()
    }
}

// MARK: - Telling and judging

struct FourInputs: Program {
    let about = About(article: "2.18", seconds: 0.3)

    func run() {
        let page = ViewController()
        page.pause = lab.wait(0.05)
        page.viewDidLoad()
        for (thread, name) in zip(page.threads, ViewController.methods.map(\.name)) {
            lab.waitUntil { thread.isFinished || page.loops[name]!.isAsleep && !name.contains("OneShot") }
            lab.observe("the thread", "\(name) \(thread.isFinished ? "ends" : "stays")")
            NSLog("\(name): \(thread.isFinished ? "线程结束" : "线程常驻")")
        }
    }

    func judge() {
        let names = ViewController.methods.map(\.name)
        lab.article.expect(Text("all four ways keep the thread", "四种写法都让线程常驻"), of: "the thread", is: names.dropLast().map { "\($0) stays" }) {
            $0.map(\.detail).filter { !$0.contains("OneShot") }
        }
        lab.expect(Text("the observer does not keep the thread, and a timer that has fired for the last time does not either",
                        "Observer 留不住线程，最后一次触发之后的 Timer 也留不住"), of: "the thread",
                   is: zip(names, ["stays", "ends", "stays", "stays", "ends"]).map { "\($0) \($1)" }) { $0.map(\.detail) }
    }
}
