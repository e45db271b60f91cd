import Foundation

/// A document and its translation, and the differences between them.
struct Translation {
    /// A line that must change: the translation's, or the original's if the translation has more.
    struct Miss: Hashable {
        var path: String
        var line: Int
        var message: String
    }

    let original: Document
    let translated: Document

    /// All translations: a link from one document to another leads from one translation to the other.
    static func all(of paths: [String]) throws -> [Translation] {
        try paths.map { Translation(original: try Facts.document($0), translated: try Facts.document($0.dropLast(3) + ".zh.md")) }
    }

    func misses(among all: [Translation]) -> [Miss] {
        var misses: [Miss] = []
        let sections = translated.sections.filter { !$0.isAboutChineseWords }
        for (section, translation) in zip(original.sections, sections) {
            if section.level != translation.level {
                let message = "this heading has level \(translation.level), and level \(section.level) at \(place(section.line))"
                return misses + [missInTranslation(translation.line, message)]
            }
            misses += compare(section.heading, translation.heading, at: section.line, translation.line, among: all)
            misses += compare(section, translation, among: all)
        }
        if let section = original.sections.dropFirst(sections.count).first {
            misses.append(missInTranslation(sections.last?.lastLine ?? 1, "the section at \(place(section.line)) is missing"))
        } else if let section = sections.dropFirst(original.sections.count).first {
            let line = original.sections.last?.lastLine ?? 1
            misses.append(missInOriginal(line, "the section at \(translationsPlace(section.line)) is missing"))
        }
        return misses
    }

    /// Compares part by part. A missing part is reported once, and not again for each part that follows.
    private func compare(_ section: Document.Section, _ translation: Document.Section, among all: [Translation]) -> [Miss] {
        var misses: [Miss] = []
        for (part, other) in zip(section.parts, translation.parts) {
            let found = compare(part, other, among: all)
            if found.isEmpty { continue }
            if translation.parts.count < section.parts.count {
                return misses + [missInTranslation(other.line, "the \(part.kind) at \(place(part.line)) is missing before this")]
            } else if translation.parts.count > section.parts.count {
                return misses + [missInOriginal(part.line, "the \(other.kind) at \(translationsPlace(other.line)) is missing before this")]
            }
            misses += found
        }
        if let part = section.parts.dropFirst(translation.parts.count).first {
            misses.append(missInTranslation(translation.lastLine, "the \(part.kind) at \(place(part.line)) is missing after this"))
        } else if let part = translation.parts.dropFirst(section.parts.count).first {
            let message = "the \(part.kind) at \(translationsPlace(part.line)) is missing after this"
            misses.append(missInOriginal(section.lastLine, message))
        }
        return misses
    }

    private func compare(_ part: Document.Part, _ other: Document.Part, among all: [Translation]) -> [Miss] {
        if part.kind != other.kind || part.marker != other.marker {
            return [missInTranslation(other.line, "here is the \(other.kind) \(other.marker), and the \(part.kind) \(part.marker) at \(place(part.line))")]
        }
        switch part.kind {
        case .verbatim:
            let stoodFor = definition(part.text, among: all)
            let isSame = Self.command(part.text) == Self.command(other.text) || stoodFor != nil && stoodFor == Self.definition(other.text, in: translated.path)
                || isOutputInChinese(other.text, of: part.text)
            return isSame ? [] : [missInTranslation(other.line, "this is not what stands at \(place(part.line))")]
        case .row:
            return compareCells(part, other, among: all)
        case .paragraph, .item:
            return compare(part.text, other.text, at: part.line, other.line, among: all)
        }
    }

    /// A program's output may be in Chinese, after the same commands. Other tests compare it with the program's real output.
    private func isOutputInChinese(_ text: String, of original: String) -> Bool {
        func commands(_ text: String) -> [Substring] { text.split(separator: "\n").filter { $0.hasPrefix("(gdb)") || $0.hasPrefix("(lldb)") } }
        return text.contains(where: isIdeograph) && commands(text) == commands(original)
    }

    private func compareCells(_ row: Document.Part, _ other: Document.Part, among all: [Translation]) -> [Miss] {
        if row.cells.count != other.cells.count {
            return [missInTranslation(other.line, "\(other.cells.count) cells, and \(row.cells.count) at \(place(row.line))")]
        }
        var misses: [Miss] = []
        for (cell, otherCell) in zip(row.cells, other.cells) {
            let found = compare(cell, otherCell, at: row.line, other.line, among: all)
            misses += found
            if found.isEmpty, Document.spans(in: cell) != Document.spans(in: otherCell) {
                misses.append(missInTranslation(other.line, "the names in “\(otherCell)” stand in another order at \(place(row.line))"))
            }
            if Self.state(cell) != Self.state(otherCell) {
                misses.append(missInTranslation(other.line, "“\(otherCell)” for “\(cell)”, which is the same in every language"))
            }
            if (cell == "") != (otherCell == "") { misses.append(missInTranslation(other.line, "“\(otherCell)” for “\(cell)”")) }
        }
        return misses
    }

