import XCTest

/// What debuggers show. The stacks that must be there stand in Tests/Debugger/*.gdb, and Scripts/check-stacks compares; what the commands
/// in Debugging/ must print stands in Tests/CTests/DebuggerScenarios.c and in Debugging/README.md, and Scripts/check-debugging compares.
/// Both check release builds too (`Scripts/check-stacks release`). A debugger that is missing, or may not debug here, is skipped, and
/// the test says so.
final class DebuggerTests: XCTestCase {
    private static let notPossible: Int32 = 77

    func testEachCalloutShowsTheFramesThatAMacShows() throws {
        try check("check-stacks", "the stacks are not those named in Tests/Debugger")
    }

    func testCommandsInGDBPrintWhatIsWritten() throws {
        try check("check-debugging", "gdb", "the commands in Debugging/ do not print in gdb what stands in DebuggerScenarios.c and README.md")
    }

    func testCommandsInLLDBPrintWhatIsWritten() throws {
        try check("check-debugging", "lldb", "the commands in Debugging/ do not print in lldb what stands in DebuggerScenarios.c and README.md")
    }

    private func check(_ script: String, _ arguments: String..., line: UInt = #line) throws {
        let program = try CTestsProgram.beside()
        let result = try runProgram("/bin/bash", [Self.path(of: script), program.path] + arguments.dropLast())
        if result.status == Self.notPossible { throw XCTSkip(result.output) }
        print(result.output)
        XCTAssertEqual(result.status, 0, arguments.last!, line: line)
    }

    /// Found from this source file: the package's folder is three floors up.
    private static func path(of script: String) -> String {
        let folders = #filePath.split(separator: "/").dropLast(3)
        return "/" + folders.joined(separator: "/") + "/Scripts/" + script
    }
}
