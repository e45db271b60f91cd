import Foundation
import FoundationXML
import XCTest

/// `RunLoopLab trace` and `RunLoopLab watch`, run as a reader would run them.
final class TraceTests: TestCaseBeside {
    // MARK: - Perfetto's format

    func testJSONHasSlicesThatNestOnTracksThatAreNamed() throws {
        let file = try traced("busy-timer --fast", ".json")
        let document = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
        let events = try XCTUnwrap(document?["traceEvents"] as? [[String: Any]])
        var names: [Int: String] = [:], slices: [Int: [Slice]] = [:]
        for event in events {
            let name = try XCTUnwrap(event["name"] as? String), phase = try XCTUnwrap(event["ph"] as? String)
            let thread = try XCTUnwrap(event["tid"] as? Int)
            XCTAssertNotNil(event["pid"] as? Int)
            XCTAssertNotEqual(name, "")
            if phase != "M" { XCTAssertGreaterThanOrEqual(try XCTUnwrap(event["ts"] as? Double), 0) }
            if name == "thread_name" { names[thread] = (event["args"] as? [String: Any])?["name"] as? String }
            if phase == "X" { slices[thread, default: []].append(try Slice(event)) }
        }
        XCTAssertEqual(Set(names.values), ["main", "worker"])
        XCTAssertEqual(Set(slices.keys), Set(names.keys))
        for (thread, slices) in slices { checkNesting(slices, names[thread] ?? "?") }
        let all = slices.values.joined().map(\.name)
        XCTAssert(all.contains("run in kCFRunLoopDefaultMode") && all.contains("pass 1") && all.contains("asleep"), "\(Set(all))")
        XCTAssertEqual(all.count { $0.hasPrefix("timer: tick: for date") }, 4, "\(all)")
        XCTAssert(all.contains("block: busy"), "\(Set(all))")
    }

    private struct Slice {
        var name: String
        var start: Int, end: Int // nanoseconds

        init(_ event: [String: Any]) throws {
            name = try XCTUnwrap(event["name"] as? String)
            let duration = try XCTUnwrap(event["dur"] as? Double)
            XCTAssertGreaterThanOrEqual(duration, 0, name)
            start = Int((try XCTUnwrap(event["ts"] as? Double) * 1000).rounded())
            end = start + Int((duration * 1000).rounded())
        }
    }

    /// A slice ends before the one around it does.
    private func checkNesting(_ slices: [Slice], _ thread: String) {
        var open: [Slice] = []
        for slice in slices.sorted(by: { ($0.start, -$0.end) < ($1.start, -$1.end) }) {
            while let last = open.last, last.end <= slice.start { open.removeLast() }
            let last = open.last ?? slice
            XCTAssertLessThanOrEqual(slice.end, last.end, "'\(slice.name)' ends after '\(last.name)' on \(thread)")
            open.append(slice)
        }
    }

    func testWakeUpsAreFlowsFromTheSenderToTheLoop() throws {
        let file = try traced("tour", ".json", input: "printf 'one\\n' |")
        let document = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
        let events = try XCTUnwrap(document?["traceEvents"] as? [[String: Any]])
        let begins = events.filter { $0["ph"] as? String == "s" }, ends = events.filter { $0["ph"] as? String == "f" }
        XCTAssertFalse(begins.isEmpty)
        let slices = Dictionary(grouping: events.filter { $0["ph"] as? String == "X" }) { $0["tid"] as? Int ?? -1 }
        for begin in begins { // a flow outside all slices is not drawn
            let time = Int((try XCTUnwrap(begin["ts"] as? Double) * 1000).rounded()), thread = try XCTUnwrap(begin["tid"] as? Int)
            let around = try (slices[thread] ?? []).map(Slice.init).filter { $0.start <= time && time < $0.end }
            XCTAssertFalse(around.isEmpty, "a flow begins at \(time) ns on thread \(thread), in no slice")
        }
        XCTAssertEqual(begins.map { $0["id"] as? Int }, ends.map { $0["id"] as? Int })
        for (begin, end) in zip(begins, ends) {
            XCTAssertLessThanOrEqual(try XCTUnwrap(begin["ts"] as? Double), try XCTUnwrap(end["ts"] as? Double))
            XCTAssertNotEqual(begin["tid"] as? Int, end["tid"] as? Int)
        }
    }

