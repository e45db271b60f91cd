import Foundation
import XCTest
@testable import RunLoopLab

/// `RunLoopLab app` without a terminal: it plays a recording and prints its screen. LabTerminalTests has it at a terminal.
final class AppTests: TestCaseBeside {
    private struct Frame {
        var what: String
        var lines: [String]

        var text: String { lines.joined(separator: "\n") }

        /// The ticks of a clock, in tenths of a second.
        func ticks(_ name: String) -> Int? {
            text.firstMatch(of: try! Regex("\(name) +([0-9.]+)", as: (Substring, Substring).self)).flatMap { Double($0.1) }.map { Int(($0 * 10).rounded()) }
        }
    }

    private static let languages = ["en", "zh"]
    static let outputs = Result {
        try concurrently(languages) { try lab("$LAB app --lang \($0) \($0 == "zh" ? "--fast" : "") --events '\(recording)'") }
    }

    private static let played: [String: Result<(frames: [Frame], output: String), any Error>] = languages.enumerated().reduce(into: [:]) { played, language in
        played[language.element] = Result {
            let result = try outputs.get()[language.offset]
            XCTAssertEqual(result.status, 0, result.output)
            var frames: [Frame] = []
            for line in result.output.split(separator: "\n") {
                if let head = line.wholeMatch(of: /\[\d+, [0-9.]+ s: (.*)\]/) { frames.append(Frame(what: String(head.1), lines: [])) }
                else if !frames.isEmpty { frames[frames.count - 1].lines.append(String(line)) }
            }
            return (frames, result.output)
        }
    }

    private static let root = #filePath.components(separatedBy: "/Tests/")[0]
    private static let recording = root + "/Lab/UIKit/Recordings/app.events"

    private func frames(_ language: String = "en") throws -> [Frame] { try XCTUnwrap(Self.played[language]).get().frames }

    func testTheBuiltInRecordingIsTheOneInTheFolder() throws {
        XCTAssertEqual(try String(contentsOfFile: Self.recording, encoding: .utf8), appRecording)
        XCTAssertNoThrow(try EventFile(bytes: Array(appRecording.utf8)))
    }

    func testItSaysThatThereIsNoTerminalAndSumsUp() throws {
        let output = try XCTUnwrap(Self.played["en"]).get().output
        XCTAssert(output.hasPrefix("No terminal: plays "), output)
        XCTAssertNotNil(output.firstMatch(of: /\nIn [0-9.]+ s: ticks in the default mode \d+, in the common modes \d+, by GCD \d+; images shown \d+\.$/), output)
        XCTAssert(try XCTUnwrap(Self.played["zh"]).get().output.hasPrefix("没有终端"))
    }

    func testT2_TheClockInTheDefaultModeStandsStillWhileTheListIsDragged() throws {
        let frames = try frames()
        let dragged = try XCTUnwrap(frames.firstIndex { $0.what.hasPrefix("tracking mode") }, "\(frames.map(\.what))")
        let rests = try XCTUnwrap(frames[dragged...].first { $0.what.hasPrefix("default mode") })
        let before = frames[dragged]
        for (clock, least, most) in [("default mode", 0, 3), ("common modes", 5, 10_000), ("GCD, main queue", 5, 10_000)] {
            let ticks = try XCTUnwrap(rests.ticks(clock)) - XCTUnwrap(before.ticks(clock))
            XCTAssert((least...most).contains(ticks), "\(clock): \(ticks) ticks during the drag\n\(before.text)\n\(rests.text)")
        }
        XCTAssert(before.text.contains("  mode      tracking"), before.text)
    }

