// Article 1, 〈定时器NSTimer〉: 1.36; the dispatch timer is 3.14, too.
//
// A dispatch timer beside an NSTimer while the main thread is busy. What to see: it keeps its rhythm; who holds it.

import Dispatch
import Glibc
import SwiftRunLoop

// MARK: - The listing

private final class Owner: @unchecked Sendable {
    private let limit: Int
    private let ticks = Counter()
    nonisolated(unsafe) private var timer: (any DispatchSourceTimer)?

    init(_ limit: Int = 3) {
        self.limit = limit
    }

    /// GCD定时器(常用)
    func start() {
        let queue = DispatchQueue.global()
        let timer = DispatchSource.makeTimerSource(flags: [], queue: queue)
        // the reference on which the article insists
        self.timer = timer
        timer.schedule(deadline: .now(), repeating: shortened(2), leeway: .nanoseconds(0))
        nonisolated(unsafe) let named = timer
        timer.setEventHandler { [self] in
            NSLog("---\(NSThread.current)--")
            lab.note("held")
            if ticks.add() == limit {
                named.cancel()
                self.timer = nil
                lab.note("cancelled")
            }
        }
        // 4.启动
        timer.resume()
    }

    /// The same, but the handler does not hold what holds it.
    func startWeakly() {
        let timer = DispatchSource.makeTimerSource(flags: [], queue: .global())
        self.timer = timer
        timer.schedule(deadline: .now(), repeating: shortened(2), leeway: .nanoseconds(0))
        timer.setEventHandler { [weak self] in
            guard let self else { return }
            lab.note("held")
            if ticks.add() == limit { self.timer?.cancel() }
        }
        timer.resume()
    }

    deinit {
        timer?.cancel()
        lab.note("the page is deallocated")
    }
}

// MARK: - Telling and judging

struct TimerInTime: Program {
    let about = About(article: "1.36", seconds: 15, isPair: true)

    func run() {
        form == .asWritten ? asWritten() : cured()
    }

    private func asWritten() {
        // The busy main thread.
        let ticker = NSTimer(timeInterval: lab.wait(0.05), repeats: true) { _ in lab.note("NSTimer") }
        NSRunLoop.main.add(ticker, forMode: .default)
        let page = Owner()
        lab.note("busy") // from here on, and before the dispatch timer's first tick
        page.start()
        lab.waitUntil { lab.times("held") >= 3 }
        lab.note("free")
        NSRunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0))
        ticker.invalidate()
        lab.waitUntil { lab.times("cancelled") == 1 }

        // Who holds it.
        unheld(namesItself: false)
        unheld(namesItself: true)
        lab.waitUntil { lab.times("held by its handler") == 3 }
        usleep(useconds_t((lab.wait(0.3) + shortened(2)) * 1e6))
        lab.observe("ticks unheld", value: Double(lab.times("unheld")))
        lab.observe("ticks held by its handler", value: Double(lab.times("held by its handler")))
        lab.observe("ticks after the cancel", value: Double(lab.times("held") - 3))
    }

    /// The listing, without self.timer. The local variable goes when this returns.
    private func unheld(namesItself: Bool) {
        let queue = DispatchQueue.global()
        let timer = DispatchSource.makeTimerSource(flags: [], queue: queue)
        timer.schedule(deadline: .now() + 0.1, repeating: 0.1, leeway: .nanoseconds(0))
        if namesItself {
            nonisolated(unsafe) let timer = timer
            timer.setEventHandler { if lab.note("held by its handler") == 3 { timer.cancel() } }
        } else {
            timer.setEventHandler { lab.note("unheld") }
        }
        timer.resume()
    }

    private func cured() {
        for isCancelled in [true, false] {
            var page: Owner? = Owner(isCancelled ? 3 : 1_000_000)
            let before = lab.times("held") // the first tick may come at once
            page?.startWeakly()
            lab.waitUntil { lab.times("held") >= before + 3 }
            page = nil
        }
        lab.waitUntil { lab.times("the page is deallocated") == 2 }
        let before = lab.times("held")
        usleep(useconds_t((lab.wait(0.3) + shortened(2)) * 1e6))
        lab.observe("ticks after the page", value: Double(lab.times("held") - before))
    }

    func judge() {
        if form == .cured {
            lab.expect(Text("both pages are deallocated, with or without a cancel before", "两个页面都销毁了，不管之前有没有取消"), "the page is deallocated", times: 2)
            lab.expect(Text("their timers do not tick afterwards (one tick may be under way)", "之后不再触发（可能有一次正在进行）"), of: "ticks after the page",
                       isIn: 0...1, unit: .none, places: 0) { $0.values.first }
            lab.expect(Text("they ticked before", "之前触发过"), "held", times: 6...1000)
            return
        }
        lab.article.expect(Text("while the main thread is busy, the dispatch timer ticks and the NSTimer does not", "主线程繁忙时，GCD 定时器照常触发，NSTimer 不触发"),
                   order: ["busy", "held", "held", "held", "free", "NSTimer"], to: "NSTimer")
        lab.article.expect(Text("without a strong reference the listing's timer does not tick", "没有强引用，代码里的 GCD 定时器就不触发"),
                   of: "ticks held by its handler", is: [0]) { $0.values }
        lab.expect(Text("the handler that names the timer holds it", "引用了 timer 的 handler 持有它"), of: "ticks held by its handler", is: [3]) { $0.values }
        lab.expect(Text("one whose handler does not name it needs a reference", "handler 不引用它时需要另外持有"), of: "ticks unheld", is: [0]) { $0.values }
        lab.expect(Text("after the cancel there is no tick", "取消后不再触发"), of: "ticks after the cancel", is: [0]) { $0.values }
    }
}
