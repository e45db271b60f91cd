// Article 2, 〈补充:GCD定时器〉: 2.25.
//
// The timer is not the loop's. What to see: a table of four kinds of timers in four situations of the main loop.

import Dispatch
import SwiftRunLoop

// MARK: - The listing

private final class ViewController: UIViewController, @unchecked Sendable {
    private var timer: (any DispatchSourceTimer)?
    private var touches = 0
    private let count = Counter()

    override func touchesBegan(_ touch: Touch) {
        touches += 1
        lab.observe("touch", value: Double(touches))
        let queue = form == .cured ? DispatchQueue.global() : DispatchQueue.main

        timer = DispatchSource.makeTimerSource(queue: queue)

        let interval = shortened(1)
        timer?.schedule(deadline: .now() + interval, repeating: interval, leeway: .nanoseconds(0))

        timer?.setEventHandler { [count, touches] in
            NSLog("------------\(NSThread.current)")
            count.add()
            lab.observe("tick of timer", value: Double(touches))
        }

        timer?.resume()
    }
}

// MARK: - Telling and judging

struct GCDTimer: Program {
    let about = About(article: "2.25", seconds: 8, isPair: true)

    private static let situations = ["idle", "tracking", "private mode", "busy"]
    /// Which kinds tick in which situation.
    private static let ticks = [[true, false, false, false], [true, true, false, false], [true, true, false, false], [true, true, true, true]]
    private static let kinds = ["NSTimer default", "NSTimer common", "GCD main", "GCD global"]

    func run() {
        Stage.run(ViewController(), script: [
            .tap(column: 5, row: 5), .waitForLine("------------", times: 3), .tap(column: 5, row: 5),
            .until { lab.events.values(of: "tick of timer").count { $0 == 2 } >= 2 },
        ])
        compare()
    }

    /// Counts the ticks of each kind of timer while the main thread does one thing after the other.
    private func compare() {
        let interval = lab.wait(0.03), counters = Self.kinds.map { _ in Counter() }
        let timers = counters.prefix(2).map { counter in NSTimer(timeInterval: interval, repeats: true) { _ in counter.add() } }
        RunLoop.main.add(timers[0], forMode: .default)
        RunLoop.main.add(timers[1], forMode: .common)
        let sources = zip([DispatchQueue.main, .global()], counters.dropFirst(2)).map { queue, counter in
            let source = DispatchSource.makeTimerSource(queue: queue)
            source.schedule(deadline: .now() + interval, repeating: interval)
            source.setEventHandler { counter.add() }
            source.resume()
            return source
        }
        RunLoop.main.add(Port(), forMode: RunLoop.Mode("private mode"))
        for (number, situation) in Self.situations.enumerated() {
            let before = counters.map(\.value), end = Date(timeIntervalSinceNow: lab.wait(0.4)), last = Date(timeIntervalSinceNow: 10)
            func goesOn() -> Bool { // on a busy machine until those that tick have ticked
                let late = counters.indices.contains { Self.ticks[$0][number] && counters[$0].value < before[$0] + 2 }
                return Date() < end || late && Date() < last
            }
            let mode: RunLoop.Mode? = ["idle": .default, "tracking": .tracking, "private mode": RunLoop.Mode(situation)][situation]
            while goesOn() { if let mode { RunLoop.main.run(mode: mode, before: Date(timeIntervalSinceNow: 0.02)) } }
            let ticks = zip(counters.map(\.value), before).map { $0 - $1 }
            for (kind, count) in zip(Self.kinds, ticks) { lab.observe("\(kind), \(situation)", value: Double(count)) }
            NSLog("\(padded(situation, to: 14))" + zip(Self.kinds, ticks).map { padded("\($0) \($1)", to: 20) }.joined())
        }
        for timer in timers { timer.invalidate() }
        for source in sources { source.cancel() }
    }

    func judge() {
        let kind = form == .cured ? "GCD global" : "GCD main"
        for situation in Self.situations {
            lab.article.expectCount(Text("\(kind) ticks: \(situation)", "\(kind) 照常触发：\(shown(situation))"), of: "\(kind), \(situation)", isIn: 2...1000,
                            unit: Text("ticks", "次")) { Int($0.values.first ?? -1) }
        }
        for (kind, ticks) in zip(Self.kinds, Self.ticks) {
            let names = Self.situations.map { "\(kind), \($0)" }, expected = ticks.map { $0 ? "2…1000" : "0" }.joined(separator: ", ")
            lab.judge(Text("\(kind): \(Self.situations.joined(separator: ", "))", "\(kind)：\(Self.situations.map(shown).joined(separator: "、"))"),
                      expected, looksAt: Set(names)) { events in
                let counts = names.map { Int(events.values(of: $0).first ?? -1) }
                return (zip(counts, ticks).allSatisfy { count, ticks in ticks ? (2...1000).contains(count) : count == 0 },
                        counts.map(String.init).joined(separator: ", "))
            }
        }
        lab.judge(Text("the second touch replaces the first timer", "第二次触摸替换了第一个 GCD 定时器"), "2", looksAt: ["tick of timer", "touch"]) { events in
            guard let second = events.lastIndex(where: { $0.name == "touch" && $0.value == 2 }) else { return (false, "-") }
            let ticks = events[second...].filter { $0.name == "tick of timer" }.map { Int($0.value ?? 0) }
            return (ticks.count { $0 == 1 } <= 1 && ticks.count { $0 == 2 } >= 2, "\(ticks.count { $0 == 1 }), \(ticks.count { $0 == 2 })")
        }
    }
}
