// PlayText.swift: where the text of a program comes from.

import Glibc

/// The text of a program, and where it stands.
struct PlayText {
    let text: String
    private let file: String
    private let linesBefore: Int // in the file

    /// The program of a file, a chapter of the book, or an example of the language's page, by its number; or of a case, by its name; or standard input.
    init(_ name: String) {
        let pages = Text("Documentation/Reference/programs.md", "Documentation/Reference/programs.zh.md")
        if name == "" || name == "-" {
            self.init(text: contents(from: STDIN_FILENO) ?? "", file: "-", linesBefore: 0)
        } else if let number = Int(name), access(name, F_OK) != 0 {
            self.init(from: SourceTree.root + pages.description, after: "### \(number). ")
        } else if name.hasSuffix(".md") {
            self.init(from: name, after: "")
        } else if let mark = name.lastIndex(of: "#"), name[..<mark].hasSuffix(".md"), let number = Int(name[name.index(after: mark)...]), number > 0 {
            self.init(from: String(name[..<mark]), after: "", number: number)
        } else if access(name, F_OK) != 0, let (file, lines, start) = Self.findCase(name) {
            let end = lines[start...].firstIndex { $0.hasPrefix("## ") } ?? lines.endIndex
            self.init(text: lines[start..<end].map { $0 + "\n" }.joined(), file: file, linesBefore: start)
        } else {
            self.init(text: Self.read(name), file: name, linesBefore: 0)
        }
    }

    /// The file of a case, its lines, and the first one below the name.
    private static func findCase(_ name: String) -> (file: String, lines: [Substring], start: Int)? {
        for file in SourceTree.files(in: "Programs/Cases", endings: [".txt"]) {
            if let lines = SourceTree.lines(of: file), let head = lines.firstIndex(of: "## \(name)") { return (SourceTree.root + file, lines, head + 1) }
        }
        return nil
    }

    private init(text: String, file: String, linesBefore: Int) {
        (self.text, self.file, self.linesBefore) = (text, file, linesBefore)
    }

    /// The first program after a heading, or a later one.
    private init(from file: String, after heading: String, number program: Int = 1) {
        let lines = Self.read(file).split(separator: "\n", omittingEmptySubsequences: false)
        guard let title = heading == "" ? 0 : lines.firstIndex(where: { $0.hasPrefix(heading) }),
              let fence = lines[title...].indices.filter({ lines[$0] == "```program" }).dropFirst(program - 1).first, let end = lines[fence...].firstIndex(of: "```") else {
            let number = heading.filter(\.isNumber)
            fail(program > 1 ? Text("there is no program \(program) in \(file)", "\(file) 里没有第 \(program) 个程序")
                : heading == "" ? Text("there is no program in \(file)", "\(file) 里没有程序")
                : Text("there is no example \(number) in \(file)", "\(file) 里没有例子 \(number)"), status: 2)
        }
        self.init(text: lines[(fence + 1)..<end].map { $0 + "\n" }.joined(), file: file, linesBefore: fence + 1)
    }

    /// A message of the reader, "line 2, column 8: expected a mode" or "第 2 行第 8 列，应为：…", as compilers write it: "FILE:2:8: expected a mode".
    func place(of error: String) -> String {
        guard let match = error.wholeMatch(of: /(?:line |第 )([0-9]+)(?:, column | 行第 )([0-9]+)(?:: | 列，)(.*)/.dotMatchesNewlines()),
              let line = Int(match.1) else { return error }
        return "\(file):\(line + linesBefore):\(match.2): \(match.3)"
    }

    /// A line of the program, in its file.
    func place(ofLine line: Int) -> String { "\(file):\(line + linesBefore)" }

    private static func read(_ path: String) -> String {
        if let text = contents(of: path) { return text }
        let error = reason(errno)
        fail(Text("cannot read \(path): \(error)", "无法读取 \(path)：\(error)"), status: 2)
    }
}
