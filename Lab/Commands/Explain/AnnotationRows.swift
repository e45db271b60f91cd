// AnnotationRows.swift: what Scripts/annotations --data has: the tables and lists of the annotations, and where the sources define each name.

import FoundationEssentials

/// A place in the sources.
struct Place: Equatable, Decodable {
    var path: String
    /// From 1.
    var line: Int

    var words: String { "\(path):\(line)" }
}

/// A test, and what it shows.
struct TestSentence: Decodable {
    var name: String, sentence: String, path: String
    var line: Int

    var place: Place { Place(path: path, line: line) }
}

/// What is known of the project's names, in the language that the user has chosen.
struct ProjectData: Decodable {
    /// The documents with the tables.
    var documents: [String]
    var rows: [AnnotationRow]
    /// Where the sources define a name.
    var places: [String: [Place]]
    /// What a name is, in a sentence.
    var sentences: [String: String]
    /// In the order of the files and their lines.
    var tests: [TestSentence]

    /// Reads the sources that RunLoopLab was built from, with Python: the debugger commands and the reading edition have the same reader.
    static func read() -> ProjectData {
        let script = SourceTree.root + "Scripts/annotations"
        let child = ChildProcess.run("/usr/bin/env", ["python3", script, "--data", Language.current.rawValue], limit: 60)
        if child.end == .exited(0), let data = try? JSONDecoder().decode(ProjectData.self, from: Data(child.output.utf8)) { return data }
        fail(Text("cannot read the annotations with \(script): \(child.output.suffix(300)). 'explain' needs python3 and the sources that RunLoopLab was built from",
                  "无法用 \(script) 读取注解：\(child.output.suffix(300))。explain 需要 python3，以及构建 RunLoopLab 时用的源文件"), status: 1)
    }

    /// The tests among these names.
    func tests(named names: Set<String>) -> [TestSentence] { tests.filter { names.contains($0.name) } }
}

/// A row of a table, or an item of a list that begins with names or an id in bold letters.
struct AnnotationRow: Decodable {
    /// The document's path.
    var document: String
    var line: Int
    /// The heading above the table.
    var section: String
    var heads: [String]
    var cells: [String]
    /// The cells without marks.
    private let plain: [String]

    /// The names in code in its first cell. A struct has the name that follows the word.
    let spans: [String]
    /// All names in code.
    let names: Set<String>
    /// The id of the claim or the difference that the row is about: L7, D36.
    let id: String?
    /// The ids in its other cells.
    let ids: [String]

    /// The row without its first cell, with the names of the columns that have one. The columns of versions are left out.
    var words: [(head: String, text: String)] {
        zip(heads, plain).dropFirst().compactMap { head, text in
            ["", "✓", "–"].contains(text) ? nil : (head, text)
        }
    }

    /// Whether the row is about this name or id.
    func isAbout(_ name: String) -> Bool { cells[0] == name || spans.contains(name) }
    /// Whether it mentions a name, with or without parentheses.
    func mentions(_ name: String) -> Bool { names.contains(name) || names.contains(name + "()") }
}

/// The identifiers, keywords and numbers of a line.
func words(of line: Substring) -> [String] {
    line.utf8.split { byte in
        !(UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "_"))
    }.map { String(Substring($0)) }
}
