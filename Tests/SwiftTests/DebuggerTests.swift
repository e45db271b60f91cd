import XCTest

/// The output of debuggers. Tests/Debugger/stacks.txt has the expected stacks, which Scripts/check-stacks compares.
/// Tests/Programs/CScenarios/DebuggerScenarios.c and Debugging/README.md have the expected output of the commands in Debugging/, which
/// Scripts/check-debugging compares. Both can check release builds, too (`Scripts/check-stacks release`), and .ci/run also compares the
/// stacks in lldb. If a debugger is missing, or may not debug here, the test is skipped and says so.
final class DebuggerTests: TestCaseBeside {
    /// The stacks, and the sessions in gdb and in lldb, at the same time.
    static let sessions = Result {
        let program = try productBeside("CScenarios")
        let commands = [["check-stacks", program], ["check-debugging", program, "gdb"], ["check-debugging", program, "lldb"]]
        return try concurrently(commands) { try runPython(["Scripts/" + $0[0]] + $0.dropFirst()) }
    }

    func testEachCalloutShowsTheFramesThatAMacShows() throws {
        try check(Self.sessions.get()[0], "the stacks are not those in Tests/Debugger/stacks.txt")
    }

    func testCommandsInGDBPrintWhatIsWritten() throws {
        try check(Self.sessions.get()[1], "the commands in Debugging/ do not print in gdb what stands in DebuggerScenarios.c and README.md")
    }

    func testCommandsInLLDBPrintWhatIsWritten() throws {
        try check(Self.sessions.get()[2], "the commands in Debugging/ do not print in lldb what stands in DebuggerScenarios.c and README.md")
    }

    /// RunLoopLab has the library twice, the second time on the simulated kernel. The commands must not take the structs of the one for those of the other.
    func testCommandsInGDBReadTheLoopOfTheTour() throws {
        if try Self.sessions.get()[1].status == 77 { throw XCTSkip("gdb may not debug a program here") }
        let commands = ["source \(SourceFile.root.path)/Debugging/runloop.py", "break __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__", "run", "rl-why", "rl-tree", "rl-check"]
        let arguments = ["-batch", "-nx", "-ex", "set startup-with-shell off"] + commands.flatMap { ["-ex", $0] } + ["--args", try productBeside("RunLoopLab"), "tour"]
        let output = try runProgram("/usr/bin/env", ["DEBUGINFOD_URLS=", "LC_ALL=C.UTF-8", "gdb"] + arguments).output
        for line in ["Leads to: step 9.1, the timers that are due", "ports: set ", "no problem found"] {
            XCTAssert(output.contains(line), "gdb does not print “\(line)”: \(output.suffix(4000))")
        }
    }

    private func check(_ result: ProgramResult, _ message: String, line: UInt = #line) throws {
        if result.status == 77 { throw XCTSkip(result.output) } // no debugger works here
        print(result.output)
        XCTAssertEqual(result.status, 0, message, line: line)
    }
}
