// TraceText.swift: a timeline as text: one line for each event, indented by nesting.

import CRunLoopModel

/// Writes a timeline as text.
struct TraceText {
    let timeline: Timeline

    var text: String {
        var lines: [(time: UInt64, order: Int, line: String)] = []
        for (number, lane) in timeline.lanes.enumerated() { lines += self.lines(of: lane, number * 1_000_000) }
        lines.sort { ($0.time, $0.order) < ($1.time, $1.order) }
        let head = [timeline.title, "", row(Text("seconds", "秒").description, Text("thread", "线程").description, ""), ""]
        let lost = timeline.lost > 0
            ? ["", Text("Events that did not fit into the buffer and are missing above: \(timeline.lost).", "缓冲区装不下，上面缺少 \(timeline.lost) 个事件。").description] : []
        return (head + lines.map(\.line) + lost).joined(separator: "\n") + "\n"
    }

    private func lines(of lane: Timeline.Lane, _ base: Int) -> [(UInt64, Int, String)] {
        var moments: [(time: UInt64, order: Int, level: Int, words: String)] = []
        for (index, span) in lane.spans.enumerated() {
            moments.append((span.start, base + 2 * index, span.level, begin(span).description))
            if let words = end(span, on: lane)?.description { moments.append((span.end, base + 2 * index + 1, span.level, words)) }
        }
        for (index, instant) in lane.instants.enumerated() {
            guard let words = words(instant.kind)?.description else { continue }
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

    private func begin(_ span: Timeline.Span) -> Text {
        switch span.kind {
        case .run(let mode, let depth):
            Text("run in \(mode)\(depth > 1 ? ", nested (\(depth) deep)" : "") {", "在 \(mode) 里运行\(depth > 1 ? "，嵌套（第 \(depth) 层）" : "") {")
        case .pass(let number): Text("pass \(number) {", "第 \(number) 轮 {")
        case .callout: Text(code: "\(calloutWords(span)) {")
        case .sleep: Text("7 asleep", "7 休眠")
        case .poll: Text("7 polls, does not sleep", "7 只检查端口，不休眠")
        }
    }

    private func end(_ span: Timeline.Span, on lane: Timeline.Lane) -> Text? {
        guard span.isOver else { return nil }
        let time = duration(span.end - span.start)
        switch span.kind {
        case .run: return Text(code: "} \(resultName(Int32(span.result ?? 0)))")
        case .pass: return Text(code: "}")
        case .callout: return Text("} after \(time)", "} 用时 \(time)")
        case .sleep: return Text("8 awake after \(time), \(timeline.waker(of: span, on: lane))", "8 休眠了 \(time)，\(timeline.waker(of: span, on: lane))")
        case .poll: return nil
        }
    }

    private func words(_ kind: Timeline.Instant.Kind) -> Text? {
        switch kind {
        case .step(let step): step == 7 || step == 8 ? nil : Text("step \(step)", "步骤 \(step)")
        case .wakeUp: Text(code: "CFRunLoopWakeUp")
        case .wakeUpLeftOut: Text("CFRunLoopWakeUp: sends nothing, the loop is awake", "CFRunLoopWakeUp：RunLoop 醒着，不发送")
        case .stop: Text(code: "CFRunLoopStop")
        case .signal: Text(code: "CFRunLoopSourceSignal")
        case .said(let words): Text("\"\(words)\"", "“\(words)”")
        }
    }
}

/// The text for a callout: its kind, its activity, and its note.
func calloutWords(_ span: Timeline.Span) -> String {
    guard case .callout(let callout, let activity) = span.kind else { return "" }
    let words = [shown(callout.rawValue)] + [activity, span.label == activity ? "" : span.label].filter { $0 != "" }
    return words.joined(separator: Text(": ", "：").description)
}

/// The name of a CFRunLoopRunResult, without its prefix kCFRunLoopRun.
func resultName(_ result: Int32) -> String {
    String(cString: loopResultName(result))
}

/// A number of nanoseconds as text, in a suitable unit.
func duration(_ time: UInt64) -> String {
    switch time {
    case ..<1_000_000: "\(decimals(Double(time) / 1e3, time < 10_000 ? 1 : 0)) µs"
    case ..<1_000_000_000: "\(decimals(Double(time) / 1e6, time < 10_000_000 ? 1 : 0)) ms"
    default: "\(decimals(Double(time) / 1e9, 2)) s"
    }
}
