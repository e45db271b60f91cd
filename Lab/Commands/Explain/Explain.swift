// Explain.swift: what a name is, or what answers a question: here, in the original, and in the articles.

import Glibc

/// `RunLoopLab explain PHRASE`: the card of a function, a field, a type, an id (L7, D36), an item of an article (0.15), a step (9.2), a call, a word, a claim or a question.
/// Or what a pasted stack or a printed loop says. Facts/explain answers, as it does for the debugger's rl-explain.
struct Explain {
    /// Standard input is a file or a pipe: `explain < file` needs no phrase.
    static var hasInput: Bool {
        var status = stat()
        return fstat(STDIN_FILENO, &status) == 0 && [S_IFREG, S_IFIFO].contains(status.st_mode & S_IFMT)
    }

    /// Prints the card that answers. Returns 1 if nothing is known of the phrase, or, if it is -, of standard input.
    func run(_ phrase: String) -> Int32 {
        if phrase.unicodeScalars.contains(where: { ("\u{4e00}"..."\u{9fff}").contains($0) }) { Language.current = .chinese }
        let lines = reply(to: phrase), output = Output()
        var last = ""
        for (number, line) in lines.enumerated() {
            let texts = number == 0 || line.head == "" ? wrapped(line.text, to: 98) : hanging("  \(padded(line.head == last ? "" : line.head, to: 14))", line.text)
            texts.forEach(output.line)
            last = line.head
        }
        output.flush()
        return 0
    }

    /// What answers: the sentence without a head, and the parts of the card. If nothing does, or Python is not there, it ends the program.
    private func reply(to phrase: String) -> [(head: String, text: String)] {
        let child = ChildProcess.run("/usr/bin/env", ["python3", SourceTree.root + "Facts/explain"] + Language.option + [phrase], limit: 600, inheritsInput: phrase == "-") // on a busy machine, the index takes long to make
        let lines = child.output.split(separator: "\n").map { $0.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false).map(String.init) }
        switch child.end {
        case .exited(0) where lines.allSatisfy { $0.count == 2 }: return lines.map { ($0[0], $0[1]) }
        case .exited(1) where lines.count == 1 && lines[0].count == 2: fail(Text("\(lines[0][1])", "\(lines[0][1])"), status: 1)
        case .exited(2): fail(Text("standard input is empty; 'explain' needs a name, a word, a question or a stack", "标准输入是空的；explain 要有名字、词、问题或者调用栈"), status: 2)
        case .exited(127): fail(Text("'explain' needs python3; on Debian and Ubuntu: apt install python3", "explain 需要 python3；Debian 和 Ubuntu 上：apt install python3"), status: 1)
        default: fail(Text("Facts/explain: \(child.end.words): \(child.output)", "Facts/explain：\(child.end.words)：\(child.output)"), status: 1)
        }
    }
}
