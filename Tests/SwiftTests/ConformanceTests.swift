import XCTest

/// Performs the programs of Tests/Conformance on the toolchain's own run loop and on ours: the logs must be the same. `Conformance`
/// is an executable in C that `swift test` builds beside the test bundle, as it does with CTests.
final class ConformanceTests: XCTestCase {
    /// What `Conformance` says and how it ends. Skips the test where the toolchain's run loop cannot be loaded: with a static toolchain.
    private func conformance(_ arguments: String...) throws -> ProgramResult {
        let result = try runProgram(try productBeside("Conformance"), arguments)
        if result.status == 77 { throw XCTSkip(result.output) }
        return result
    }

    /// The lines that name what differs, each with what follows it: the two logs side by side, or the shrunk program.
    private func differences(in output: String) -> [String] {
        output.components(separatedBy: "\nDIFFERENT").dropFirst().map { "DIFFERENT" + $0 }
            + (output.hasPrefix("DIFFERENT") ? [output] : [])
    }

    private func assertNothingDiffers(_ result: ProgramResult, line: UInt = #line) {
        for difference in differences(in: result.output) { XCTFail(difference, line: line) }
        XCTAssertEqual(result.status, 0, "Conformance: \(result.output.suffix(2000))", line: line)
    }

    func testScenariosAreTheSameOnBothLoops() throws {
        let result = try conformance("run")
        assertNothingDiffers(result)
        let names = try conformance("list").output.split(separator: "\n")
        XCTAssertGreaterThan(names.count, 40)
        XCTAssertTrue(result.output.contains("scenarios: \(names.count) the same, 0 different"), result.output)
    }

    func testRandomProgramsAreTheSameOnBothLoopsAndInTheModel() throws {
        let result = try conformance("random", "1", "400")
        assertNothingDiffers(result)
        XCTAssertTrue(result.output.contains("programs: 400 the same, 0 different"), result.output)
    }

    func testKnownDifferencesHaveNamesAndReasons() throws {
        let output = try conformance("differences").output
        for name in ["D13", "D16", "D17", "D29", "D30", "D33", "two-ready"] {
            XCTAssertTrue(output.contains("\(name)\n    "), name)
        }
    }

    func testWrongUsageIsSaidAndEndsWithTwo() throws {
        for words in [[], ["nothing"], ["run", "no-such-scenario"], ["random", "1"], ["random", "9", "1"], ["shrink", "x"], ["list", "more"]] {
            let result = try runProgram(try productBeside("Conformance"), words)
            XCTAssertEqual(result.status, 2, "\(words): \(result.output)")
            XCTAssertTrue(result.output.contains("Try: Conformance help"), "\(words): \(result.output)")
        }
    }
}
