// AllPrograms.swift: runs programs in processes of their own, so that each has an unused main loop.

import Glibc
import Synchronization

/// Runs lists of programs, each in all its forms, and says which were not as expected.
final class AllPrograms: Sendable {
    private let isFast: Bool
    private let output = Output()
    private let tally = Mutex((run: 0, failed: [String]()))

    /// Ctrl-C ends it with what was seen until then.
    init(isFast: Bool) {
        self.isFast = isFast
        onInterrupt { [self] in
            output.line("")
            output.line(Text("Interrupted.", "已中断。").description)
            _ = conclude()
            _exit(128 + SIGINT)
        }
    }

    func run(_ programs: [any Program], title: String) {
        output.line(title)
        output.flush()
        for program in programs { program.about.forms.forEach { run(program.about, $0) } }
    }

    private func run(_ about: About, _ form: Form) {
        let start = now(), record = record(of: about, form, isFast: isFast), isAsExpected = record.isAsExpected
        let name = about.name + (about.isPair ? " \(form.rawValue)" : "")
        tally.withLock {
            $0.run += 1
            if !isAsExpected { $0.failed.append(name) }
        }
        let mark = isAsExpected ? Text("ok  ", "通过") : Text("FAIL", "失败"), verdict = about.group == nil ? shown(record.verdict) : about.claims.joined(separator: " ")
        let first = "  \(mark)  \(padded(name, to: 21))\(padded(verdict, to: 21))\(padded(seconds(now() - start), to: -8))  "
        hanging(first, about.title.description).forEach(output.line)
        if !isAsExpected { for line in record.failures { output.line("        " + line) } }
        output.flush()
    }

    /// Says what was not as expected, and returns the exit status.
    func conclude() -> Int32 {
        let (run, failed) = tally.withLock { $0 }, good = run - failed.count
        let shown = Text("\(count(good, "program")) as expected", "\(good) 个程序与预期一致"), end = Text(".", "。")
        let bad = Text("; not as expected: \(failed.joined(separator: ", ")).", "；与预期不符的：\(failed.joined(separator: "、"))。")
        output.line("")
        output.line("\(shown)\(failed.isEmpty ? end : bad)")
        output.flush()
        return failed.isEmpty ? 0 : 1
    }
}
