// Output.swift: the report, as a table or as JSON, and lines for the user.

import CRunLoopBench
import Foundation

/// Writes to standard error.
func tell(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

/// Ends the program with one line on standard error.
func fail(_ message: String, status: Int32) -> Never {
    tell("RunLoopBench: \(message)")
    exit(status)
}

/// Three significant digits.
func number(_ value: Double) -> String { String(format: value < 999.5 ? "%.3g" : "%.0f", value) }

/// A figure with its unit.
private func figure(_ value: Double, _ unit: Unit) -> String {
    switch unit {
    case .nanoseconds where value < 1e3: number(value) + " ns"
    case .nanoseconds where value < 1e6: number(value / 1e3) + " µs"
    case .nanoseconds: number(value / 1e6) + " ms"
    case .bytes: "\(Int(value.rounded())) B"
    case .instructions: "\(Int(value.rounded()))"
    }
}

// MARK: - The table, for a terminal and for Markdown

func padded(_ text: String, to width: Int, onLeft: Bool = false) -> String {
    let spaces = String(repeating: " ", count: max(0, width - text.count))
    return onLeft ? spaces + text : text + spaces
}

private let head = [""] + Side.all.map(\.name) + ["ours/toolch.", "ours/floor", "goal", "", "loses to"]

/// The columns of figures end at the same place.
private func isFigure(_ column: Int) -> Bool { (1...7).contains(column) }

/// The table, with the notes and the machine below it.
func table(_ results: [Result]) -> String {
    var notes: [String] = []
    let lines = [head] + results.map { line($0, &notes) }
    let widths = head.indices.map { column in max(3, lines.map { $0[column].count }.max()!) }
    var rows = lines.map { line in head.indices.map { padded(line[$0], to: widths[$0], onLeft: isFigure($0)) } }
    rows.insert(head.indices.map { String(repeating: "-", count: widths[$0] - 1) + (isFigure($0) ? ":" : "-") }, at: 1)
    let text = rows.map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    return text + notes.enumerated().map { "\n[\($0 + 1)] \($1)\n" }.joined() + machineNotes()
}

private func line(_ result: Result, _ notes: inout [String]) -> [String] {
    let marks = result.notes.map { note in
        if !notes.contains(note) { notes.append(note) }
        return " [\(notes.firstIndex(of: note)! + 1)]"
    }
    let figures = Side.all.map { side in result.median(side).map { figure($0, result.row.unit) } ?? "—" }
    let ratios = [Side.toolchain, .floor].map { side in result.ratio(to: side).map(number) ?? "—" }
    let verdict = result.isReached.map { $0 ? "reached" : "MISSED" } ?? ""
    let losses = result.losses.map { "\($0.side.name) \(number($0.ratio)) ×" }.joined(separator: ", ")
    return [result.row.title + marks.joined()] + figures + ratios + [goal(result.row), verdict, losses]
}

/// The goals of a row in words; nothing if there are none.
func goal(_ row: Row) -> String {
    let goals = Side.all.compactMap { side in
        row.goals[side].map { "≤ \(number($0))" + (side == .toolchain ? "" : " × \(side.name)") }
    }
    return goals.joined(separator: ", ")
}

// MARK: - JSON, for programs

/// An object with a list of rows. Figures are medians; what was not measured is absent.
func json(_ results: [Result], _ options: Options) throws -> String {
    func byName<Value>(_ values: [Side: Value]) -> [String: Value] { Dictionary(uniqueKeysWithValues: values.map { ($0.name, $1) }) }
    let rows = results.map { result in
        let ratios = Dictionary(uniqueKeysWithValues: Side.all.dropFirst().compactMap { side in result.ratio(to: side).map { (side, $0) } })
        let figures = result.figures.mapValues { ["median": $0.median, "rounds": $0.values.count] as [String: Any] }
        var row: [String: Any] = ["name": result.row.name, "title": result.row.title, "unit": result.row.unit.rawValue,
                                  "figures": byName(figures), "ratios": byName(ratios), "goals": byName(result.row.goals),
                                  "losesTo": result.losses.map(\.side.name), "notes": result.notes]
        row["isReached"] = result.isReached
        return row
    }
    let report: [String: Any] = ["fast": options.isFast, "machine": machineDescription(), "notFound": sidesNotFound(), "rows": rows]
    let data = try JSONSerialization.data(withJSONObject: report, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    return String(decoding: data, as: UTF8.self) + "\n"
}
