import TestSupport
import XCTest

/// The output of debuggers. Tests/Debugger/stacks.txt has the expected stacks, which Scripts/check-stacks compares.
/// Tests/Programs/CScenarios/DebuggerScenarios.c and Debugging/README.md have the expected output of the commands in Debugging/, which
/// Scripts/check-debugging compares. Both can check release builds, too (`Scripts/check-stacks release`), and .ci/run also compares the
/// stacks in lldb. If a debugger is missing, or may not debug here, the test is skipped and says so.
final class DebuggerTests: TestCaseBeside {
    override class var programs: [@Sendable () -> Void] { [{ _ = sessions }] }

    /// The stacks, the sessions in gdb and in lldb, and the calls at a breakpoint, at the same time.
    private static let sessions = Result {
        let program = try productBeside("CScenarios")
        let commands = [["check-stacks", program], ["check-debugging", program, "gdb"], ["check-debugging", program, "lldb"], ["check-debugger-calls", program]]
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

    /// A step holds the locks of the loop and of the mode. The defect: a call that takes them hung the program.
    func testFunctionsThatLookAtTheLoopAnswerInEachStepAndCallout() throws {
        try check(Self.sessions.get()[3], "a function that was called at a breakpoint did not answer")
    }

    /// RunLoopLab has the library twice, the second time on the simulated kernel. The commands must not take the structs of the one for those of the other.
    func testCommandsInGDBReadTheLoopOfTheTour() throws {
        if try Self.sessions.get()[1].status == 77 { throw XCTSkip("gdb may not debug a program here") }
        let printed = try printedByGDB(["break __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__", "run", "rl-why", "rl-tree", "rl-check"])
        for line in ["Leads to: step 9.1, the timers that are due", "ports: set ", "no problem found"] {
            XCTAssert(printed.contains { $0.value.contains(line) }, "gdb does not print “\(line)”: \(printed)")
        }
    }

    /// gdb printed 1,571 lines about modules of C before its first answer. Package.swift has the flag that prevents them; it leaves the flag out if
    /// the package is in a folder named `checkouts` or `registry`.
    func testGDBIsQuietAndStopsAtASwiftName() throws {
        if try Self.sessions.get()[1].status == 77 { throw XCTSkip("gdb may not debug a program here") }
        let printed = try printedByGDB(["rl-break Tour.timerFired", "run", "rl-loops", "rl-tree", "rl-why", "rl-bt", "backtrace"])
        XCTAssertFalse(printed.contains { $0.value.contains("Could not find DWO") })
        XCTAssertLessThanOrEqual(try XCTUnwrap(printed[""]).split(separator: "\n").count, 5, "gdb says too much: \(printed[""] ?? "")")
        XCTAssert(try XCTUnwrap(printed["rl-break Tour.timerFired"]).contains("Tour.timerFired(): breakpoint 1"))
        XCTAssert(try XCTUnwrap(printed["run"]).contains("hit Breakpoint 1, "))
        for command in ["rl-loops", "rl-tree", "rl-why", "rl-bt", "backtrace"] {
            XCTAssertFalse(try XCTUnwrap(printed[command]).contains("$s"), "a name is mangled: \(printed[command] ?? "")")
        }
        for name in ["Tour.timerFired()", "closure #2 in Tour.fillLoop()", "Tour.run()", "static Command.tour()"] {
            XCTAssert(printed["rl-bt"]!.contains(" \(name)  at "), "rl-bt does not show \(name): \(printed)")
            XCTAssert(printed["backtrace"]!.contains(" \(name) ("), "backtrace does not show \(name): \(printed)")
        }
        for line in ["performs performSource(_:), ", "calls callObserver(_:_:_:)"] { XCTAssert(printed["rl-tree"]!.contains(line), "\(printed)") }
    }

    /// What gdb prints for each command about the tour, and what it prints before them under the key "".
    private func printedByGDB(_ commands: [String]) throws -> [String: String] {
        let given = ["source \(SourceFile.root.path)/Debugging/runloop.py"] + commands.flatMap { ["echo \\n=== \($0)\\n", $0] }
        let arguments = ["-batch", "-nx", "-ex", "set startup-with-shell off"] + given.flatMap { ["-ex", $0] } + ["--args", try productBeside("RunLoopLab"), "tour"]
        let output = try runProgram("/usr/bin/env", ["DEBUGINFOD_URLS=", "LC_ALL=C.UTF-8", "gdb"] + arguments).output
        let parts = ("\n" + output).split(separator: "\n=== ", omittingEmptySubsequences: false)
        let answers = parts.dropFirst().map { $0.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).map(String.init) }
        return Dictionary([("", String(parts[0]))] + answers.map { ($0[0], $0.count > 1 ? $0[1] : "") }, uniquingKeysWith: +)
    }

    /// The last name is that of a function's entry for C.
    func testTheHelpersReadSwiftNames() throws {
        let script = """
            import os, sys
            sys.path.insert(0, "Debugging")
            from rlhelpers import names
            mangled = ["$s4main4TourC10timerFiredyyF", "$s4main4TourC10timerFired2atySi_tF", "$s4main4TourC10timerFiredyyFyycfU0_", "$s4main5OtherV10timerFiredyyFZ",
                "$s4main4TourC10timerFiredyyFTo"]
            print(*names.readable(mangled + ["main", None]), sep=", ")
            for name in "Tour.timerFired", "timerFired", "Tour.timerFired()", "static Other.timerFired", "closure #2 in Tour.timerFired()":
                print(*[mangled.index(found) for found in names.functions_named(name, mangled)])
            def fails(name):
                try: names.functions_named(name, mangled)
                except names.Problem: return True
            print(fails("fired"))
            names.known.clear()
            os.environ["PATH"] = ""
            print(names.readable(mangled) == mangled, fails("Tour.timerFired"))
            """
        let printed = try runPython(["-c", script]).output // not in the assertion, which would take a skip for a failure
        XCTAssertEqual(printed, """
            Tour.timerFired(), Tour.timerFired(at:), closure #2 in Tour.timerFired(), static Other.timerFired(), Tour.timerFired(), main, None
            0 1
            0 1 3
            0
            3
            2
            True
            True True
            """)
    }

    private func check(_ result: ProgramResult, _ message: String, line: UInt = #line) throws {
        if result.status == 77 { throw XCTSkip(result.output) } // no debugger works here
        print(result.output)
        XCTAssertEqual(result.status, 0, message, line: line)
    }
}
