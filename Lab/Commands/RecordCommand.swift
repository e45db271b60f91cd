// RecordCommand.swift: `record`, which keeps the transcript of an experiment and writes what is derived from it.

import Glibc

/// `RunLoopLab record NAME`: the last step of a new or changed experiment.
struct RecordCommand {
    let experiment: any Program

    /// Returns 1 if a check fails; then it writes nothing.
    func run() -> Int32 {
        let name = experiment.about.name, language = Language.current
        Language.current = .english
        let record = record(of: experiment.about, .asWritten, isFast: true)
        Language.current = language
        if !record.isAsExpected || !record.others.isEmpty {
            let seen = record.failures.joined(separator: "\n")
            fail(Text("'\(name)' does not show what it claims:\n\(seen)", "“\(name)”没有显示它所说的：\n\(seen)"), status: 1)
        }
        let output = Output(), path = "Tests/LabTests/Transcripts/\(name).txt"
        write(record.transcript, to: SourceTree.root + path)
        output.line(Text("wrote \(path): read it", "写了 \(path)，请读一遍").description)
        let child = ChildProcess.run("/usr/bin/env", ["python3", SourceTree.root + "Facts/annotations"], limit: 180) // the programs of each claim
        for line in child.output.split(separator: "\n") { output.line(String(line)) }
        if child.end != .exited(0) { fail(Text("Facts/annotations: \(child.end.words)", "Facts/annotations：\(child.end.words)"), status: 1) }
        for words in record.untranslated {
            output.line(Text("to translate, in Lab/Common/EventWords.swift: \(words)", "待翻译，在 Lab/Common/EventWords.swift 里：\(words)").description)
        }
        output.flush()
        return 0
    }
}
