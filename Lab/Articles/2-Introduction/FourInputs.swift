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
    let about = About(
        name: "2.18", title: Text("A thread with a port, an observer, a timer or a source in its loop", "子线程的 RunLoop 里放端口、Observer、Timer 或 Source"),
        says: Text("There are four ways to make a thread permanent: createRunloopByNormal, createRunloopByCFObserver, createRunloopByCFTimer, createRunloopByCFSource.",
                   "让线程常驻有四种写法：createRunloopByNormal、createRunloopByCFObserver、createRunloopByCFTimer、createRunloopByCFSource。"),
        notice: Text("""
            An observer does not keep a loop running: a mode with observers alone counts as empty, because an observer never wakes a loop. A timer \
            keeps it until it has fired for the last time. (The listing names four methods and then shows another one, run: started as printed, it \
            ends with an unknown selector.)
            """, "Observer 不能让 RunLoop 持续运行：只有 Observer 的 mode 算空的，因为 Observer 唤醒不了 RunLoop。Timer 只能维持到它最后一次触发。（文章列了这四个方法名，后面给出的方法却叫 run：照抄会因为找不到 selector 而崩溃。）"),
        verdict: .otherwise, seconds: 0.3)

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
