// Comparison.swift: the same experiment on this loop and on that of the toolchain's Foundation, side by side.

import Glibc

/// Runs both, and writes their transcripts in two columns. The programs are compiled from the same files.
struct Comparison {
    private static let width = 58 // of a column

    let about: About
    let isFast: Bool
    private let output = Output()

    init(of experiment: any Experiment, isFast: Bool) {
        about = experiment.about
        self.isFast = isFast
        let comparable = comparableExperiments.map(\.about.name)
        if !comparable.contains(about.name) {
            let names = comparable.joined(separator: ", ")
            fail("'\(about.name)' uses what Foundation's loop does not have; to compare there are \(names)", status: 2)
        }
    }

    /// Returns the exit status: 1 if the two differ and nothing explains it.
    func run() -> Int32 {
        let other = program(named: "RunLoopLabOnFoundation")
        if access(other, X_OK) != 0 {
            fail("there is no \(other) to compare with; swift build --product RunLoopLabOnFoundation makes it", status: 1)
        }
        let ours = record(of: ownProgram), theirs = record(of: other)
        output.line("\(about.name) (\(about.claims.joined(separator: ", "))): \(about.shows)")
        output.line("")
        output.line("     " + padded("on this loop", to: Self.width) + "on Foundation's")
        let differing = writeRows(ours.rows, theirs.rows)
        output.line("")
        output.line("     " + verdict(ours))
        output.line("     " + verdict(theirs, of: "Foundation's"))
        let status = explain(differing + differingChecks(ours, theirs))
        output.flush()
        return status
    }

    // MARK: - What each has recorded

    private struct Record {
        var rows: [Row] = []
        var checks: [(holds: Bool, claim: String, observed: String)] = []
        var end: ChildProcess.End
    }

    /// An event; two are the same if all but their times are.
    private struct Row {
        var thread: String
        var same: String
        var text: String
    }

    private func record(of program: String) -> Record {
        let arguments = [about.name, "--record"] + (isFast ? ["--fast"] : [])
        let child = ChildProcess.run(program, arguments, limit: about.longest + 10)
        var record = Record(end: child.end)
        for line in child.output.split(separator: "\n") {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            switch (parts[0], parts.count) {
            case ("event", 8): record.rows.append(row(parts))
            case ("check", 4): record.checks.append((parts[1] == "ok", parts[2], parts[3]))
            default: record.rows.append(Row(thread: "", same: String(line), text: String(line))) // what a program says as it dies
            }
        }
        return record
    }

    private func row(_ parts: [String]) -> Row {
        let text = parts[5] == "" || parts[5] == parts[6] ? parts[6] : "\(parts[5]): \(parts[6])"
        let columns = [(parts[1], 6), (parts[2], 8), (parts[3], 4), (parts[4], 8), (text, 0)].map { padded($0, to: $1) }
        return Row(thread: parts[2], same: parts[2...6].joined(separator: "\t"), text: columns.joined(separator: " "))
    }

    // MARK: - Side by side

    /// A row of either, or of both.
    private typealias Pair = (ours: Row?, theirs: Row?)

    /// What both have stands in one line: the longest row of events that is in both, in order.
    private func align(_ ours: [Row], _ theirs: [Row]) -> [Pair] {
        var length = [[Int]](repeating: [Int](repeating: 0, count: theirs.count + 1), count: ours.count + 1)
        for one in ours.indices.reversed() {
            for other in theirs.indices.reversed() {
                length[one][other] = ours[one].same == theirs[other].same ? length[one + 1][other + 1] + 1
                    : max(length[one + 1][other], length[one][other + 1])
            }
        }
        var pairs: [Pair] = [], one = 0, other = 0
        while one < ours.count || other < theirs.count {
            if one < ours.count, other < theirs.count, ours[one].same == theirs[other].same {
                pairs.append((ours[one], theirs[other]))
                (one, other) = (one + 1, other + 1)
            } else if other == theirs.count || one < ours.count && length[one + 1][other] >= length[one][other + 1] {
                pairs.append((ours[one], nil))
                one += 1
            } else {
                pairs.append((nil, theirs[other]))
                other += 1
            }
        }
        return pairs
    }

    /// Thread by thread: how threads take turns is chance, on either loop. Returns what only one of them has.
    private func writeRows(_ ours: [Row], _ theirs: [Row]) -> [String] {
        var threads = ["main"]
        for row in ours + theirs where !threads.contains(row.thread) { threads.append(row.thread) }
        return threads.flatMap { thread in
            write(align(ours.filter { $0.thread == thread }, theirs.filter { $0.thread == thread }))
        }
    }

    /// Marks what only one of them has.
    private func write(_ pairs: [Pair]) -> [String] {
        for (ours, theirs) in pairs {
            let mark = ours != nil && theirs != nil ? " " : "*"
            let columns = padded(shortened(ours?.text ?? ""), to: Self.width) + shortened(theirs?.text ?? "")
            output.line("  \(mark)  " + trimmed(columns))
        }
        return pairs.compactMap { $0.ours == nil ? $0.theirs?.same : $0.theirs == nil ? $0.ours?.same : nil }
    }

    private func differingChecks(_ ours: Record, _ theirs: Record) -> [String] {
        let all = Set(ours.checks.map(\.claim) + theirs.checks.map(\.claim)).sorted()
        return all.filter { claim in
            ours.checks.first { $0.claim == claim }?.holds != theirs.checks.first { $0.claim == claim }?.holds
        }
    }

    private func verdict(_ record: Record, of name: String = "this loop") -> String {
        let failed = record.checks.filter { !$0.holds }
        let end = record.end == .exited(0) || record.end == .exited(1) ? "" : " (\(record.end.words))"
        let all = count(record.checks.count, "check"), verb = record.checks.count == 1 ? "holds" : "hold"
        let first = padded(name + ":", to: 15) + "\(record.checks.count - failed.count) of \(all) \(verb)\(end)"
        return ([first] + failed.map { padded("", to: 20) + "not: \($0.claim); \($0.observed)" }).joined(separator: "\n")
    }

    // MARK: - Why

    private func explain(_ differing: [String]) -> Int32 {
        output.line("")
        if differing.isEmpty {
            output.line("     No difference but in times.")
            return 0
        }
        let known = about.differences.filter { difference in differing.contains { $0.contains(difference.row) } }
        for difference in known { paragraph(difference.reason) }
        let unexplained = differing.filter { row in !known.contains { row.contains($0.row) } }
        for row in Set(unexplained).sorted() { paragraph("UNEXPLAINED: " + row.split(separator: "\t").joined(separator: " ")) }
        return unexplained.isEmpty ? 0 : 1
    }

    private func paragraph(_ text: String) {
        for (number, line) in wrapped(text, to: 2 * Self.width - 4).enumerated() {
            output.line((number == 0 ? "  *  " : "     ") + line)
        }
    }

    private func shortened(_ text: String) -> String {
        text.count < Self.width ? text : text.prefix(Self.width - 4) + "..."
    }
}
