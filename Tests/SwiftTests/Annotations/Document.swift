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
    /// The ids that a link can lead to, which the text itself contains: `<a id="R1"></a>`.
    let ids: [Span]
    /// The lines of indented or fenced code.
    let code: [Span]

    // MARK: - In a text of a document

    static func spans(in text: String) -> [String] { text.matches(of: Pattern.span).map { String($0.1) } }

    /// The names of the files that a text refers to as `[CFRunLoop.c]`.
    static func files(in text: String) -> [String] { text.matches(of: Pattern.file).map { String($0.1) } }
}

/// What is looked for in each text, made once: a literal is read again each time that control reaches it, which takes longer than the search.
enum Pattern {
    nonisolated(unsafe) static let span = /`([^`]+)`/
    nonisolated(unsafe) static let file = /\[([A-Za-z_]+\.(?:c|h|swift))\]/
    nonisolated(unsafe) static let claim = /[RSLITOXAD]\d+/
}
