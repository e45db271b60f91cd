import TestSupport
import XCTest
@testable import RunLoopLab

/// `RunLoopLab`, run as a reader would run it.
///
/// The transcript of each experiment is compared with a file in Transcripts/. After an intended change, `RunLoopLab record NAME` writes
/// the file; read the difference.
final class LabCommandTests: TestCaseBeside {
    // MARK: - The experiments

    func testEachExperimentIsInAFileNamedAfterIt() throws {
        let folder = sources + "Experiments/"
        for name in try experiments() {
            let file = name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() + ".swift"
            XCTAssert(try XCTUnwrap(contents(folder + file), "no \(file)").hasPrefix("// \(name): "), file)
        }
    }

    /// Compares the rows of each thread, without times and addresses.
    func testTheTranscriptsAreAsExpected() throws {
        let names = try experiments()
        func file(_ name: String) -> String { transcripts + name + ".txt" }
        let records = try concurrently(names) { try self.record(of: $0) }
        for (name, record) in zip(names, records) {
            XCTAssert(record.isAsExpected, "\(name): \(record.failures)")
            let expected = try XCTUnwrap(contents(file(name)), "no \(file(name)); RunLoopLab record \(name) writes it")
            XCTAssertEqual(record.transcript, expected, name)
        }
    }

    func testNoVerdictHoldsWhateverHappened() throws {
        let names = try experiments()
        let checks = zip(names, try concurrently(names) { try self.record(of: $0, mutation: "each") }).map { name, record in
            XCTAssertEqual(record.end, .exited(1), name)
            return checksOfFalsified(record, name)
        }
        XCTAssertGreaterThanOrEqual(checks.reduce(0, +), 70)
    }

    func testAnExperimentPrintsWhatItShowsWhatHappenedAndTheVerdict() throws {
        let names = try experiments()
        for (name, result) in zip(names, try concurrently(names) { try lab("$LAB \($0) --fast") }) {
            let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
            XCTAssertEqual(result.status, 0, result.output)
            XCTAssert(lines[0].hasPrefix("\(name) ("), name)
            var rest = lines[...]
            for section in ["    time  thread ", "What happened", "What to notice", "The experiment shows what it claims."] {
                let line = try XCTUnwrap(rest.firstIndex { $0.hasPrefix(section) }, "\(name) has no \(section)")
                rest = rest[(line + 1)...]
            }
            for line in lines where line.count > 100 { XCTAssertFalse(line.drop { $0 == " " }.contains(" "), "\(name): \(line)") }
        }
    }

    // MARK: - All of them

    /// The output of `all`, and its output if the events of each experiment are forgotten; both run at the same time.
    private static let all = Swift.Result { try concurrently(["", "RUNLOOPLAB_MUTATE=forget "]) { try lab("\($0)$LAB all --fast") } }

    override class var programs: [@Sendable () -> Void] { [{ _ = all }] }

    func testAllSaysOfEachWhetherItShowsWhatIsClaimed() throws {
        let result = try Self.all.get()[0], names = try experiments()
        XCTAssertEqual(result.status, 0, result.output)
        let passed = result.output.split(separator: "\n").filter { $0.hasPrefix("  ok    ") }.map { String($0.split(separator: " ")[1]) }
        XCTAssertEqual(passed, names)
        XCTAssert(result.output.hasSuffix("\n\(names.count) programs as expected."), result.output)
    }

    func testAllFailsWithWhatWasObservedIfOneDoes() throws {
        let result = try Self.all.get()[1]
        XCTAssertEqual(result.status, 1)
        XCTAssert(result.output.contains("\n  FAIL  loop-ends "), result.output)
        XCTAssert(result.output.contains("        the loop ends on its own thread: the source leaves its loop not seen\n"), result.output)
        XCTAssert(result.output.contains("not as expected: loop-ends, "), result.output)
    }

    // MARK: - Ctrl-C

    func testCtrlCEndsAnExperimentWithWhatWasSeen() throws {
        let result = try lab("$LAB busy-timer", interruptedAfter: "  timer          tick ")
        XCTAssertEqual(result.status, 130)
        XCTAssert(result.output.contains("  timer          tick "), result.output)
        XCTAssert(result.output.hasSuffix("\n\nVerdict: interrupted. The rows above show what was observed until then."), result.output)
    }

    func testCtrlCEndsAllWithWhatWasSeen() throws {
        let result = try lab("$LAB all", interruptedAfter: "ok    loop-ends ")
        XCTAssertEqual(result.status, 130)
        XCTAssert(result.output.contains("\n  ok    loop-ends "), result.output)
        XCTAssertNotNil(result.output.firstMatch(of: /\n\nInterrupted\.\n\n\d+ programs? as expected\.$/), result.output)
    }

    func testAReaderThatLeavesEndsItQuietly() throws {
        let result = try lab("$LAB busy-timer --fast | head -n 1")
        XCTAssertEqual(result.output,
                       "busy-timer (T3, T9): a late timer skips the dates it missed and keeps its rhythm; on a thread of its")
    }

    // MARK: - The command line

    func testHelpListsWhatThereIs() throws {
        for words in ["help", "--help", "-h", "tour --help", "modes-isolate -h"] {
            let result = try lab("$LAB \(words)")
            XCTAssertEqual(result.status, 0)
            XCTAssert(result.output.hasPrefix("usage: RunLoopLab NAME "), result.output)
            for name in ["list", "all [--fast]", "trace NAME --out FILE [--cured] [--fast]", "tour", "modes-isolate"] {
                XCTAssert(result.output.contains("\n  \(name) ") || result.output.contains("\n  \(name)\n"), "no \(name) in \(result.output)")
            }
            for line in result.output.split(separator: "\n") { XCTAssertLessThanOrEqual(line.count, 100, String(line)) }
        }
    }

