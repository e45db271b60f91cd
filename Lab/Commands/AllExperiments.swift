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
        let all = Catalog.all, time = Int((all.map(\.about.seconds).reduce(0, +) * (isFast ? 0.4 : 1)).rounded(.up))
        output.line(Text("\(count(all.count, "experiment")), about \(time) s", "\(all.count) 个实验，大约 \(time) 秒").description)
        output.flush()
        all.forEach(perform)
        return summary(isInterrupted: false)
    }

    private func perform(_ experiment: any Experiment) {
        let about = experiment.about, start = now()
        let child = ChildProcess.run(ownProgram, [about.name] + (isFast ? ["--fast"] : []) + Language.option, limit: about.longest + 10)
        let holds = child.end == .exited(0)
        tally.withLock {
            $0.run += 1
            if !holds { $0.failed.append(about.name) }
        }
        let words = [holds ? Text("ok  ", "通过").description : Text("FAIL", "失败").description, padded(about.name, to: 22), padded(about.claims.joined(separator: " "), to: 14),
                     seconds(now() - start)]
        output.line(words.joined(separator: "  ") + "  " + (holds ? about.shows : child.end.words).description)
        if !holds { for line in failures(in: child.output) { output.line("      " + line) } }
        output.flush()
    }

    /// The failed checks with what was observed; or the last lines of an experiment without a verdict.
    private func failures(in text: String) -> [Substring] {
        let lines = text.split(separator: "\n")
        let heads = [Text("Verdict", "结论"), Text("  ok ", "  通过 "), Text("  FAIL ", "  失败 ")].map(\.description)
        guard let verdict = lines.firstIndex(where: { $0 == heads[0] }) else { return lines.suffix(5) }
        var isFailed = false
        return lines[verdict...].filter { line in
            if line.hasPrefix(heads[1]) || line.hasPrefix(heads[2]) { isFailed = line.hasPrefix(heads[2]) }
            return isFailed && line.hasPrefix("  ")
        }
    }

    @discardableResult
    private func summary(isInterrupted: Bool) -> Int32 {
        let (run, failed) = tally.withLock { $0 }
        output.line("")
        let good = run - failed.count, rest = Catalog.all.count - run
        let shown = Text("\(count(good, "experiment")) as claimed", "\(good) 个实验与论断一致"), end = Text(".", "。")
        let bad = Text("; not as claimed: \(failed.joined(separator: ", ")).", "；不一致的：\(failed.joined(separator: "、"))。")
        output.line("\(shown)\(failed.isEmpty ? end : bad)")
        if isInterrupted { output.line(Text("Interrupted: \(count(rest, "experiment")) did not finish.", "已中断：\(rest) 个实验没有完成。").description) }
        output.flush()
        return failed.isEmpty ? 0 : 1
    }
}
