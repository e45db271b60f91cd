// Options.swift: the command line.

/// The options of the command line.
struct Options {
    var plan = Plan.thorough
    var isFast = false
    var wantsJSON = false
    var wantsHelp = false
    /// Names of rows or groups; empty for all.
    var names: [String] = []

    /// An unknown word ends the program with the nearest known one.
    init(_ words: some Sequence<String>, names known: [String]) {
        var rest = Array(words)[...]
        var sides: Set<Side> = []
        while let word = rest.popFirst() {
            switch word {
            case "--fast": isFast = true
            case "--json": wantsJSON = true
            case "--help", "-h", "help": wantsHelp = true
            case "--side":
                guard let name = rest.popFirst(), !name.hasPrefix("--") else { fail("after --side comes a side", status: 2) }
                guard let side = Side.all.first(where: { $0.name == name }) else { refuse("side", name, Side.all.map(\.name)) }
                sides.insert(side)
            case _ where known.contains(word): names.append(word)
            case _ where word.hasPrefix("-"): refuse("option", word, ["--fast", "--json", "--side", "--help"])
            default: refuse("row", word, known)
            }
        }
        if isFast { plan = .fast }
        if !sides.isEmpty { plan.sides = sides }
    }
}

private func refuse(_ kind: String, _ word: String, _ known: [String]) -> Never {
    fail("there is no \(kind) '\(word)'; did you mean '\(nearest(to: word, among: known))'? --help lists what there is", status: 2)
}

/// The usage, and every row with its goal.
func help(_ groups: [Group]) -> String {
    var text = """
    usage: RunLoopBench [--fast] [--json] [--side SIDE …] [ROW …]

      --fast       a few seconds instead of minutes; the figures are rougher
      --json       JSON instead of the table, which is in Markdown
      --side SIDE  only this side: \(Side.all.map(\.name).joined(separator: ", "))
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
        for row in group.rows { text += "    \(padded(row.name, to: 40))\(row.title)\(row.goals.isEmpty ? "" : " (goal: \(goal(row)))")\n" }
    }
    return text + """

    Try: swift run -c release RunLoopBench --fast poll signal
    To see which functions the instructions are in (valgrind cannot read what strip takes away):
      strip -g .build/release/RunLoopBench -o stripped
      LD_BIND_NOW=1 valgrind --tool=callgrind --toggle-collect=CFRunLoopRunInMode ./stripped --fast --side ours poll

    """
}
