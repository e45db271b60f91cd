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
        let line = trimmed(line)
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
