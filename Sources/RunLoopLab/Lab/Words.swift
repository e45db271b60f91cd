// Words.swift: small things about text, numbers and time that several files need.

import Glibc

/// Fills up with spaces: behind the text, or before it where the width is negative.
func padded(_ text: String, to width: Int) -> String {
    let spaces = String(repeating: " ", count: max(0, abs(width) - text.count))
    return width < 0 ? spaces + text : text + spaces
}

/// Without spaces at the end.
func trimmed(_ text: String) -> String {
    String(text[..<(text.lastIndex { $0 != " " }.map { text.index(after: $0) } ?? text.startIndex)])
}

/// A number of things: "1 line", "2 lines".
func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number) \(number == 1 ? one : many ?? one + "s")"
}

/// Breaks a text between words; the first line stays indented. There is always one line at least.
func wrapped(_ text: String, to width: Int) -> [String] {
    let indent = String(text.prefix { $0 == " " })
    var lines = [indent]
    for word in text.dropFirst(indent.count).split(separator: " ", omittingEmptySubsequences: false) {
        let line = lines[lines.count - 1]
        if line.isEmpty || lines == [indent] { lines[lines.count - 1] += word }
        else if line.count + 1 + word.count <= width { lines[lines.count - 1] += " " + word }
        else { lines.append(String(word)) }
    }
    return lines
}

/// A length of time, in words.
func seconds(_ time: Double, unit: String = " s") -> String {
    let milliseconds = Int((time * 1000).rounded())
    let fraction = String(1000 + milliseconds % 1000).dropFirst()
    return "\(milliseconds / 1000).\(fraction)\(unit)"
}

/// Seconds on a clock that nobody sets.
func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// How many characters have to be put in, taken out or replaced to make one word of the other.
private func distance(_ one: String, _ other: String) -> Int {
    let other = Array(other)
    var row = Array(0...other.count) // distances from what has been read of `one` to each beginning of `other`
    for (index, letter) in one.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for column in other.indices {
            let change = diagonal + (letter == other[column] ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(change, diagonal + 1, row[column] + 1)
        }
    }
    return row[other.count]
}

/// The word that is nearest to what somebody has typed.
func nearest(to word: String, among words: [String]) -> String {
    /// The beginning of a long name counts as much as the whole of a short one.
    func farness(_ name: String) -> Int { min(distance(name, word), distance(String(name.prefix(word.count)), word) + 1) }
    return words.min { farness($0) < farness($1) }!
}
