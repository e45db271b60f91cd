import Foundation

/// What is looked for in each line, made once: a literal is read again each time that control reaches it, which takes longer than the search.
enum Pattern {
    nonisolated(unsafe) static let heading = /(#+) (.*)/
    /// `[R1]: ANNOTATIONS.md#R1`
    nonisolated(unsafe) static let reference = /\[([^\]]+)\]: (\S+)/
    nonisolated(unsafe) static let namedItem = /- \*\*([^*]+)\*\*/
    nonisolated(unsafe) static let item = /\s*(-|\d+\.) (.*)/
    nonisolated(unsafe) static let id = /<a id="([^"]*)"><\/a>/
    nonisolated(unsafe) static let span = /`([^`]+)`/
    nonisolated(unsafe) static let link = /\]\(([^)\s]+)\)/
    /// `[CFRunLoop.c]`, `[R1]`
    nonisolated(unsafe) static let shortLink = /\[([A-Za-z_]+\.(?:c|h|swift)|[RSLITOXAD]\d+)\](?!\()/
    nonisolated(unsafe) static let file = /\[([A-Za-z_]+\.(?:c|h|swift))\]/
    /// What is no prose in a text.
    nonisolated(unsafe) static let spanOrLink = /`[^`]+`|\]\([^)\s]+\)/
    nonisolated(unsafe) static let quotation = /> \d: 「/
    /// The relation between a name here and the original's.
    nonisolated(unsafe) static let state = /(?:\*\*)?(same|adapted|absent|ours)(?:\*\*|:.*)?/
    nonisolated(unsafe) static let number = /[0-9]+/
    nonisolated(unsafe) static let claim = /[RSLITOXAD]\d+/
    nonisolated(unsafe) static let lowercase = /[a-z]+/
}

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

    /// The rows of tables, without their heads and the lines below those.
    private(set) var bodyRows: [Row] = []

    private static let known = ReadOnce<Document>()

    init(path: String) throws {
        self = try Self.known(path) { Document(path: path, text: $0) }
    }

    private init(path: String, text: String) {
        self.path = path
        var above: [String] = [], introduction = "", isFenced = false, isInItem = false
        for (index, content) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = index + 1, content = String(content)
            if content.hasPrefix("```") { isFenced.toggle() }
            if isFenced || content.hasPrefix("    ") {
                codeLines.append(Span(line: line, text: content))
                continue
            }
            if let match = content.wholeMatch(of: Pattern.reference) {
                references[String(match.1)] = String(match.2)
                continue
            }
            if let match = content.wholeMatch(of: Pattern.heading) {
                let level = match.1.count
                above = Array(above.prefix(level - 1)) + [String(match.2)]
                headings.append(Heading(line: line, level: level, text: String(match.2)))
                introduction = content
                isInItem = false
            } else if content.hasPrefix("|") {
                rows.append(Row(line: line, cells: Self.cells(content), headings: above, introduction: introduction))
            } else if !content.hasPrefix("<!--") {
                if let match = content.prefixMatch(of: Pattern.namedItem) {
                    items.append(Item(line: line, subject: String(match.1), text: content, headings: above))
                    isInItem = true
                } else if isInItem, content.hasPrefix("  ") {
                    items[items.count - 1].text += " " + content.trimmed
                } else {
                    isInItem = false
                }
                introduction += content + "\n"
            }
            ids += content.matches(of: Pattern.id).map { Span(line: line, text: String($0.1)) }
            spans += content.matches(of: Pattern.span).map { Span(line: line, text: String($0.1)) }
            links += content.matches(of: Pattern.link).map {
                Span(line: line, text: SourceFile.resolve(link: String($0.1), in: path))
            }
            links += content.matches(of: Pattern.shortLink).map { Span(line: line, text: "[\($0.1)]") }
        }
        bodyRows = rowsWithHeads()
    }

    private func rowsWithHeads() -> [Row] {
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
            .map { $0.replacing(Pattern.id, with: "").trimmed }
    }

    static func spans(in text: String) -> [String] {
        text.matches(of: Pattern.span).map { String($0.1) }
    }

    /// The names of the files that a text refers to as `[CFRunLoop.c]`.
    static func files(in text: String) -> [String] {
        text.matches(of: Pattern.file).map { String($0.1) }
    }

    /// The anchor of a heading, for links.
    static func anchor(_ heading: String) -> String {
        heading.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" || $0 == " " }.replacingOccurrences(of: " ", with: "-")
    }
}