    func testA3_A4_A6_ImagesAndDeferrableWorkWaitAndTheWorkerFollows() throws {
        let frames = try frames(), waiting = try XCTUnwrap(frames.first { $0.what.contains("images and work wait") }, "\(frames.map(\.what))")
        XCTAssert(waiting.text.contains(" waits"), waiting.text)
        let images = try XCTUnwrap(waiting.text.firstMatch(of: /Images: (\d+) shown, (\d+) wait/), waiting.text)
        XCTAssertGreaterThan(Int(images.2)!, 0)
        let work = try XCTUnwrap(waiting.text.firstMatch(of: /urgent (\d+)\/(\d+), deferrable (\d+)\/(\d+)/), waiting.text)
        XCTAssertLessThan(Int(work.3)!, Int(work.1)!, "deferrable work waits, urgent work does not")
        XCTAssert(waiting.text.contains("Worker thread: tracking"), waiting.text)
        let rests = try XCTUnwrap(frames.last { $0.what.contains("all images are shown") })
        XCTAssert(rests.text.contains(", 0 wait"), rests.text)
        XCTAssert(rests.text.contains("Worker thread: default"), rests.text)
    }

    func testA5_AStallIsShownWithItsStackWhileItGoesOn() throws {
        let frames = try frames(), stalls = try XCTUnwrap(frames.first { $0.what.hasSuffix("the main thread stalls") }, "\(frames.map(\.what))")
        XCTAssert(stalls.text.contains("decodeHugeImage"), stalls.text)
        XCTAssert(stalls.text.contains("step      4 "), "the loop is in step 4, in the Source0 that handles the key: \(stalls.text)")
        XCTAssert(frames.contains { $0.what.hasSuffix("the stall is over") && $0.text.contains("Stalled for 0.") }, "\(frames.map(\.what))")
    }

    func testTheScreenFitsInBothLanguagesAndEveryFrameIsWhole() throws {
        for language in ["en", "zh"] {
            let frames = try frames(language)
            XCTAssertGreaterThan(frames.count, 4)
            for frame in frames.dropLast() { // the summary is printed after the last frame
                XCTAssertEqual(frame.lines.count, 24, frame.text)
                for line in frame.lines { XCTAssertLessThanOrEqual(columns(of: line), 80, line) }
            }
        }
    }

    func testASmallScreenCutsLinesAndLosesNoColumn() {
        var state = AppState()
        state.rows = (1...50).map { " \($0) photo ▞▚▞▚" }
        state.stall = AppState.Stall(frames: ["decodeHugeImage", "a frame with a name that is longer than the screen is wide"], duration: 0.5)
        _ = RunLoop.main
        for (width, height) in [(100, 40), (80, 24), (40, 12), (20, 6)] {
            let screen = AppScreen(columns: width, rows: height), lines = screen.lines(state, LoopSnapshot.ofAllLoops()[0])
            XCTAssertEqual(lines.count, height)
            for line in lines { XCTAssertLessThanOrEqual(columns(of: line), width, line) }
        }
    }

