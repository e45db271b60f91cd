import TestSupport
import XCTest

/// A case of Tests/CTests or Programs/Cases as a test of XCTest: `swift test --filter L7_stop_ends` runs the cases with these words in their names. SwiftPM on
/// Linux has no test targets in C, so the cases are in an executable, `CTests`, that `swift test` builds beside the test bundle, and that runs
/// each in a process of its own. The plug-in Tests/CTestNames writes a subclass for each file, with a method for each case.
///
/// A failure has the place of the check that failed, or of the case if none did. The time is that of the case's process.
class CTest: TestCaseAhead {
    fileprivate struct Outcome {
        var result: ProgramResult
        /// How long the case took, in seconds, as `CTests run` says.
        var seconds: TimeInterval

        /// `result` begins with a line such as `ok    L7_stop_ends_a_run (0.013 s)`.
        init(_ result: ProgramResult) {
            self.result = result
            seconds = result.output.firstMatch(of: /\((\d+\.\d+) s\)/).flatMap { TimeInterval($0.1) } ?? 0
        }
    }

    fileprivate var outcome: Outcome?

    /// The outcomes of the cases that this process was asked for: of all, or of those in `swift test --filter …`. They run several at a time.
    fileprivate static let outcomes = Swift.Result {
        let program = try CTestsProgram.beside()
        let names = CommandLine.arguments.flatMap { $0.matches(of: /CTests_\w+\/test(\w+)/).map { String($0.1) } }
        let cases = try names.isEmpty ? CTest.list().map { $0.name } : names
        return Dictionary(uniqueKeysWithValues: zip(cases, try concurrently(cases) { Outcome(try program.run(["run", $0])) }))
    }

    override class var programs: [@Sendable () -> Void] { [{ _ = outcomes }] }

    /// The cases with their sentences, as `CTests list` prints them: name, tab, sentence.
    static func list() throws -> [(name: String, sentence: String)] {
        let list = try CTestsProgram.beside().run(["list"])
        guard list.status == 0 else { throw CannotRun(description: "CTests list: \(list.output)") }
        return list.output.split(separator: "\n").map { $0.split(separator: "\t", maxSplits: 1).map(String.init) }.map { ($0[0], $0[1]) }
    }

    func run(_ name: String, in file: String) throws {
        let outcome = try Self.outcomes.get()[name] ?? Outcome(CTestsProgram.beside().run(["run", name]))
        self.outcome = outcome
        if outcome.result.output.hasPrefix("skip") { throw XCTSkip(outcome.result.output) }
        if outcome.result.status == 0 { return }
        let place = Self.place(of: outcome.result.output) ?? Self.place(of: name, in: file)
        let sentence = try Self.list().first { $0.name == name }?.sentence ?? name
        recordFailure(withDescription: "\(sentence)\n\(outcome.result.output)", inFile: place.file, atLine: place.line, expected: true)
    }

    /// The place that a failed check has printed: `/…/Tests/CTests/RunTests.c:20: CHECK(…): …`, or `/…/Programs/Cases/Runs.txt:20: …`.
    static func place(of output: String) -> (file: String, line: Int)? {
        guard let match = output.firstMatch(of: #/(/\S+\.(?:[ch]|txt)):(\d+): /#), let line = Int(match.2) else { return nil }
        return (String(match.1), line)
    }

    /// The place of a case, for one that was ended by a signal or hung.
    static func place(of name: String, in file: String) -> (file: String, line: Int) {
        let path = (file.hasSuffix(".txt") ? "Programs/Cases/" : "Tests/CTests/") + file, lines = SourceFile.read(path)?.text.split(separator: "\n", omittingEmptySubsequences: false) ?? []
        return (SourceFile.root.appendingPathComponent(path).path, 1 + (lines.firstIndex { $0.hasPrefix("TEST(\(name),") || $0 == "## \(name)" } ?? 0))
    }

    /// XCTest would show the time in which the outcome was looked up.
    override var testRunClass: AnyClass? { Run.self }

    private final class Run: XCTestCaseRun {
        override var totalDuration: TimeInterval { (test as? CTest)?.outcome?.seconds ?? super.totalDuration }
    }
}

/// The tests in C are all there, and a failure leads to its place.
final class CTestNamesTests: XCTestCase {
    func testEveryCaseHasItsMethod() throws {
        let listed = try runProgram(productBeside("RunLoopPackageTests.xctest"), ["--list-tests"]).output
        let methods = listed.matches(of: /SwiftTests\.CTests_\w+\/test(\w+)/).map { String($0.1) }
        XCTAssertGreaterThan(methods.count, 400)
        XCTAssertEqual(methods.sorted(), try CTest.list().map { $0.name }.sorted())
    }

    func testAFailureIsAtTheCheckThatFailed() throws {
        let result = try CTestsProgram.beside().run(["run", "harness_check_fails"])
        let place = try XCTUnwrap(CTest.place(of: result.output), result.output)
        XCTAssert(place.file.hasSuffix("/Tests/CTests/HarnessTests.c"), place.file)
        let lines = try XCTUnwrap(SourceFile.read("Tests/CTests/HarnessTests.c")).text.split(separator: "\n", omittingEmptySubsequences: false)
        XCTAssert(lines[place.line - 1].contains("CHECK_EQ_INT(three + 1, 5)"), "\(lines[place.line - 1])")
    }

    func testACaseThatCrashesIsAtItsDefinition() throws {
        XCTAssertNil(CTest.place(of: try CTestsProgram.beside().run(["run", "harness_crashes"]).output))
        let place = CTest.place(of: "harness_reports_a_crash", in: "HarnessTests.c")
        let lines = try XCTUnwrap(SourceFile.read("Tests/CTests/HarnessTests.c")).text.split(separator: "\n", omittingEmptySubsequences: false)
        XCTAssert(lines[place.line - 1].hasPrefix("TEST(harness_reports_a_crash,"), "\(lines[place.line - 1])")
    }
}
