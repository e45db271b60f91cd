import XCTest

/// Runs every case of Tests/CTests and reports each under its own name.
///
/// SwiftPM on Linux has no test targets in C, so the C tests are an executable, `CTests`, that `swift test` builds beside the test bundle.
/// XCTest cannot know their names at compile time. So this one test asks the executable for its list, runs all cases, several at a time, and
/// turns the results into a suite of XCTest's own kind. In the log each C case passes or fails like any other test.
final class CTestsBridge: XCTestCase {
    func testEachCase() throws {
        let program = try CTestsProgram.beside()
        let list = try program.run(["list"])
        XCTAssertEqual(list.status, 0, "CTests list: \(list.output)")
        let cases = list.output.split(separator: "\n").map(CTest.Case.init)
        let results = try concurrently(cases) { try program.run(["run", $0.name]) }
        let suite = XCTestSuite(name: "CTests")
        for (each, result) in zip(cases, results) { suite.addTest(CTest.make(each, result: result)) }
        suite.run()
        report(suite.testRun)
    }

    /// XCTest counts the inner suite's failures for the inner suite only, so this test must fail, too.
    private func report(_ run: XCTestRun?) {
        guard let run, run.testCaseCount > 0 else {
            return fail("CTests has no cases")
        }
        if !run.hasSucceeded {
            fail("\(run.totalFailureCount) of \(run.testCaseCount) C cases failed; each is shown above where it failed")
        }
    }

    /// Not XCTFail, which reports to the test that XCTest considers running, and after an inner suite it considers none running.
    private func fail(_ message: String) {
        recordFailure(withDescription: message, inFile: #filePath, atLine: #line, expected: true)
    }
}

/// A case in C as a test of XCTest. The log prints its class's name before the case's: `CTest.R1_… : sentence`.
final class CTest: XCTestCase {
    struct Case {
        var name: String, sentence: String

        /// `line` is one of `CTests list`: name, tab, sentence.
        init(line: Substring) {
            let parts = line.split(separator: "\t", maxSplits: 1).map(String.init)
            (name, sentence) = (parts[0], parts[1])
        }
    }

    /// A test that passes or fails as the case did.
    static func make(_ each: Case, result: ProgramResult) -> CTest {
        CTest(name: "\(each.name): \(each.sentence)") { test in
            if result.output.hasPrefix("skip") { throw XCTSkip(result.output) }
            if result.status != 0 {
                test.recordFailure(withDescription: result.output, inFile: "Tests/CTests", atLine: 0, expected: true)
            }
        }
    }
}
