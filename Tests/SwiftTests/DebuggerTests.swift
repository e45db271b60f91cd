import XCTest

/// The output of debuggers. Tests/Debugger/stacks.txt has the expected stacks, which Scripts/check-stacks compares.
/// Tests/Programs/CScenarios/DebuggerScenarios.c and Debugging/README.md have the expected output of the commands in Debugging/, which
/// Scripts/check-debugging compares. Both can check release builds, too (`Scripts/check-stacks release`), and .ci/run also compares the
/// stacks in lldb. If a debugger is missing, or may not debug here, the test is skipped and says so.
final class DebuggerTests: TestCaseBeside {
    /// No debugger works here, or there is no Python for the scripts.
    private static let notPossible: Set<Int32> = [77, 127]

    /// The stacks, and the sessions in gdb and in lldb, at the same time.
    static let sessions = Result {
        let program = try productBeside("CScenarios")
        let commands = [["check-stacks", program], ["check-debugging", program, "gdb"], ["check-debugging", program, "lldb"]]
        return try concurrently(commands) { try runProgram(path(of: $0[0]), Array($0.dropFirst())) }
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

    /// `Scripts/check-debugging --write` updates the line numbers in the guided session, and the tests above compare them where there is a
    /// debugger. Without a debugger, this test still notices a number outside its function.
    func testTheLineNumbersOfTheGuidedSessionAreInTheFunctionsNamed() throws {
        let files = ["Sources/CRunLoop", "Tests/Programs/CScenarios", "Tests/CTests"].flatMap { SourceFile.all(in: $0, endings: ["c"]) }
        let text = try XCTUnwrap(SourceFile.read("Debugging/README.md")).text
        var compared = 0
        for match in text.matches(of: /(?m)(?:^#\d+ +|`)(\w+) +at (\w+\.c):(\d+)/) {
            let function = String(match.1), line = Int(match.3)!
            guard let file = files.first(where: { $0.name == match.2 }) else { XCTFail("there is no \(match.2)"); continue }
            let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
            // A macro defines a scenario's function: SCENARIO(exercise, …) defines test_exercise.
            let name = function.hasPrefix("test_") ? String(function.dropFirst(5)) : function
            let begin = lines.indices.last { index in
                index < line && !lines[index].hasPrefix(" ") && !lines[index].hasPrefix("/") && lines[index].identifiers.contains(name)
            }
            let end = lines.indices.first { index in index >= line - 1 && lines[index].hasPrefix("}") }
            let between = begin.flatMap { begin in end.map { lines[begin..<$0].dropFirst().contains { $0.hasPrefix("}") } } }
            compared += 1
            XCTAssertEqual(between, false, "line \(line) of \(match.2) is not in \(function): Scripts/check-debugging --write")
        }
        XCTAssertGreaterThan(compared, 20)
    }

    private func check(_ result: ProgramResult, _ message: String, line: UInt = #line) throws {
        if Self.notPossible.contains(result.status) { throw XCTSkip(result.output) }
        print(result.output)
        XCTAssertEqual(result.status, 0, message, line: line)
    }

    /// Found relative to this source file: the package's folder is three levels up.
    private static func path(of script: String) -> String {
        let folders = #filePath.split(separator: "/").dropLast(3)
        return "/" + folders.joined(separator: "/") + "/Scripts/" + script
    }
}
