// Words.swift: helpers for text, numbers and time.

import Glibc

/// Pads with spaces on the right, or on the left if the width is negative.
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

/// Breaks a text between words; the first line keeps its indentation. Returns at least one line.
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

/// A number with this many decimals.
func decimals(_ number: Double, _ places: Int) -> String {
    let factor = (0..<places).reduce(1) { product, _ in product * 10 }
    let whole = Int((abs(number) * Double(factor)).rounded()), sign = number < 0 && whole > 0 ? "-" : ""
    return places == 0 ? "\(sign)\(whole)" : "\(sign)\(whole / factor).\(String(factor + whole % factor).dropFirst())"
}

/// A number of seconds with three decimals and its unit.
func seconds(_ time: Double, unit: String = " s") -> String { decimals(time, 3) + unit }

/// Seconds on the monotonic clock.
func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
