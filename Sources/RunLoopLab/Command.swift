// Command.swift: what RunLoopLab can do, by name.

/// Something that RunLoopLab does when it is given its name.
enum Command: String, CaseIterable {
    case tour

    var summary: String {
        switch self {
        case .tour: "one run of the main thread's loop, step by step, on what comes in on standard input"
        }
    }

    @MainActor
    func run() {
        switch self {
        case .tour: tour()
        }
    }

    /// What does not name a command ends the program, with the nearest name there is.
    static func named(_ name: String) -> Command {
        if let command = Command(rawValue: name) { return command }
        let isOption = name.hasPrefix("-")
        let known = isOption ? ["--help"] : allCases.map(\.rawValue) + ["help"]
        let nearest = known.min { distance($0, name) < distance($1, name) }!
        fail("there is no \(isOption ? "option" : "command") '\(name)'; did you mean '\(nearest)'? --help lists what there is", status: 2)
    }

    @MainActor
    static func help() {
        let output = Output()
        output.line("usage: RunLoopLab COMMAND")
        output.line("")
        for command in allCases { output.line("  \(padded(command.rawValue, to: 8))\(command.summary)") }
        output.line("  \(padded("help", to: 8))this list; also --help, and without a command")
        output.line("")
        output.line("Try: printf 'a\\nb\\n' | swift run RunLoopLab tour")
        output.flush()
    }

    @MainActor
    private func tour() {
        let input: StandardInput
        do {
            input = try StandardInput()
        } catch {
            fail("\(error.message); give the tour a pipe, a file or a terminal, or </dev/null for a tour without input", status: 1)
        }
        Tour(input: input).run()
    }
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