    // MARK: - The picture

    func testThePictureIsXMLAndItsWordsDoNotOverlap() throws {
        let picture = try Picture(traced("busy-timer --fast", ".svg"))
        let words = picture.texts.map(\.words)
        for expected in ["main", "worker", "run in default", "tick on the worker", "busy", "free"] {
            XCTAssert(words.contains(expected), "no '\(expected)' among \(words)")
        }
        XCTAssert(words.contains { $0.hasPrefix("asleep ") } && words.contains("woken by a timer"), "\(words)")
        XCTAssert(words.contains { $0.hasPrefix("block, ") && $0.hasSuffix(" ms") }, "the busy block's time is missing from \(words)")
        picture.checkThatNothingOverlaps()
    }

    private final class Picture: NSObject, XMLParserDelegate {
        struct Text {
            var words: String
            var x: Double, y: Double, size: Double
            var isRight: Bool
            /// The minimum width of these words in any common font.
            var width: Double { Double(words.count) * size * 0.45 }
            var left: Double { isRight ? x - width : x }
        }

        var texts: [Text] = []
        private var size = (width: 0.0, height: 0.0)
        private var boxes: [(x: Double, y: Double, width: Double, height: Double)] = []
        private var isInText = false

        init(_ file: URL) throws {
            super.init()
            let parser = XMLParser(data: try Data(contentsOf: file))
            parser.delegate = self
            XCTAssert(parser.parse(), "line \(parser.lineNumber): \(String(describing: parser.parserError))")
        }

        func parser(
            _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String] = [:]
        ) {
            func number(_ name: String) -> Double { attributes[name].flatMap(Double.init) ?? 0 }
            switch element {
            case "svg": size = (number("width"), number("height"))
            case "rect" where attributes["width"] != "100%": boxes.append((number("x"), number("y"), number("width"), number("height")))
            case "text":
                isInText = true
                let isRight = attributes["text-anchor"] == "end"
                texts.append(Text(words: "", x: number("x"), y: number("y"), size: number("font-size"), isRight: isRight))
            default: break
            }
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) {
            if isInText { texts[texts.count - 1].words += string }
        }

        func parser(_ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?) {
            isInText = false
        }