    /// The recording makes the screen smaller, and larger again.
    func testTheListTakesTheRowsOfAScreenThatChangesItsSize() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("sizes-\(UUID().uuidString).events")
        defer { try? FileManager.default.removeItem(at: file) }
        try "RunLoopLab events 1\n0.600 size 60 12\n1.200 size 100 40\n".write(to: file, atomically: true, encoding: .utf8)
        let result = try lab("$LAB app --lang en --events '\(file.path)'")
        XCTAssertEqual(result.status, 0, result.output)
        let screens = result.output.components(separatedBy: "\nRunLoopLab app").dropFirst().map { text in
            text.components(separatedBy: "\n\n")[0].split(separator: "\n", omittingEmptySubsequences: false).dropFirst().map(String.init)
        }
        for (columns, rows) in [(80, 24), (60, 12), (100, 40)] {
            let line = String(repeating: "─", count: columns)
            let screen = try XCTUnwrap(screens.last { $0.first == line }, "no screen of \(columns) columns: \(result.output)")
            let photos = screen.compactMap { $0.firstMatch(of: #/photo (\d+) /#).flatMap { Int($0.1) } }
            XCTAssertEqual(photos, Array(1...rows - 2), "\(columns) x \(rows): \(screen.joined(separator: "\n"))")
        }
    }

    /// A list that has been dragged to its end still fills a larger screen.
    @MainActor
    func testAListAtItsEndBeginsWithAnEarlierRowWhenItGrows() {
        let list = TableView("the list", columns: 1...10, rows: 3...12, numberOfRows: 30, rowHeight: 1) { row in
            TableViewCell(row: row, imageView: ImageView { _ in })
        }
        list.decelerates = false
        let touch = Touch(on: list, column: 1, row: 40), pan = list.gestures[0]
        _ = pan.follow(touch, .down)
        touch.move(toColumn: 1, row: 1)
        _ = pan.follow(touch, .move)
        _ = pan.follow(touch, .up)
        pan.update()
        XCTAssertEqual(list.visibleCells.map(\.row), Array(20...29))
        list.move(toColumns: 1...10, rows: 3...22)
        XCTAssertEqual(list.visibleCells.map(\.row), Array(10...29))
        list.move(toColumns: 1...10, rows: 3...50)
        XCTAssertEqual(list.visibleCells.map(\.row), Array(0...29))
        list.move(toColumns: 1...10, rows: 3...3)
        XCTAssertEqual(list.visibleCells.map(\.row), [0])
    }

    func testAKeyDragEndsWhenTheScreenChangesItsSizeAndTheNextOneUsesTheNewRows() {
        var drag = KeyDrag(AppScreen(columns: 80, rows: 24))
        _ = drag.events(for: .key("down"), at: 1)
        XCTAssertEqual(drag.events(for: .size(columns: 60, rows: 40), at: 1.1), [.touch(.up, column: 15, row: 23), .size(columns: 60, rows: 40)])
        XCTAssertEqual(drag.events(for: .key("down"), at: 1.2), [.touch(.down, column: 15, row: 40), .touch(.move, column: 15, row: 39)])
    }

    func testTheKeysMakeADragThatEnds() {
        var drag = KeyDrag(AppScreen(columns: 80, rows: 24))
        XCTAssertEqual(drag.events(for: .key("s"), at: 1), [.key("s")])
        XCTAssertEqual(drag.events(for: .key("down"), at: 2), [.touch(.down, column: 15, row: 24), .touch(.move, column: 15, row: 23)])
        XCTAssertEqual(drag.events(for: .key("down"), at: 2.1), [.touch(.move, column: 15, row: 22)])
        XCTAssertEqual(drag.pause(at: 2.3), [])
        XCTAssertEqual(drag.pause(at: 2.6), [.touch(.up, column: 15, row: 22)])
        XCTAssertEqual(drag.events(for: .key("up"), at: 3), [.touch(.down, column: 15, row: 3), .touch(.move, column: 15, row: 4)])
        XCTAssertEqual(drag.events(for: .key("s"), at: 3.1), [.touch(.up, column: 15, row: 4), .key("s")])
        XCTAssertFalse(drag.isDown)
    }

    /// The frames in the guides are frames of this recording. Only numbers, pictures, and the text that depends on the moment may differ.
    func testTheGuidesShowARealFrame() throws {
        func shape(_ lines: some Sequence<String>) -> [String] {
            lines.map { line in
                let line = line.replacing(/▞▚▞▚|····|waits/, with: "").replacing(/\d+(\.\d+)?/, with: "#").replacing(/(step|woken by) .*/) { "\($0.1)" }
                return line.replacing(/\ +/, with: " ").replacing(" │", with: "│")
            }
        }
        for guide in ["experiments.md", "experiments.zh.md"] { // both guides have the same blocks of code
            let text = try String(contentsOfFile: "\(Self.root)/Documentation/Guides/\(guide)", encoding: .utf8)
            let shown = try XCTUnwrap(text.components(separatedBy: "```\n").first { $0.hasPrefix("RunLoopLab app ") }, guide).split(separator: "\n").map(String.init)
            let real = try XCTUnwrap(try frames().first { $0.text.contains("mode      tracking") })
            XCTAssertEqual(shape(shown), shape(real.lines), guide)
        }
    }
}
