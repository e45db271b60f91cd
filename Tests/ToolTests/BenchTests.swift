import Foundation
import TestSupport
import XCTest

/// RunLoopBench, as far as a test can judge it on a busy machine: it measures what it claims to measure, and its output has the promised
/// forms. The figures themselves are for its reader.
final class BenchTests: TestCaseBeside {
    private func bench(_ arguments: [String], librariesFirstIn directory: String? = nil) throws -> ProgramResult {
        let program = try CTestsProgram.beside().path.dropLast("CTests".count) + "RunLoopBench"
        guard access(String(program), X_OK) == 0 else { throw CannotRun(description: "there is no \(program); swift build makes it") }
        guard let directory else { return try runProgram(String(program), arguments) }
        return try runProgram("/usr/bin/env", ["LD_LIBRARY_PATH=\(directory)", String(program)] + arguments)
    }

    private struct Report: Decodable {
        struct Row: Decodable {
            struct Figures: Decodable {
                var median: Double
                var rounds: Int
            }

            var name: String
            var title: String
            var unit: String
            var figures: [String: Figures]
            var ratios: [String: Double]
            var losesTo: [String]
        }

        var fast: Bool
        var machine: String
        var notFound: [String]
        var rows: [Row]
    }

    /// Standard error, with the progress, is mixed with standard output; the object begins at its brace.
    private func report(_ rows: [String]) throws -> Report {
        try report(bench(["--fast", "--json"] + rows))
    }

    private func report(_ result: ProgramResult) throws -> Report {
        XCTAssertEqual(result.status, 0, result.output)
        let start = try XCTUnwrap(result.output.firstIndex(of: "{"), result.output)
        return try JSONDecoder().decode(Report.self, from: Data(result.output[start...].utf8))
    }

    /// Rows of every kind: timed in C and in Swift, on one thread and on two, counted in bytes; on every side that can do the work.
    func testRowsAreMeasuredOnAllSides() throws {
        try skip(under: .thread, .address, because: "its allocator does not tell how much memory is in use")
        let names = ["poll", "signal-100", "hop", "source-1", "ready-64", "limit", "block", "timer-move-1000", "due-100", "idle-tick", "thread",
                     "memory-timer", "swift-perform", "swift-timer", "swift-wake", "swift-perform-on-thread"]
        let report = try report(names)
        XCTAssert(report.fast)
        XCTAssertEqual(report.rows.map(\.name), names)
        for row in report.rows {
            let isInSwift = row.name.hasPrefix("swift-"), isAbsent = isInSwift ? ["GLib", "libuv"] : ["limit": ["GLib", "libuv"], "block": ["libuv"]][row.name] ?? []
            XCTAssertEqual(Set(row.figures.keys), Set(["ours", "toolchain", "floor", "GLib", "libuv"]).subtracting(report.notFound + isAbsent), row.name)
            for side in row.figures.keys {
                let figures = try XCTUnwrap(row.figures[side], "\(row.name) is not measured for \(side)")
                XCTAssertGreaterThan(figures.median, 0, "\(row.name), \(side)")
                XCTAssertGreaterThanOrEqual(figures.rounds, row.unit == "nanoseconds" ? 3 : 1, "\(row.name), \(side)")
            }
            XCTAssertEqual(try XCTUnwrap(row.ratios["toolchain"]), row.figures["ours"]!.median / row.figures["toolchain"]!.median, accuracy: 1e-9)
            XCTAssertGreaterThan(try XCTUnwrap(row.ratios["floor"]), 0, row.name)
        }
    }

    /// A figure that no other program disturbs and that hardly depends on the processor: the loop takes fewer instructions than the
    /// toolchain's. A release build must compare them, because in a debug build our loop is not optimized, and the toolchain's is.
    func testInstructionsAreCountedOnBothLoops() throws {
        let names = ["poll", "signal-1", "source-1"].map { "instructions-\($0)" }
        let result = try bench(["--fast", "--json", "--side", "ours", "--side", "toolchain"] + names) // a step takes some microseconds
        for reason in ["this system lets no process be traced", "cannot be stepped through"] where result.output.contains(reason) {
            throw XCTSkip(result.output)
        }
        let rows = try report(result).rows
        XCTAssertEqual(rows.map(\.name), names)
        for row in rows {
            XCTAssertEqual(row.unit, "instructions")
            for side in ["ours", "toolchain"] { XCTAssertGreaterThan(try XCTUnwrap(row.figures[side], row.name).median, 10, row.name) }
        }
    }

