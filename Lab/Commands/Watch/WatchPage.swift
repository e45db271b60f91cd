// WatchPage.swift: the text that `watch` shows for a loop, in a terminal and as plain lines.

/// A loop, its thread's name, and its callouts since the watch began.
struct WatchedLoop {
    var snapshot: LoopSnapshot
    var name: String
    var calls: [Callout: Int]
    /// The name of the thread that woke it last, if known.
    var sender: String?

    /// A few lines for a terminal.
    var lines: [String] {
        let time = decimals(snapshot.sleepTime, 1), passes = Int(snapshot.passes)
        let asleep = Text("slept \(time) s in \(count(passes, "pass", "passes")), last woken by \(waker)", "\(passes) 轮共休眠 \(time) 秒，\(waker)")
        func below(_ text: Text) -> String { "             \(text)" }
        var lines = ["\(padded(name, to: 12)) \(place)", below(asleep), below(Text("holds \(contents)", "里面：\(contents)"))]
        if !calls.isEmpty { lines.append(below(Text("has called \(callWords)", "调用过 \(callWords)"))) }
        for timer in snapshot.nextTimers { lines.append(below(Text("timer \(words(for: timer))", "Timer \(words(for: timer))"))) }
        let more = snapshot.timers - snapshot.nextTimers.count
        if more > 0 { lines.append(below(Text("and \(count(more, "timer")) more", "还有 \(more) 个 Timer"))) }
        return lines
    }

    /// One line in columns for a file or a pipe.
    func line(after elapsed: Double) -> String {
        let next = snapshot.nextTimers.first.map { Text(", next \(words(for: $0))", "，下一个 \(words(for: $0))").description } ?? ""
        let woken = Text("woken by \(waker)", "\(waker)").description
        let columns = [(decimals(elapsed, 2), -6), (name, 12), (place, 44), (woken, 32)]
        return columns.map { padded($0, to: $1) }.joined(separator: "  ") + "  \(contents)\(next)"
    }

    /// The part that has to change before another line is written.
    var essence: String { "\(place) \(waker) \(contents) \(calls.values.reduce(0, +))" }

    private var place: String {
        let mode = shortModeName(snapshot.mode), step = snapshot.step
        if snapshot.depth == 0 { return Text("not running", "没有运行").description }
        let depth = snapshot.depth > 1 ? Text(", \(snapshot.depth) runs deep", "，嵌套 \(snapshot.depth) 层") : Text("", "")
        return Text("step \(step) (\(stepWords)) in mode \(mode)\(depth)", "步骤 \(step)（\(stepWords)），mode \(mode)\(depth)").description
    }

    private var stepWords: Text {
        switch snapshot.step {
        case 7: snapshot.isAsleep ? Text("asleep", "休眠") : Text("about to sleep", "正要休眠")
        case 1...10: Step.numbered(snapshot.step).words
        default: Text("between two passes", "两轮之间")
        }
    }

    private var waker: Text {
        switch snapshot.lastReason {
        case .notYet, .nothing: Text("nothing yet", "还没有被唤醒")
        default:
            if let sender { Text("\(snapshot.lastReason.words) on \(sender)", "上次被 \(sender) 上的 \(snapshot.lastReason.words) 唤醒") }
            else { Text(snapshot.lastReason.words.english, spaced("上次被\(snapshot.lastReason.words)唤醒")) }
        }
    }

    private var contents: Text {
        let counts = [
            (snapshot.sources0, "Source0", "Source0 sources", "Source0"), (snapshot.sources1, "Source1", "Source1 sources", "Source1"),
            (snapshot.observers, "observer", "observers", "Observer"), (snapshot.timers, "timer", "timers", "Timer"),
            (snapshot.blocks, "block", "blocks", "block"),
        ].filter { $0.0 > 0 }
        if counts.isEmpty { return Text("nothing", "空的") }
        return Text(counts.map { count($0.0, $0.1, $0.2) }.joined(separator: ", "), counts.map { "\($0.0) 个 \($0.3)" }.joined(separator: "、"))
    }

    private var callWords: String {
        Callout.allCases.compactMap { callout in calls[callout].map { "\($0) × \(shown(callout.rawValue))" } }.joined(separator: ", ")
    }

    private func words(for timer: LoopSnapshot.TimerSnapshot) -> String {
        let left = decimals(timer.timeLeft, 2), interval = decimals(timer.interval, 2), late = decimals(timer.tolerance, 2)
        let when = timer.timeLeft > 1e8 ? Text("never", "永不触发") : timer.timeLeft < 0 ? Text("now", "现在触发") : Text("in \(left) s", "\(left) 秒后触发")
        let every = timer.interval > 0 ? Text(", every \(interval) s", "，每 \(interval) 秒一次").description : ""
        let tolerance = timer.tolerance > 0 ? Text(", tolerance \(late) s", "，tolerance \(late) 秒").description : ""
        return when.description + every + tolerance
    }
}
