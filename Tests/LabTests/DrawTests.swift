import Foundation
import FoundationXML
import TestSupport
import XCTest
@testable import RunLoopLab

/// `RunLoopLab draw`: the figures.
final class DrawTests: TestCaseBeside {
    private static let languages = ["en", "zh"]
    private static let folder = FileManager.default.temporaryDirectory.appendingPathComponent("DrawTests-\(getpid())")
    private static let drawn = Result { try concurrently(languages) { try lab("$LAB draw all \(folder.path) --lang \($0)") } }

    override class var programs: [@Sendable () -> Void] { [{ _ = drawn }] }

    /// The figures in both languages, drawn once for all tests.
    nonisolated(unsafe) private static let pictures: [String: [String: Result<Picture, any Error>]] = {
        var pictures: [String: [String: Result<Picture, any Error>]] = [:]
        for (index, language) in languages.enumerated() {
            for figure in Figure.all {
                pictures[language, default: [:]][figure.id] = Result {
                    let result = try drawn.get()[index]
                    XCTAssertEqual(result.status, 0, result.output)
                    return try Picture(folder.appendingPathComponent("\(figure.id)\(language == "zh" ? ".zh" : "").svg"))
                }
            }
        }
        try? FileManager.default.removeItem(at: folder)
        return pictures
    }()

    private func picture(_ id: String, _ language: String = "en") throws -> Picture {
        try XCTUnwrap(Self.pictures[language]?[id], id).get()
    }

    func testThereAreFifteenFiguresOfTheArticlesAndFourOfTheBook() throws {
        XCTAssertEqual(Figure.all.map(\.id), (1...15).map { "G\($0)" } + ["B2", "B3", "B7", "B8"])
        let list = try lab("$LAB draw --lang en").output
        for figure in Figure.all { XCTAssert(list.contains("  \(padded(figure.id, to: 5))\(padded(figure.items, to: 17))\(figure.title.english)"), list) }
        XCTAssertEqual(try lab("$LAB draw G99").status, 2)
        XCTAssertEqual(try lab("$LAB draw all").status, 2)
    }

    /// Each figure is XML; its text is at least 11 px high on a page 390 px wide, and no line covers another; both languages have the same
    /// figure, each with its own words.
    func testEveryFigureIsLegibleOnATelephoneInBothLanguages() throws {
        for figure in Figure.all {
            for (language, title, caption) in [("en", figure.title.english, figure.caption.english), ("zh", figure.title.chinese, figure.caption.chinese)] {
                let picture = try picture(figure.id, language)
                XCTAssertEqual(picture.width, 390, figure.id)
                XCTAssert(picture.words.hasPrefix("\(figure.id) \(title)") || picture.words.hasPrefix("\(figure.id)  \(title)"), picture.words)
                XCTAssertEqual(picture.description, caption)
                XCTAssert(picture.style.contains("@media(prefers-color-scheme:dark)"))
                for text in picture.texts {
                    XCTAssertGreaterThanOrEqual(text.size, 11, text.words)
                    XCTAssert(text.left >= 0 && text.left + text.width <= 391, "\(figure.id) \(language): '\(text.words)' leaves the page: \(text)")
                    XCTAssertLessThanOrEqual(text.y, picture.height, text.words)
                }
                for line in Dictionary(grouping: picture.texts, by: \.y).values {
                    let line = line.sorted { $0.left < $1.left }
                    for (one, next) in zip(line, line.dropFirst()) {
                        XCTAssertLessThanOrEqual(one.left + one.width, next.left + 1, "\(figure.id) \(language): '\(one.words)' runs into '\(next.words)'")
                    }
                }
                for box in picture.boxes { XCTAssert(box.x >= 0 && box.x + box.width <= 390.1, "\(figure.id): a box leaves the page: \(box)") }
            }
            let hasChinese = try picture(figure.id, "en").texts.contains { $0.words.unicodeScalars.contains { $0.value > 0x2E80 } }
            XCTAssertFalse(hasChinese, "\(figure.id) has Chinese in English")
        }
    }

