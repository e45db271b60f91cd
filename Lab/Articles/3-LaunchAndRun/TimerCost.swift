// Article 3, 〈GCD定时器〉: 3.30.
//
// A repeating NSTimer and a dispatch timer, one and many, on a thread of their own and on the main thread. What to see: the processor time of a tick.

import Dispatch
import Glibc
import SwiftRunLoop

// MARK: - The listing

/// What ticks, where, and how many of them.
private struct Setting {
    var isDispatch: Bool, isMain: Bool, count: Int

    var name: String { "\(isDispatch ? "GCD" : "NSTimer") × \(count), \(isMain ? "main" : "worker")" }
}

/// Lets the timers of a setting tick, and returns the processor time of a tick in microseconds.
private func costOfATick(_ setting: Setting) -> Double {
    let ticks = Counter(), wanted = lab.isFast ? 400 : 2000, interval = 0.001 * Double(setting.count) / 2 // 2,000 ticks a second, however many there are
    if setting.isDispatch {
        let queue = setting.isMain ? DispatchQueue.main : DispatchQueue(label: "worker")
        let sources = (0..<setting.count).map { number in
            let source = DispatchSource.makeTimerSource(queue: queue)
            source.schedule(deadline: .now() + interval * Double(number + 1) / Double(setting.count), repeating: interval, leeway: .nanoseconds(0))
            source.setEventHandler { ticks.add() }
            source.resume()
            return source
        }
        defer { for source in sources { source.cancel() } }
        return measure(ticks, wanted) {
            if setting.isMain { NSRunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1)) } else { usleep(5000) }
        }
    }
    @Sendable func schedule(in loop: NSRunLoop) -> [NSTimer] {
        (0..<setting.count).map { number in
            let timer = NSTimer(fire: Date(timeIntervalSinceNow: interval * Double(number + 1) / Double(setting.count)), interval: interval, repeats: true) { _ in ticks.add() }
            loop.add(timer, forMode: .default)
            return timer
        }
    }
    if setting.isMain {
        let timers = schedule(in: .main)
        defer { for timer in timers { timer.invalidate() } }
        return measure(ticks, wanted) { NSRunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1)) }
    }
    let measured = Counter()
    let worker = lab.startThread("worker") {
        let timers = schedule(in: .current)
        while measured.value == 0 { NSRunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1)) }
        for timer in timers { timer.invalidate() }
    }
    defer {
        measured.add()
        lab.waitUntil { worker.isFinished }
    }
    return measure(ticks, wanted) { usleep(5000) }
}

/// The processor time of the whole process, divided by the ticks, from the first ones on.
private func measure(_ ticks: Counter, _ wanted: Int, _ wait: () -> Void) -> Double {
    while ticks.value < wanted / 10 { wait() }
    let first = ticks.value, start = now(CLOCK_PROCESS_CPUTIME_ID)
    while ticks.value < first + wanted { wait() }
    return (now(CLOCK_PROCESS_CPUTIME_ID) - start) / Double(ticks.value - first) * 1e6
}

// MARK: - Telling and judging

struct TimerCost: Program {
    let about = About(article: "3.30", seconds: 9, tracesItself: true)

    private static let settings = [false, true].flatMap { isMain in
        [1, 1000].flatMap { count in [false, true].map { Setting(isDispatch: $0, isMain: isMain, count: count) } }
    }

    func run() {
        for setting in Self.settings {
            let cost = costOfATick(setting)
            lab.observe(setting.name, value: cost)
            NSLog("\(padded(setting.name, to: 24))\(decimals(cost, 1)) µs")
        }
    }

    func judge() {
        lab.article.expectCount(Text("it ticks on a queue without a run loop", "在没有 RunLoop 的队列上也触发"), of: "GCD × 1, worker", isIn: 1...1, unit: Text("measurement", "次测量")) { $0.values.count }
        compare(lab.article, Text("costs clearly less than an NSTimer", "明显比 NSTimer 省"), 0...0.7)
        compare(lab, Text("costs neither a tenth nor ten times as much", "不是十分之一，也不是十倍"), 0.1...10)
    }

    /// A dispatch timer's ticks beside those of as many NSTimers on the same kind of thread: their costs, and how many times as much.
    private func compare(_ claimant: some Claimant, _ claim: Text, _ bounds: ClosedRange<Double>) {
        for setting in Self.settings where setting.isDispatch {
            let timer = Setting(isDispatch: false, isMain: setting.isMain, count: setting.count)
            claimant.judge(Text("\(setting.name): \(claim)", "\(setting.name)：\(claim.chinese)"), "\(bounds.lowerBound)…\(bounds.upperBound)", looksAt: [setting.name, timer.name]) { events in
                let own = events.values(of: setting.name), other = events.values(of: timer.name)
                guard own.count == 1, other.count == 1, other[0] > 0 else { return (false, "-") }
                return (bounds.contains(own[0] / other[0]), "\(decimals(own[0] / other[0], 2)) (\(decimals(own[0], 1)) µs, \(decimals(other[0], 1)) µs)")
            }
        }
    }
}
