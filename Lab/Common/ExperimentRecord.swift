// ExperimentRecord.swift: what an experiment prints with --record, and the transcript that is kept of it.

/// The events and checks of one run of an experiment.
struct ExperimentRecord {
    /// The experiment's output.
    let text: String
    /// The thread, step, mode, kind, name and detail of each event.
    private(set) var events: [[String]] = []
    private(set) var checks: [(holds: Bool, claim: String)] = []
    /// Lines that are neither.
    private(set) var others: [String] = []

    init(_ text: String) {
        self.text = text
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            switch parts[0] {
            case "event": events.append(Array(parts[2...]))
            case "check": checks.append((parts[1] == "ok", parts[2]))
            default: others.append(String(line))
            }
        }
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
