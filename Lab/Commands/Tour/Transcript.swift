// Transcript.swift: the layout of the tour: step numbers on the left, then the step's name, then text.

/// Lines of the tour, no wider than 100 columns. Rows can be held back, to be shown or forgotten later.
@MainActor
final class Transcript {
    private static let width = 100
    private static let textColumn = 26

    private let output = Output()
    private var explained: Set<String> = []
    private var heldBack: [String]?
    private var isSeparated = true

    /// A step's row. Long text continues below itself.
    func row(_ step: String, _ name: Text, _ text: Text) {
        let left = "  " + padded(step, to: -5) + "  " + padded(name.description, to: Self.textColumn - 9)
        hanging(left, text.description, to: Self.width).forEach(line)
    }

    /// A stack, indented, with numbers as in a debugger.
    func stack(_ frames: [String]) {
        for (number, frame) in frames.enumerated() { line("              |  " + padded("#\(number)", to: 4) + frame) }
    }

    /// A paragraph after an empty line.
    func paragraph(_ text: Text) {
        separate()
        for part in wrapped(text.description, to: Self.width) { line(part) }
    }

    /// An empty line, unless the last line is empty.
    func separate() {
        if !isSeparated { line("") }
    }

    /// A line in a list of counts.
    func tally(_ count: Int?, _ name: Text) {
        line("  " + padded(String(count ?? 0), to: -5) + "  \(name)")
    }

    /// A line as it is.
    func line(_ line: String) {
        let line = trimmed(line)
        isSeparated = line.isEmpty
        if heldBack == nil { output.line(line) } else { heldBack!.append(line) }
    }

    /// Returns `text` the first time, and nothing after that.
    func once(_ text: Text) -> Text {
        explained.insert(text.english).inserted ? text : .none
    }

    /// Writes all rows that are not held back.
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

    /// Drops the rows that were held back.
    func forget() {
        heldBack = nil
    }

    /// Shows the rows that were held back.
    func show() {
        guard let lines = heldBack else { return }
        heldBack = nil
        lines.forEach(line)
    }
}
