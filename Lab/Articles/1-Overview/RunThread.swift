// Article 1, 〈常驻线程〉: 1.32; 〈runTest〉: 1.33.
//
// A thread that is to stay, in the five ways that the listing and its comments offer. What to see: which of them reach 未开启RunLoop, and when.

import SwiftRunLoop
import Synchronization

// MARK: - The listing

private enum Way: String, CaseIterable, Sendable {
    case nothing = "nothing added, run", observer = "an observer, run"
    case one = "a port, 方法1 run", two = "a port, 方法2 runMode", three = "a port, 方法3 runUntilDate"
    case cured = "a port, runMode in a loop"
}

private final class ViewController: UIViewController, @unchecked Sendable {
    private let ways: [Way]

    init(_ ways: [Way]) {
        self.ways = ways
        super.init()
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        for way in ways {
            residents.append(Resident(way: way, thread: NSThread(target: self, action: ViewController.runThread, object: way)))
        }
        for resident in residents { resident.thread.start() }
    }

    func runThread(_ way: Way) {
        NSLog("----run-----\(NSThread.current)")
        residents.first { $0.way == way }?.loop.set()
        switch way {
        case .nothing: break
        case .observer: NSRunLoop.current.add(NSRunLoop.Observer { _, _ in }, forMode: .default)
        default: NSRunLoop.current.add(NSMachPort(), forMode: .default) // 方法1
        }
        switch way {
        case .two: NSRunLoop.current.run(mode: .default, before: .distantFuture) // 方法2
        case .three: NSRunLoop.current.run(until: .distantFuture) // 方法3
        case .cured: while !isStopped.withLock({ $0 }) { NSRunLoop.current.run(mode: .default, before: .distantFuture) }
        default: NSRunLoop.current.run()
        }
        NSLog("未开启RunLoop")
    }

    override func touchesBegan(_ touch: Touch) {
        for resident in residents { try? perform(ViewController.runTest, with: resident.way, on: resident.thread, waitUntilDone: false) }
    }

    func runTest(_ way: Way) {
        NSLog("----runTest------\(NSThread.current)")
        lab.observe("runTest of \(way.rawValue)")
    }
}

// MARK: - Telling and judging

struct RunThread: Program {
    let about = About(article: "1.32", seconds: 0.4, isPair: true)

    func run() {
        let ways = form == .cured ? [.cured] : Way.allCases.filter { $0 != .cured }
        let stop: UserAction = .other {
            for resident in residents { try? Thread.perform(on: resident.thread, waitUntilDone: true) { NSRunLoop.current.stop() } }
        }
        Stage.run(ViewController(ways), script: [
            .other { state("after the start", touches: 0) },
            .tap(column: 5, row: 5), .other { state("after a touch", touches: 1) },
            .tap(column: 5, row: 5), .other { state("after two touches", touches: 2) },
            stop, .other { state("after a stop", touches: 2) },
            .other { isStopped.withLock { $0 = true } }, stop, .other { state("after the flag", touches: 2) },
        ])
        if form == .asWritten { table() }
    }

    /// Logs, for each way, what had become of its thread each time.
    private func table() {
        let times = ["after the start", "after a touch", "after two touches", "after a stop"]
        for way in Way.allCases where way != .cured {
            let states = times.map { time in "\(shown(time)): \(shown(lab.events.first { $0.name == "\(way.rawValue): \(time)" }?.detail ?? "-"))" }
            NSLog(([shown(way.rawValue)] + states).joined(separator: "\n    "))
        }
    }

    /// Records which threads are there, when each has ended or has done what it was asked for and sleeps.
    private func state(_ when: String, touches: Int) {
        for resident in residents {
            let way = resident.way.rawValue
            lab.waitUntil { resident.thread.isFinished || resident.loop.isAsleep && lab.times("runTest of \(way)") == touches }
            lab.observe("\(way): \(when)", resident.thread.isFinished ? "未开启RunLoop" : "stays")
            lab.observe(when, resident.thread.isFinished ? "未开启RunLoop" : "stays")
        }
    }

    func judge() {
        let stays = "stays", ended = "未开启RunLoop"
        func expect(_ claimant: some Claimant, _ claim: Text, _ way: Way, _ when: String, _ state: String) {
            claimant.expectFound(claim, of: "\(way.rawValue): \(when)", [state])
        }
        if form == .cured {
            lab.expect(Text("runTest is on the same thread each time, and the thread ends when it is asked to", "每次 runTest 都在同一条线程，要求结束时线程结束"),
                       linesOfOneThread: ["----run-----", "----runTest------", "----runTest------", "未开启RunLoop"])
            expect(lab, Text("a stop alone does not end it", "只 stop 不会结束它"), .cured, "after a stop", stays)
            expect(lab, Text("the flag and a stop do", "标志加 stop 才会"), .cured, "after the flag", ended)
            return
        }
        expect(lab.article, Text("without a source the loop ends at once", "不加源，RunLoop 立即结束"), .nothing, "after the start", ended)
        expect(lab.article, Text("an observer keeps it", "Observer 能让它留下来"), .observer, "after the start", stays)
        expect(lab.article, Text("method 1 runs for ever", "方法 1 无限期运行"), .one, "after two touches", stays)
        expect(lab.article, Text("method 2 as well", "方法 2 也是"), .two, "after two touches", stays)
        expect(lab.article, Text("method 3 as well", "方法 3 也是"), .three, "after two touches", stays)
        lab.article.expect(Text("runTest is performed on the resident thread, the same each time", "runTest 每次都在同一条常驻线程执行"),
                   of: "runTest of \(Way.one.rawValue)", is: [2, 1]) { [$0.count, Set($0.map(\.thread)).count] }
        expect(lab, Text("a thread with an observer alone has ended at once", "只有 Observer 的线程立即结束"), .observer, "after the start", ended)
        expect(lab, Text("method 2 waits for the first touch", "方法 2 等第一次点击"), .two, "after the start", stays)
        expect(lab, Text("and ends after it", "之后就结束"), .two, "after a touch", ended)
        expect(lab, Text("a stop does not end method 1", "stop 不能结束方法 1"), .one, "after a stop", stays)
        expect(lab, Text("nor method 3", "也不能结束方法 3"), .three, "after a stop", stays)
    }
}

nonisolated(unsafe) private var residents: [Resident] = [] // complete before anyone else looks at it
private let isStopped = Mutex(false)

/// One of the threads, and its loop.
private struct Resident {
    let way: Way, thread: NSThread, loop = OtherLoop()
}
