// ChromeTrace.swift: a timeline in the Chrome trace-event format, which ui.perfetto.dev and chrome://tracing open.

import Glibc

/// Writes a timeline as JSON: a track for each thread, with runs, passes, callouts and sleeps as slices within each other, and the
/// wake-ups as flows from thread to thread.
struct ChromeTrace {
    let timeline: Timeline
    private let process = Int(getpid())

    init(timeline: Timeline) {
        self.timeline = timeline
    }

    var text: String {
        var events = [metadata("process_name", thread: 0, name: timeline.title)]
        for (number, lane) in timeline.lanes.enumerated() {
            events.append(metadata("thread_name", thread: lane.thread, name: lane.name))
            events.append(event("thread_sort_index", "M", at: nil, lane.thread, ["args": .object(["sort_index": .int(number)])]))
            events += lane.spans.map { slice($0, lane) }
            events += lane.instants.compactMap { instant($0, lane) }
        }
        for (number, arrow) in timeline.arrows.enumerated() {
            events.append(flow("s", number, arrow.from, arrow.sent))
            events.append(flow("f", number, arrow.to, arrow.arrived))
        }
        let document: [String: JSON] = ["displayTimeUnit": .string("ms"), "traceEvents": .array(events),
                                        "otherData": .object(["lost events": .string(String(timeline.lost))])]
        return JSON.object(document).text + "\n"
    }

    private func metadata(_ kind: String, thread: Int32, name: String) -> JSON {
        event(kind, "M", at: nil, thread, ["args": .object(["name": .string(name)])])
    }

    private func slice(_ span: Timeline.Span, _ lane: Timeline.Lane) -> JSON {
        var arguments: [String: JSON] = [:]
        if span.step > 0 { arguments["step"] = .int(span.step) }
        if span.item != 0 { arguments["item"] = .string("0x" + String(span.item, radix: 16)) }
        if span.reason != .notYet { arguments["served"] = .string(span.reason.words) }
        if let sender = timeline.lanes.first(where: { $0.thread == span.sender }) { arguments["sender"] = .string(sender.name) }
        if let result = span.result { arguments["result"] = .string(resultName(result)) }
        let more: [String: JSON] = ["dur": .number(Double(span.end - span.start) / 1e3), "cat": .string(category(span.kind)),
                                    "args": .object(arguments)]
        return event(name(of: span), "X", at: span.start, lane.thread, more)
    }

    private func name(of span: Timeline.Span) -> String {
        switch span.kind {
        case .run(let mode, _): "run in \(mode)"
        case .pass(let number): "pass \(number)"
        case .callout: calloutWords(span)
        case .sleep: "asleep"
        case .poll: "look"
        }
    }

    private func category(_ kind: Timeline.Span.Kind) -> String {
        switch kind {
        case .run: "run"
        case .pass: "pass"
        case .callout: "callout"
        case .sleep, .poll: "wait"
        }
    }

    private func instant(_ instant: Timeline.Instant, _ lane: Timeline.Lane) -> JSON? {
        let name = switch instant.kind {
        case .step(let step): "step \(step)"
        case .wakeUp: "CFRunLoopWakeUp"
        case .wakeUpLeftOut: "CFRunLoopWakeUp (left out)"
        case .stop: "CFRunLoopStop"
        case .signal: "CFRunLoopSourceSignal"
        case .said(let words): words
        }
        // A flow leads from slice to slice: what one may begin at is a slice, as short as a slice can be.
        if instant.kind == .wakeUp { return event(name, "X", at: instant.time, lane.thread, ["dur": .number(0.001), "cat": .string("wake-up")]) }
        return event(name, "i", at: instant.time, lane.thread, ["s": .string("t")])
    }

    private func flow(_ phase: String, _ number: Int, _ thread: Int32, _ time: UInt64) -> JSON {
        event("wake-up", phase, at: time, thread, ["id": .int(number), "cat": .string("wake-up"), "bp": .string("e")])
    }

    private func event(_ name: String, _ phase: String, at time: UInt64?, _ thread: Int32, _ more: [String: JSON]) -> JSON {
        var fields: [String: JSON] = ["name": .string(name), "ph": .string(phase), "pid": .int(process), "tid": .int(Int(thread))]
        if let time { fields["ts"] = .number(timeline.seconds(time) * 1e6) }
        return .object(fields.merging(more) { _, new in new })
    }
}

/// As much of JSON as is needed to write it.
enum JSON {
    case string(String), int(Int), number(Double), array([JSON]), object([String: JSON])

    var text: String {
        switch self {
        case .string(let string): Self.quoted(string)
        case .int(let number): String(number)
        case .number(let number): decimals(number, 3)
        case .array(let elements): "[" + elements.map(\.text).joined(separator: ",\n") + "]"
        case .object(let fields):
            "{" + fields.sorted { $0.key < $1.key }.map { "\(Self.quoted($0.key)):\($0.value.text)" }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\" + String(scalar)
            case "\n": text += "\\n"
            case _ where scalar.value < 0x20: text += "\\u00" + (scalar.value < 0x10 ? "0" : "") + String(scalar.value, radix: 16)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
