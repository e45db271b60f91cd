// Article 4, 〈3.1 监控卡顿实现机制〉: 4.12, 4.13, 4.14.
//
// A monitor of the main loop, while that sleeps, works for a moment and is stuck. What to see: it takes sleep for a stall.

import CRunLoop
import Dispatch
import Glibc
import RunLoopDiagnostics
import SwiftRunLoop
import Synchronization

// MARK: - The listing

/// As the article has it. (`_monitoring` and `currentActivity` are plain properties there, which two threads use.)
final class APMMonitor: @unchecked Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private var observer: CFRunLoopObserver?
    private let currentActivity = Atomic<UInt>(0)
    private(set) var monitorThread: NSThread?
    private let monitoring = Atomic(false)
    private let threshold: Double
    private let hasAlarmed: @Sendable () -> Void

    init(threshold: Double, hasAlarmed: @escaping @Sendable () -> Void) {
        (self.threshold, self.hasAlarmed) = (threshold, hasAlarmed)
    }

    func startMonitoring() {
        if monitoring.load(ordering: .relaxed) { return }

        var context = CFRunLoopObserverContext()
        context.info = Unmanaged.passUnretained(self).toOpaque()
        observer = CFRunLoopObserverCreate(nil, CFRunLoopActivity.allActivities.rawValue, true, 0, runLoopObserverCallback, &context)
        CFRunLoopAddObserver(CFRunLoopGetMain(), observer, kCFRunLoopCommonModes)

        monitorThread = NSThread(target: self, action: APMMonitor.monitorThreadEntryPoint) // retains the target until the thread ends
        monitorThread?.name = "APM.MonitorThread"
        monitorThread?.start()

        monitoring.store(true, ordering: .relaxed)
    }

    private let runLoopObserverCallback: CFRunLoopObserverCallBack = { observer, activity, info in
        let monitor = Unmanaged<APMMonitor>.fromOpaque(info!).takeUnretainedValue()
        monitor.currentActivity.store(activity.rawValue, ordering: .relaxed)
        monitor.semaphore.signal()
    }

    private func monitorThreadEntryPoint() {
        while monitoring.load(ordering: .relaxed) {
            // no activity for the threshold's time
            if semaphore.wait(timeout: .now() + threshold) == .timedOut {
                // stopMonitoring signals, too
                if !monitoring.load(ordering: .relaxed) { break }
                captureMainThreadBacktrace()
            }
        }
    }

    private func captureMainThreadBacktrace() {
        let backtrace = backtraceOfMainThread()
        hasAlarmed()
        NSLog("检测到卡顿,主线程堆栈信息:\n\(backtrace)")
    }

    private func backtraceOfMainThread() -> String { "堆栈信息获取实现..." }

    func stopMonitoring() {
        if !monitoring.load(ordering: .relaxed) { return }
        monitoring.store(false, ordering: .relaxed)
        if let observer { CFRunLoopRemoveObserver(CFRunLoopGetMain(), observer, kCFRunLoopCommonModes) }
        CFRelease(&observer)
        semaphore.signal()
    }

    deinit { stopMonitoring() }
}

// MARK: - Telling and judging

extension APMMonitor {
    /// A monitor that works: a thread that is quicker than `startMonitoring` sees NO and ends at once.
    static func started(threshold: Double, hasAlarmed: @escaping @Sendable () -> Void) -> APMMonitor {
        while true {
            let monitor = APMMonitor(threshold: threshold, hasAlarmed: hasAlarmed)
            monitor.startMonitoring()
            usleep(20_000)
            if monitor.monitorThread?.isFinished == false { return monitor }
            monitor.stopMonitoring()
        }
    }
}

struct StallAlarm: Program {
    let about = About(article: "4.12", seconds: 2.5, isPair: true)

    func run() {
        let threshold = 0.2
        let stop = form == .asWritten ? monitorAsWritten(threshold) : monitorCured(threshold)
        lab.note("sleep")
        NSRunLoop.main.run(until: Date(timeIntervalSinceNow: 7.5 * threshold))
        lab.note("sleep over")
        lab.inCallback("short work") { decodeImage(for: threshold / 10) { true } }
        let before = lab.times("alarm")
        lab.inCallback("stall") { decodeImage(for: 2.5 * threshold) { lab.times("alarm") > before + (form == .asWritten ? 1 : 0) } }
        if form == .cured { lab.waitUntil { lab.times("frames") == 1 } }
        stop()
    }

    /// Returns what stops the monitor.
    private func monitorAsWritten(_ threshold: Double) -> () -> Void {
        weak let held = APMMonitor.started(threshold: threshold) { lab.note("alarm") }
        return {
            lab.observe("the released monitor", held == nil ? "deallocated" : "still there")
            held?.stopMonitoring()
        }
    }

    private func monitorCured(_ threshold: Double) -> () -> Void {
        let monitor = StallWatch(threshold: threshold, log: false) { stall in
            lab.note("alarm")
            let start = stall.functions.firstIndex { $0.hasPrefix("decodeImage") } ?? 0
            NSLog("检测到卡顿,主线程堆栈信息:\n" + stall.functions[start...].map { "    \($0)" }.joined(separator: "\n"))
            lab.observe("frames", stall.functions.joined(separator: stackSeparator))
        }
        monitor.start()
        return { monitor.stop() }
    }

    func judge() {
        let alarm = "alarm", claimant: any Claimant = form == .cured ? lab : lab.article
        claimant.expect(Text("no alarm while the loop sleeps", "RunLoop 休眠时不报警"), alarm, times: 0, from: "sleep", to: "sleep over")
        claimant.expect(Text("an alarm while the loop is stuck", "卡顿时报警"), alarm, times: form == .cured ? 1...1 : 1...100, from: "stall", to: "stall over")
        if form == .cured {
            lab.expect(Text("no alarm while it works for a tenth of the threshold", "工作时间只有阈值的十分之一，不报警"), alarm, times: 0, from: "short work", to: "short work over")
            let frames = ["decodeImage", "__CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__", "__CFRunLoopDoTimers", "__CFRunLoopRun", "CFRunLoopRunSpecific"]
            lab.expect(Text("the stalling function is above the loop's frames", "卡住的函数在 RunLoop 的调用栈之上"), of: "frames", is: frames) { events in
                (events.first?.detail.split(separator: stackSeparator) ?? []).map(String.init).filter(frames.contains)
            }
            return
        }
        lab.article.expectFound(Text("a monitor that was released is deallocated", "释放后 monitor 会 dealloc"), of: "the released monitor", ["deallocated"])
        lab.expect(Text("the monitor takes sleep for a stall, again and again", "它把休眠当作卡顿，而且反复报警"), alarm, times: 2...100, from: "sleep", to: "sleep over")
        lab.expect(Text("it reports one stall more than once", "一次卡顿报警不止一次"), alarm, times: 2...100, from: "stall", to: "stall over")
        lab.expect(Text("its stack is a stub", "堆栈只是占位"), of: linesLogged, is: ["检测到卡顿,主线程堆栈信息:\n堆栈信息获取实现..."]) {
            Array(Set($0.map(\.detail)))
        }
    }
}