        func checkThatNothingOverlaps() {
            for box in boxes {
                XCTAssert(box.x >= 0 && box.x + box.width <= size.width, "\(box) leaves the page")
                XCTAssert(box.y >= 0 && box.y + box.height <= size.height, "\(box) leaves the page")
            }
            for line in Dictionary(grouping: texts, by: \.y).values {
                let line = line.sorted { $0.left < $1.left }
                for (one, next) in zip(line, line.dropFirst()) {
                    XCTAssertLessThanOrEqual(one.left + one.width, next.left + 0.5, "'\(one.words)' runs into '\(next.words)' at y = \(next.y)")
                }
            }
            for text in texts {
                let isInside = text.left >= 0 && text.left + text.width <= size.width && text.y <= size.height
                XCTAssert(isInside, "'\(text.words)' leaves the page")
                XCTAssertGreaterThanOrEqual(text.size, 10, "'\(text.words)' is too small to read")
            }
        }
    }

    // MARK: - Text

    func testTheTextHasEveryStep() throws {
        let text = try String(contentsOf: traced("modes-isolate --fast", ".txt"), encoding: .utf8)
        let lines = text.split(separator: "\n").map { $0.dropFirst(12).drop { $0 != " " }.trimmingCharacters(in: .whitespaces) }
        let run = try XCTUnwrap(lines.firstIndex(of: "run in work {"))
        let steps = lines[run...].prefix(12).map { $0.prefix { $0 != "," } }.map(String.init)
        XCTAssertEqual(steps.filter { !$0.hasPrefix("8 awake") && !$0.hasPrefix("\"") },
                       ["run in work {", "step 1", "pass 1 {", "step 2", "step 3", "step 4", "step 6", "7 asleep", "step 9",
                        "timer: timer of work {", steps[11]])
        XCTAssertEqual(lines.count { $0.hasSuffix("{") }, lines.count { $0.hasPrefix("}") })
        XCTAssert(lines.contains("} Stopped"), text)
    }

    // MARK: - In Chinese

    func testInChineseATraceSaysWhatTheEnglishOneDoesInEachOfItsForms() throws {
        let text = try String(contentsOf: traced("wake-ups --fast --lang zh", ".txt"), encoding: .utf8)
        for words in ["wake-ups：", "秒  线程", "步骤 1", "第 1 轮 {", "里运行 {", "7 休眠", "8 休眠了 ", "，由 Timer 唤醒", "} 用时 ", "Source1：端口 {", "由主队列唤醒", " 上的 CFRunLoopWakeUp 唤醒"] {
            XCTAssert(text.contains(words), "no “\(words)”: \(text)")
        }
        check(text.components(separatedBy: "\n"))

        let document = try JSONSerialization.jsonObject(with: Data(contentsOf: traced("wake-ups --fast --lang zh", ".json"))) as? [String: Any]
        let events = try XCTUnwrap(document?["traceEvents"] as? [[String: Any]])
        let names = Set(events.filter { $0["ph"] as? String != "M" }.compactMap { $0["name"] as? String })
        for name in ["在 kCFRunLoopDefaultMode 里运行", "第 1 轮", "休眠", "步骤 2", "唤醒"] { XCTAssert(names.contains(name), "no “\(name)” in \(names)") }
        check(Array(names) + events.compactMap { ($0["args"] as? [String: Any])?["served"] as? String })

        let picture = try Picture(traced("wake-ups --fast --lang zh", ".svg")), words = picture.texts.map(\.words)
        for start in ["每一栏是一个线程", "在 default 里运行", "休眠 ", "由 Timer 唤醒", "返回 "] {
            XCTAssert(words.contains { $0.hasPrefix(start) }, "no “\(start)” in \(words)")
        }
        check(words)
        picture.checkThatNothingOverlaps()
    }

    /// Names in code may stand there, and no English sentence or word of ours.
    private func check(_ lines: [String]) {
        for line in lines {
            XCTAssertEqual(englishWords(in: line), [], line)
            let words = line.matches(of: /\b(asleep|awake|poll|pass|step|nested|timer|observer|woken|wakes|returns|after|thread)\b/).map { $0.output.0 }
            XCTAssertEqual(words, [], line)
        }
    }

    // MARK: - The command

    func testAFileThatCannotBeWrittenIsSaidBeforeAnythingRuns() throws {
        let lines = [
            "trace modes-isolate": (2, "'trace' needs an output file ending in .json, .svg or .txt; usage: trace NAME --out FILE"),
            "trace modes-isolate --out x": (2, "'x' has no extension; a trace ends in .json (for ui.perfetto.dev), .svg or .txt"),
            "trace modes-isolate --out x.pdf": (2, "'x.pdf' ends in .pdf; a trace ends in .json (for ui.perfetto.dev), .svg or .txt"),
            "trace tuor --out x.svg": (2, "there is no experiment 'tuor'; did you mean 'tour'? --help lists all of them"),
            "trace modes-isolate --out /nowhere/x.svg": (1, "cannot write '/nowhere/x.svg': No such file or directory"),
            "watch modes-isolat": (2, "there is no experiment 'modes-isolat'; did you mean 'modes-isolate'? --help lists all of them"),
            "watch --seconds soon": (2, "'soon' is not a number of seconds; for example: watch --seconds 5"),
        ]
        for (words, (status, line)) in lines {
            let result = try lab("$LAB \(words)")
            XCTAssertEqual(result.output, "RunLoopLab: \(line)")
            XCTAssertEqual(result.status, Int32(status), words)
        }
    }

    /// The file is not taken for a missing descriptor.
    func testWithoutStandardOutputTheFileHasTheTraceAlone() throws {
        let file = temporaryFile(".json")
        let result = try lab("$LAB trace modes-isolate --fast --out \(file.path) <&- >&- 2>&-")
        XCTAssertEqual(result.status, 0)
        let document = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
        XCTAssertGreaterThan((document?["traceEvents"] as? [Any])?.count ?? 0, 10)
    }

    func testCtrlCWritesWhatThereIsByThen() throws {
        let file = temporaryFile(".json")
        let result = try lab("timeout --preserve-status -s INT 2 $LAB trace stall-watch --out \(file.path)")
        XCTAssertEqual(result.status, 130, result.output)
        let document = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
        XCTAssertGreaterThan((document?["traceEvents"] as? [Any])?.count ?? 0, 10)
    }

    // MARK: - Watching

    func testWithoutATerminalTheWatchIsPlainLines() throws {
        let result = try lab("$LAB watch --seconds 3")
        XCTAssertEqual(result.status, 0)
        XCTAssertFalse(result.output.contains("\u{1B}"), result.output)
        let lines = result.output.split(separator: "\n")
        for expected in ["main", "worker"] {
            XCTAssert(lines.contains { $0.dropFirst(8).hasPrefix(expected) && $0.contains("step 7 (asleep) in mode default") }, result.output)
        }
        let held = "1 Source0, 1 observer, 2 timers, next in "
        XCTAssert(lines.contains { $0.contains("woken by a timer") && $0.contains(held) }, result.output)
        XCTAssert(lines.contains { $0.contains("worker") && $0.contains("woken by CFRunLoopWakeUp on main") }, result.output)
    }

    func testAWatchedExperimentSaysItsVerdictAlone() throws {
        let result = try lab("$LAB watch busy-timer --fast")
        XCTAssertEqual(result.status, 0, result.output)
        XCTAssertEqual(result.output.split(separator: "\n").last?.hasPrefix("As claimed: "), true, result.output)
        XCTAssert(result.output.contains("  worker  "), result.output)
        XCTAssertFalse(result.output.contains("What to notice"), result.output)
    }

    func testCtrlCGivesTheTerminalBack() throws {
        let exists = try runProgram("/bin/sh", ["-c", "command -v script"]).status == 0
        try XCTSkipUnless(exists, "script, which makes a terminal, is not installed")
        let result = try lab("script -qec \"timeout --preserve-status -s INT 2 $LAB watch\" /dev/null")
        XCTAssertEqual(result.status, 0, result.output)
        XCTAssert(result.output.hasPrefix("\u{1B}[?1049h\u{1B}[?25l"), "the watch has no screen of its own")
        let after = result.output.components(separatedBy: "\u{1B}[?25h\u{1B}[?1049l")
        XCTAssertEqual(after.count, 2, "the terminal is not as it was")
        XCTAssert(after.last!.hasPrefix("RunLoopLab watch: ") && after.last!.contains("timer in "), "the last page is lost: \(after.last!)")
        XCTAssertFalse(after.last!.contains("\u{1B}"), "it is drawn, not written")
        XCTAssert(result.output.contains("\u{1B}[HRunLoopLab watch: "), "nothing is drawn in place")
        XCTAssert(result.output.contains("timer in "), result.output)
    }

    // MARK: - Probes

    func testThePointsAreProbesOfTheSystemToo() throws {
        let script = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/Scripts/check-probes"
        let result = try runProgram("/bin/bash", [script, try productBeside("CScenarios")])
        if result.status == 77 { throw XCTSkip(result.output) }
        XCTAssertEqual(result.status, 0, result.output)
    }

    // MARK: - Files

    private var files: [URL] = []

    override func tearDown() {
        for file in files { try? FileManager.default.removeItem(at: file) }
    }

    private func temporaryFile(_ ending: String) -> URL {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("trace-\(UUID().uuidString)\(ending)")
        files.append(file)
        return file
    }

    /// Runs an experiment, or the tour, and returns the file with its trace.
    private func traced(_ words: String, _ ending: String, input: String = "") throws -> URL {
        let file = temporaryFile(ending)
        let result = try lab("\(input) $LAB trace \(words) --out \(file.path)")
        XCTAssertEqual(result.status, 0, result.output)
        XCTAssert(result.output.contains("\nTraced: ") || result.output.contains("\n已跟踪："), result.output)
        return file
    }
}
