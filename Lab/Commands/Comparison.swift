// Comparison.swift: shows an experiment on this loop and on the loop of the toolchain's Foundation, side by side.

import Glibc
import Synchronization

/// Runs both programs, which are compiled from the same files, and prints their transcripts in two columns.
struct Comparison {
    private static let width = 58 // of a column

    let about: About
    let isFast: Bool
    private let output = Output()
    private let interruption = Interruption()

    init(of experiment: any Experiment, isFast: Bool) {
        about = experiment.about
        self.isFast = isFast
        let comparable = comparableExperiments.map(\.about.name)
        if !comparable.contains(about.name) {
            let names = comparable.joined(separator: ", ")
            fail(Text("'\(about.name)' uses functions that Foundation's loop does not have; you can compare: \(names)",
                      "“\(about.name)”用到了 Foundation 的 RunLoop 没有的函数；可以比较的有：\(names)"), status: 2)
        }
    }

    /// Returns the exit status: 1 if there is an unexplained difference.
    func run() -> Int32 {
        let other = program(named: "RunLoopLabOnFoundation")
        if access(other, X_OK) != 0 {
            fail(Text("there is no \(other) to compare with; build it: swift build --product RunLoopLabOnFoundation",
                      "没有可以比较的 \(other)；先构建它：swift build --product RunLoopLabOnFoundation"), status: 1)
        }
        onInterrupt { [interruption] in interruption.interrupt() }
        introduce()
        let ours = record(of: ownProgram), theirs = record(of: other)
        output.line("")
        output.line("     " + padded(Text("on this loop", "这个 RunLoop").description, to: Self.width) + Text("on Foundation's", "Foundation 的 RunLoop").description)
        let status = interruption.hasCome ? conclude(until: ours, theirs) : conclude(ours, theirs)
        output.flush()
        return status
    }

    /// Prints what is about to be compared, and how long that takes.
    private func introduce() {
        output.line("\(about.name) (\(about.claims.joined(separator: ", "))): \(about.shows)")
        let time = max(1, Int((2 * about.seconds * (isFast ? 0.4 : 1)).rounded(.up)))
        output.line(Text("It runs on this loop, then on Foundation's. This takes about \(time) s; press Ctrl-C to end it earlier.",
                         "先在这个 RunLoop 上运行，再在 Foundation 的上运行。大约需要 \(time) 秒；按 Ctrl-C 提前结束。").description)
        output.flush()
    }

    private func conclude(_ ours: Record, _ theirs: Record) -> Int32 {
        let differing = writeRows(ours.rows, theirs.rows)
        output.line("")
        output.line("     " + verdict(ours))
        output.line("     " + verdict(theirs, of: Text("Foundation's", "Foundation 的")))
        return explain(differing + differingChecks(ours, theirs), times: differencesOfTime(ours.rows, theirs.rows))
    }

    /// After Ctrl-C, a row that is missing on one loop might still have come, so no row counts as a difference.
    private func conclude(until ours: Record, _ theirs: Record) -> Int32 {
        writeRows(ours.rows, theirs.rows, isComplete: false)
        output.line("")
        output.line("     " + Text("Interrupted. The rows above show what was observed until then.", "已中断。上面是到那时为止观察到的。").description)
        return 128 + SIGINT
    }

    // MARK: - The two records

    private struct Record {
        var rows: [Row] = []
        var checks: [(holds: Bool, claim: String, observed: String)] = []
        var end: ChildProcess.End
    }

    /// An event. Two rows are the same if they differ only in time.
    private struct Row {
        var time = 0.0, name = ""
        var thread: String
        var same: String
        var text: String
    }

    private func record(of program: String) -> Record {
        let arguments = [about.name, "--record"] + (isFast ? ["--fast"] : []) + Language.option
        if interruption.hasCome { return Record(end: .killed(SIGINT)) }
        let child = ChildProcess.run(program, arguments, limit: about.longest + 10, running: interruption.forward)
        var record = Record(end: child.end)
        for line in child.output.split(separator: "\n") {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            switch (parts[0], parts.count) {
            case ("event", 8): record.rows.append(row(parts))
            case ("check", 4): record.checks.append((parts[1] == "ok", parts[2], parts[3]))
            default: record.rows.append(Row(thread: "", same: String(line), text: String(line))) // a crash message
            }
        }
        return record
    }

    private func row(_ parts: [String]) -> Row {
        let text = parts[5] == "" || parts[5] == parts[6] ? shown(parts[6]) : "\(shown(parts[5])): \(shown(parts[6]))"
        let columns = [(parts[1], 6), (parts[2], 8), (parts[3], 4), (parts[4], 8), (text, 0)].map { padded($0, to: $1) }
        return Row(time: Double(parts[1]) ?? 0, name: parts[6], thread: parts[2],
                   same: parts[2...6].joined(separator: "\t"), text: columns.joined(separator: " "))
    }

    // MARK: - Side by side

