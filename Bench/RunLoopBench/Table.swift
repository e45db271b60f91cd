// Table.swift: results as text.

import Glibc

/// Three significant digits.
func number(_ value: Double) -> String {
    guard value != 0 else { return "0" }
    let digits = max(0, 2 - Int(log10(abs(value)).rounded(.down)))
    let scale = pow(10, Double(digits))
    var text = String(Int((abs(value) * scale).rounded()))
    if digits > 0 {
        text = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
        text.insert(".", at: text.index(text.endIndex, offsetBy: -digits))
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
    }
    return value < 0 ? "-" + text : text
}

/// A figure with its unit.
func figure(_ value: Double, _ unit: Unit) -> String {
    switch unit {
    case .nanoseconds where value < 1e3: number(value) + " ns"
    case .nanoseconds where value < 1e6: number(value / 1e3) + " µs"
    case .nanoseconds: number(value / 1e6) + " ms"
    case .bytes: "\(Int(value.rounded())) B"
    case .instructions: "\(Int(value.rounded()))"
    }
}

func padded(_ text: String, to width: Int) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }
private func paddedLeft(_ text: String, to width: Int) -> String { String(repeating: " ", count: max(0, width - text.count)) + text }

private let head = ["", "ours", "toolchain", "floor", "GLib", "libuv", "ours/toolch.", "ours/floor", "goal", "", "loses to"]

/// The table, with the notes below it.
func table(_ results: [Result]) -> String {
    var notes: [String] = []
    let lines = [head] + results.map { line($0, &notes) }
    let widths = head.indices.map { column in lines.map { $0[column].count }.max()! }
    var text = ""
    for (index, line) in lines.enumerated() {
        let cells = zip(line, widths).enumerated().map { column, cell in
            column == 0 || column >= 8 ? padded(cell.0, to: cell.1) : paddedLeft(cell.0, to: cell.1)
        }
        text += trimmed(cells.joined(separator: "  ")) + "\n"
        if index == 0 { text += String(repeating: "─", count: widths.reduce(0, +) + 2 * (widths.count - 1)) + "\n" }
    }
    for (index, note) in notes.enumerated() { text += "\(index == 0 ? "\n" : "")[\(index + 1)] \(note)\n" }
    return text + machineNotes()
}

/// The same for a README.
func markdown(_ results: [Result]) -> String {
    var notes: [String] = []
    let lines = [head, ["---"] + head.dropFirst(4).map { _ in "---:" } + ["---", "---", "---"]] + results.map { line($0, &notes) }
    let rows = lines.map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    return rows + notes.enumerated().map { "\n[\($0 + 1)] \($1)\n" }.joined() + machineNotes()
}

private func line(_ result: Result, _ notes: inout [String]) -> [String] {
    let marks = result.notes.map { note in
        if !notes.contains(note) { notes.append(note) }
        return " [\(notes.firstIndex(of: note)! + 1)]"
    }
    let figures = Side.allCases.map { side in result.median(side).map { figure($0, result.row.unit) } ?? "—" }
    let ratios = [Side.toolchain, .floor].map { side in result.ratio(to: side).map(number) ?? "—" }
    let verdict = result.isReached.map { $0 ? "reached" : "MISSED" } ?? ""
    let losses = result.losses.map { "\($0.side.title) \(number($0.ratio)) ×" }.joined(separator: ", ")
    return [result.row.title + marks.joined()] + figures + ratios + [goal(result.row), verdict, losses]
}

private func trimmed(_ line: String) -> String {
    var line = line[...]
    while line.hasSuffix(" ") { line.removeLast() }
    return String(line)
}
