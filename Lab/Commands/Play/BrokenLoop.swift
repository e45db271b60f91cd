// BrokenLoop.swift: the loop with one line broken, which Scripts/broken-loop compiles.

import Glibc

/// A line of Facts/breaks.tsv. The library in this process is not broken: Scripts/broken-loop makes a program of copies of the sources.
struct BrokenLoop {
    private static let script = SourceTree.root + "Scripts/broken-loop"

    private let number: Int
    /// What is broken, where, and the line before and after.
    let words: String
    /// What the page Play says of a program in which nobody notices it; here with the command for one in which it is seen.
    let unnoticed: Text

    /// A number that no line has ends the process, with all of them.
    init(_ number: String) {
        let list = ChildProcess.run(Self.script, ["--list"], limit: 60)
        guard case .exited(0) = list.end else { fail(Text("Scripts/broken-loop: \(list.output)", "Scripts/broken-loop：\(list.output)"), status: 1) }
        let rows = list.output.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
        guard let row = rows.first(where: { $0[0] == number }), let found = Int(number) else {
            let all = rows.map { "\n  \($0[0].count < 2 ? " " : "")\($0[0])  \(Text($0[4], $0[5]))" }.joined()
            fail(Text("there is no break '\(number)'; these are the lines that --broken can break:\(all)", "没有“\(number)”；--broken 可以改坏的有：\(all)"), status: 2)
        }
        self.number = found
        words = Text("Broken: \(row[4])", "改坏：\(row[5])").description + "\n\(row[1])\n- \(row[2])\n+ \(row[3] == "" ? Text("(nothing)", "（没有了）").description : row[3])\n"
        unnoticed = Text("With this program nobody notices: both loops write the same log. Show it with: RunLoopLab play \(row[6]) --broken \(number)",
                         "这段程序看不出来：两边的记录一样。换成这个来看：RunLoopLab play \(row[6]) --broken \(number)")
    }

    /// The log of a program there.
    func log(of program: String, seed: UInt64) -> String {
        guard let file = tmpfile() else { fail(Text("cannot make a file: \(reason(errno))", "无法创建文件：\(reason(errno))"), status: 1) }
        defer { fclose(file) }
        fputs(program, file)
        fflush(file)
        let child = ChildProcess.run("/bin/sh", ["-c", "exec \"$0\" \(number) \(seed) <\"$1\"", Self.script, "/proc/self/fd/\(fileno(file))"], limit: 600) // it compiles, the first time
        switch child.end {
        case .exited(0), .exited(1): return child.output // 1: all threads wait forever, and the log says so
        default: fail(Text("Scripts/broken-loop: \(child.end.words): \(child.output)", "Scripts/broken-loop：\(child.end.words)：\(child.output)"), status: 1)
        }
    }
}
