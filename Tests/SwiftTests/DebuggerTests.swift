import XCTest

/// What a debugger shows in each of the loop's callouts. The breakpoints and the stacks stand in Tests/Debugger/callouts.gdb, the
/// comparison in Scripts/check-stacks, which checks a release build too (`Scripts/check-stacks release`).
final class DebuggerTests: XCTestCase {
    private static let notPossible: Int32 = 77

    func testEachCalloutShowsTheFramesThatAMacShows() throws {
        let program = try CTestsProgram.beside()
        let result = try runProgram("/bin/bash", [Self.script, program.path])
        if result.status == Self.notPossible { throw XCTSkip(result.output) }
        print(result.output)
        XCTAssertEqual(result.status, 0, "the stacks are not those named in Tests/Debugger/callouts.gdb")
    }

    /// Found from this source file: the package's folder is three floors up.
    private static var script: String {
        let folders = #filePath.split(separator: "/").dropLast(3)
        return "/" + folders.joined(separator: "/") + "/Scripts/check-stacks"
    }
}