    /// Prints thread by thread, because how threads take turns is chance. Returns the rows that only one program has.
    @discardableResult
    private func writeRows(_ ours: [Row], _ theirs: [Row], isComplete: Bool = true) -> [String] {
        var threads = ["main"]
        for row in ours + theirs where !threads.contains(row.thread) { threads.append(row.thread) }
        return threads.flatMap { thread in
            write(SideBySide.align([ours, theirs].map { $0.filter { $0.thread == thread } }, by: \.same), isComplete)
        }
    }

    /// Marks rows that only one program has, if both records are complete.
    private func write(_ lines: [[Row?]], _ isComplete: Bool) -> [String] {
        for rows in lines {
            let mark = rows.contains { $0 == nil } && isComplete ? "*" : " "
            output.line("  \(mark)  " + SideBySide.line(rows.map { $0?.text ?? "" }, width: Self.width))
        }
        return lines.filter { $0.contains { $0 == nil } }.flatMap { $0.compactMap { $0?.same } }
    }

    private func differingChecks(_ ours: Record, _ theirs: Record) -> [String] {
        let all = Set(ours.checks.map(\.claim) + theirs.checks.map(\.claim)).sorted()
        return all.filter { claim in
            ours.checks.first { $0.claim == claim }?.holds != theirs.checks.first { $0.claim == claim }?.holds
        }
    }

    private func verdict(_ record: Record, of name: Text = Text("this loop", "这个 RunLoop")) -> String {
        let failed = record.checks.filter { !$0.holds }
        let end = record.end == .exited(0) || record.end == .exited(1) ? "" : " (\(record.end.words))"
        let all = record.checks.count, good = all - failed.count, verb = all == 1 ? "holds" : "hold"
        let words = Text("\(good) of \(count(all, "check")) \(verb)\(end)", "\(all) 项检查中 \(good) 项成立\(end)")
        let first = padded(name.description + Text(":", "：").description, to: 15) + words.description
        let others = failed.map { padded("", to: 20) + Text("not: \($0.claim); \($0.observed)", "不成立：\($0.claim)；\($0.observed)").description }
        return ([first] + others).joined(separator: "\n")
    }

    // MARK: - Why

    /// The known differences in time that showed in these two runs.
    private func differencesOfTime(_ ours: [Row], _ theirs: [Row]) -> [String] {
        about.differencesOfTime.compactMap { known in
            guard let here = time(known, in: ours), let there = time(known, in: theirs) else { return nil }
            if (here < known.long) == (there < known.long) { return nil }
            let from = shown(known.from), to = shown(known.to), own = seconds(here), others = seconds(there)
            return Text("From \"\(from)\" to \"\(to)\" it takes \(own) here and \(others) on Foundation's loop. \(known.reason)",
                        "从“\(from)”到“\(to)”，这里用了 \(own)，Foundation 的 RunLoop 用了 \(others)。\(known.reason)").description
        }
    }

    private func time(_ known: About.DifferenceOfTime, in rows: [Row]) -> Double? {
        guard let first = rows.firstIndex(where: { $0.name == known.from }) else { return nil }
        return rows[first...].first { $0.name == known.to }.map { $0.time - rows[first].time }
    }

    private func explain(_ differing: [String], times: [String]) -> Int32 {
        output.line("")
        if differing.isEmpty {
            output.line("     " + (times.isEmpty ? Text("Only times differ.", "只有时间不同。")
                : Text("Only times differ, one of them for a reason:", "只有时间不同，其中一处有原因：")).description)
        }
        times.forEach(paragraph)
        let known = about.differences.filter { difference in differing.contains { $0.contains(difference.row.description) } }
        for difference in known { paragraph(difference.reason.description) }
        let unexplained = differing.filter { row in !known.contains { row.contains($0.row.description) } }
        for row in Set(unexplained).sorted() { paragraph(Text("UNEXPLAINED: ", "没有解释：").description + row.split(separator: "\t").joined(separator: " ")) }
        return unexplained.isEmpty ? 0 : 1
    }

    private func paragraph(_ text: String) {
        for (number, line) in wrapped(text, to: 2 * Self.width - 4).enumerated() {
            output.line((number == 0 ? "  *  " : "     ") + line)
        }
    }
}

/// Passes Ctrl-C on to the running program. A terminal sends SIGINT to both; `kill` sends it only to this process.
private final class Interruption: Sendable {
    private let state = Mutex((hasCome: false, process: pid_t?.none))

    var hasCome: Bool { state.withLock { $0.hasCome } }

    func interrupt() {
        state.withLock {
            $0.hasCome = true
            if let process = $0.process { kill(process, SIGINT) }
        }
    }

    /// From now on, passes Ctrl-C on to this process, or to none.
    func forward(to process: pid_t?) {
        state.withLock {
            $0.process = process
            if let process, $0.hasCome { kill(process, SIGINT) }
        }
    }
}
