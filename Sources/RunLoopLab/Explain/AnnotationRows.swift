// AnnotationRows.swift: the tables and lists of the annotations.

/// A row of a table, or an item of a list that begins with names or an id in bold letters.
struct AnnotationRow {
    /// The document's path.
    var document: String
    var line: Int
    /// The heading above the table.
    var section: String
    var heads: [String]
    var cells: [String]
    /// The names in code in its first cell. A struct has the name that follows the word.
    let spans: [String]
    /// All names in code.
    let names: Set<String>

    init(document: String, line: Int, section: String, heads: [String], cells: [String]) {
        (self.document, self.line, self.section, self.heads, self.cells) = (document, line, section, heads, cells)
        spans = codeSpans(in: cells[0]).map { $0.hasPrefix("struct ") ? String($0.dropFirst(7)) : $0 }
        names = Set(cells.flatMap(codeSpans))
    }

    /// The row without its first cell, with the names of the columns that have one. The columns of versions are left out.
    var words: [(head: String, text: String)] {
        zip(heads, cells).dropFirst().compactMap { head, cell in
            let text = withoutMarks(cell)
            return ["", "✓", "–"].contains(text) ? nil : (head, text)
        }
    }

    /// Whether the row is about this name or id.
    func isAbout(_ name: String) -> Bool { cells[0] == name || spans.contains(name) }
    /// Whether it mentions a name, with or without parentheses.
    func mentions(_ name: String) -> Bool { names.contains(name) || names.contains(name + "()") }
    /// The id of a claim or a difference that the row is about: L7, D36.
    var id: String? {
        isID(cells[0][...]) ? cells[0] : nil
    }

    /// All rows of a document.
    static func all(of path: String) -> [AnnotationRow] {
        var rows: [AnnotationRow] = [], section = "", heads: [String]?
        func add(_ index: Int, _ heads: [String], _ cells: [String]) {
            rows.append(AnnotationRow(document: path, line: index + 1, section: section, heads: heads, cells: cells))
        }
        for (index, line) in SourceTree.required(path).enumerated() {
            if line.hasPrefix("#") {
                section = String(line.drop { $0 == "#" || $0 == " " })
                heads = nil
            } else if line.hasPrefix("- **"), let end = line.dropFirst(4).firstRange(of: "**") {
                let text = line[end.upperBound...].drop { ": ：".contains($0) }
                add(index, ["", ""], [String(line.dropFirst(4)[..<end.lowerBound]), String(text)])
                heads = nil
            } else if !line.hasPrefix("|") {
                heads = nil
            } else if let heads {
                if line.contains(where: { !"|-: ".contains($0) }) {
                    add(index, heads, cells(of: line))
                }
            } else {
                heads = cells(of: line)
            }
        }
        return rows
    }

    /// A cell may begin with an anchor: <a id="R1"></a>.
    private static func withoutAnchor(_ cell: Substring) -> String {
        let end = cell.hasPrefix("<a ") ? cell.firstRange(of: "</a>")?.upperBound : nil
        return trimmed(String(cell[(end ?? cell.startIndex)...]))
    }

    private static func cells(of line: Substring) -> [String] {
        line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map { withoutAnchor($0.drop { $0 == " " }) }
    }
}

/// Markdown as plain text: `[L7]`, `[text](where)` and `[text][where]` are what they show.
private func withoutMarks(_ text: String) -> String {
    var result = "", rest = text.split(separator: "**").joined().split(separator: "`").joined()[...]
    while let character = rest.popFirst() {
        if character == "[" { continue }
        if character != "]" {
            result.append(character)
        } else if let close = rest.first == "(" ? ")" : rest.first == "[" ? "]" as Character : nil, let end = rest.firstIndex(of: close) {
            rest = rest[end...].dropFirst()
        }
    }
    return result
}

/// What stands between backquotes.
private func codeSpans(in text: String) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
}

/// Whether a word is the id of a claim or a difference.
func isID(_ word: Substring) -> Bool {
    guard let first = word.first, "RSLITOXAD".contains(first) else { return false }
    return 2...3 ~= word.count && word.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
}