    /// In a chart, a second has the same length everywhere: nothing is drawn shorter than to scale, and what is wide enough to see is to
    /// scale.
    func testDurationsAreToScale() throws {
        let root = URL(fileURLWithPath: #filePath.components(separatedBy: "/Tests/")[0])
        let inGuides = try ["stall-watch", "mode-switch", "touch"].map { name in // the figures in the guides
            (name, try ["", ".zh"].map { try Picture(root.appendingPathComponent("Documentation/Figures/\(name)\($0).svg")) })
        }
        let drawn = try ["G4", "G5", "G6", "G7", "G8", "G9", "G11", "G12", "G14", "G15", "B2", "B7"].map { ($0, try [picture($0, "en"), picture($0, "zh")]) }
        for (id, pictures) in drawn + inGuides {
            for picture in pictures {
                XCTAssertFalse(picture.charts.isEmpty, "\(id) has no bars")
                for bars in picture.charts {
                    for (one, next) in zip(bars.sorted { $0.time < $1.time }, bars.sorted { $0.time < $1.time }.dropFirst()) {
                        XCTAssertLessThanOrEqual(one.width, next.width + 0.01, "\(id): \(one) and \(next)")
                    }
                    let scales = bars.filter { $0.width > 8 }.map { Double($0.time) / $0.width }
                    if let least = scales.min(), let most = scales.max() { XCTAssertLessThan(most, least * 1.02, "\(id): two scales in one chart") }
                }
            }
        }
    }

    // MARK: - What they show

    func testG1ShowsThePortInThreePlaces() throws {
        let words = try picture("G1").texts.map(\.words)
        XCTAssertEqual(words.count { $0 == "+ Source1 (port)" }, 3, "the common mode items, and two modes: \(words)")
        for part in ["_commonModes: default, tracking", "_modes: 2", "CFRunLoopMode  default", "CFRunLoopMode  tracking", "_sources0", "_timers", "CFRunLoopObserver"] {
            XCTAssert(words.contains { $0 == part || $0 == part.replacingOccurrences(of: "  ", with: " ") }, "\(part) is missing: \(words)")
        }
    }

    /// A figure in the documents says who draws it, and is a figure of the lab with the same title, or drawn by hand.
    func testEveryFigureOfTheDocumentsSaysWhoDrawsIt() throws {
        let files = SourceFile.all(in: "Documentation/Figures", endings: ["svg"])
        XCTAssertGreaterThan(files.count, 8)
        for file in files {
            let maker = try XCTUnwrap(file.text.firstMatch(of: /<!-- Drawn by (.+?)\./)?.1, file.path)
            guard let id = maker.wholeMatch(of: /RunLoopLab draw ([GB]\d+)/)?.1 else {
                XCTAssertEqual(maker, "hand", file.path)
                continue
            }
            let figure = try XCTUnwrap(Figure.all.first { $0.id == id }, file.path)
            let title = file.path.hasSuffix(".zh.svg") ? figure.title.chinese : figure.title.english
            XCTAssert(file.text.contains("<title>\(title)</title>"), "\(file.path): \(id) is “\(title)”")
        }
    }

    /// What no recording is needed for stands in the documents as it is drawn today. Scripts/update draws these.
    func testTheFiguresThatUpdateDrawsAreUpToDate() throws {
        let root = URL(fileURLWithPath: #filePath.components(separatedBy: "/Tests/")[0])
        for (id, name) in [("G1", "structure"), ("B2", "threads"), ("B3", "stack"), ("B7", "nested-runs"), ("B8", "your-loop")] {
            for (language, ending) in [("en", ""), ("zh", ".zh")] {
                let file = try Picture(root.appendingPathComponent("Documentation/Figures/\(name)\(ending).svg")), today = try picture(id, language)
                XCTAssertEqual(file.texts.map(\.words), today.texts.map(\.words), "Scripts/update draws \(id)")
                XCTAssertEqual(file.boxes.map { "\($0.paint) \($0.x) \($0.width)" }, today.boxes.map { "\($0.paint) \($0.x) \($0.width)" }, "Scripts/update draws \(id)")
                XCTAssertEqual(file.circles, today.circles)
            }
        }
    }

    /// The times of B2 and B7 are those of the chapters' logs.
    func testB2AndB7ShowTheLogsOfTheirChapters() throws {
        let threads = try picture("B2"), nested = try picture("B7")
        XCTAssertEqual(threads.boxes.filter { $0.paint == "mode" }.compactMap(\.time), [10, 5, 1, 1, 3].map { $0 * 1_000_000_000 }, "B, the main thread, and three runs")
        XCTAssertEqual(threads.boxes.filter { $0.paint == "alert" }.compactMap(\.time), [0], "A")
        XCTAssertEqual(threads.circles, ["source0", "source0", "alert", "alert"])
        XCTAssertEqual(nested.boxes.compactMap { box in box.time.map { "\(box.paint) \($0 / 1_000_000_000)" } },
                       ["plain 2", "sleep 6", "sleep 2", "source0 0", "alert 0", "source0 0", "plain 0"])
        let moments = nested.boxes.filter { $0.time == 0 }.map { ($0.x - 10) / 370 * 8 }
        for (moment, log) in zip(moments, [1.0, 2, 2]) { XCTAssertEqual(moment, log, accuracy: 0.05) }
    }

    func testB3NamesTheCalloutsOfTheSource() throws {
        let code = try source("CFRunLoopCallouts.c"), callers = try ["CFRunLoop.c", "CFRunLoopObserver.c", "CFRunLoopTimer.c", "CFRunLoopSource.c", "CFRunLoopBlocks.c"].map(source).joined()
        XCTAssertEqual(Set(itemsOfAStack.map(\.callout)), Set(Callout.allCases))
        for item in itemsOfAStack {
            let name = item.name.dropFirst()
            XCTAssert(code.contains("__CFRUNLOOP_IS_CALLING_OUT_TO_\(name)") || code.contains("__CFRUNLOOP_IS_SERVICING_\(name)"), item.name)
            for frame in item.frames.components(separatedBy: ", ") where frame != "" { XCTAssert(callers.contains(" \(frame)("), frame) }
            if let step = item.callout.step { XCTAssertEqual(item.steps, step) }
        }
    }

    func testB8NamesWhatIsInALoopOfYourOwn() throws {
        let root = #filePath.components(separatedBy: "/Tests/")[0]
        let code = try ["Programs/YourLoop/YourLoop.h", "Tests/Programs/FinishedLoop/FinishedLoop.c"].map { try String(contentsOfFile: "\(root)/\($0)", encoding: .utf8) }.joined()
        let chapter = try String(contentsOfFile: root + "/Documentation/Book/8-write-your-own.md", encoding: .utf8)
        for name in ["modes", "addItem", "signalSource", "isSignaled", "order", "date", "interval", "activities", "stopLoop", "isStopped", "hasNested", "sleepUntil", "wakeUp", "ignoresWakeUps"] {
            XCTAssert(code.contains(name), name)
            XCTAssert(try picture("B8").words.contains(name), name)
        }
        let numbers = try picture("B8").texts.map(\.words).filter { Int($0) != nil }
        XCTAssertEqual(Set(numbers), Set((1...7).map(String.init)))
        for number in numbers { XCTAssert(chapter.contains("\n\(number). **"), "the order of work has no \(number)") }
    }

    func testG2ShowsOneOfEachKindWithItsVersion() throws {
        let words = try picture("G2").texts.map(\.words)
        for part in ["1 × a port, version 1", "1 × your own source, version 0", "1 × a perform, version 0", "1 × a timer", "1 × an observer"] { XCTAssert(words.contains(part), "\(words)") }
    }

    func testG3HasTheStepsAndTheCalloutsOfTheSource() throws {
        let code = try source("CFRunLoop.c") + source("CFRunLoopCallouts.c")
        for step in stepsOfARun {
            XCTAssert(code.contains("// \(step.number). "), "step \(step.number)")
            for callout in step.callouts {
                let name = callout.drop { $0 != "…" }.dropFirst()
                XCTAssert(code.contains("__CFRUNLOOP_IS_CALLING_OUT_TO_\(name)") || code.contains("__CFRUNLOOP_IS_SERVICING_\(name)"), callout)
            }
            if let activity = step.words.english.firstMatch(of: /Observers: ([A-Za-z]+)/) { XCTAssert(code.contains("kCFRunLoop\(activity.1)"), step.words.english) }
        }
        XCTAssertEqual(Set(stepsOfARun.flatMap(\.callouts).map { $0.drop { $0 != "…" } }).count, 6, "the six callouts")
    }

    func testG13NamesWhatTheRegistryCalls() throws {
        let code = try source("CFRunLoopRegistry.c")
        for step in stepsOfTheRegistry.flatMap(\.steps) { XCTAssert(code.contains(step.code), step.code) }
    }

    func testG5HasEachReasonToWakeOnce() throws {
        let words = try picture("G5").words
        for reason in ["a Source1's port became ready", "a timer is due", "the main queue has work", "CFRunLoopWakeUp", "CFRunLoopStop", "the time limit"] {
            XCTAssertEqual(words.components(separatedBy: reason + ", ").count, 2, "\(reason): \(words)")
        }
    }

    func testTheFiguresShowWhatTheirCaptionsSay() throws {
        XCTAssertEqual(try picture("G7").circles.count { $0 == "alert" }, 1, "one late tick")
        XCTAssertEqual(try picture("G12").boxes.count { $0.paint == "alert" }, 1, "the perform that waits for ever")
        let stall = try picture("G14")
        XCTAssertEqual(stall.boxes.count { $0.paint == "alert" }, 1)
        XCTAssert(stall.words.contains("StallWatch: 1 alarm"), stall.words)
        XCTAssertGreaterThan(stall.circles.count { $0 == "alert" }, 1, "false alarms")
        let frames = stall.texts.map(\.words)
        let places = ["decodeImage", "…A_TIMER_CALLBACK_FUNCTION__", "__CFRunLoopRun", "CFRunLoopRunSpecific"].map { frames.firstIndex(of: $0) }
        XCTAssertEqual(places.compactMap { $0 }.count, 4, "\(frames)")
        XCTAssertEqual(places.compactMap { $0 }, places.compactMap { $0 }.sorted(), "innermost first")
        XCTAssertEqual(try picture("G10").texts.map(\.words).filter { ["A", "B", "m1", "m2", "draw"].contains($0) },
                       ["A", "B", "m1", "m2", "draw", "A", "m1", "m2", "B", "draw"])
        let perform = try picture("G15").words
        for part in ["touchesBegan", "CFRunLoopSourceSignal", "CFRunLoopWakeUp", "wantTodo", "afterDelayTodo"] { XCTAssert(perform.contains(part), perform) }
    }

    func testG4LeadsFromThePortToThePoolInThreePasses() throws {
        let picture = try picture("G4")
        let parts = picture.boxes.filter { ["source1", "source0", "observer"].contains($0.paint) && $0.time != nil }
        XCTAssertEqual(parts.map(\.paint), ["source1", "source0", "observer", "observer", "observer"])
        XCTAssertEqual(parts.map(\.x), parts.map(\.x).sorted())
        XCTAssertEqual(picture.boxes.count { $0.paint == "mode" }, 2, "the first pass and the third")
        for part in ["sends the touch", "The main thread: three passes", "__IOHIDEventSystemClientQueueCallback", "hit test, view", "the gesture", "layers are committed", "the pool is drained"] {
            XCTAssert(picture.words.contains(part), "\(part): \(picture.words)")
        }
    }

    func testG8HasAPoolForEachSleepAndOneAfter() throws {
        let picture = try picture("G8")
        let sleeps = picture.boxes.count { $0.paint == "sleep" }, pools = picture.boxes.filter { $0.paint == "queue" }
        XCTAssertEqual(pools.count, sleeps + 1)
        XCTAssertEqual(picture.boxes.count { $0.paint == "timer" }, 2, "two objects")
        for (one, next) in zip(pools, pools.dropFirst()) { XCTAssertEqual(one.x + one.width, next.x, accuracy: 2.1, "a pool follows the other") }
    }

    func testG9ShowsItsStations() throws {
        // G9 has a lane for each thread: its name, and below it what it does, numbered in the order of time.
        let network = try picture("G9").texts.sorted { $0.y < $1.y }.map(\.words)
        let lanes = ["The main thread", "com.apple.NSURLConnectionLoader", "com.apple.CFSocket.private"]
        let places = try lanes.map { lane in try XCTUnwrap(network.firstIndex(of: lane), "\(lane): \(network)") }
        XCTAssertEqual(places, places.sorted())
        for (lane, part) in [(0, "starts the connection"), (0, "delegate: connectionDidFinishLoading"), (1, "its Source0; signals the delegate's"), (2, "signals the CFSocket's Source0")] {
            let place = try XCTUnwrap(network.lastIndex { $0.firstMatch(of: /^\d+ (.*)$/).map { $0.1.hasPrefix(part) } ?? false }, part)
            XCTAssertEqual(places.lastIndex { $0 < place }, lane, part)
        }
        let numbers = network.filter { !$0.hasSuffix("ms") }.compactMap { $0.firstMatch(of: /^(\d+) [A-Za-z]/).flatMap { Int($0.1) } }
        XCTAssertEqual(numbers.sorted(), Array(1...numbers.count), "\(network)")
    }

    /// The callback that is busy, and its change, which another one replaces before the display's next frame. A frame has 17 ms, which a busy
    /// machine takes away from a program that is recorded, so the figure is drawn up to five times.
    func testG11ShowsTheChangeThatIsNeverShown() throws {
        func count(_ part: String, in picture: Picture) -> Int { picture.words.components(separatedBy: part).count - 1 }
        func shows(_ picture: Picture) -> [Int] {
            // one busy callback, and one change that is not shown (4); the changes 3 and 5 are shown
            [picture.boxes.count { $0.paint == "alert" }, count("then shown", in: picture), count("never shown", in: picture)]
        }
        var frames = try picture("G11")
        for _ in 2...5 where shows(frames) != [2, 2, 1] {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("G11-\(getpid()).svg")
            defer { try? FileManager.default.removeItem(at: file) }
            XCTAssertEqual(try lab("$LAB draw G11 \(file.path) --lang en").status, 0)
            frames = try Picture(file)
        }
        XCTAssertEqual(shows(frames), [2, 2, 1], frames.words)
        XCTAssertGreaterThan(frames.circles.count { $0 == "alert" }, 0, "frames without a callback")
    }

    /// Three panels of one length. In each the user drags, and the thread leaves the default mode; in two of them it comes back.
    func testG12ShowsTheDragAndTheDefaultModeOnOneScale() throws {
        let picture = try picture("G12")
        XCTAssertEqual(picture.charts.count, 3)
        let scales = picture.charts.flatMap { bars in bars.filter { $0.width > 20 }.map { Double($0.time) / $0.width } }
        XCTAssertLessThan(try XCTUnwrap(scales.max()), try XCTUnwrap(scales.min()) * 1.02, "one scale for all panels")
        let modes = picture.boxes.filter { ["mode", "tracking"].contains($0.paint) }.map(\.paint)
        XCTAssertEqual(modes, ["mode", "tracking"] + ["mode", "tracking", "mode"] + ["mode", "tracking", "mode"])
        XCTAssertEqual(picture.words.components(separatedBy: "slows down").count, 4, picture.words)
        XCTAssertEqual(picture.boxes.count { $0.paint == "alert" }, 1, "the way back that is never performed")
    }

    func testG3LeadsAroundTheSleepAndG4NamesIt() throws {
        let steps = try picture("G3")
        XCTAssert(steps.words.contains("does it sleep?") && steps.words.contains("Article 0 has none"), steps.words + steps.description)
        XCTAssertEqual(steps.words.components(separatedBy: " no ").count, 2, "the way around the sleep: \(steps.words)")
        XCTAssert(try picture("G4").words.contains("asleep"))
    }

    private func source(_ file: String) throws -> String {
        try String(contentsOfFile: #filePath.components(separatedBy: "/Tests/")[0] + "/Sources/CRunLoop/" + file, encoding: .utf8)
    }

    // MARK: - Reading a figure

    private final class Picture: NSObject, XMLParserDelegate {
        struct Text {
            var words: String
            var x: Double, y: Double, size: Double
            var anchor: String
            /// The minimum width of these words in any common font.
            var width: Double { words.unicodeScalars.reduce(0) { $0 + ($1.value > 0x2E80 ? 1 : 0.45) } * size }
            var left: Double { anchor == "end" ? x - width : anchor == "middle" ? x - width / 2 : x }
        }

        struct Box { var paint: String, x: Double, y: Double, width: Double, time: Int? }

        private(set) var texts: [Text] = [], boxes: [Box] = [], circles: [String] = []
        private(set) var width = 0.0, height = 0.0, style = ""
        private var caption = "", element = ""
        /// The widths of the bars and the nanoseconds that they represent, one list for each scale.
        private(set) var charts: [[(time: Int, width: Double)]] = []

        var words: String { texts.map(\.words).joined(separator: " ") }
        override var description: String { caption }

        init(_ file: URL) throws {
            super.init()
            let parser = XMLParser(data: try Data(contentsOf: file))
            parser.delegate = self
            if !parser.parse() { throw parser.parserError! }
        }

        func parser(_ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?, attributes: [String: String] = [:]) {
            func number(_ name: String) -> Double { attributes[name].flatMap(Double.init) ?? 0 }
            self.element = element
            switch element {
            case "svg": (width, height) = (number("width"), number("height"))
            case "rect" where attributes["width"] != "100%":
                let time = attributes["data-ns"].flatMap(Int.init)
                boxes.append(Box(paint: attributes["class"] ?? "", x: number("x"), y: number("y"), width: number("width"), time: time))
                if let time { charts[charts.count - 1].append((time, number("width"))) }
            case "circle": circles.append(attributes["class"] ?? "")
            case "text":
                texts.append(Text(words: "", x: number("x"), y: number("y"), size: number("font-size"), anchor: attributes["text-anchor"] ?? "start"))
            default: break
            }
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) {
            switch element {
            case "text":
                texts[texts.count - 1].words += string
                if texts.last!.words.wholeMatch(of: /0 (µs|ms|s)/) != nil { charts.append([]) } // a scale begins
            case "desc": caption += string
            case "style": style += string
            default: break
            }
        }

        func parser(_ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?) {
            self.element = ""
        }
    }
}
