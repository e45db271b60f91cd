// Words.swift: helpers for text, numbers and time.

import Glibc

/// Pads with spaces on the right, or on the left if the width is negative.
func padded(_ text: String, to width: Int) -> String {
    let spaces = String(repeating: " ", count: max(0, abs(width) - columns(of: text)))
    return width < 0 ? spaces + text : text + spaces
}

/// How many columns of a terminal a text takes. Chinese characters take two.
func columns(of text: String) -> Int {
    text.unicodeScalars.allSatisfy(\.isASCII) ? text.utf8.count : text.reduce(0) { $0 + (isWide($1) ? 2 : 1) }
}

private func isWide(_ character: Character) -> Bool {
    switch character.unicodeScalars.first!.value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD: true
    default: false
    }
}

/// A Chinese text with a space wherever a Chinese character meets a Latin letter or a digit. An interpolation cannot know what it stands beside.
func spaced(_ text: String) -> String {
    var result = ""
    for character in text {
        if let last = result.last, isIdeograph(last) && isLatin(character) || isLatin(last) && isIdeograph(character) { result.append(" ") }
        result.append(character)
    }
    return result
}

private func isIdeograph(_ character: Character) -> Bool { (0x4E00...0x9FFF).contains(character.unicodeScalars.first!.value) }

private func isLatin(_ character: Character) -> Bool { character.isASCII && (character.isLetter || character.isNumber) }

/// The beginning of a text that fits into so many columns.
func cut(_ text: String, to width: Int) -> String {
    if columns(of: text) <= width { return text }
    var part = "", used = 0
    for character in text {
        used += columns(of: String(character))
        if used > width { break }
        part.append(character)
    }
    return part
}

/// Without spaces at the end.
func trimmed(_ text: String) -> String {
    String(text[..<(text.lastIndex { $0 != " " }.map { text.index(after: $0) } ?? text.startIndex)])
}

extension String {
    /// Without these letters at its ends.
    func trimming(_ letters: String) -> String {
        var text = self[...]
        while let first = text.first, letters.contains(first) { text.removeFirst() }
        while let last = text.last, letters.contains(last) { text.removeLast() }
        return String(text)
    }
}

/// A number of things: "1 line", "2 lines".
func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number) \(number == 1 ? one : many ?? one + "s")"
}

/// Breaks a text between words, or between Chinese characters; the first line keeps its indentation. Returns at least one line.
func wrapped(_ text: String, to width: Int) -> [String] {
    let indent = String(text.prefix { $0 == " " })
    var lines = [indent]
    for (number, word) in text.dropFirst(indent.count).split(separator: " ", omittingEmptySubsequences: false).enumerated() {
        for (place, piece) in pieces(of: word).enumerated() {
            let line = lines[lines.count - 1], space = place == 0 && number > 0 && line != indent ? " " : ""
            if line == indent || columns(of: line) + columns(of: space) + columns(of: piece) <= width { lines[lines.count - 1] += space + piece }
            else { lines.append(piece) }
        }
    }
    return lines
}

/// A text beside a first piece: its further lines stand below its first one.
func hanging(_ first: String, _ text: String, to width: Int = 100) -> [String] {
    let indent = columns(of: first)
    return wrapped(text, to: width - indent).enumerated().map { ($0 == 0 ? first : padded("", to: indent)) + $1 }
}

/// Where a word may be broken: around each Chinese character, but not before a mark that closes or after one that opens.
private func pieces(of word: Substring) -> [String] {
    if word.unicodeScalars.allSatisfy(\.isASCII) { return [String(word)] }
    let closing: Set<Character> = ["。", "，", "、", "；", "：", "？", "！", "）", "〉", "”", "》"], opening: Set<Character> = ["（", "〈", "“", "《"]
    var pieces: [String] = []
    for character in word {
        if let last = pieces.last?.last, closing.contains(character) || opening.contains(last) || !isWide(character) && !isWide(last) {
            pieces[pieces.count - 1].append(character)
        } else {
            pieces.append(String(character))
        }
    }
    return pieces
}

/// A number with this many decimals.
func decimals(_ number: Double, _ places: Int) -> String {
    let factor = (0..<places).reduce(1) { product, _ in product * 10 }
    let whole = Int((abs(number) * Double(factor)).rounded()), sign = number < 0 && whole > 0 ? "-" : ""
    return places == 0 ? "\(sign)\(whole)" : "\(sign)\(whole / factor).\(String(factor + whole % factor).dropFirst())"
}

/// A number of seconds with three decimals and its unit.
func seconds(_ time: Double, unit: String = " s") -> String { decimals(time, 3) + unit }

/// Seconds on a clock: the monotonic one, or the processor time of the process or of the calling thread.
func now(_ clock: clockid_t = CLOCK_MONOTONIC) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