    func testWithoutAWordTheExperimentsAreListed() throws {
        let result = try lab("$LAB")
        XCTAssertEqual(result.status, 0)
        XCTAssertEqual(result.output, try lab("$LAB list").output)
        XCTAssert(result.output.contains("\nModes and their items\n  "), result.output)
        let line = "  modes-isolate          S6 S7 L3        0.3 s  only the items of the current mode are served"
        XCTAssert(result.output.contains("\n\(line)\n"), result.output)
    }

    func testAWrongWordGetsTheNearestRightOne() throws {
        let lines = [
            "tuor": "there is no command or experiment 'tuor'; did you mean 'tour'? --help lists all of them",
            "halp": "there is no command or experiment 'halp'; did you mean 'help'? --help lists all of them",
            "mode-isolates": "there is no command or experiment 'mode-isolates'; did you mean 'modes-isolate'? --help lists all of them",
            "record busy-tiemr": "there is no experiment 'busy-tiemr'; did you mean 'busy-timer'? --help lists all of them",
            "record": "'record' needs the name of an experiment; usage: record NAME",
            "--hlep": "there is no option '--hlep'; did you mean '--help'? --help lists all of them",
            "--fast ten-steps": "options come after the name: RunLoopLab NAME --fast",
            "--out x.svg trace ten-steps": "options come after the name: RunLoopLab NAME --out FILE",
            "tour --fast": "'tour' has no option '--fast'; did you mean '--help'?",
            "busy-timer --fats": "'busy-timer' has no option '--fats'; did you mean '--fast'?",
            "tour fast": "'tour' does not take the argument 'fast'; usage: tour",
        ]
        for (words, line) in lines {
            let result = try lab("$LAB \(words)")
            XCTAssertEqual(result.status, 2)
            XCTAssertEqual(result.output, "RunLoopLab: \(line)")
        }
    }

    // MARK: - What there is

    /// The experiments in the order of the list.
    private func experiments() throws -> [String] {
        let found = try lab("$LAB list").output.split(separator: "\n").dropFirst()
            .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") } // a longer one goes on below
            .map { String($0.split(separator: " ")[0]) }
        XCTAssertGreaterThan(found.count, 15)
        return found
    }

    /// What `--record` prints of an experiment.
    private func record(of name: String, mutation: String? = nil) throws -> ProgramRecord {
        let result = try lab("\(mutation.map { "RUNLOOPLAB_MUTATE=\($0) " } ?? "")$LAB \(name) --fast --record")
        let record = ProgramRecord(output: result.output, end: .exited(result.status))
        for line in record.others { XCTFail("\(name): \(line)") }
        return record
    }

    private var sources: String { #filePath.components(separatedBy: "/Tests/")[0] + "/Lab/" }
    private var transcripts: String { #filePath.components(separatedBy: "/LabCommandTests.swift")[0] + "/Transcripts/" }

    private func contents(_ file: String) -> String? {
        try? String(contentsOfFile: file, encoding: .utf8)
    }
}

/// A program that was run with RUNLOOPLAB_MUTATE=each has applied each check to two falsified records: without the events that it asks for, and with
/// more of them everywhere. The check must reject one of them. Returns how many checks there are.
func checksOfFalsified(_ record: ProgramRecord, _ name: String) -> Int {
    let verdicts = record.checks, mutations = Mutation.allCases.count
    XCTAssert(!verdicts.isEmpty && verdicts.count.isMultiple(of: mutations), "\(name): \(verdicts.count) verdicts")
    for first in stride(from: 0, to: verdicts.count - mutations + 1, by: mutations) {
        let claim = verdicts[first].claim
        XCTAssert(verdicts[first..<first + mutations].allSatisfy { $0.claim == claim }, "\(name): \(claim)")
        XCTAssert(!verdicts[first].holds || !verdicts[first + 1].holds, "\(name): “\(claim)” holds whatever happened")
    }
    return verdicts.count / mutations
}

// MARK: - Running it

/// Runs a shell command in which $LAB is RunLoopLab, built beside the tests. A program that hangs is ended with status 124.
func lab(_ line: String) throws -> ProgramResult {
    let tests = try CTestsProgram.beside().path
    let program = tests.prefix(through: tests.lastIndex(of: "/")!) + "RunLoopLab"
    return try runProgram("/bin/sh", ["-c", "LAB='\(program)'; LC_ALL=C; export LAB LC_ALL; exec timeout 120 sh -c \"$0\"", line])
}

/// Runs one command after `setup`, and sends Ctrl-C as soon as it has printed these words.
func lab(_ command: String, after setup: String = ":", interruptedAfter words: String) throws -> ProgramResult {
    // The program stays in the foreground, because a shell makes background programs ignore SIGINT.
    try lab("""
        \(setup); out=$(mktemp); touch $out.pid
        { until grep -qF '\(words)' $out || [ -e $out.over ]; do sleep 0.01; done; kill -INT $(cat $out.pid); } 2>/dev/null &
        sh -c 'echo $$ >$0.pid; exec \(command)' $out >$out 2>&1; status=$?
        touch $out.over; wait; cat $out; rm $out*; exit $status
        """)
}
