import Foundation

/// A document, as Facts/facts/documents.py reads it: what it consists of, each with its line.
struct Document: Decodable {
    /// A part that the translation must have, too.
    struct Part: Decodable {
        /// `verbatim` is the same in every language: code, a quotation, the line below a table's head, generated text, and the target of
        /// `[CFRunLoop.c]`.
        enum Kind: String, Decodable { case paragraph, item, row, verbatim }

        var kind: Kind
        var line: Int
        /// Paragraphs and items without their line breaks.
        var text: String
        /// The beginning of an item: `-`, or its number.
        var marker: String
        var cells: [String]
    }

    struct Section: Decodable {
        var line: Int
        var level: Int
        var heading: String
        var parts: [Part]

        var lastLine: Int { parts.last?.line ?? line }
        /// Its table says which Chinese word stands for a thing, and which do not. That concerns the Chinese documents alone: English has
        /// nothing to translate there.
        var isAboutChineseWords: Bool { parts.contains { $0.cells.starts(with: ["用", "不用"]) } }
    }

    /// A row of a table, below its head.
    struct Row: Decodable {
        var line: Int
        var cells: [String]
        /// The numbers of the headings above it, and their texts, from the outermost inwards.
        var headings: [String]
        /// The text above the table in the same section; file names in it count for all rows.
        var introduction: String
        /// The heads of its columns, and their line.
        var heads: [String]
        var table: Int
        /// The struct whose fields the table lists, or "".
        var owner: String
    }

    /// An item of a list about a name, or about several: `- **`a`, `b`** in [CFRunLoop.c]: what they do`.
    struct Item: Decodable {
        var line: Int
        /// The bold text at its beginning.
        var subject: String
        /// The whole text.
        var text: String
        var headings: [String]

        var names: [String] { spans(in: subject) }
    }

    struct Span: Decodable {
        var line: Int
        var text: String
    }

    let path: String
    /// The text above the first heading belongs to a section without a heading.
    let sections: [Section]
    let rows: [Row]
    let items: [Item]
    /// What stands in code, outside of code.
    let spans: [Span]
    /// The target of each link, from the repository's root; and `[CFRunLoop.c]` and `[R1]`.
    let links: [Span]
    /// The ids that a link can lead to, which the text itself contains: `<a id="R1"></a>`.
    let ids: [Span]
    /// The anchors of each section, and of each row that has an id.
    let anchors: [String]
    /// The targets of `[CFRunLoop.c]` and `[R1]`.
    let references: [String: String]
    /// The lines of indented or fenced code.
    let code: [Span]

    /// What the reader makes of texts that are in no file.
    static func read(_ texts: [(path: String, text: String)]) throws -> [Document] {
        try answerOfPython(["-c", """
            import json, sys
            from facts.documents import Document
            print(json.dumps([Document(path, text).data() for path, text in zip(sys.argv[1::2], sys.argv[2::2])]))
            """] + texts.flatMap { [$0.path, $0.text] })
    }

    // MARK: - In a text of a document

    static func spans(in text: String) -> [String] { text.matches(of: Pattern.span).map { String($0.1) } }

    /// The names of the files that a text refers to as `[CFRunLoop.c]`.
    static func files(in text: String) -> [String] { text.matches(of: Pattern.file).map { String($0.1) } }
}

/// What is looked for in each text, made once: a literal is read again each time that control reaches it, which takes longer than the search.
enum Pattern {
    /// `[R1]: ANNOTATIONS.md#R1`
    nonisolated(unsafe) static let reference = /\[([^\]]+)\]: (\S+)/
    nonisolated(unsafe) static let span = /`([^`]+)`/
    nonisolated(unsafe) static let link = /\]\(([^)\s]+)\)/
    nonisolated(unsafe) static let file = /\[([A-Za-z_]+\.(?:c|h|swift))\]/
    /// What is no prose in a text.
    nonisolated(unsafe) static let spanOrLink = /`[^`]+`|\]\([^)\s]+\)/
    /// The relation between a name here and the original's.
    nonisolated(unsafe) static let state = /(?:\*\*)?(same|adapted|absent|ours)(?:\*\*|:.*)?/
    nonisolated(unsafe) static let number = /[0-9]+/
    nonisolated(unsafe) static let claim = /[RSLITOXAD]\d+/
    nonisolated(unsafe) static let lowercase = /[a-z]+/
}
