// Article 1, 〈线程保活〉: 1.34; 〈线程是否销毁和页面的销毁没有任何关系〉: 1.35.
//
// A page keeps a thread, which it stops by a button. What to see: a page that goes without stopping leaves its thread behind for ever, even if it
// stops it in dealloc: the flag is the page's, and !nil.stopped is true.

import CRunLoop
import SwiftRunLoop
import Synchronization

// MARK: - The listing

/// The flag of the cured form, which the thread holds.
private final class Flag: Sendable {
    let stopped = Atomic<Bool>(false)
}

private final class ViewController: UIViewController, @unchecked Sendable {
    private let flag = Flag()
    nonisolated(unsafe) private var thread: NSThread?
    nonisolated(unsafe) private var stopped = false
    let begun = Counter()
    var stopsInDealloc = false

    var isBegun: Bool { begun.value > 0 }

    override func viewDidLoad() {
        super.viewDidLoad()

        let button = UIButton("执行任务", columns: 100...200, rows: 2...2)
        button.addTarget(self, action: ViewController.pressPrint)
        let stopButton = UIButton("停止RunLoop", columns: 100...200, rows: 4...4)
        stopButton.addTarget(self, action: ViewController.pressStop)
        view.subviews = [button, stopButton]

        stopped = false
        // weak, so that page and thread do not hold each other
        thread = NSThread { [weak weakSelf = self, flag, begun] in
            threads.withLock { $0.append(NSThread.current) }
            if weakSelf?.stopsInDealloc == false { NSLog("Thread---begin") }
            NSRunLoop.current.add(NSMachPort(), forMode: .default)
            begun.add()
            if form == .asWritten {
                while !(weakSelf?.stopped ?? false) { NSRunLoop.current.run(mode: .default, before: .distantFuture) }
            } else {
                while !flag.stopped.load(ordering: .relaxed) { NSRunLoop.current.run(mode: .default, before: .distantFuture) }
            }
            if weakSelf != nil { NSLog("Thread---end") }
        }
        thread?.start()
    }

    func pressPrint() {
        if let thread { try? perform(ViewController.print, on: thread, waitUntilDone: false) }
    }

    func print() { NSLog("print, \(NSThread.current)") }

    func pressStop() {
        if !stopped, let thread { try? perform(ViewController.stop, on: thread, waitUntilDone: true) }
    }

    func stop() {
        stopped = true
        flag.stopped.store(true, ordering: .relaxed)
        // 停止runloop
        CFRunLoopStop(CFRunLoopGetCurrent())
        NSLog("stop, \(NSThread.current)")
        thread = nil
    }

    /// What is left of calling stop here: nothing of self may be handed to another thread any more.
    private func stopInDealloc() {
        stopped = true
        if form == .cured { flag.stopped.store(true, ordering: .relaxed) }
        if let thread { try? Thread.perform(on: thread, waitUntilDone: true) { CFRunLoopStop(CFRunLoopGetCurrent()) } }
        thread = nil
    }

    deinit {
        if stopsInDealloc { stopInDealloc() }
        NSLog("dealloc")
    }
}

// MARK: - Telling and judging

struct KeptAlive: Program {
    let about = About(article: "1.34", seconds: 0.6, isPair: true)

    func run() {
        Stage.run(ViewController(), script: [
            .waitForLine("Thread---begin"), .tap(column: 150, row: 2), .waitForLine("print,"),
            .tap(column: 150, row: 4), .waitForLine("Thread---end"), .note("the page goes"),
        ])
        lab.waitForLine("dealloc")
        lab.note("ten pages")
        for _ in 1...10 {
            autoreleasepool {
                let page = ViewController()
                page.stopsInDealloc = true
                page.viewDidLoad()
                lab.waitUntil { page.isBegun }
            }
        }
        lab.waitUntil { lab.lines(with: "dealloc").count == 11 }
        // A thread that is left makes a call; one that ends, ends the wait for it.
        let left = threads.withLock { $0 }.filter { (try? Thread.perform(on: $0, waitUntilDone: true) {}) != nil }
        lab.observe("threads left of ten pages", value: Double(left.count))
        lab.observe("pages deallocated", value: Double(lab.lines(with: "dealloc").count - 1))
    }

    func judge() {
        let claimant: any Claimant = form == .cured ? lab : lab.article
        claimant.expect(Text("while the page lives: begin, print, stop, end, dealloc, all on one thread", "页面还在时：begin、print、stop、end、dealloc，都在同一条线程"),
                        linesOfOneThread: ["Thread---begin", "print, ", "stop, ", "Thread---end", "dealloc"], to: "ten pages")
        if form == .cured {
            lab.expect(Text("ten pages go, and no thread is left", "十个页面销毁后，没有线程留下"), of: "threads left of ten pages", "pages deallocated", is: [0, 10]) { $0.values }
            return
        }
        lab.article.expect(Text("a page that stops its thread when it is destroyed leaves none", "销毁页面时再 stop 一次，线程就不会留下"),
                   of: "threads left of ten pages", is: [0]) { $0.values }
        lab.expect(Text("ten pages have gone, and their ten threads are left", "十个页面销毁了，十条线程留了下来"),
                   of: "threads left of ten pages", "pages deallocated", is: [10, 10]) { $0.values }
    }
}

private let threads = Mutex<[NSThread]>([])
