import Foundation

/// A document, as Facts/facts/documents.py reads it: what it consists of, each with its line.
package struct Document: Decodable {
    /// A part that the translation must have, too.
    package struct Part: Decodable {
        /// `verbatim` is the same in every language: code, a quotation, the line below a table's head, generated text, and the target of
        /// `[CFRunLoop.c]`.
        package enum Kind: String, Decodable { case paragraph, item, row, verbatim }

        package var kind: Kind
        package var line: Int
        /// Paragraphs and items without their line breaks.
        package var text: String
        /// The beginning of an item: `-`, or its number.
        package var marker: String
        package var cells: [String]
    }

    package struct Section: Decodable {
        package var line: Int
        package var level: Int
        package var heading: String
        package var parts: [Part]
    }

    /// A row of a table, below its head.
    package struct Row: Decodable {
        package var line: Int
        package var cells: [String]
        /// The numbers of the headings above it, and their texts, from the outermost inwards.
        package var headings: [String]
        /// The text above the table in the same section; file names in it count for all rows.
        package var introduction: String
        /// The heads of its columns, and their line.
        package var heads: [String]
        package var table: Int
        /// The struct whose fields the table lists, or "".
        package var owner: String
    }

    /// An item of a list about a name, or about several: `- **`a`, `b`** in [CFRunLoop.c]: what they do`.
    package struct Item: Decodable {
        package var line: Int
        /// The bold text at its beginning.
        package var subject: String
        /// The whole text.
        package var text: String
        package var headings: [String]

        package var names: [String] { spans(in: subject) }
    }

    package struct Span: Decodable {
        package var line: Int
        package var text: String
    }

    package let path: String
    /// The text above the first heading belongs to a section without a heading.
    package let sections: [Section]
    package let rows: [Row]
    package let items: [Item]
    /// What stands in code, outside of code.
    package let spans: [Span]
    /// The ids that a link can lead to, which the text itself contains: `<a id="R1"></a>`.
    package let ids: [Span]
    /// The lines of indented or fenced code.
    package let code: [Span]

    // MARK: - In a text of a document

    package static func spans(in text: String) -> [String] { text.matches(of: Pattern.span).map { String($0.1) } }

    /// The names of the files that a text refers to as `[CFRunLoop.c]`.
    package static func files(in text: String) -> [String] { text.matches(of: Pattern.file).map { String($0.1) } }
}

/// What is looked for in each text, made once: a literal is read again each time that control reaches it, which takes longer than the search.
package enum Pattern {
    package nonisolated(unsafe) static let span = /`([^`]+)`/
    package nonisolated(unsafe) static let file = /\[([A-Za-z_]+\.(?:c|h|swift))\]/
    package nonisolated(unsafe) static let claim = /[RSLITOXAD]\d+/
}
