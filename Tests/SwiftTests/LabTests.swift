import XCTest

/// `RunLoopLab`, run as a reader would run it.
final class LabTests: XCTestCase {
    // MARK: - The command line

    func testHelpListsWhatThereIs() throws {
        for words in ["help", "--help", "-h", "tour --help", "modes-isolate -h"] {
            let result = try lab("$LAB \(words)")
            XCTAssertEqual(result.status, 0)
            XCTAssert(result.output.hasPrefix("usage: RunLoopLab NAME "), result.output)
            for name in ["list", "all [--fast]", "compare NAME [--fast]", "tour", "modes-isolate"] {
                XCTAssert(result.output.contains("\n  \(name) "), "no \(name) in \(result.output)")
            }
        }
    }

    func testWithoutAWordTheExperimentsAreListed() throws {
        let result = try lab("$LAB")
        XCTAssertEqual(result.status, 0)
        XCTAssertEqual(result.output, try lab("$LAB list").output)
        XCTAssert(result.output.contains("\n  modes-isolate          S6 S7 L3 "), result.output)
    }

    func testAWrongWordGetsTheNearestRightOne() throws {
        let lines = [
            "tuor": "there is no command or experiment 'tuor'; did you mean 'tour'? --help lists what there is",
            "halp": "there is no command or experiment 'halp'; did you mean 'help'? --help lists what there is",
            "mode-isolates": "there is no command or experiment 'mode-isolates'; did you mean 'modes-isolate'? --help lists what there is",
            "compare busy-tiemr": "there is no experiment 'busy-tiemr'; did you mean 'busy-timer'? --help lists what there is",
            "compare": "'compare' needs the name of an experiment: compare NAME [--fast]",
            "--hlep": "there is no option '--hlep'; did you mean '--help'? --help lists what there is",
            "tour --fast": "'tour' has no option '--fast'; did you mean '--help'?",
            "busy-timer --fats": "'busy-timer' has no option '--fats'; did you mean '--fast'?",
            "tour fast": "'tour' takes nothing more, but there is 'fast'; did you mean 'tour'?",
        ]
        for (words, line) in lines {
            let result = try lab("$LAB \(words)")
            XCTAssertEqual(result.status, 2)
            XCTAssertEqual(result.output, "RunLoopLab: \(line)")
        }
    }
}

/// Runs a line of shell in which $LAB is RunLoopLab, built beside the tests. What hangs is ended, and the status is then 124.
func lab(_ line: String) throws -> ProgramResult {
    let tests = try CTestsProgram.beside().path
    let program = tests.prefix(through: tests.lastIndex(of: "/")!) + "RunLoopLab"
    return try runProgram("/bin/sh", ["-c", "LAB='\(program)'; export LAB; exec timeout 60 sh -c \"$0\"", line])
}