    /// The row names another loop that does better, whether or not the row has a goal.
    func testARowNamesEveryLoopThatDoesBetter() throws {
        for row in try report(["timer-add-1000", "timer-move-1000", "block", "memory-timer"]).rows {
            XCTAssertEqual(row.losesTo, ["toolchain", "GLib", "libuv"].filter { (row.ratios[$0] ?? 0) > 1 }, row.name)
        }
    }

    /// The benchmark runs without GLib and libuv, and prints that it has not found them. Here, another library has their names.
    func testWhatIsNotInstalledIsNamed() throws {
        let directory = NSTemporaryDirectory() + "RunLoopBench-\(getpid())"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let libraries = ["/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/lib64", "/usr/lib"].map { "\($0)/libm.so.6" }
        let other = try XCTUnwrap(libraries.first { access($0, R_OK) == 0 })
        for library in ["libglib-2.0.so.0", "libuv.so.1"] {
            try FileManager.default.createSymbolicLink(atPath: "\(directory)/\(library)", withDestinationPath: other)
        }
        let result = try bench(["--fast", "poll"], librariesFirstIn: directory)
        XCTAssertEqual(result.status, 0, result.output)
        XCTAssert(result.output.contains("\nNot found, and not measured: GLib, libuv."), result.output)
    }

    func testOneSideCanBeMeasuredAlone() throws {
        let report = try report(["poll", "--side", "ours", "--side", "floor"])
        XCTAssertEqual(Set(try XCTUnwrap(report.rows.first).figures.keys), ["ours", "floor"])
        XCTAssert(report.machine.contains("Linux "))
    }

    func testTheTableHasALineForEachRowOfAGroupAndNamesTheMachine() throws {
        let result = try bench(["--fast", "poll", "timers"])
        XCTAssertEqual(result.status, 0, result.output)
        for title in ["poll pass with one source", "timer added among 1,000", "timer invalidated among 100,000"] {
            XCTAssert(result.output.contains("\n| \(title) "), result.output)
        }
        XCTAssert(result.output.contains("\nMeasured on: "), result.output)
    }

    /// The rows of the command line are those of the document, in their order.
    func testHelpListsAllRowsAndSoDoesTheDocument() throws {
        let help = try bench(["--help"])
        XCTAssertEqual(help.status, 0)
        let titles = help.output.matches(of: /(?m)^    ([a-z0-9-]+) {2,}(.*?)(?: \(goal: .*\))?$/).map { String($0.2) }
        XCTAssertEqual(titles.count, 34)
        for path in ["Documentation/Explanation/speed.md", "Documentation/Explanation/speed.zh.md"] {
            let text = try XCTUnwrap(SourceFile.read(path)).text
            let table = try XCTUnwrap(text.firstMatch(of: /(?s)<!-- speed: [^\n]*\n(.*?)<!-- speed: end/)).1
            let rows = table.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2).map { $0.split(separator: "|")[0].trimmingCharacters(in: .whitespaces) }
            XCTAssertEqual(rows, titles, path)
        }
        for option in ["--fast", "--json", "--side SIDE"] { XCTAssert(help.output.contains("  \(option) "), option) }
    }

    func testWhatMeansNothingIsRefusedWithTheNearestName() throws {
        let cases: [(arguments: [String], says: String)] = [
            (["pol"], "there is no row 'pol'; did you mean 'poll'?"),
            (["timer-ad-1000"], "did you mean 'timer-add-1000'?"),
            (["--fats"], "there is no option '--fats'; did you mean '--fast'?"),
            (["--side", "glibc"], "there is no side 'glibc'; did you mean 'GLib'?"),
            (["--side"], "after --side comes a side"),
        ]
        for (arguments, says) in cases {
            let result = try bench(arguments)
            XCTAssertEqual(result.status, 2, "\(arguments)")
            XCTAssert(result.output.contains(says), "\(arguments): \(result.output)")
        }
    }
}
