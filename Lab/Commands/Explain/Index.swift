// Index.swift: looks up in Documentation/Data/index.tsv. Scripts/facts/index.py says what its lines are, and has the same rule in Python.

import Glibc

/// The index of all that can be asked.
struct Index {
    /// The bytes of the file. They stay for the life of the program.
    private let bytes: UnsafeBufferPointer<UInt8>
    private static let path = "Documentation/Data/index.tsv"
    private static let question = "#?", longestKey = 30, longestWord = 8, shortest = 4, few = 12, many = 120
    /// What a name in a text counts.
    private static let name = 900
    private static let prefixes = ["kcfrunloop", "kcf", "cfrunloop", "cf", "ns", "ui"]

    /// A file that is not there ends the program.
    init() {
        guard let file = fopen(SourceTree.root + Self.path, "r") else { SourceTree.isMissing(Self.path) }
        defer { fclose(file) }
        fseek(file, 0, SEEK_END)
        let size = ftell(file), place = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
        rewind(file)
        bytes = UnsafeBufferPointer(start: place, count: fread(place, 1, size, file))
    }

    /// The cells behind the first one of a line; nil if no line begins with this key. The lines are sorted by their bytes.
    func line(_ key: String) -> [String]? {
        let key = Array((key + "\t").utf8), start = firstLine(notBefore: key)
        guard start + key.count <= bytes.count, memcmp(bytes.baseAddress! + start, key, key.count) == 0 else { return nil }
        return text(from: start + key.count, upTo: "\n").split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }

    /// The cells of a card's line, its name first; nil if there is no such card.
    func row(_ name: String) -> [String]? {
        [Self.fold(name), name].lazy.compactMap { line("=" + $0) }.first { $0[0] == name }
    }

    /// The cells of a key's own line, or the card and the concept of that name.
    private func own(_ key: String) -> [String] { line(key) ?? (line("=" + key) ?? []).prefix(1) + (line("#" + key) == nil ? [] : ["#" + key]) }

    /// The cells of a key; without a line, the cards of names that begin or end as readers leave out, and the concept of the word that the key is a form of.
    private func cells(_ key: String) -> [String] {
        let found = own(key)
        if !found.isEmpty || key.utf8.count < Self.shortest || !key.utf8.allSatisfy({ $0 < 0x80 }) { return found }
        let names = ([""] + Self.prefixes).flatMap { own($0 + key) + own($0 + key + "ref") + own($0 + key + ":") }, meaning = meaning(of: key)
        return names.filter { !$0.hasPrefix("#") } + (meaning.isEmpty ? self.meaning(of: key + ":") : meaning)
    }

    /// The concept of a word, or that of the word that it is a form of.
    private func meaning(of word: String) -> [String] {
        let found = own(word).filter { $0.hasPrefix("#") && $0 != Self.question }
        return found.isEmpty ? Self.stems(of: word).lazy.map(meaning).first { !$0.isEmpty } ?? [] : found
    }

    /// What a word may be a form of: without an ending, with e in its place, or with one letter in place of two; a word of a selector, without its colon.
    private static func stems(of word: String) -> [String] {
        ["s", "es", "ed", "ing", ":"].filter { word.hasSuffix($0) && word.utf8.count - $0.utf8.count > 2 }.flatMap { ending -> [String] in
            let stem = String(word.dropLast(ending.count))
            if !ending.hasSuffix("d") && !ending.hasSuffix("g") { return [stem] }
            return [stem, stem + "e"] + (stem.last == stem.dropLast().last ? [String(stem.dropLast())] : [])
        }
    }

    private func firstLine(notBefore key: [UInt8]) -> Int {
        func isBefore(_ start: Int) -> Bool { memcmp(bytes.baseAddress! + start, key, min(key.count, bytes.count - start)) < 0 }
        var low = 0, high = bytes.count
        while low < high {
            let middle = (low + high) / 2, start = lineEnd(middle) + 1
            if start <= high && isBefore(start) { low = start } else { high = middle }
        }
        return isBefore(low) ? lineEnd(low) + 1 : low
    }

    private func lineEnd(_ start: Int) -> Int { end(of: start, "\n") }

    private func end(of start: Int, _ mark: Unicode.Scalar) -> Int {
        memchr(bytes.baseAddress! + start, Int32(mark.value), bytes.count - start).map { UnsafeRawPointer($0) - UnsafeRawPointer(bytes.baseAddress!) } ?? bytes.count
    }

