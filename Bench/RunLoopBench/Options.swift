// Options.swift: the command line.

/// The options of the command line.
struct Options {
    var plan = Plan.thorough
    var isFast = false
    var wantsJSON = false
    var wantsMarkdown = false
    var wantsHelp = false
    /// Names of rows or groups; empty for all.
    var names: [String] = []

    static let known = ["--fast", "--json", "--markdown", "--rounds", "--side", "--help"]

    /// An unknown word ends the program with the nearest known one.
    init(_ words: some Sequence<String>, names known: [String]) {
        var rest = Array(words)[...]
        var rounds: Int?
        var sides: Set<Side> = []
        while let word = rest.popFirst() {
            switch word {
            case "--fast": isFast = true
            case "--json": wantsJSON = true
            case "--markdown": wantsMarkdown = true
            case "--help", "-h", "help": wantsHelp = true
            case "--side": sides.insert(Options.side(of: word, &rest))
            case "--rounds": rounds = Options.count(of: word, &rest)
            default: names.append(Options.name(word, known))
            }
        }
        if wantsJSON && wantsMarkdown { fail("--json and --markdown are two forms of one table: ask for one of them", status: 2) }
        if isFast { plan = .fast }
        if !sides.isEmpty { plan.sides = sides }
        if let rounds {
            plan.rounds = rounds
            plan.group = .infinity
        }
    }

    private static func value(of option: String, _ what: String, _ rest: inout ArraySlice<String>) -> String {
        guard let value = rest.popFirst(), !value.hasPrefix("--") else { fail("after \(option) comes \(what)", status: 2) }
        return value
    }

    private static func count(of option: String, _ rest: inout ArraySlice<String>) -> Int {
        let word = value(of: option, "a number", &rest)
        guard let count = Int(word), (3...1000).contains(count) else { fail("\(option) takes a number from 3 to 1000, not '\(word)'", status: 2) }
        return count
    }

    private static func side(of option: String, _ rest: inout ArraySlice<String>) -> Side {
        let word = value(of: option, "a side", &rest)
        if let side = Side.allCases.first(where: { $0.title == word }) { return side }
        fail("there is no side '\(word)'; did you mean '\(nearest(to: word, among: Side.allCases.map(\.title)))'?", status: 2)
    }

    private static func name(_ word: String, _ names: [String]) -> String {
        if names.contains(word) { return word }
        let isOption = word.hasPrefix("-")
        let nearest = nearest(to: word, among: isOption ? known : names)
        fail("there is no \(isOption ? "option" : "row") '\(word)'; did you mean '\(nearest)'? --help lists what there is", status: 2)
    }
}

/// The usage, and every row with its goal.
func help(_ groups: [Group]) -> String {
    var text = """
    usage: RunLoopBench [--fast] [--json | --markdown] [--rounds N] [--side SIDE …] [ROW …]

      --fast       a few seconds instead of minutes; the figures are rougher
      --json       JSON instead of the table
      --markdown   the table in Markdown
      --rounds N   so many rounds for every row
      --side SIDE  only this side: \(Side.allCases.map(\.title).joined(separator: ", "))
      ROW          only these rows: names of rows, or of groups

    Each row is measured for this run loop, for the one in the toolchain's Foundation, for the bare system calls or data structure that
    the work cannot do without (the floor), and for GLib and libuv, if they are installed. All sides live in one process, on one processor
    unless the row says otherwise, and take turns; a figure is the median of all rounds.

    Rows named instructions-… count the instructions of the same operations, one by one, in a traced child: they do not depend on the
    machine. A row in which another loop does better says so.

    Rows, by groups:


    """
    for (index, group) in groups.enumerated() {
        if index == 0 || groups[index - 1].name != group.name { text += "  \(group.name)\n" }
        for row in group.rows { text += "    \(padded(row.name, to: 40))\(row.title)\(goal(row, " (goal: ", ")"))\n" }
    }
    return text + """

    Try: swift run -c release RunLoopBench --fast poll signal
    To see which functions the instructions are in (valgrind cannot read what strip takes away):
      strip -g .build/release/RunLoopBench -o stripped
      LD_BIND_NOW=1 valgrind --tool=callgrind --toggle-collect=CFRunLoopRunInMode ./stripped --fast --side ours poll

    """
}

/// The goals of a row in words; nothing if there are none.
func goal(_ row: Row, _ before: String = "", _ after: String = "") -> String {
    let goals = Side.allCases.compactMap { side in
        row.goals[side].map { "≤ \(number($0))" + (side == .toolchain ? "" : " × \(side.title)") }
    }
    return goals.isEmpty ? "" : before + goals.joined(separator: ", ") + after
}
