import Foundation
import XCTest

/// RunLoopBench, as far as a test can judge it on a busy machine: it measures what it claims to measure, and its output has the promised
/// forms. The figures themselves are for its reader.
final class BenchTests: XCTestCase {
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
                var quartiles: [Double]
                var rounds: Int
            }

            var name: String
            var title: String
            var unit: String
            var figures: [String: Figures]
            var ratioToToolchain: Double?
            var ratioToFloor: Double?
            var ratioToGLib: Double?
            var ratioToLibuv: Double?
            var isReached: Bool?
            var losesTo: [String]?
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

    /// Rows of every kind: timed in C and in Swift, on one thread and on two, counted by tracing, counted in bytes.
    func testRowsAreMeasuredOnAllSides() throws {
        for sanitizer in [Sanitizer.thread, .address] { try skip(under: sanitizer, because: "its allocator does not tell how much memory is in use") }
        let names = ["poll", "signal-100", "roundtrip-1-core", "source-1", "limit", "block", "timer-move-1000", "thread",
                     "memory-timer", "descriptors-mode", "swift-perform", "swift-wake"]
        let report = try report(names)
        XCTAssert(report.fast)
        XCTAssertEqual(report.rows.map(\.name), names)
        for row in report.rows {
            for side in ["ours", "toolchain", "floor"] {
                let figures = try XCTUnwrap(row.figures[side], "\(row.name) is not measured for \(side)")
                XCTAssertGreaterThan(figures.median, 0, "\(row.name), \(side)")
                XCTAssertLessThanOrEqual(figures.quartiles[0], figures.median, "\(row.name), \(side)")
                XCTAssertGreaterThanOrEqual(figures.quartiles[1], figures.median, "\(row.name), \(side)")
                XCTAssertGreaterThanOrEqual(figures.rounds, row.unit == "nanoseconds" ? 3 : 1, "\(row.name), \(side)")
            }
            XCTAssertEqual(try XCTUnwrap(row.ratioToToolchain), row.figures["ours"]!.median / row.figures["toolchain"]!.median, accuracy: 1e-9)
            XCTAssertGreaterThan(try XCTUnwrap(row.ratioToFloor), 0, row.name)
        }
    }

    /// The counts are the same on a busy machine: no pass makes more system calls than the work needs, except that of step 5, which checks
    /// the main queue's port before the pass sleeps.
    func testSystemCallsAreThoseOfTheFloor() throws {
        let result = try bench(["--fast", "--json", "calls"])
        if result.output.contains("this system lets no process be traced") { throw XCTSkip(result.output) }
        let rows = try report(["calls-poll", "calls-source-1", "calls-fire", "calls-limit"]).rows
        XCTAssertEqual(rows.count, 4)
        for row in rows {
            let most = try XCTUnwrap(row.figures["floor"], row.name).median + (["calls-source-1", "calls-fire"].contains(row.name) ? 1 : 0)
            XCTAssertLessThanOrEqual(try XCTUnwrap(row.figures["ours"], row.name).median, most, row.name)
        }
    }

    /// A figure that no other program disturbs and that hardly depends on the processor: the loop takes fewer instructions than the
    /// toolchain's. A release build must compare them, because in a debug build our loop is not optimized, and the toolchain's is.
    func testInstructionsAreCountedOnBothLoops() throws {
        let names = ["poll", "signal-1", "source-1"].map { "instructions-\($0)" }
        let result = try bench(["--fast", "--json"] + names)
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
        for row in try report(["timer-add-1000", "timer-move-1000", "block", "timer-life"]).rows {
            let ratios = [("toolchain", row.ratioToToolchain), ("GLib", row.ratioToGLib), ("libuv", row.ratioToLibuv)]
            XCTAssertEqual(row.losesTo ?? [], ratios.compactMap { side, ratio in (ratio ?? 0) > 1 ? side : nil }, row.name)
        }
    }

    func testGrowthIsAMultipleOfTheCostWithATenthOfTheLoad() throws {
        let rows = try report(["growth-block", "growth-signal-100"]).rows
        XCTAssertEqual(rows.map(\.unit), ["times", "times"])
        for row in rows {
            XCTAssertGreaterThan(try XCTUnwrap(row.figures["ours"], row.name).median, 0, row.name)
            XCTAssertNil(row.losesTo, "a multiple of a side's own cost does not compare the sides")
        }
    }

    /// The median is less than the slow values, of which there are several.
    func testLatencyIsToldByItsMedianAndItsWorst() throws {
        let rows = try report(["latency-1-core", "latency-1-core-99", "latency-1-core-999"]).rows
        for side in ["ours", "toolchain", "floor"] {
            let medians = try rows.map { try XCTUnwrap($0.figures[side], $0.name).median }
            XCTAssertEqual(medians, medians.sorted(), side)
            XCTAssertGreaterThan(medians[0], 0, side)
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

    func testTheReportNamesTheMachine() throws {
        XCTAssert(try report(["descriptors-loop"]).machine.contains("Linux "))
        for option in [[], ["--markdown"]] {
            let result = try bench(["--fast", "descriptors-loop"] + option)
            XCTAssert(result.output.contains("\nMeasured on: "), result.output)
        }
    }

    func testOneSideCanBeMeasuredAlone() throws {
        let row = try XCTUnwrap(report(["poll", "--side", "ours", "--side", "floor"]).rows.first)
        XCTAssertEqual(Set(row.figures.keys), ["ours", "floor"])
    }

    func testAGroupGivesItsRows() throws {
        XCTAssertEqual(try report(["descriptors"]).rows.map(\.name), ["descriptors-loop", "descriptors-mode"])
    }

    func testTheTableHasALineForEachRow() throws {
        let result = try bench(["--fast", "poll", "descriptors"])
        XCTAssertEqual(result.status, 0, result.output)
        for title in ["poll pass with one source", "descriptors: a loop", "descriptors: a mode that has been run"] {
            XCTAssert(result.output.contains("\n\(title) "), result.output)
        }
    }

    func testThePlotIsAnSVGWithALineForEachRow() throws {
        let path = NSTemporaryDirectory() + "RunLoopBench-\(getpid()).svg"
        defer { unlink(path) }
        XCTAssertEqual(try bench(["--fast", "poll", "block", "--svg", path]).status, 0)
        let document = try XMLText(contentsOf: path)
        for text in ["poll pass with one source", "block queued and performed, of 100", "GLib"] { XCTAssert(document.texts.contains(text), text) }
    }

    func testHelpListsAllRows() throws {
        let help = try bench(["--help"])
        XCTAssertEqual(help.status, 0)
        for name in ["poll", "signal-10000", "roundtrip-2-cores", "ready-64", "limit-reached", "timer-life", "latency-2-cores-999", "many-start",
                     "instructions-ready-64", "growth-timer-add-100000", "fire-among-far", "due-16000", "idle-tick", "calls-fire", "memory-block", "swift-port"] {
            XCTAssert(help.output.contains("    \(name) "), "\(name) is not in:\n\(help.output)")
        }
        for option in ["--fast", "--json", "--markdown", "--svg FILE", "--rounds N", "--side SIDE"] { XCTAssert(help.output.contains("  \(option) "), option) }
    }

    func testWhatMeansNothingIsRefusedWithTheNearestName() throws {
        let cases: [(arguments: [String], says: String)] = [
            (["pol"], "there is no row 'pol'; did you mean 'poll'?"),
            (["timer-ad-1000"], "did you mean 'timer-add-1000'?"),
            (["--fats"], "there is no option '--fats'; did you mean '--fast'?"),
            (["--side", "glibc"], "there is no side 'glibc'; did you mean 'GLib'?"),
            (["--svg"], "after --svg comes the path of a file"),
            (["--rounds", "many"], "--rounds takes a number from 3 to 1000, not 'many'"),
        ]
        for (arguments, says) in cases {
            let result = try bench(arguments)
            XCTAssertEqual(result.status, 2, "\(arguments)")
            XCTAssert(result.output.contains(says), "\(arguments): \(result.output)")
        }
    }

    func testAPlotThatCannotBeWrittenIsAnError() throws {
        let result = try bench(["--fast", "descriptors", "--svg", "/nowhere/plot.svg"])
        XCTAssertEqual(result.status, 1)
        XCTAssert(result.output.contains("/nowhere/plot.svg cannot be written: No such file or directory"), result.output)
    }
}

/// The text elements of an XML file, which must be well-formed.
private struct XMLText {
    var texts: [String] = []

    init(contentsOf path: String) throws {
        let xml = try String(contentsOfFile: path, encoding: .utf8)
        XCTAssert(xml.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\""))
        var open: [Substring] = []
        for piece in xml.split(separator: "<") where piece.contains(">") {
            let tag = piece.prefix { $0 != ">" }, name = tag.prefix { !" /".contains($0) }
            if tag.hasPrefix("/") {
                XCTAssertEqual(open.popLast(), tag.dropFirst(), "tags must be closed in their order")
            } else if !tag.hasSuffix("/") {
                open.append(name)
                if name == "text" { texts.append(String(piece.dropFirst(tag.count + 1))) }
            }
        }
        XCTAssertEqual(open, [], "tags must be closed")
    }
}
