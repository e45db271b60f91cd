// Page.swift: prints rows, sections and paragraphs.

/// Prints a program for people, or as a record with tabs (--record); ProgramPage.swift has its parts. You may use it from any thread.
struct Page: Sendable {
    private static let width = 100

    /// Whether to print only events and checks, one on a line, with tabs between their parts.
    let isRecord: Bool
    /// Whether events are shown as rows of a table. The programs of the articles print their own lines instead.
    let hasRows: Bool
    private let output = Output()

    init(isRecord: Bool, hasRows: Bool = true) {
        (self.isRecord, self.hasRows) = (isRecord, hasRows)
    }

    /// Prints a row of the transcript.
    func show(_ event: Event) {
        if isRecord {
            let parts = [seconds(event.time, unit: ""), event.thread, event.step, event.mode, event.kind, event.name,
                         event.detail]
            output.line((["event"] + parts).joined(separator: "\t"))
        } else if hasRows {
            EventRow.lines(event).forEach(output.line)
        }
        output.flush()
    }

    func section(_ title: Text, _ text: Text) {
        paragraph(title)
        for line in wrapped(text.description, to: Self.width - 2) { output.line("  " + line) }
    }

    func hanging(_ first: String, _ text: String) { RunLoopLab.hanging(first, text).forEach(output.line) }

    func paragraph(_ text: Text) {
        output.line("")
        line(text.description)
    }

    /// Prints a line as it is, at once.
    func write(_ text: String) {
        output.line(text)
        output.flush()
    }

    func blank() { write("") }

    func flush() { output.flush() }

    func line(_ text: String) {
        for line in wrapped(text, to: Self.width) { output.line(line) }
    }
}
