import Foundation
import FoundationXML
import XCTest

/// `RunLoopLab trace`, run as a reader would run it.
final class TraceTests: TestCaseBeside {
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
            "trace modes-isolate": (2, "'trace' needs an output file ending in .svg or .txt; usage: trace NAME --out FILE"),
            "trace modes-isolate --out x": (2, "'x' has no extension; a trace ends in .svg or .txt"),
            "trace modes-isolate --out x.pdf": (2, "'x.pdf' ends in .pdf; a trace ends in .svg or .txt"),
            "trace tuor --out x.svg": (2, "there is no experiment 'tuor'; did you mean 'tour'? --help lists all of them"),
            "trace modes-isolate --out /nowhere/x.svg": (1, "cannot write '/nowhere/x.svg': No such file or directory"),
        ]
        for (words, (status, line)) in lines {
            let result = try lab("$LAB \(words)")
            XCTAssertEqual(result.output, "RunLoopLab: \(line)")
            XCTAssertEqual(result.status, Int32(status), words)
        }
    }

    /// The file is not taken for a missing descriptor.
    func testWithoutStandardOutputTheFileHasTheTraceAlone() throws {
        let file = temporaryFile(".txt")
        let result = try lab("$LAB trace modes-isolate --fast --out \(file.path) <&- >&- 2>&-")
        XCTAssertEqual(result.status, 0)
        let text = try String(contentsOf: file, encoding: .utf8)
        XCTAssert(text.hasPrefix("modes-isolate: ") && text.contains("} Stopped") && !text.contains("What happened"), text)
    }

    func testCtrlCWritesWhatThereIsByThen() throws {
        let file = temporaryFile(".txt")
        let result = try lab("$LAB trace busy-timer --out \(file.path)", interruptedAfter: "  timer          tick ")
        XCTAssertEqual(result.status, 130, result.output)
        let text = try String(contentsOf: file, encoding: .utf8)
        XCTAssert(text.hasPrefix("busy-timer: ") && text.contains("timer: tick: for date ") && !text.contains("for date 5.000"), text)
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
