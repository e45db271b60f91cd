// AllExperiments.swift: runs every experiment in a process of its own, so that each has an unused main loop.

import Glibc
import Synchronization

/// Runs them in the order of the list.
final class AllExperiments: Sendable {
    let isFast: Bool
    private let output = Output()
    private let tally = Mutex((run: 0, failed: [String]()))

    init(isFast: Bool) {
        self.isFast = isFast
    }

    /// Returns the exit status: 1 if a check of an experiment failed.
    func run() -> Int32 {
        onInterrupt { [self] in
            summary(isInterrupted: true)
            _exit(128 + SIGINT)
        }
        let all = Catalog.all, time = estimate(all[...])
        output.line("\(count(all.count, "experiment")), about \(time) s")
        output.flush()
        for (number, experiment) in all.enumerated() {
            progress("\(experiment.about.name) (\(number + 1) of \(all.count)), about \(estimate(all[number...])) s left")
            perform(experiment)
        }
        return summary(isInterrupted: false)
    }

    private func perform(_ experiment: any Experiment) {
        let about = experiment.about, start = now()
        let child = ChildProcess.run(ownProgram, [about.name] + (isFast ? ["--fast"] : []), limit: about.longest + 10)
        let holds = child.end == .exited(0)
        tally.withLock {
            $0.run += 1
            if !holds { $0.failed.append(about.name) }
        }
        progress("")
        let words = [holds ? "ok  " : "FAIL", padded(about.name, to: 22), padded(about.claims.joined(separator: " "), to: 14),
                     seconds(now() - start)]
        output.line(words.joined(separator: "  ") + "  " + (holds ? about.shows : child.end.words))
        if !holds { for line in failures(in: child.output) { output.line("      " + line) } }
        output.flush()
    }

    /// The failed checks with what was observed; or the last lines of an experiment without a verdict.
    private func failures(in text: String) -> [Substring] {
        let lines = text.split(separator: "\n")
        guard let verdict = lines.firstIndex(of: "Verdict") else { return lines.suffix(5) }
        var isFailed = false
        return lines[verdict...].filter { line in
            if line.hasPrefix("  ok ") || line.hasPrefix("  FAIL ") { isFailed = line.hasPrefix("  FAIL ") }
            return isFailed && line.hasPrefix("  ")
        }
    }

    @discardableResult
    private func summary(isInterrupted: Bool) -> Int32 {
        let (run, failed) = tally.withLock { $0 }
        progress("")
        output.line("")
        let shown = "\(count(run - failed.count, "experiment")) as claimed"
        output.line(shown + (failed.isEmpty ? "." : "; not as claimed: \(failed.joined(separator: ", "))."))
        if isInterrupted { output.line("Interrupted: \(count(Catalog.all.count - run, "experiment")) did not finish.") }
        output.flush()
        return failed.isEmpty ? 0 : 1
    }

    private func estimate(_ experiments: ArraySlice<any Experiment>) -> Int {
        let whole = experiments.map(\.about.seconds).reduce(0, +) * (isFast ? 0.4 : 1)
        return max(1, Int(whole.rounded(.up)))
    }

    /// The progress line at the bottom of a terminal. Prints nothing into a pipe or a file.
    private func progress(_ text: String) {
        guard isatty(STDERR_FILENO) != 0, isatty(STDOUT_FILENO) != 0 else { return }
        let line = Array("\r\u{1B}[K\(text)".utf8)
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
