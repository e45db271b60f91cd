// JSON.swift: results for programs.

import FoundationEssentials

/// An object with a list of rows. Figures are medians with their quartiles; what was not measured is absent.
func json(_ results: [Result], _ options: Options) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(Report(fast: options.isFast, machine: machineDescription(), notFound: sidesNotFound().map(\.title), rows: results.map(Report.Row.init))), as: UTF8.self) + "\n"
}

private struct Report: Encodable {
    struct Row: Encodable {
        var name, title, unit: String
        var figures: [String: Summary]
        var ratioToToolchain, ratioToFloor, ratioToGLib, ratioToLibuv: Double?
        var goal, goalToFloor, goalToGLib, goalToLibuv: Double?
        var isReached: Bool?
        var losesTo: [String]?
        var notes: [String]?

        init(_ result: Result) {
            (name, title, unit) = (result.row.name, result.row.title, result.row.unit.rawValue)
            figures = Dictionary(uniqueKeysWithValues: result.figures.map { ($0.title, Summary($1)) })
            (ratioToToolchain, ratioToFloor) = (result.ratio(to: .toolchain), result.ratio(to: .floor))
            (ratioToGLib, ratioToLibuv) = (result.ratio(to: .glib), result.ratio(to: .libuv))
            (goal, goalToFloor) = (result.row.goals[.toolchain], result.row.goals[.floor])
            (goalToGLib, goalToLibuv, isReached) = (result.row.goals[.glib], result.row.goals[.libuv], result.isReached)
            losesTo = result.losses.isEmpty ? nil : result.losses.map(\.side.title)
            notes = result.notes.isEmpty ? nil : result.notes
        }
    }

    struct Summary: Encodable {
        var median: Double
        var quartiles: [Double]
        var rounds: Int

        init(_ figures: Figures) {
            (median, quartiles, rounds) = (figures.median, [figures.quartiles.0, figures.quartiles.1], figures.values.count)
        }
    }

    var fast: Bool
    var machine: String
    /// The sides that are not installed here.
    var notFound: [String]
    var rows: [Row]
}
