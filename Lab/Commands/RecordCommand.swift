// RecordCommand.swift: `record`, which keeps the transcript of an experiment and writes what is derived from it.

import Glibc

/// `RunLoopLab record NAME`: the last step of a new or changed experiment.
struct RecordCommand {
    let experiment: any Experiment

    /// Returns 1 if a check fails; then it writes nothing.
    func run() -> Int32 {
        let name = experiment.about.name, words = [name, "--fast", "--record", "--lang", "en"]
        let child = ChildProcess.run(ownProgram, words, limit: 60)
        let record = ExperimentRecord(child.output)
        if child.end != .exited(0) || !record.others.isEmpty {
            fail(Text("'\(name)' does not show what it claims:\n\(child.output)",
                      "“\(name)”没有显示它所说的：\n\(child.output)"), status: 1)
        }
        let output = Output(), path = "Tests/SwiftTests/Transcripts/\(name).txt"
        guard let file = fopen(SourceTree.root + path, "w") else {
            fail(Text("cannot write \(path): \(reason(errno))", "无法写入 \(path)：\(reason(errno))"), status: 1)
        }
        fputs(record.transcript, file)
        fclose(file)
        output.line(Text("wrote \(path): read it", "写了 \(path)，请读一遍").description)
        for script in ["annotations", "index"] { // the programs of each claim, and the index
            let child = ChildProcess.run("/usr/bin/env", ["python3", SourceTree.root + "Scripts/" + script], limit: 180)
            for line in child.output.split(separator: "\n") { output.line(String(line)) }
            if child.end != .exited(0) {
                fail(Text("Scripts/\(script): \(child.end.words)", "Scripts/\(script)：\(child.end.words)"), status: 1)
            }
        }
        for words in record.untranslated {
            output.line(Text("to translate, in Lab/Common/EventWords.swift: \(words)", "待翻译，在 Lab/Common/EventWords.swift 里：\(words)").description)
        }
        output.flush()
        return 0
    }
}
