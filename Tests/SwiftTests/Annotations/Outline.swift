import Foundation

/// The parts of a document that its translation must have, too, section by section.
struct Outline {
    enum Kind: String {
        case paragraph = "a paragraph", item = "an item of a list", row = "a row of a table"
        /// Parts that are the same in every language: code, a quotation, the line below a table's head, generated text, and the target of
        /// `[CFRunLoop.c]`.
        case verbatim = "code"
    }

    struct Part {
        var kind: Kind
        var line: Int
        /// Paragraphs and items without their line breaks.
        var text: String
        /// The beginning of an item: `-`, or its number.
        var marker = ""
    }

    struct Section {
        var line: Int
        var level: Int
        var heading: String
        var parts: [Part] = []

        var lastLine: Int { parts.last?.line ?? line }
        /// Its table says which Chinese word stands for a thing, and which do not. That concerns the Chinese documents alone: English has
        /// nothing to translate there.
        var isAboutChineseWords: Bool { parts.contains { $0.kind == .row && $0.text.hasPrefix("| 用 | 不用 |") } }
    }

    let path: String
    private(set) var sections: [Section] = []
    /// The anchors of each section, and of each row that has an id.
    private(set) var anchors: [String] = []

    private static let known = ReadOnce<Outline>()

    init(path: String) throws {
        self = try Self.known(path) { Outline(path: path, text: $0) }
    }

    init(path: String, text: String) {
        self.path = path
        var isFenced = false, isGenerated = false, goesOn = false
        for (index, content) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = index + 1, content = String(content)
            if content.hasPrefix("<!-- session ") { continue } // Scripts/check-debugging reads it
            let isFence = content.hasPrefix("```"), isComment = content.hasPrefix("<!--")
            if isFence { isFenced.toggle() }
            // The rows differ by language; some of their columns are generated.
            if isComment, !["<!-- generated columns", "<!-- generated list"].contains(where: content.hasPrefix) { isGenerated = !content.hasSuffix(" end -->") }
            if isFence && !isFenced || isFenced && !isFence { // a block between fences is one part
                sections[sections.count - 1].parts[sections.last!.parts.count - 1].text += "\n" + content
                goesOn = false
            } else if isFence || isComment || isGenerated || Self.isVerbatim(content, withinText: goesOn) {
                append(Part(kind: .verbatim, line: line, text: content))
                goesOn = false
            } else if let match = content.wholeMatch(of: Pattern.heading) {
                sections.append(Section(line: line, level: match.1.count, heading: String(match.2)))
                goesOn = false
            } else if content.hasPrefix("|") {
                append(Part(kind: .row, line: line, text: content))
                goesOn = false
            } else if let match = content.wholeMatch(of: Pattern.item) {
                append(Part(kind: .item, line: line, text: String(match.2), marker: String(match.1)))
                goesOn = true
            } else if content.trimmed == "" {
                goesOn = false
            } else if goesOn {
                sections[sections.count - 1].parts[sections.last!.parts.count - 1].text += " " + content.trimmed
            } else {
                append(Part(kind: .paragraph, line: line, text: content))
                goesOn = true
            }
        }
        anchors = sections.map { Document.anchor($0.heading) } + text.matches(of: Pattern.id).map { String($0.1) }
    }

    /// The text above the first heading belongs to a section without a heading.
    private mutating func append(_ part: Part) {
        if sections.isEmpty { sections.append(Section(line: part.line, level: 0, heading: "")) }
        sections[sections.count - 1].parts.append(part)
    }

    /// An indented line is code, unless it continues an item.
    private static func isVerbatim(_ content: String, withinText: Bool) -> Bool {
        content.hasPrefix("    ") && !withinText && content.trimmed != ""
            || content.hasPrefix("[") && content.wholeMatch(of: Pattern.reference) != nil
            || content.hasPrefix(">") && content.prefixMatch(of: Pattern.quotation) != nil
            || content.hasPrefix("|") && content.allSatisfy { "|-: ".contains($0) }
    }
}
