import Foundation
import XCTest

/// RunLoopBench, as far as a test can judge it on a busy machine: it measures what it says it measures, and says so in the ways promised.
/// The figures themselves are for its reader.
final class BenchTests: XCTestCase {
    private func bench(_ arguments: [String]) throws -> ProgramResult {
        let program = try CTestsProgram.beside().path.dropLast("CTests".count) + "RunLoopBench"
        guard access(String(program), X_OK) == 0 else { throw CannotRun(description: "there is no \(program); swift build makes it") }
        return try runProgram(String(program), arguments)
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
            var isReached: Bool?
        }

        var fast: Bool
        var machine: String
        var rows: [Row]
    }

    /// Standard error, with the progress, comes along with standard output: the object begins at its brace.
    private func report(_ rows: [String]) throws -> Report {
        let result = try bench(["--fast", "--json"] + rows)
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

    /// What is counted is the same on a busy machine: no pass makes more system calls than the work needs.
    func testSystemCallsAreThoseOfTheFloor() throws {
        let result = try bench(["--fast", "--json", "calls"])
        if result.output.contains("this system lets no process be traced") { throw XCTSkip(result.output) }
        let rows = try report(["calls"]).rows
        XCTAssertEqual(rows.count, 4)
        for row in rows { XCTAssertEqual(row.isReached, true, "\(row.name): \(row.figures)") }
    }

    /// What no other program disturbs, and what hardly depends on the processor: the loop takes fewer instructions than the toolchain's.
    /// How they compare is for a release build to say: here our loop is not optimized, and the toolchain's is.
    func testInstructionsAreCountedOnBothLoops() throws {
        let result = try bench(["--fast", "--json", "instructions"])
        for reason in ["this system lets no process be traced", "cannot be stepped through"] where result.output.contains(reason) {
            throw XCTSkip(result.output)
        }
        let rows = try report(["instructions"]).rows
        XCTAssertEqual(rows.map(\.name), ["poll", "signal", "source-1", "block"].map { "instructions-\($0)" })
        for row in rows {
            XCTAssertEqual(row.unit, "instructions")
            for side in ["ours", "toolchain"] { XCTAssertGreaterThan(try XCTUnwrap(row.figures[side], row.name).median, 10, row.name) }
        }
    }

    func testTheReportNamesTheMachine() throws {
        XCTAssert(try report(["descriptors-loop"]).machine.contains("Linux "))
        for option in [[], ["--markdown"]] {
            let result = try bench(["--fast", "descriptors-loop"] + option)
            XCTAssert(result.output.contains("\nMeasured on: "), result.output)
        }
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
        for name in ["poll", "signal-10000", "roundtrip-2-cores", "ready-64", "limit-reached", "blocks-elsewhere", "timer-add-1000000",
                     "timer-invalidate-growth", "fire-among-far", "due-16000", "idle-tick", "calls-fire", "memory-block", "swift-port"] {
            XCTAssert(help.output.contains("    \(name) "), "\(name) is not in:\n\(help.output)")
        }
        for option in ["--fast", "--json", "--markdown", "--svg FILE", "--rounds N"] { XCTAssert(help.output.contains("  \(option) "), option) }
    }

    func testWhatMeansNothingIsRefusedWithTheNearestName() throws {
        let cases: [(arguments: [String], says: String)] = [
            (["pol"], "there is no row 'pol'; did you mean 'poll'?"),
            (["timer-ad-1000"], "did you mean 'timer-add-1000'?"),
            (["--fats"], "there is no option '--fats'; did you mean '--fast'?"),
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
