// TraceText.swift: a timeline as text: one line for each event, indented by nesting.

/// Writes a timeline as text.
struct TraceText {
    let timeline: Timeline

    var text: String {
        var lines: [(time: UInt64, order: Int, line: String)] = []
        for (number, lane) in timeline.lanes.enumerated() { lines += self.lines(of: lane, number * 1_000_000) }
        lines.sort { ($0.time, $0.order) < ($1.time, $1.order) }
        let head = [timeline.title, "", row("seconds", "thread", ""), ""]
        let lost = timeline.lost > 0 ? ["", "\(count(Int(timeline.lost), "event")) did not fit into the buffer and is missing above."] : []
        return (head + lines.map(\.line) + lost).joined(separator: "\n") + "\n"
    }

    private func lines(of lane: Timeline.Lane, _ base: Int) -> [(UInt64, Int, String)] {
        var moments: [(time: UInt64, order: Int, level: Int, words: String)] = []
        for (index, span) in lane.spans.enumerated() {
            moments.append((span.start, base + 2 * index, span.level, begin(span)))
            if let words = end(span) { moments.append((span.end, base + 2 * index + 1, span.level, words)) }
        }
        for (index, instant) in lane.instants.enumerated() {
            guard let words = words(instant.kind) else { continue }
            moments.append((instant.time, base + 500_000 + index, instant.level, words))
        }
        return moments.map { moment in
            let time = decimals(timeline.seconds(moment.time), 6)
            return (moment.time, moment.order, trimmed(row(time, lane.name, String(repeating: "  ", count: moment.level) + moment.words)))
        }
    }

    private func row(_ time: String, _ thread: String, _ words: String) -> String {
        trimmed("\(padded(time, to: -10))  \(padded(thread, to: 12))  \(words)")
    }

    private func begin(_ span: Timeline.Span) -> String {
        switch span.kind {
        case .run(let mode, let depth): "run in \(mode)\(depth > 1 ? ", nested (\(depth) deep)" : "") {"
        case .pass(let number): "pass \(number) {"
        case .callout: "\(calloutWords(span)) {"
        case .sleep: "7 asleep"
        case .poll: "7 polls, does not sleep"
        }
    }

    private func end(_ span: Timeline.Span) -> String? {
        guard span.isOver else { return nil }
        switch span.kind {
        case .run: return "} \(resultName(span.result ?? 0))"
        case .pass: return "}"
        case .callout: return "} after \(duration(span.end - span.start))"
        case .sleep: return "8 awake after \(duration(span.end - span.start)), by \(span.reason.words.english)\(senderWords(span))"
        case .poll: return nil
        }
    }

    private func senderWords(_ span: Timeline.Span) -> String {
        span.reason == .wokenUp ? timeline.lanes.first { $0.thread == span.sender }.map { " on \($0.name)" } ?? "" : ""
    }

    private func words(_ kind: Timeline.Instant.Kind) -> String? {
        switch kind {
        case .step(let step): step == 7 || step == 8 ? nil : "step \(step)"
        case .wakeUp: "CFRunLoopWakeUp"
        case .wakeUpLeftOut: "CFRunLoopWakeUp: sends nothing, the loop is awake"
        case .stop: "CFRunLoopStop"
        case .signal: "CFRunLoopSourceSignal"
        case .said(let words): "\"\(words)\""
        }
    }
}

/// The text for a callout: its kind, its activity, and its note.
func calloutWords(_ span: Timeline.Span) -> String {
    guard case .callout(let callout, let activity) = span.kind else { return "" }
    return ([callout.rawValue] + [activity, span.label == activity ? "" : span.label].filter { $0 != "" }).joined(separator: ": ")
}

/// The name of a CFRunLoopRunResult.
func resultName(_ result: Int64) -> String {
    let names: [Int64: String] = [1: "Finished", 2: "Stopped", 3: "TimedOut", 4: "HandledSource"]
    return names[result] ?? "result \(result)"
}

/// A number of nanoseconds as text, in a suitable unit.
func duration(_ time: UInt64) -> String {
    switch time {
    case ..<1_000_000: "\(decimals(Double(time) / 1e3, time < 10_000 ? 1 : 0)) µs"
    case ..<1_000_000_000: "\(decimals(Double(time) / 1e6, time < 10_000_000 ? 1 : 0)) ms"
    default: "\(decimals(Double(time) / 1e9, 2)) s"
    }
}
