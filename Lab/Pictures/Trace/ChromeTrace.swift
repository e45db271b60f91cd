// ChromeTrace.swift: a timeline in the Chrome trace-event format, which ui.perfetto.dev and chrome://tracing open.

import FoundationEssentials
import Glibc

/// Writes a timeline as JSON: a track for each thread, with runs, passes, callouts and sleeps as slices within each other, and the
/// wake-ups as flows from thread to thread.
struct ChromeTrace {
    let timeline: Timeline

    /// The content of the file.
    private struct Document: Encodable {
        var displayTimeUnit = "ms"
        var traceEvents: [Event]
        var otherData: [String: String]
    }

    /// An event, under the format's own short names. Times are in microseconds.
    private struct Event: Encodable {
        var name: String
        var ph: String
        var pid = Int(getpid())
        var tid: Int32
        var ts: Double?
        var dur: Double?
        var cat: String?
        var id: Int?
        var bp: String?
        var s: String?
        var args: Arguments?
    }

    private struct Arguments: Encodable {
        var name: String?
        var sort_index: Int?
        var step: Int?
        var item: String?
        var served: String?
        var sender: String?
        var result: String?
    }

    var text: String {
        get throws {
            var events = [metadata("process_name", thread: 0, name: timeline.title)]
            for (number, lane) in timeline.lanes.enumerated() {
                events.append(metadata("thread_name", thread: lane.thread, name: lane.name))
                events.append(Event(name: "thread_sort_index", ph: "M", tid: lane.thread, args: Arguments(sort_index: number)))
                events += lane.spans.map { slice($0, lane) }
                events += lane.instants.map { instant($0, lane) }
            }
            for (number, arrow) in timeline.arrows.enumerated() {
                events.append(flow("s", number, arrow.from, arrow.sent))
                events.append(flow("f", number, arrow.to, arrow.arrived))
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let document = Document(traceEvents: events, otherData: ["lost events": String(timeline.lost)])
            return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
        }
    }

    private func metadata(_ kind: String, thread: Int32, name: String) -> Event {
        Event(name: kind, ph: "M", tid: thread, args: Arguments(name: name))
    }

    private func slice(_ span: Timeline.Span, _ lane: Timeline.Lane) -> Event {
        let arguments = Arguments(
            step: span.step > 0 ? span.step : nil, item: span.item != 0 ? "0x" + String(span.item, radix: 16) : nil,
            served: span.reason != .notYet ? span.reason.words.description : nil,
            sender: timeline.lanes.first { $0.thread == span.sender }?.name, result: span.result.map(resultName)
        )
        return Event(name: name(of: span), ph: "X", tid: lane.thread, ts: microseconds(span.start),
                     dur: Double(span.end - span.start) / 1e3, cat: category(span.kind), args: arguments)
    }

    private func name(of span: Timeline.Span) -> String {
        let name = switch span.kind {
        case .run(let mode, _): Text("run in \(mode)", "在 \(mode) 里运行")
        case .pass(let number): Text("pass \(number)", "第 \(number) 轮")
        case .callout: Text(code: calloutWords(span))
        case .sleep: Text("asleep", "休眠")
        case .poll: Text("poll", "检查端口")
        }
        return name.description
    }

    /// Categories are for the viewer's filters, so they are the same in both languages, as the names of arguments are.
    private func category(_ kind: Timeline.Span.Kind) -> String {
        switch kind {
        case .run: "run"
        case .pass: "pass"
        case .callout: "callout"
        case .sleep, .poll: "wait"
        }
    }

    private func instant(_ instant: Timeline.Instant, _ lane: Timeline.Lane) -> Event {
        let name = switch instant.kind {
        case .step(let step): Text("step \(step)", "步骤 \(step)")
        case .wakeUp: Text(code: "CFRunLoopWakeUp")
        case .wakeUpLeftOut: Text("CFRunLoopWakeUp (left out)", "CFRunLoopWakeUp（没有发送）")
        case .stop: Text(code: "CFRunLoopStop")
        case .signal: Text(code: "CFRunLoopSourceSignal")
        case .said(let words): Text(code: words)
        }
        let time = microseconds(instant.time)
        // A flow leads from slice to slice, so the wake-up that it begins at is a slice of minimal length.
        if instant.kind == .wakeUp { return Event(name: name.description, ph: "X", tid: lane.thread, ts: time, dur: 0.001, cat: "wake-up") }
        return Event(name: name.description, ph: "i", tid: lane.thread, ts: time, s: "t")
    }

    private func flow(_ phase: String, _ number: Int, _ thread: Int32, _ time: UInt64) -> Event {
        Event(name: Text("wake-up", "唤醒").description, ph: phase, tid: thread, ts: microseconds(time), cat: "wake-up", id: number, bp: "e")
    }

    /// Whole nanoseconds since the trace began, in microseconds.
    private func microseconds(_ time: UInt64) -> Double { (timeline.seconds(time) * 1e9).rounded() / 1e3 }
}
