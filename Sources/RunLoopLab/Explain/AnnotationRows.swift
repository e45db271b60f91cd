// AnnotationRows.swift: the tables of ANNOTATIONS.md.

/// A row of a table.
struct AnnotationRow {
    var line: Int
    /// The heading above the table.
    var section: String
    var heads: [String]
    var cells: [String]

    /// The row without its first cell, with the names of the columns that have one.
    var words: [(head: String, text: String)] {
        zip(heads, cells).dropFirst().compactMap { head, cell in
            let text = cell.split(separator: "**").joined().split(separator: "`").joined()
            return text == "" ? nil : (head, text)
        }
    }

    /// The names in code in its first cell, or the id that it begins with.
    var subjects: [String] { codeSpans(in: cells[0]) + [cells[0]] }
    /// The id of a claim or a difference that the row is about: L7, D36.
    var id: String? {
        guard let first = cells[0].first, "RSLITOXAD".contains(first), cells[0].count < 4, cells[0].dropFirst().allSatisfy(\.isNumber) else { return nil }
        return cells[0].count > 1 ? cells[0] : nil
    }
    /// All names in code.
    var names: [String] { cells.flatMap(codeSpans) }

    /// All rows of a document.
    static func all(of path: String) -> [AnnotationRow] {
        var rows: [AnnotationRow] = [], section = "", heads: [String]?
        for (index, line) in SourceTree.required(path).enumerated() {
            if line.hasPrefix("#") {
                section = String(line.drop { $0 == "#" || $0 == " " })
                heads = nil
            } else if !line.hasPrefix("|") {
                heads = nil
            } else if let heads {
                if line.contains(where: { !"|-: ".contains($0) }) {
                    rows.append(AnnotationRow(line: index + 1, section: section, heads: heads, cells: cells(of: line)))
                }
            } else {
                heads = cells(of: line)
            }
        }
        return rows
    }

    private static func cells(of line: Substring) -> [String] {
        line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map { trimmed(String($0.drop { $0 == " " })) }
    }
}

/// What stands between backquotes.
private func codeSpans(in text: String) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
}
