import Foundation
import TestSupport
import XCTest
@testable import RunLoopLab

/// RunLoopLab in Chinese: nothing that a reader sees is left in English.
final class LabLanguageTests: TestCaseBeside {
    override func tearDown() { Language.current = .english }

    // MARK: - The sources

    /// Messages of the compiler, and messages about a programmer's mistake.
    private static let allowed: Set = [
        "variable is not assignable (missing __block type specifier)", "firing, interval, tolerance, next fire date, callout",
        "use of undeclared identifier '#'", "use of undeclared identifier 'permanentThread'",
        "no visible @interface for 'NSTimer' declares the selector 'addToRunLoop:forMode:'",
        "AutoreleasePool.install(in:forMode:) must be called on the thread of the run loop",
        "this autorelease pool has already ended, or belongs to another thread", "the system cannot create a key for thread-specific data",
        "# main loop, # loop of this thread", "a trace is on already, or there is no memory for one", "partial apply forwarder for ",
    ]

    /// A sentence in a string is the first argument of a Text, whose second argument is Chinese, or it is the name or detail of an event.
    func testEverySentenceOfTheSourcesHasAChineseOne() {
        var texts = 0
        for path in SourceTree.files(in: "Lab", endings: [".swift"]) {
            let literals = Literals(SourceTree.lines(of: path)!.joined(separator: "\n")).all
            for literal in literals where literal.isInText { texts += 1 }
            for literal in literals where !literal.isInText && !literal.isCode && !Self.allowed.contains(literal.text) {
                let words = literal.text.split { $0 == " " || $0 == "\n" }.filter { word in word.count > 1 && word.allSatisfy { $0.isASCII && $0.isLowercase || ",.;:'".contains($0) } }
                if words.count < 4 || literal.text.contains(where: isIdeograph) { continue }
                if EventWords.chinese(for: literal.text) == literal.text { toTranslate("\(path):\(literal.line): “\(literal.text)” is no Text, and no name of an event") }
            }
            for match in SourceTree.lines(of: path)!.joined(separator: "\n").matches(of: /\bText\((?:"""(?:(?!""")[\s\S])*"""|"(?:\\.|[^"\\])*")\)/) {
                toTranslate("\(path): \(match.output)")
            }
        }
        XCTAssertGreaterThan(texts, 1000, "the sources have been read")
    }

    /// The Chinese words of an event translate a name or detail that the sources contain.
    func testEveryRowOfTheTableIsUsed() {
        let sources = ["Lab", "Lab/CArticles", "Sources/SwiftRunLoop"].flatMap { SourceTree.files(in: $0, endings: [".swift", ".c"]) }
            .filter { !$0.hasSuffix("EventWords.swift") }.map { SourceTree.lines(of: $0)!.joined(separator: "\n") }.joined()
        for (english, chinese) in EventWords.table {
            XCTAssertNotEqual(english, chinese)
            XCTAssertEqual(english.count { $0 == "#" }, chinese.count { $0 == "#" }, english)
            let words = english.split { "#, :".contains($0) }.map(String.init)
            for word in words where !sources.contains(word) { XCTFail("“\(english)”: nothing in the sources says “\(word)”") }
        }
    }

    // MARK: - The events

    /// The transcripts contain the names and details of all events. Records in Chinese contain them, too; only pages show other words.
    func testEveryEventOfTheTranscriptsHasChineseWords() throws {
        let folder = #filePath.components(separatedBy: "/LabLanguageTests.swift")[0] + "/Transcripts/"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        XCTAssertGreaterThan(files.count, 15)
        for file in files {
            let text = try String(contentsOfFile: folder + file, encoding: .utf8)
            for line in text.components(separatedBy: "\n\n")[0].split(separator: "\n") where line.count > 42 { // the checks come after the events
                let parts = line.dropFirst(42).components(separatedBy: "  ").map { $0.trimmingCharacters(in: .whitespaces) }.filter { $0 != "" }
                for part in parts where !englishWords(in: EventWords.chinese(for: part)).isEmpty { toTranslate("\(file): \(part)") }
            }
        }
    }

    func testAnEventInChineseKeepsItsNumbersAndNames() {
        for (english, chinese) in [
            ("row 101", "第 101 行"), ("mode of the loop", "RunLoop 的 mode"), ("the button is tapped", "点击了按钮"),
            ("after 0.504 s", "0.504 秒之后"), ("Entry", "Entry"), ("asked -> 0.2 -> image 2", "获取之后 -> 0.2 -> 图片 2"), ("", ""),
        ] { XCTAssertEqual(EventWords.chinese(for: english), chinese) }
    }

    // MARK: - What it prints

    func testAPageInChineseSaysWhatTheEnglishOneDoes() throws {
        for name in ["ten-steps", "wake-ups", "tolerance"] {
            let result = try lab("$LAB \(name) --fast --lang zh")
            XCTAssertEqual(result.status, 0, result.output)
            for head in ["\(name)（", "    时间  线程 ", "实际情况", "值得注意", "实验结果与预期一致。"] { XCTAssert(result.output.contains(head), "no \(head): \(result.output)") }
            for line in result.output.split(separator: "\n") {
                XCTAssertLessThanOrEqual(columns(of: String(line)), 101, String(line))
                XCTAssertEqual(englishWords(in: String(line)), [], String(line))
            }
        }
    }

    /// The events of a record are the same in both languages.
    func testARecordInChineseHasTheSameEvents() throws {
        for name in ["ten-steps", "modes-isolate"] {
            let events = try ["en", "zh"].map { language in
                try lab("$LAB \(name) --fast --record --lang \(language)").output.split(separator: "\n").filter { $0.hasPrefix("event") }
                    .map { $0.split(separator: "\t", omittingEmptySubsequences: false).dropFirst(2).joined(separator: "\t") }
            }
            XCTAssertFalse(events[0].isEmpty)
            XCTAssertEqual(events[0], events[1], name)
        }
    }

    func testCommandsAndMisuseAreInChinese() throws {
        for words in ["list", "--help", "tuor", "record", "record tuor", "tour --fast", "article 9.9", "explain CFRunLoopWakUp", "trace tour", "article"] {
            let result = try lab("$LAB \(words) --lang zh"), names = Set(Catalog.experiments.map(\.about.name))
            let summary = names.reduce(result.output) { $0.replacingOccurrences(of: $1 + ",", with: "·") }
            XCTAssert(summary.contains(where: isIdeograph), summary)
            for line in summary.split(separator: "\n") where !englishWords(in: String(line)).isEmpty { toTranslate("\(words): \(line)") }
        }
    }

    func testTheTourIsInChinese() throws {
        let output = try lab("printf 'a\\n' | $LAB tour --lang zh").output
        for line in output.split(separator: "\n") where !line.contains("|  #") { XCTAssertEqual(englishWords(in: String(line)), [], String(line)) }
        for words in ["一次运行的第一轮不检查它的端口", "AfterWaiting     被", "调用过 CFRunLoopStop：退出", "唤醒 RunLoop 的有"] { XCTAssert(output.contains(words), output) }
    }

    // MARK: - Which language

    func testTheLanguageIsThatOfTheOptionOrOfTheEnvironment() throws {
        for (line, isChinese) in [
            ("LANG=zh_CN.UTF-8 $LAB list", false), // LC_ALL=C comes first
            ("LC_ALL= LANG=zh_CN.UTF-8 $LAB list", true), ("LC_ALL= LC_MESSAGES=zh_TW LANG=en_US $LAB list", true),
            ("LC_ALL= LC_MESSAGES=en_US LANG=zh_CN $LAB list", false), ("LC_ALL=zh_CN $LAB list", true), ("LC_ALL=zh_CN $LAB list --lang en", false),
            ("$LAB --lang zh list", true), ("$LAB list", false),
        ] { XCTAssertEqual(try lab(line).output.contains(where: isIdeograph), isChinese, line) }
        let result = try lab("$LAB list --lang fr")
        XCTAssertEqual(result.status, 2)
        XCTAssertEqual(result.output, "RunLoopLab: after --lang comes a language: en or zh")
    }

    // MARK: - The documents

    /// The output that the tutorial shows is the programs' output, in its language.
    func testTheTutorialShowsWhatTheProgramsPrint() throws {
        for (language, ending) in [("en", ".md"), ("zh", ".zh.md")] {
            let tour = try blocks(in: "Documentation/Reference/the-tour" + ending)
            XCTAssertEqual(tour.count, 1)
            let output = withoutTimes(try lab("printf 'one\\ntwo\\n' | $LAB tour --lang \(language)").output)
            XCTAssert(output.contains(withoutTimes(tour[0])), "the tour prints no such pass:\n\(tour[0])\n\nin\n\(output)")
            let verdict = try XCTUnwrap(blocks(in: "Documentation/Tutorial/first-hour" + ending).first)
            let lines = try lab("$LAB ten-steps --lang \(language)").output.split(separator: "\n").map(String.init)
            for line in verdict.split(separator: "\n") { XCTAssert(lines.contains(String(line)), "ten-steps prints no line “\(line)”") }
        }
    }

    /// The blocks between fences.
    private func blocks(in path: String) throws -> [String] {
        let parts = SourceTree.lines(of: path)!.joined(separator: "\n").components(separatedBy: "\n```")
        return parts.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element.drop { $0 != "\n" }.dropFirst()) }
    }

    /// Nor the numbers of passes: on a busy machine the timer is due a pass earlier, before the end of the input.
    private func withoutTimes(_ text: String) -> String { text.replacing(/\d+\.\d{3}|pass \d+|第 \d+ 轮/, with: "#") }
}

// MARK: - Looking for English

func isIdeograph(_ character: Character) -> Bool { (0x4E00...0x9FFF).contains(character.unicodeScalars.first!.value) }

/// The places where two English words follow each other in a text that should be Chinese. Technical terms and names in the code do not
/// count.
func englishWords(in text: String) -> [String] {
    var text = text
    for code in ["order activities callout", "order port callout", "order callout", "next fire date", "default mode", "tracking mode", "common modes", "common mode items",
                 "common mode", "mode items", "mode item", "modes count", "tracking default", "swift run", "swift build", "article all", "mach port", "sources0", "fire date",
                 "variable is not assignable (missing __block type specifier)", "use of undeclared identifier", "declares the selector", "no visible @interface for",
                 "time stamp register", "true true", "false false", "weak self", "invocation, target", "firing, interval, tolerance", "event default", "default timer", "Connection refused", "mode name", "mode work", "lang zh", "lang en", "draw all"] { text = text.replacingOccurrences(of: code, with: "·") }
    return text.matches(of: /\b[a-z]{3,}[,;:]? [a-z]{2,}\b/).map { String($0.output) }
}

/// The string literals of a Swift file, with "#" for each interpolation.
struct Literals {
    struct Literal {
        var text: String, line: Int
        /// It is inside the parentheses of Text(…) or NSLog(…), whose words are Chinese or need no translation.
        var isInText: Bool
        /// It is inside the parentheses of Text(…): words in English or in Chinese.
        var isInWords: Bool
        /// It is a listing in C or Objective-C.
        var isCode: Bool { text.contains(";") && (text.contains("{") || text.contains("(")) }
    }

    private(set) var all: [Literal] = []
    private let bytes: [UInt8]
    private var index = 0, line = 1
    private var calls: [String?] = [] // the call of Text, NSLog or the like that each open parenthesis begins

    init(_ source: String) {
        bytes = Array(source.utf8) + [0, 0, 0]
        while index < bytes.count - 3 { step() }
    }

    private func starts(_ words: StaticString) -> Bool {
        (0..<words.utf8CodeUnitCount).allSatisfy { bytes[index + $0] == words.utf8Start[$0] }
    }

    private mutating func step() {
        switch bytes[index] {
        case UInt8(ascii: "/") where starts("//"):
            while index < bytes.count - 3 && bytes[index] != 10 { index += 1 }
        case UInt8(ascii: "#") where starts("#\"") || starts("#/"): // a raw string, which is skipped
            let end = bytes[index + 1]
            index += 2
            while index < bytes.count - 3 && !(bytes[index] == end && bytes[index + 1] == UInt8(ascii: "#")) { index += 1 }
            index += 2
        case UInt8(ascii: "/") where isRegularExpression: // its quotation marks begin no string
            index += 1
            while index < bytes.count - 3 && bytes[index] != UInt8(ascii: "/") && bytes[index] != 10 { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
            index += 1
        case UInt8(ascii: "\""):
            let start = line, names = calls.compactMap(\.self)
            all.append(Literal(text: literal(), line: start, isInText: !names.isEmpty, isInWords: names.contains("Text")))
        case UInt8(ascii: "("):
            calls.append(callOfText)
            index += 1
        case UInt8(ascii: ")"):
            _ = calls.popLast()
            index += 1
        case 10:
            line += 1
            index += 1
        default: index += 1
        }
    }

    /// Whether the slash begins a regular expression: it follows an opening bracket, a comma or the like, and no space follows it.
    private var isRegularExpression: Bool {
        guard ![UInt8(ascii: " "), UInt8(ascii: "*"), 10].contains(bytes[index + 1]) else { return false }
        return bytes[..<index].last { $0 != UInt8(ascii: " ") }.map { "(,=:[{".utf8.contains($0) } ?? false
    }

    /// The name that the parenthesis follows, if it is that of a type or function whose text exists in both languages, or is Chinese already.
    private var callOfText: String? {
        ["Text", "NSLog", "ObjectiveCListing"].first { name in
            let name = Array(name.utf8)
            return index >= name.count && Array(bytes[index - name.count..<index]) == name
        }
    }

    private mutating func literal() -> String {
        let isLong = starts("\"\"\"")
        index += isLong ? 3 : 1
        var text: [UInt8] = []
        while index < bytes.count - 3, !(isLong ? starts("\"\"\"") : bytes[index] == UInt8(ascii: "\"")) {
            if bytes[index] == 10 { line += 1 }
            if starts("\\(") {
                index += 2
                var depth = 1
                while depth > 0 {
                    if bytes[index] == UInt8(ascii: "\"") {
                        _ = literal()
                        continue
                    }
                    if bytes[index] == UInt8(ascii: "(") { depth += 1 }
                    if bytes[index] == UInt8(ascii: ")") { depth -= 1 }
                    index += 1
                }
                text.append(UInt8(ascii: "#"))
            } else {
                if bytes[index] == UInt8(ascii: "\\") { index += 1 }
                text.append(bytes[index])
                index += 1
            }
        }
        index += isLong ? 3 : 1
        return String(decoding: text, as: UTF8.self)
    }
}
