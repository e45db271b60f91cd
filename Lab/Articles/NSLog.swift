// NSLog.swift: what the articles' listings log.

/// Prints a line, and records it as an event of the running program. On a Mac, NSLog puts the date and the process before it.
///
/// Foundation's Thread is NSThread on a Mac, so a thread prints as `<NSThread: 0x…>{number = 1, name = main}`.
func NSLog(_ line: String) {
    let line = line.replacing("<Thread: ", with: "<NSThread: ")
    ProgramRun.current?.lab.log(line)
}

extension Lab {
    /// Prints the line as it is, and records it in a form that is the same in every run: without addresses, and with the threads numbered in
    /// the order in which they appear, the main thread first.
    fileprivate func log(_ line: String) {
        page.log(line, at: now() - start)
        observeCall(linesLogged, line.replacing(/0x[0-9a-f]+/, with: "0x…").replacing(/\{number = (\d+)/) { match in
            "{number = \(ProgramRun.current?.threadNumbers.index(of: String(match.1)) ?? 0)"
        })
    }
}
