// Event.swift: a row of a transcript.

/// Something that happened, as `Lab` recorded it.
struct Event: Sendable {
    /// Seconds since the experiment began.
    var time: Double
    /// Which thread it happened on: "main", the thread's name, or "thread 2" and so on, in the order in which they appear.
    var thread: String
    /// The step of the pass, as the articles number them; empty if no loop called.
    var step = ""
    /// The mode that the thread's loop was in; empty if no loop called.
    var mode = ""
    /// The activity, or the kind of callout; empty if no loop called.
    var kind = ""
    /// The name that expectations use.
    var name: String
    /// More, only for the reader.
    var detail = ""
    /// A measurement taken when it happened.
    var value: Double?
}

/// The separator between the frames of a stack in an event's detail: "callback < callout < __CFRunLoopRun".
let stackSeparator = " < "

/// Lays out an event in columns, and their heads. No line is wider than 100 columns unless a single word is.
enum EventRow {
    static var head: String {
        Language.current == .chinese ? columns("时间", "线程", "步骤", "mode", "回调") : columns("time", "thread", "step", "mode", "called")
    }
    private static let textColumn = 53

    /// Long text continues below itself. Each frame of a stack has a line, innermost first.
    static func lines(_ event: Event) -> [String] {
        let frames = event.detail.split(separator: stackSeparator)
        let name = event.name == event.kind ? "" : shown(event.name), detail = frames.count > 1 ? "" : shown(event.detail)
        let first = columns(seconds(event.time, unit: ""), shownThread(event.thread), event.step, event.mode, shown(event.kind))
        let lines = hanging(padded(first, to: textColumn), [name, detail].filter { $0 != "" }.joined(separator: "  "))
        return lines.map(trimmed) + (frames.count > 1 ? frames.map { padded("", to: 21) + "|  " + $0 } : [])
    }

    private static func columns(_ time: String, _ thread: String, _ step: String, _ mode: String, _ kind: String) -> String {
        [(time, -8), (thread, 9), (step, 4), (mode, 9), (kind, 13)].map { padded($0, to: $1) }.joined(separator: "  ")
    }
}
