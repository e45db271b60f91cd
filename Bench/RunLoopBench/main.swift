// main.swift: RunLoopBench: compares the costs of this run loop with the toolchain's, and with the least that the work can cost.

import Foundation

let groups = allGroups
let options = Options(CommandLine.arguments.dropFirst(), names: groups.map(\.name) + groups.flatMap { $0.rows.map(\.name) })
if options.wantsHelp {
    print(help(groups), terminator: "")
    exit(0)
}

#if DEBUG
tell("RunLoopBench: this is a debug build, which checks its locks and is slow; swift run -c release measures")
#endif
let results = measureAll(groups, options)
print(options.wantsJSON ? try json(results, options) : table(results), terminator: "")
let failed = results.filter(\.hasFailed).map(\.row.name)
if !failed.isEmpty { fail("not measured, see the notes: \(failed.joined(separator: ", "))", status: 1) }

/// The requested rows, in the order of the table.
func measureAll(_ groups: [Group], _ options: Options) -> [Result] {
    func isWanted(_ name: String) -> Bool { options.names.isEmpty || options.names.contains(name) }
    let wanted = groups.filter { group in isWanted(group.name) || group.rows.contains { isWanted($0.name) } }
    return wanted.enumerated().flatMap { index, group in
        tell("\(index + 1)/\(wanted.count) \(group.rows.map(\.name).joined(separator: ", "))")
        return measure(group, options.plan).filter { isWanted(group.name) || isWanted($0.row.name) }
    }
}
