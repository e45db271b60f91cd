import Foundation

/// An annotated document: its headings, its tables row by row, its links and its code spans, each with its line.
struct Document {
    struct Row {
        var line: Int
        var cells: [String]
        /// The numbers of the headings above it, and their texts, from the outermost inwards.
        var headings: [String]
        /// The text above the table in the same section; file names in it count for all rows.
        var introduction: String
        /// The heads of its columns; set by `bodyRows`.
        var heads: [String] = []
    }

    /// An item of a list about a name, or about several: `- **`a`, `b`** in [CFRunLoop.c]: what they do`.
    struct Item {
        var line: Int
        /// The bold text at its beginning.
        var subject: String
        /// The whole text.
        var text: String
        var headings: [String]

        var names: [String] { spans(in: subject) }
    }

    struct Span {
        var line: Int
        var text: String
    }

    struct Heading {
        var line: Int
        var level: Int
        var text: String
    }

    let path: String
    private(set) var headings: [Heading] = []
    private(set) var rows: [Row] = []
    private(set) var items: [Item] = []
    private(set) var spans: [Span] = []
    /// The target of each link, from the repository's root, in the order of the text.
    private(set) var links: [Span] = []
    /// The ids that a link can lead to, which the text itself contains: `<a id="R1"></a>`.
    private(set) var ids: [Span] = []
    /// The targets of `[CFRunLoop.c]` and `[R1]`.
    private(set) var references: [String: String] = [:]
    /// The lines of indented or fenced code, to which no rule below applies.
    private(set) var codeLines: [Span] = []

    init(path: String) throws {
        self.path = path
        let text = try String(contentsOf: SourceFile.root.appendingPathComponent(path), encoding: .utf8)
        var above: [String] = [], introduction = "", isFenced = false, isInItem = false
        for (index, content) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = index + 1, content = String(content)
            if content.hasPrefix("```") { isFenced.toggle() }
            if isFenced || content.hasPrefix("    ") {
                codeLines.append(Span(line: line, text: content))
                continue
            }
            if let match = content.wholeMatch(of: /\[([^\]]+)\]: (\S+)/) {
                references[String(match.1)] = String(match.2)
                continue
            }
            if let match = content.wholeMatch(of: /(#+) (.*)/) {
                let level = match.1.count
                above = Array(above.prefix(level - 1)) + [String(match.2)]
                headings.append(Heading(line: line, level: level, text: String(match.2)))
                introduction = content
                isInItem = false
            } else if content.hasPrefix("|") {
                rows.append(Row(line: line, cells: Self.cells(content), headings: above, introduction: introduction))
            } else if !content.hasPrefix("<!--") {
                if let match = content.prefixMatch(of: /- \*\*([^*]+)\*\*/) {
                    items.append(Item(line: line, subject: String(match.1), text: content, headings: above))
                    isInItem = true
                } else if isInItem, content.hasPrefix("  ") {
                    items[items.count - 1].text += " " + content.trimmed
                } else {
                    isInItem = false
                }
                introduction += content + "\n"
            }
            ids += content.matches(of: /<a id="([^"]+)"><\/a>/).map { Span(line: line, text: String($0.1)) }
            spans += content.matches(of: /`([^`]+)`/).map { Span(line: line, text: String($0.1)) }
            links += content.matches(of: /\]\(([^)\s]+)\)/).map {
                Span(line: line, text: SourceFile.resolve(link: String($0.1), in: path))
            }
            links += content.matches(of: /\[([A-Za-z_]+\.(?:c|h|swift)|[RSLITOXAD]\d+)\](?!\()/).map { Span(line: line, text: "[\($0.1)]") }
        }
    }

    /// The rows of tables, without their heads and the lines below those.
    var bodyRows: [Row] {
        var heads: [String] = []
        return rows.indices.compactMap { index in
            let isRule = { (row: Row) in row.cells.allSatisfy { $0.allSatisfy { "-: ".contains($0) } && $0 != "" } }
            if isRule(rows[index]) { return nil }
            if index + 1 < rows.count, rows[index + 1].line == rows[index].line + 1, isRule(rows[index + 1]) {
                heads = rows[index].cells
                return nil
            }
            var row = rows[index]
            row.heads = heads
            return row
        }
    }

    static func cells(_ line: String) -> [String] {
        line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            .map { $0.replacing(/<a id="[^"]*"><\/a>/, with: "").trimmed }
    }

    static func spans(in text: String) -> [String] {
        text.matches(of: /`([^`]+)`/).map { String($0.1) }
    }

    /// The names of the files that a text refers to as `[CFRunLoop.c]`.
    static func files(in text: String) -> [String] {
        text.matches(of: /\[([A-Za-z_]+\.(?:c|h|swift))\]/).map { String($0.1) }
    }

    /// The anchor of a heading, for links.
    static func anchor(_ heading: String) -> String {
        heading.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" || $0 == " " }.replacingOccurrences(of: " ", with: "-")
    }
}
