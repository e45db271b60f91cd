// Article 4, 〈(1) 创建常驻线程〉: 4.10.
//
// A manager of a thread that stays until it is stopped. What to see: the first task is lost, and the manager is never deallocated.

import CRunLoop
import SwiftRunLoop
import Synchronization

// MARK: - The listing

private protocol Manager: AnyObject, Sendable {
    var thread: NSThread { get }
    var isThreadRunning: Bool { get }
    func executeTask(_ task: @escaping @Sendable () -> Void)
    func stop()
}

/// As the article has it. (Its flag is a plain property that two threads use.)
private final class ThreadManager: Manager, Performing, @unchecked Sendable {
    private var made: NSThread!
    var thread: NSThread { made }
    private let threadRunning = Atomic(false)

    var isThreadRunning: Bool { threadRunning.load(ordering: .relaxed) }

    init() {
        made = NSThread(target: self, action: ThreadManager.threadMain) // retains the target until the thread ends
        thread.name = "MyPermanentThread"
        thread.start()
    }

    private func threadMain() {
        autoreleasepool {
            NSThread.current.name = "MyPermanentThread"
            let runLoop = NSRunLoop.current
            runLoop.add(NSMachPort(), forMode: .default)
            threadRunning.store(true, ordering: .relaxed)
            // [runLoop run];
            CFRunLoopRun()
        }
    }

    func executeTask(_ task: @escaping @Sendable () -> Void) {
        if !isThreadRunning { return }
        try? perform(ThreadManager._executeTask, with: task, on: thread, waitUntilDone: false)
    }

    private func _executeTask(_ task: @Sendable () -> Void) { task() }

    func stop() {
        if !isThreadRunning { return }
        try? perform(ThreadManager._stop, on: thread, waitUntilDone: true)
    }

    private func _stop() {
        CFRunLoopStop(CFRunLoopGetCurrent())
        threadRunning.store(false, ordering: .relaxed)
    }

    deinit { stop() }
}

/// The thread holds only its own state (Lab/Designs/KeepAliveThread.swift), so the manager can go, and its thread with it.
private final class CuredManager: Manager, Sendable {
    private let kept = KeepAliveThread(name: "MyPermanentThread")

    var thread: NSThread { kept.thread }
    var isThreadRunning: Bool { thread.isExecuting }

    func executeTask(_ task: @escaping @Sendable () -> Void) { try? kept.perform(task) }

    func stop() { kept.stopAndWait() }
}

// MARK: - Telling and judging

struct ThreadManagers: Program {
    let about = About(article: "4.10", seconds: 0.4, isPair: true)

    private static let managers = 300

    func run() {
        for _ in 1...Self.managers {
            let manager = make(form, lab)
            manager.executeTask { lab.observe("first task") }
            lab.waitUntil { manager.isThreadRunning }
            manager.executeTask { lab.observe("later task") }
            manager.stop()
            lab.waitUntil { manager.thread.isFinished }
            lab.observe("finished after stop")
        }
        let lost = Self.managers - lab.times("first task")
        NSLog("\(Self.managers)个任务, 丢失\(lost)个")

        weak var forgotten: (any Manager)?
        nonisolated(unsafe) var thread: NSThread?
        do {
            let manager = make(form, lab)
            lab.waitUntil { manager.isThreadRunning }
            (forgotten, thread) = (manager, manager.thread)
        }
        switch form {
        case .asWritten: Thread.sleep(forTimeInterval: lab.wait(0.1)) // in which nothing goes
        case .cured: lab.waitUntil { thread?.isFinished == true }
        }
        lab.observe("the forgotten manager", forgotten == nil ? "deallocated" : "still there")
        lab.observe("its thread", thread?.isFinished == true ? "ended" : "still there")
        NSLog("没有stop: \(forgotten == nil ? "dealloc" : "没有dealloc")")
    }

    private func make(_ form: Form, _ lab: Lab) -> any Manager {
        switch form {
        case .asWritten: ThreadManager()
        case .cured: CuredManager()
        }
    }

    func judge() {
        let all = Self.managers
        let claimant: any Claimant = form == .cured ? lab : lab.article
        claimant.expect(Text("a task that comes at once is performed", "立即到来的任务会执行"), "first task", times: all)
        claimant.expect(Text("tasks are performed once the thread runs", "线程运行后，任务都会执行"), "later task", times: all)
        claimant.expect(Text("stop ends the thread", "stop 结束线程"), "finished after stop", times: all)
        claimant.expectFound(Text("without stop, the manager is deallocated", "没有 stop，manager 会 dealloc"), of: "the forgotten manager", ["deallocated"])
        claimant.expectFound(Text("and its thread ends", "线程随之结束"), of: "its thread", ["ended"])
        if form == .cured { return }
        let claim = Text("first tasks were lost", "第一个任务丢失了")
        lab.expectCount(claim, of: "first task", isIn: 1...all, unit: Text("lost", "个丢失")) { all - $0.count }
        lab.expectFound(Text("the thread retains the manager", "线程持有 manager"), of: "the forgotten manager", ["still there"])
    }
}
