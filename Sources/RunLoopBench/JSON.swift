// JSON.swift: results for programs.

/// An object with a list of rows. Figures are medians, with the quartiles beside them; what was not measured is not there.
func json(_ results: [Result], _ options: Options) -> String {
    let rows = results.map { result in
        object([
            ("name", quoted(result.row.name)),
            ("title", quoted(result.row.title)),
            ("unit", quoted(result.row.unit.rawValue)),
            ("figures", object(Side.allCases.map { side in (side.title, result.figures[side].map(figures)) })),
            ("ratioToToolchain", result.ratio(to: .toolchain).map(String.init(describing:))),
            ("ratioToFloor", result.ratio(to: .floor).map(String.init(describing:))),
            ("goal", result.row.goal.map(String.init(describing:))),
            ("goalToFloor", result.row.goalToFloor.map(String.init(describing:))),
            ("isReached", result.isReached.map(String.init(describing:))),
            ("notes", result.notes.isEmpty ? nil : "[\(result.notes.map(quoted).joined(separator: ", "))]"),
        ])
    }
    return "{\"fast\": \(options.isFast), \"rows\": [\n  " + rows.joined(separator: ",\n  ") + "\n]}\n"
}

private func figures(_ figures: Figures) -> String {
    object([
        ("median", "\(figures.median)"),
        ("quartiles", "[\(figures.quartiles.0), \(figures.quartiles.1)]"),
        ("rounds", "\(figures.values.count)"),
    ])
}

private func object(_ members: [(String, String?)]) -> String {
    "{" + members.compactMap { name, value in value.map { "\(quoted(name)): \($0)" } }.joined(separator: ", ") + "}"
}

private func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\": result += "\\\(scalar)"
        case "\u{0}"..<" ": result += " "
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + "\""
}
