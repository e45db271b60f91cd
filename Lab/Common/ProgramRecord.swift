// ProgramRecord.swift: what a program prints with --record, and the transcript that is kept of an experiment.

/// The lines, events, checks and verdict of one run of a program.
struct ProgramRecord {
    let lines: [[String]]
    let end: ChildProcess.End

    init(output: String, end: ChildProcess.End) {
        lines = output.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
        self.end = end
    }

    /// What an article's program logged.
    var log: [String] { lines.filter { $0[0] == "log" }.map { $0.dropFirst().joined(separator: "\t") } }
    /// The thread, step, mode, kind, name and detail of each event.
    var events: [[String]] { lines.filter { $0[0] == "event" }.map { Array($0[2...]) } }
    var checks: [Check] { lines.filter { $0[0] == "check" && $0.count == 5 }.map { Check(claim: $0[3], observed: $0[4], holds: $0[1] == "ok", isArticles: $0[2] == "article") } }
    /// Lines of another kind: the program printed them itself.
    var others: [String] { lines.filter { !["log", "event", "check", "verdict"].contains($0[0]) }.map { $0.joined(separator: "\t") } }

    var isAsExpected: Bool { end == .exited(0) && lines.last.map { $0[0] == "verdict" && $0[1] == "expected" } == true }
    var verdict: String { lines.last.flatMap { $0[0] == "verdict" ? $0.last : nil } ?? end.words.description }

    /// The checks that failed; or the last lines of a program without a verdict.
    var failures: [String] {
        let failed = checks.filter { !$0.holds && !$0.isArticles }.map { "\($0.claim): \($0.observed)" }
        return failed.isEmpty ? lines.suffix(5).map { $0.joined(separator: "  ") } + [end.words.description] : failed
    }

    /// The rows thread by thread, in the order of the threads' names, because the order among threads is chance; then the checks.
    var transcript: String {
        var threads: [String] = []
        for event in events where event[0] != "main" && !threads.contains(event[0]) { threads.append(event[0]) }
        let names = threads.enumerated().map { (normalised($1), $0) } // threads without a name, in the order of their first rows
        threads = ["main"] + threads.indices.sorted { names[$0] < names[$1] }.map { threads[$0] }
        var lines: [String] = []
        for thread in threads {
            for event in events where event[0] == thread {
                let columns = zip(event, [11, 5, 12, 14]).map { $0 + String(repeating: " ", count: max(1, $1 - $0.count)) }
                lines.append(columns.joined() + event[4...].filter { $0 != "" }.joined(separator: "  "))
            }
        }
        lines.append("")
        lines += checks.map { ($0.holds ? "ok    " : "FAIL  ") + $0.claim }
        return lines.map(normalised).joined(separator: "\n") + "\n"
    }

    /// Replaces everything that differs between runs: times, addresses, numbers of unnamed threads, counts that depend on the machine.
    private func normalised(_ line: String) -> String {
        line.replacing(/0x[0-9a-f]+/, with: "0x#").replacing(/-?[0-9]+\.[0-9]{3}/, with: "#")
            .replacing(/dropped so far: [0-9]+/, with: "dropped so far: #").replacing(/[0-9]+ for ten timers/, with: "# for ten timers")
            .replacing(/thread [0-9]+/, with: "thread #").replacing(/[ ]+$/, with: "")
    }

    /// The names and details of events that have no Chinese words.
    var untranslated: [String] {
        let parts = events.flatMap { $0[4...] }.filter { $0.wholeMatch(of: /[A-Za-z][a-z]+ [a-z].*/) != nil && EventWords.chinese(for: $0) == $0 }
        return Set(parts).sorted()
    }
}

/// Runs a program in a process of its own, so that it has an unused main loop.
/// - Parameter option: what the process prints: `--record`, or `--brief`.
func child(of about: About, _ form: Form, isFast: Bool, _ option: String) -> ChildProcess {
    var words = about.command.split(separator: " ").map(String.init)
    if about.isPair { words.append("--\(form.rawValue)") }
    if isFast { words.append("--fast") }
    words += [option] + Language.option
    return ChildProcess.run(ownProgram, words, limit: about.longest + 10)
}

/// The record of a program that runs in a process of its own.
func record(of about: About, _ form: Form, isFast: Bool) -> ProgramRecord {
    let child = child(of: about, form, isFast: isFast, "--record")
    return ProgramRecord(output: child.output, end: child.end)
}
