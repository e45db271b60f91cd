import TestSupport
import XCTest

/// Runs the programs of Programs/Conformance on the toolchain's own run loop and on ours: the logs must be the same. `Conformance` is an
/// executable in C that `swift test` builds beside the test bundle, as it does with CTests.
final class ConformanceTests: TestCaseBeside {
    /// The output of `Conformance` and its exit status. Skips the test where the toolchain's run loop cannot be loaded, as with a static
    /// toolchain.
    private func conformance(_ arguments: String...) throws -> ProgramResult {
        try orSkip(runProgram(try productBeside("Conformance"), arguments))
    }

    private func orSkip(_ result: ProgramResult) throws -> ProgramResult {
        if result.status == 77 { throw XCTSkip(result.output) }
        return result
    }

    /// The lines that name a difference, each with what follows it: how the two logs differ, or the shrunk program.
    private func differences(in output: String) -> [String] {
        output.components(separatedBy: "\nDIFFERENT").dropFirst().map { "DIFFERENT" + $0 }
            + (output.hasPrefix("DIFFERENT") ? [output] : [])
    }

    private func assertNothingDiffers(_ result: ProgramResult, line: UInt = #line) {
        for difference in differences(in: result.output) { XCTFail(difference, line: line) }
        XCTAssertEqual(result.status, 0, "Conformance: \(result.output.suffix(2000))", line: line)
    }

    override class var programs: [@Sendable () -> Void] { [{ _ = results }] }

    /// The scenarios, the random programs and the cases, at the same time.
    private static let results = Result {
        try concurrently([["run"], ["random", "1", "200"], ["cases"]]) { try runProgram(try productBeside("Conformance"), $0) }
    }

    func testScenariosAreTheSameOnBothLoops() throws {
        let result = try orSkip(Self.results.get()[0])
        assertNothingDiffers(result)
        let names = try conformance("list").output.split(separator: "\n")
        XCTAssertGreaterThan(names.count, 10)
        XCTAssertTrue(result.output.contains("scenarios: \(names.count) the same, 0 different"), result.output)
    }

    func testCasesAreTheSameOnBothLoopsAndInTheModel() throws {
        let result = try orSkip(Self.results.get()[2])
        assertNothingDiffers(result)
        let count = SourceFile.all(in: "Programs/Cases", endings: ["txt"]).reduce(0) { $0 + $1.text.split(separator: "\n").count { $0.hasPrefix("## ") } }
        XCTAssertGreaterThan(count, 50)
        XCTAssertTrue(result.output.contains("cases: \(count) the same, 0 different"), result.output)
    }

    /// How many programs were the same, how many differed in some runs, and how many differ, from the line with that title.
    private func counts(_ title: String, in output: String) throws -> (same: Int, unsteady: Int, different: Int) {
        let line = try XCTUnwrap(output.split(separator: "\n").first { $0.hasPrefix("\(title): ") }, output)
        let numbers = try XCTUnwrap(line.firstMatch(of: /: (\d+) the same, (\d+) unsteady.*, (\d+) different;/), "\(line)")
        return try (XCTUnwrap(Int(numbers.1)), XCTUnwrap(Int(numbers.2)), XCTUnwrap(Int(numbers.3)))
    }

    /// On a busy machine events are late, and a program differs once. This test only checks that few do. The program itself repeats such a
    /// run, with enough time, to find out whether it is ours that differs, and then reports it as different.
    func testRandomProgramsAreTheSameOnBothLoopsAndInTheModel() throws {
        let result = try orSkip(Self.results.get()[1])
        assertNothingDiffers(result)
        let both = try counts("programs on both loops", in: result.output), alone = try counts("programs on ours alone", in: result.output)
        XCTAssertEqual(both.same + both.unsteady, 200)
        XCTAssertGreaterThan(alone.same + alone.unsteady, 50, "many programs have something in them that the original does wrong")
        for (same, unsteady, different) in [both, alone] {
            XCTAssertEqual(different, 0)
            XCTAssertLessThan(unsteady, (same + unsteady) / 4, result.output)
        }
    }

    /// Time does not pass there, so no machine is too busy, and not a single program may fail. It needs no toolchain's loop.
    func testRandomProgramsOnTheSimulatedKernelKeepTheRulesAndDoWhatTheModelPredicts() throws {
        let result = try runProgram(try productBeside("Conformance"), ["simulate", "1", "20000"])
        XCTAssertEqual(result.status, 0, result.output)
        let line = try XCTUnwrap(result.output.firstMatch(of: /programs on the simulated kernel: (\d+) as they should be, 0 not/), result.output)
        XCTAssertGreaterThan(try XCTUnwrap(Int(line.1)), 20000, "many programs for the model have a second one")
    }

    /// In two of them a timer has left one of its modes, in its callback or just before, and a run of another of its modes nests in the callback:
    /// that mode's port may be armed for the date that is being served. In the third, a port is drained after another has joined its mode. In the
    /// others, faults bring two moments together, interrupt a wait that is over, or move a run into a timer's callback.
    func testProgramsThatTheModelOnceGotWrongAreTheSameOnTheSimulatedKernel() throws {
        let seeds = [(533581, 2), (1723561, 2), (1646330, 2), (174209, 2), (174809, 1), (174853, 2), (350897, 1), (803141, 1)]
        for (number, programs) in seeds {
            let seed = String(64 * number) // of 64 programs there, one is for the model
            let result = try runProgram(try productBeside("Conformance"), ["simulate", seed, seed])
            XCTAssert(result.output.contains("\(programs) as they should be, 0 not"), result.output)
        }
    }

    func testWrongUsageIsSaidAndEndsWithTwo() throws {
        for words in [[], ["nothing"], ["run", "no-such-scenario"], ["random", "1"], ["random", "9", "1"], ["cases", "no-such-case"], ["threads", "x"], ["list", "more"]] {
            let result = try runProgram(try productBeside("Conformance"), words)
            XCTAssertEqual(result.status, 2, "\(words): \(result.output)")
            XCTAssertTrue(result.output.contains("Try: Conformance help"), "\(words): \(result.output)")
        }
    }
}
