// main.swift: RunLoopBench: compares the costs of this run loop with the toolchain's, and with the least that the work can cost.

import CRunLoopBench
import Glibc

signal(SIGPIPE, SIG_IGN)
let groups = allGroups()
let options = Options(CommandLine.arguments.dropFirst(), names: groups.map(\.name) + groups.flatMap { $0.rows.map(\.name) })
if options.wantsHelp {
    writeAll(help(groups), to: STDOUT_FILENO)
    exit(0)
}

#if DEBUG
writeAll("RunLoopBench: this is a debug build, which checks its locks and is slow; swift run -c release measures\n", to: STDERR_FILENO)
#endif
let results = measureAll(groups, options)
writeAll(try options.wantsJSON ? json(results, options) : options.wantsMarkdown ? markdown(results) : table(results), to: STDOUT_FILENO)
let failed = results.filter(\.hasFailed).map(\.row.name)
if !failed.isEmpty { fail("not measured, see the notes: \(failed.joined(separator: ", "))", status: 1) }

/// The requested rows, in the order of the table.
func measureAll(_ groups: [Group], _ options: Options) -> [Result] {
    func isWanted(_ name: String) -> Bool { options.names.isEmpty || options.names.contains(name) }
    let wanted = groups.filter { group in isWanted(group.name) || group.rows.contains { isWanted($0.name) } }
    return wanted.enumerated().flatMap { index, group in
        writeAll("\(index + 1)/\(wanted.count) \(group.rows.map(\.name).joined(separator: ", "))\n", to: STDERR_FILENO)
        return measure(group, options.plan).filter { isWanted(group.name) || isWanted($0.row.name) }
    }
}
