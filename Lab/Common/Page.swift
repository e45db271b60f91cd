// Page.swift: prints an experiment: introduction, transcript, conclusion.

/// Prints an experiment for people, or as a record with tabs (--record). You may use it from any thread.
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
        line(Text("\(about.name) (\(about.claims.joined(separator: ", "))): \(about.shows)", "\(about.name)（\(about.claims.joined(separator: "、"))）：\(about.shows)").description)
        paragraph(about.setting)
        let time = isFast ? about.seconds * 0.4 : about.seconds
        if time > 2 {
            let time = Int(time.rounded())
            paragraph(Text("This takes about \(time) s; press Ctrl-C to end it earlier.", "大约需要 \(time) 秒；按 Ctrl-C 提前结束。"))
        }
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
            section(Text("What to notice", "值得注意"), about.notice)
            if let correction = about.correction { section(Text("Where the articles are imprecise", "文章不够准确的地方"), correction) }
            paragraph(Text("Verdict", "结论"))
            for check in checks { verdict(of: check) }
            paragraph(Verdict(checks).words)
        }
        output.flush()
    }

    /// Prints the end after Ctrl-C.
    func interrupted() {
        if !isRecord { paragraph(Text("Verdict: interrupted. The rows above show what was observed until then.", "结论：已中断。上面是到那时为止观察到的。")) }
        output.flush()
    }

    /// Prints the end of an experiment that is stuck.
    func gaveUp(after limit: Double) {
        if !isRecord { paragraph(Text("Verdict", "结论")) }
        let words = Text("the experiment did not end within \(Int(limit)) s; the rows above show what was observed until then",
                         "实验在 \(Int(limit)) 秒内没有结束；上面是到那时为止观察到的").description
        if isRecord { output.line(["check", "failed", Text("the experiment ends", "实验结束").description, words].joined(separator: "\t")) }
        else {
            hanging("  FAIL  ", words)
            paragraph(Text("NOT as claimed.", "与论断不符。"))
        }
        output.flush()
    }

    private func verdict(of check: Check) {
        hanging(check.holds ? "  \(padded(Text("ok", "通过").description, to: 6))" : "  \(padded(Text("FAIL", "失败").description, to: 6))", check.claim)
        if !check.holds { hanging("        \(padded(Text("expected", "预期").description, to: 8))  ", check.expected) }
        hanging("        \(padded(Text("observed", "观察到").description, to: 8))  ", check.observed)
    }

    func section(_ title: Text, _ text: Text) {
        paragraph(title)
        for line in wrapped(text.description, to: Self.width - 2) { output.line("  " + line) }
    }

    func hanging(_ first: String, _ text: String) {
        for (number, line) in wrapped(text, to: Self.width - columns(of: first)).enumerated() {
            output.line((number == 0 ? first : padded("", to: columns(of: first))) + line)
        }
    }

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
