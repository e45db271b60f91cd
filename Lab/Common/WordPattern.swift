// WordPattern.swift: a row of a table of words, with gaps.

/// English words with gaps, which match any text: "items # to #", and the Chinese ones. Gaps are filled from left to right.
struct WordPattern {
    private let english: [Substring], chinese: [Substring]
    /// With so few letters, it would match too much: each gap is a single word.
    private var isShort: Bool { english.reduce(0) { $0 + $1.count } < 5 }

    init(_ english: String, _ chinese: String) {
        self.english = english.split(separator: "#", omittingEmptySubsequences: false)
        self.chinese = chinese.split(separator: "#", omittingEmptySubsequences: false)
    }

    /// The rows of a table that have gaps, the most specific first.
    static func patterns(of table: [String: String]) -> [WordPattern] {
        table.filter { $0.key.contains("#") }.sorted { ($0.key.count, $0.key) > ($1.key.count, $1.key) }.map { WordPattern($0.key, $0.value) }
    }

    /// What stands in the gaps; nil if the text is another one.
    func match(_ text: String) -> [String]? {
        guard text.hasPrefix(english[0]), text.hasSuffix(english.last!) else { return nil }
        var rest = text.dropFirst(english[0].count), parts: [String] = []
        for piece in english.dropFirst() {
            let end = piece == "" ? rest.endIndex : parts.count == english.count - 2 ? rest.index(rest.endIndex, offsetBy: -min(piece.count, rest.count))
                : rest.firstRange(of: piece)?.lowerBound
            guard let end, end > rest.startIndex else { return nil }
            if isShort && rest[..<end].contains(" ") { return nil }
            parts.append(String(rest[..<end]))
            rest = rest[end...].dropFirst(piece.count)
        }
        return parts
    }

    func fill(_ parts: [String]) -> String { spaced(zip(chinese, parts + [""]).map { $0 + $1 }.joined()) }
}