    private func text(from start: Int, upTo mark: Unicode.Scalar) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end(of: start, mark)]), as: UTF8.self)
    }

    // MARK: - The rule

    /// A word, or a Chinese character, and how many brackets are open there.
    struct Token: Equatable {
        var word: String, depth: Int
    }

    /// In lower case, and without underscores at the ends of words. = and ; open a bracket, too. A word of a selector keeps its colon.
    static func tokens(of text: String) -> [Token] {
        let letters = Array(text.lowercased().unicodeScalars)
        func isWord(_ letter: Unicode.Scalar) -> Bool { letter.isASCII && (letter.properties.isAlphabetic || "0"..."9" ~= letter) }
        var found: [Token] = [], depth = 0, index = 0
        while index < letters.count {
            let first = letters[index]
            var end = index + 1
            if isWord(first) {
                while end < letters.count, isWord(letters[end]) || letters[end] == "_" { end += 1 }
                while letters[end - 1] == "_" { end -= 1 }
                var word = letters[index..<end]
                let next = letters[end...].prefix(2)
                if next.first == ":", next.last != ":" || next.count == 1, !("0"..."9" ~= first) { word.append(":") }
                found.append(Token(word: String(String.UnicodeScalarView(word)), depth: depth))
            } else if "\u{4e00}"..."\u{9fff}" ~= first {
                found.append(Token(word: String(Character(first)), depth: depth))
            } else if "([{=;".unicodeScalars.contains(first) {
                depth += 1
            } else if ")]}".unicodeScalars.contains(first) {
                depth -= 1
            }
            index = end
        }
        return found
    }

    /// The key of a name or of words: no case, spaces, punctuation, or underscores at the ends of words.
    static func fold(_ text: String) -> String { tokens(of: text).map(\.word).joined() }

    private static func isControl(_ word: String) -> Bool { ["if", "else", "while", "do", "for", "switch", "return"].contains(word) }

    /// A text without what stands around code: comments that follow more than a brace or a word as do, ; at the ends, the number, image and address before a frame,
    /// the : after it, and the brackets of a pointer to a function or to a block.
    private static func code(_ text: String) -> String {
        let text = text.replacing(/^[0-9]+\s+\S+\s+0x[0-9a-fA-F]+\s+/, with: "").replacing(/(`\w+):$/) { $0.output.1 }
        let bare = text.replacing(/(^|[^:])\/\/.*|\/\*.*?\*\//) { $0.output.1 ?? "" }.trimming("; ")
        return (tokens(of: bare).allSatisfy { isControl($0.word) } ? text.trimming("; ") : bare).replacing(/\([*^]([A-Za-z0-9_]+)\)/) { $0.output.1 }
    }

    /// The cards that answer a text, the best first. Two names in a question are among the first three; code also finds the correction that quotes it, and its names.
    func find(_ text: String) -> [String] {
        let text = Self.code(text), words = Self.tokens(of: text), pieces = pieces(of: words, with: "#")
        let isQuestion = pieces.contains { isChinese($0) || cells($0).contains(Self.question) }
            || !text.contains { "[](){};=".contains($0) } && words.contains { isChinese($0.word) }
        let isCode = !text.contains(" ") || text.unicodeScalars.contains { "[](){};=_:.@*&<>+/-".unicodeScalars.contains($0) }
        let called = isCode && !isQuestion ? inside(words, text) : [], whole = cards(of: words.map(\.word).joined(), in: text)
        let exact = (row(text) == nil ? [] : [text]) + whole + called
        let named = names(in: text, most: Self.many), concepts = concepts(of: words, pieces)
        if !exact.isEmpty {
            let quoted = about(concepts, [], []).prefix(1).filter { $0.hasPrefix("correction") && concepts.count > 1 }
            return (exact + quoted + named).withoutRepetitions()
        }
        var found = about(concepts, pieces, names(in: text))
        if found.isEmpty { found = self.pieces(of: words).flatMap { cards(of: $0, in: text) } }
        let lost = named.filter { !found.prefix(3).contains($0) }.prefix(2)
        return (found.prefix(3 - lost.count) + lost + found).withoutRepetitions()
    }

    /// The cards of a key; first those whose names stand in the text letter by letter.
    private func cards(of key: String, in text: String) -> [String] {
        let found = cells(key).filter { !$0.hasPrefix("#") }.map { (name: $0, length: text.contains($0) ? $0.unicodeScalars.count : 0) }
        return found.enumerated().sorted { ($1.element.length, $0.offset) < ($0.element.length, $1.offset) }.map(\.element.name)
    }

    /// The longest keys in a text: none is part of another. If there is a mark, only those that have a cell which begins with it.
    private func pieces(of tokens: [Token], with mark: String = "") -> [String] {
        let words = tokens.map(\.word)
        var found: [String] = [], last = 0
        for start in words.indices {
            let ends = (max(start, last)...min(words.count, start + Self.longestKey)).dropFirst().reversed()
            let keys = ends.lazy.map { ($0, words[start..<$0].joined()) }
            guard let (end, key) = keys.first(where: { cells($0.1).contains { mark == "" || $0.hasPrefix(mark) } }) else { continue }
            found.append(key)
            last = end
        }
        return found
    }

    /// What code calls or declares; in an assignment, what it assigns.
    private func inside(_ words: [Token], _ text: String) -> [String] {
        let left = called(words, text)
        guard !left.isEmpty, let match = text.wholeMatch(of: /[^=!<>()\[{"]+= *((?:\[|(?:\([A-Za-z0-9_]+\) *)?[A-Za-z0-9_]+\(|k[A-Z]).*)/) else { return left }
        let assigned = String(match.output.1), right = called(Self.tokens(of: assigned), assigned)
        return right.isEmpty ? left : right
    }

    private static func identifiers(in text: String) -> [String] {
        text.matches(of: /(?:[A-Za-z_][A-Za-z0-9_]*:)+|[A-Za-z_][A-Za-z0-9_]*/).map { String($0.output) }
    }

    /// The cards of the names in a text that have one, and are no words for something else, unless the text has two for the same, or at most so many texts have
    /// this: they are spelled as only a name is, and few texts have them. A selector may lack all but its first part.
    private func names(in text: String, most: Int = 0) -> [String] {
        let found = Self.identifiers(in: text).withoutRepetitions().compactMap { name in
            let key = Self.fold(name)
            return cards(of: key, in: name).first { $0 == name || $0.hasPrefix(name + ":") }.map { (name: name, own: "#" + key, meaning: meanings(of: key).min() ?? "#" + key, card: $0) }
        }
        return found.filter { name, own, meaning, _ in
            let isRare = (line(meaning) ?? []).count <= (meaning == own ? max(most, Self.few) : most)
            return name.hasPrefix("_") || name.contains(/_|[a-z][A-Z]|[A-Z]{2}[a-z]/) && (isRare || found.count { $0.meaning == meaning } > 1)
        }.map(\.card)
    }

    private func meanings(of key: String) -> [String] { cells(key).filter { $0.hasPrefix("#") && $0 != Self.question } }

    /// What the words of a text mean, and the words in these, unless they are a single character: 主线程 has 线程, and 关系 has not 关.
    private func concepts(of words: [Token], _ pieces: [String]) -> Set<String> {
        let runs = words.indices.flatMap { start in
            (start..<min(words.count, start + Self.longestWord)).map { words[start...$0].map(\.word).joined() }
        }
        return Set((runs.filter { $0.unicodeScalars.count > 1 } + pieces).flatMap(meaning))
    }

    /// What code calls or declares: the outermost function or message with a key, then its last name, and rather one that is spelled as its card is.
    /// What stands in brackets is an argument, unless nothing outside has a key, or only a word as while has one.
    private func called(_ words: [Token], _ text: String) -> [String] {
        let isCondition = !text.contains("[") && !names(in: text).isEmpty
        let words = words.filter { !isCondition || !Self.isControl($0.word) }
        func selector(_ depth: Int) -> String { words.filter { $0.depth == depth && $0.word.hasSuffix(":") }.map(\.word).joined() }
        for depth in Set(words.map(\.depth)).sorted() {
            let here = words.filter { $0.depth == depth }.map(\.word)
            let labels = selector(depth + 1)
            for key in [selector(depth), labels == "" ? "" : here.last! + labels, labels] {
                if case let cards = cards(of: key, in: text), !cards.isEmpty { return cards }
            }
            let found = (1...here.count).reversed().flatMap { end in (0..<end).map { (end - $0, cards(of: here[$0..<end].joined(), in: text)) } }.filter { !$0.1.isEmpty }
            let names = Self.identifiers(in: text)
            if let first = found.first { return (found.first { $0.0 > 1 || names.contains($0.1[0]) } ?? first).1 }
        }
        return []
    }

    /// The cards whose texts share most with a text: the best text of a card counts, and what all of them together share. A name in the text counts, too. If the text
    /// says but one thing, what is called so comes first.
    private func about(_ concepts: Set<String>, _ pieces: [String], _ names: [String]) -> [String] {
        var texts: [String: (card: String, points: Int)] = [:], ranks: [String: Int] = [:], best: [String: Int] = [:]
        for cells in concepts.compactMap(line) {
            var cards: Set<String> = []
            for entry in cells.dropFirst() {
                let colon = entry.lastIndex(of: ":")!, text = String(entry[..<colon]), card = String(text.prefix { $0 != "~" })
                texts[text, default: (card, 0)].points += Int(entry[entry.index(after: colon)...])!
                cards.insert(card)
            }
            for card in cards { ranks[card, default: 0] += Int(cells[0])! }
        }
        for (card, points) in texts.values { best[card] = max(best[card] ?? 0, points) }
        for card in names { best[card, default: 0] += Self.name }
        ranks.merge(best, uniquingKeysWith: +)
        let meant = concepts.count == 1 ? pieces.flatMap { cards(of: $0, in: "") } : []
        return ((meant.isEmpty ? [] : names) + meant + ranks.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)).withoutRepetitions()
    }

    /// If nothing answers: the cards whose names begin with a text, or have it in them; or else those that are spelled almost like it.
    func near(_ text: String) -> [String] {
        let key = Array(Self.fold(text).utf8)
        if String(decoding: key, as: UTF8.self).unicodeScalars.count < 4 { return [] }
        let keys = keys(), most = min(key.count / 6 + 1, 3)
        var found: [(rank: Int, key: String)] = keys.compactMap { other in
            guard let place = place(of: key, in: other) else { return nil }
            let word = String(decoding: other, as: UTF8.self)
            return ((place == 0 ? 0 : 1000) + word.unicodeScalars.count, word)
        }
        if found.isEmpty {
            found = keys.compactMap { other in
                guard other.count > 2, abs(other.count - key.count) <= most,
                      memcmp(other.baseAddress!, key, 3) == 0 || memcmp(other.baseAddress! + other.count - 3, Array(key.suffix(3)), 3) == 0 else { return nil }
                let far = distance(key, other)
                return far <= most ? (far, String(decoding: other, as: UTF8.self)) : nil
            }
        }
        let ranked = found.sorted { $0 < $1 }.map(\.key).withoutRepetitions()
        return ranked.prefix(8).flatMap { cards(of: $0, in: text) }.withoutRepetitions()
    }

    private func place(of key: [UInt8], in other: UnsafeBufferPointer<UInt8>) -> Int? {
        var from = 0
        while from + key.count <= other.count, let hit = memchr(other.baseAddress! + from, Int32(key[0]), other.count - key.count - from + 1) {
            from = UnsafeRawPointer(hit) - UnsafeRawPointer(other.baseAddress!)
            if memcmp(hit, key, key.count) == 0 { return from }
            from += 1
        }
        return nil
    }

    /// All keys, and what readers make of them.
    private func keys() -> [UnsafeBufferPointer<UInt8>] {
        let starts = Self.prefixes.map { Array($0.utf8) }, ref = Array("ref".utf8)
        var found: [UnsafeBufferPointer<UInt8>] = [], line = 0
        while line < bytes.count {
            let start = bytes[line] == UInt8(ascii: "=") ? line + 1 : line, end = end(of: line, "\t")
            let isKey = end > start && bytes[start..<end].allSatisfy { $0 >= 0x80 || $0 >= 0x61 && $0 <= 0x7a || $0 >= 0x30 && $0 <= 0x3a || $0 == 0x5f }
            for skipped in isKey ? [[]] + starts : [] where skipped.count < end - start && memcmp(bytes.baseAddress! + start, skipped, skipped.count) == 0 {
                let base = UnsafeBufferPointer(rebasing: bytes[(start + skipped.count)..<end])
                if skipped.isEmpty || base.count >= Self.shortest { found.append(base) }
                if base.count >= Self.shortest + ref.count, base.suffix(ref.count).elementsEqual(ref) { found.append(UnsafeBufferPointer(rebasing: base.dropLast(ref.count))) }
            }
            line = lineEnd(end) + 1
        }
        return found
    }
}

private func isChinese(_ piece: String) -> Bool { piece.unicodeScalars.first! >= "\u{4e00}" }

extension String {
    func trimming(_ letters: String) -> String {
        var text = self[...]
        while let first = text.first, letters.contains(first) { text.removeFirst() }
        while let last = text.last, letters.contains(last) { text.removeLast() }
        return String(text)
    }
}

private extension [String] {
    func withoutRepetitions() -> [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
