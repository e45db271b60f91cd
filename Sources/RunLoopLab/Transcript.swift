// Transcript.swift: how the tour looks on the page. Step numbers on the left, then what the step is called, then words.

/// Lines of the tour, no wider than 100 columns. Rows can be held back, to be shown or forgotten later.
@MainActor
final class Transcript {
    private static let width = 100
    private static let textColumn = 26

    private let output = Output()
    private var told: Set<String> = []
    private var heldBack: [String]?
    private var isSeparated = true

    /// A step's row; `text` goes on below itself where it is too long.
    func row(_ step: String, _ name: String, _ text: String) {
        let left = "  " + padded(step, to: -5) + "  " + padded(name, to: Self.textColumn - 9)
        let lines = wrapped(text, to: Self.width - Self.textColumn)
        line(left + lines[0])
        for more in lines.dropFirst() { line(padded("", to: Self.textColumn) + more) }
    }

    /// A stack, set apart, numbered as in a debugger.
    func stack(_ frames: [String]) {
        for (number, frame) in frames.enumerated() { line("              |  " + padded("#\(number)", to: 4) + frame) }
    }

    /// A paragraph of its own, after an empty line.
    func paragraph(_ text: String) {
        separate()
        for part in wrapped(text, to: Self.width) { line(part) }
    }

    /// An empty line, unless there is one already.
    func separate() {
        if !isSeparated { line("") }
    }

    /// A line in a list of things counted.
    func tally(_ count: Int?, _ name: String) {
        line("  " + padded(String(count ?? 0), to: -5) + "  " + name)
    }

    /// A line as it is.
    func line(_ line: String) {
        var line = line
        while line.last == " " { line.removeLast() }
        isSeparated = line.isEmpty
        if heldBack == nil { output.line(line) } else { heldBack!.append(line) }
    }

    /// What is explained is explained once: `text` the first time, nothing after that.
    func once(_ text: String) -> String {
        told.insert(text).inserted ? text : ""
    }

    /// Writes everything that is not held back.
    func flush() {
        output.flush()
    }

    // MARK: - Holding rows back

    /// Whether rows are held back now.
    var isHolding: Bool { heldBack != nil }

    /// From here on rows are held back.
    func hold() {
        heldBack = []
    }

    /// What was held back is forgotten.
    func forget() {
        heldBack = nil
    }

    /// What was held back is shown, as if it never had been.
    func show() {
        guard let lines = heldBack else { return }
        heldBack = nil
        lines.forEach(line)
    }
}

/// Fills up with spaces: behind the text, or before it where the width is negative.
func padded(_ text: String, to width: Int) -> String {
    let spaces = String(repeating: " ", count: max(0, abs(width) - text.count))
    return width < 0 ? spaces + text : text + spaces
}

/// A number of things: "1 line", "2 lines".
func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number) \(number == 1 ? one : many ?? one + "s")"
}

/// Breaks a text between words. There is always one line at least.
private func wrapped(_ text: String, to width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
        let line = lines[lines.count - 1]
        if line.isEmpty { lines[lines.count - 1] = String(word) }
        else if line.count + 1 + word.count <= width { lines[lines.count - 1] += " " + word }
        else { lines.append(String(word)) }
    }
    return lines
}