    /// The word for the relation between a name here and the original's.
    private static func state(_ cell: String) -> Substring? {
        cell.wholeMatch(of: Pattern.state)?.1
    }

    // MARK: - What a text says in any language

    private func compare(_ text: String, _ other: String, at line: Int, _ otherLine: Int, among all: [Translation]) -> [Miss] {
        if text == other, Self.prose(text).identifiers.filter({ $0.wholeMatch(of: Pattern.lowercase) != nil }).count > 2 {
            return [missInTranslation(otherLine, "“\(text.prefix(40))…” is not translated")]
        }
        let facts = Self.facts(of: text) { translation(of: SourceFile.resolve(link: $0, in: original.path), among: all) }
        let otherFacts = Self.facts(of: other) { SourceFile.resolve(link: $0, in: translated.path) }
        return Self.difference(facts, otherFacts).map { missInTranslation(otherLine, "\($0) is missing, which stands at \(place(line))") }
            + Self.difference(otherFacts, facts).map {
                missInOriginal(line, "\($0) is missing, which stands at \(translationsPlace(otherLine))")
            }
    }

    /// Its code, the targets of its links, its ids and its numbers.
    private static func facts(of text: String, translating link: (String) -> String) -> [String] {
        let links = text.matches(of: Pattern.link).map { "the link \(link(String($0.1)))" }
        let words = prose(text)
        let ids = words.identifiers.filter { $0.wholeMatch(of: Pattern.claim) != nil }
        let numbers = words.matches(of: Pattern.number).map { "the number \($0.0)" }
        return Document.spans(in: text).map { "`\($0)`" } + Document.files(in: text).map { "[\($0)]" } + links + ids + numbers
    }

    /// Code without the comments after commands, which may be translated: `swift run RunLoopLab wrong  # the faulty listings`.
    private static func command(_ text: String) -> String { text.replacing(#/(?m) {2,}# .*$/#, with: "") }

    /// The target of a link's name at the end of a document: `[R1]: ANNOTATIONS.md#R1`.
    private static func definition(_ text: String, in path: String) -> [String]? {
        text.wholeMatch(of: Pattern.reference).map { [String($0.1), SourceFile.resolve(link: String($0.2), in: path)] }
    }

    /// The same in the translation.
    private func definition(_ text: String, among all: [Translation]) -> [String]? {
        Self.definition(text, in: original.path).map { [$0[0], translation(of: $0[1], among: all)] }
    }

    private static func prose(_ text: String) -> String { text.replacing(Pattern.spanOrLink, with: " ") }

    private static func difference(_ some: [String], _ others: [String]) -> [String] {
        var rest = others
        return some.filter { fact in
            guard let index = rest.firstIndex(of: fact) else { return true }
            rest.remove(at: index)
            return false
        }
    }

    /// The translation's target for a link of the original: the same heading, under its translated name.
    private func translation(of link: String, among all: [Translation]) -> String {
        let file = String(link.prefix { $0 != "#" }), anchor = String(link.dropFirst(file.count + 1))
        if file == translated.path { return original.path } // the link from one language to the other
        guard let target = file == "" ? self : all.first(where: { $0.original.path == file }) else {
            let picture = file.replacing(/\.svg$/, with: ".zh.svg") // a picture that contains words
            return picture != file && SourceFile.exists(picture) ? picture : link
        }
        let path = file == "" ? "" : target.translated.path
        let anchors = target.translated.anchors
        guard let index = target.original.anchors.firstIndex(of: anchor), index < anchors.count else { return path }
        return path + "#" + anchors[index]
    }

    // MARK: - Misses

    private func missInTranslation(_ line: Int, _ message: String) -> Miss { Miss(path: translated.path, line: line, message: message) }

    private func missInOriginal(_ line: Int, _ message: String) -> Miss { Miss(path: original.path, line: line, message: message) }

    private func place(_ line: Int) -> String { "\(original.path):\(line)" }

    private func translationsPlace(_ line: Int) -> String { "\(translated.path):\(line)" }
}
