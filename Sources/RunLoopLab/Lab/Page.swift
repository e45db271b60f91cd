// Page.swift: prints an experiment: introduction, transcript, conclusion.

/// Prints an experiment for people, or as a record for `compare`. You may use it from any thread.
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

    /// Prints the introduction.
    func introduce(_ about: About, isFast: Bool) {
        guard !isRecord else { return }
        line("\(about.name) (\(about.claims.joined(separator: ", "))): \(about.shows)")
        paragraph(about.setting)
        let time = isFast ? about.seconds * 0.4 : about.seconds
        if time > 2 { paragraph("This takes about \(Int(time.rounded())) s; press Ctrl-C to end it earlier.") }
        output.line("")
        output.line(trimmed(EventRow.head))
        output.flush()
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

    /// Prints the conclusion.
    func conclude(_ about: About, _ checks: [Check]) {
        if isRecord {
            for check in checks { output.line(["check", check.holds ? "ok" : "failed", check.claim,
                                               check.observed].joined(separator: "\t")) }
        } else {
            section("What to notice", about.notice)
            if let correction = about.correction { section("Where the articles are imprecise", correction) }
            paragraph("Verdict")
            for check in checks { verdict(of: check) }
            paragraph(Verdict(checks).words)
        }
        output.flush()
    }

    /// Prints the end after Ctrl-C.
    func interrupted() {
        if !isRecord { paragraph("Verdict: interrupted. The rows above show what was observed until then.") }
        output.flush()
    }

    /// Prints the end of an experiment that is stuck.
    func gaveUp(after limit: Double) {
        if !isRecord { paragraph("Verdict") }
        let words = "the experiment did not end within \(Int(limit)) s; the rows above show what was observed until then"
        if isRecord { output.line(["check", "failed", "the experiment ends", words].joined(separator: "\t")) }
        else {
            hanging("  FAIL  ", words)
            paragraph("NOT as claimed.")
        }
        output.flush()
    }

    private func verdict(of check: Check) {
        hanging(check.holds ? "  ok    " : "  FAIL  ", check.claim)
        if !check.holds { hanging("        expected  ", check.expected) }
        hanging("        observed  ", check.observed)
    }

    func section(_ title: String, _ text: String) {
        paragraph(title)
        for line in wrapped(text, to: Self.width - 2) { output.line("  " + line) }
    }

    func hanging(_ first: String, _ text: String) {
        for (number, line) in wrapped(text, to: Self.width - first.count).enumerated() {
            output.line((number == 0 ? first : padded("", to: first.count)) + line)
        }
    }

    func paragraph(_ text: String) {
        output.line("")
        line(text)
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
