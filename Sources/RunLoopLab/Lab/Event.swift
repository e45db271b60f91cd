// Event.swift: a row of a transcript.

/// Something that happened, as `Lab` has noted it.
struct Event: Sendable {
    /// Seconds since the experiment began.
    var time: Double
    /// Which thread it happened on: "main", the thread's name, or "thread 2" and so on, in the order in which they appear.
    var thread: String
    /// The step of the loop's pass, as the articles count them; empty where no loop called.
    var step = ""
    /// The mode that the thread's loop was in; empty where no loop called.
    var mode = ""
    /// The activity, or the kind of callout; empty where no loop called.
    var kind = ""
    /// What it is called in expectations.
    var name: String
    /// More about it, for the reader alone.
    var detail = ""
    /// Something that was measured when it happened.
    var value: Double?
}

/// The heads of the columns, and an event in them.
enum EventRow {
    static let head = row(time: "time", "thread", "step", "mode", "called", "")

    static func row(_ event: Event) -> String {
        let name = event.name == event.kind ? "" : event.name
        let text = [name, event.detail].filter { $0 != "" }.joined(separator: "  ")
        return row(time: seconds(event.time, unit: ""), event.thread, event.step, event.mode, event.kind, text)
    }

    private static func row(time: String, _ thread: String, _ step: String, _ mode: String, _ kind: String, _ text: String) -> String {
        let columns = [(time, -8), (thread, 9), (step, 4), (mode, 9), (kind, 13), (text, 0)]
        return trimmed(columns.map { padded($0, to: $1) }.joined(separator: "  "))
    }
}
