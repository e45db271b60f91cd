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
        let asleep = "slept \(decimals(snapshot.sleepTime, 1)) s in \(count(Int(snapshot.passes), "pass", "passes"))"
        var lines = ["\(padded(name, to: 12)) \(place)", "             \(asleep), last woken by \(waker)", "             holds \(contents)"]
        if !calls.isEmpty { lines.append("             has called \(callWords)") }
        for timer in snapshot.nextTimers { lines.append("             timer \(words(for: timer))") }
        let more = snapshot.timers - snapshot.nextTimers.count
        if more > 0 { lines.append("             and \(count(more, "timer")) more") }
        return lines
    }

    /// One line in columns for a file or a pipe.
    func line(after elapsed: Double) -> String {
        let next = snapshot.nextTimers.first.map { ", next \(words(for: $0))" } ?? ""
        let columns = [(decimals(elapsed, 2), -6), (name, 12), (place, 44), ("woken by \(waker)", 32)]
        return columns.map { padded($0, to: $1) }.joined(separator: "  ") + "  " + contents + next
    }

    /// The part that has to change before another line is written.
    var essence: String { "\(place) \(waker) \(contents) \(calls.values.reduce(0, +))" }

    private var place: String {
        let mode = shortModeName(snapshot.mode)
        if snapshot.depth == 0 { return "not running" }
        let depth = snapshot.depth > 1 ? ", \(snapshot.depth) runs deep" : ""
        return "step \(snapshot.step) (\(stepWords)) in mode \(mode)\(depth)"
    }

    private var stepWords: String {
        switch snapshot.step {
        case 1: "entry"
        case 2: "before timers"
        case 3: "before sources"
        case 4: "Source0"
        case 5: "checks the main queue"
        case 6: "before waiting"
        case 7: snapshot.isAsleep ? "asleep" : "about to sleep"
        case 8: "after waiting"
        case 9: "serves what woke it"
        case 10: "exit"
        default: "between two passes"
        }
    }

    private var waker: String {
        switch snapshot.lastReason {
        case .notYet, .nothing: "nothing yet"
        default: snapshot.lastReason.words + (sender.map { " on \($0)" } ?? "")
        }
    }

    private var contents: String {
        let counts = [
            (snapshot.sources0, "Source0", "Source0 sources"), (snapshot.sources1, "Source1", "Source1 sources"),
            (snapshot.observers, "observer", "observers"), (snapshot.timers, "timer", "timers"), (snapshot.blocks, "block", "blocks"),
        ]
        let words = counts.filter { $0.0 > 0 }.map { count($0.0, $0.1, $0.2) }
        return words.isEmpty ? "nothing" : words.joined(separator: ", ")
    }

    private var callWords: String {
        Callout.allCases.compactMap { callout in calls[callout].map { "\($0) × \(callout.rawValue)" } }.joined(separator: ", ")
    }

    private func words(for timer: LoopSnapshot.TimerSnapshot) -> String {
        let left = timer.timeLeft > 1e8 ? "never" : timer.timeLeft < 0 ? "now" : "in \(decimals(timer.timeLeft, 2)) s"
        let every = timer.interval > 0 ? ", every \(decimals(timer.interval, 2)) s" : ""
        let tolerance = timer.tolerance > 0 ? ", tolerance \(decimals(timer.tolerance, 2)) s" : ""
        return left + every + tolerance
    }
}
