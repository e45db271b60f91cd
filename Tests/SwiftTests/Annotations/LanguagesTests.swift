import Foundation
import XCTest

/// The documents in English and in Chinese have the same parts, name the same things and link to the same places. If you change one
/// language, these tests show which line of the other to change.
final class LanguagesTests: XCTestCase {
    private static let documents = ["ANNOTATIONS.md", "CONTRIBUTING.md", "Debugging/README.md"] + SourceFile.guides

    /// One language is enough on a branch.
    private func reportTranslations(_ misses: [Translation.Miss]) {
        if translationsAreStrict { report(misses) } else { for miss in misses { toTranslate("\(miss.path):\(miss.line): \(miss.message)") } }
    }

    private func report(_ misses: [Translation.Miss]) {
        for miss in misses {
            let file = SourceFile.root.appendingPathComponent(miss.path).path
            recordFailure(withDescription: miss.message, inFile: file, atLine: miss.line, expected: true)
        }
    }

    func testBothLanguagesHaveTheSameStructure() throws {
        let translations = try Translation.all(of: Self.documents)
        for translation in translations {
            XCTAssertFalse(translation.original.sections.isEmpty, "\(translation.original.path) has been read")
            reportTranslations(translation.misses(among: translations))
        }
    }

    func testEachLanguageLinksToTheOther() throws {
        for translation in try Translation.all(of: Self.documents) {
            let (original, translated) = (translation.original, translation.translated)
            for (document, other) in [(original, translated), (translated, original)] {
                let first = document.sections[0].parts[0]
                if first.text.wholeMatch(of: /\[[^\]]+\]\(([^)]+)\)/)?.1 != other.path.split(separator: "/").last {
                    report([.init(path: document.path, line: first.line, message: "the link to \(other.path) is missing")])
                }
            }
        }
    }

    func testEveryLinkLeadsSomewhere() throws {
        let documents = try Translation.all(of: Self.documents).flatMap { [$0.original, $0.translated] }
        for document in documents {
            XCTAssertFalse(document.links.isEmpty, "\(document.path) has been read")
            let references = document.links.filter { $0.text.hasPrefix("[") }
            for link in references where document.references[String(link.text.dropFirst().dropLast())] == nil {
                report([.init(path: document.path, line: link.line, message: "\(link.text) is not explained at the end")])
            }
            let stoodFor = document.references.values.map { Document.Span(line: 1, text: SourceFile.resolve(link: $0, in: document.path)) }
            for link in document.links + stoodFor where !link.text.hasPrefix("http") && !link.text.hasPrefix("[") {
                let file = String(link.text.prefix { $0 != "#" }), anchor = String(link.text.dropFirst(file.count + 1))
                let target = documents.first { $0.path == (file == "" ? document.path : file) }
                if file != "", !SourceFile.exists(file) {
                    report([.init(path: document.path, line: link.line, message: "there is no file \(file)")])
                } else if anchor != "", let target, !target.anchors.contains(anchor) {
                    let message = "there is no heading in \(target.path) for \(link.text)"
                    report([.init(path: document.path, line: link.line, message: message)])
                }
            }
            for (anchor, count) in Dictionary(document.anchors.map { ($0, 1) }, uniquingKeysWith: +) where count > 1 {
                report([.init(path: document.path, line: 1, message: "\(count) headings are linked to by #\(anchor)")])
            }
        }
    }

    // MARK: - One name for one thing in Chinese

    private static let glossary = "Documentation/Reference/glossary.zh.md"

    /// A row of the glossary's last table: a word, the words that are not used for the same thing, and where one of these is right all the
    /// same: within a phrase, or in a document, whose name is in code.
    private struct Term {
        var word: String
        var others: [String]
        var phrases: [String]
        var documents: [String]
    }

    private func terms() throws -> [Term] {
        let rows = try Facts.document(Self.glossary).rows.filter { $0.heads.first == "用" }
        return rows.map { row in
            let exceptions = row.cells[2].split(separator: "、").map(String.init)
            return Term(
                word: row.cells[0], others: row.cells[1].split(separator: "、").map(String.init),
                phrases: exceptions.filter { !$0.hasPrefix("`") }, documents: Document.spans(in: row.cells[2]))
        }
    }

    /// Whether a text has a word. A word in Latin letters stands alone: `support` has no `port`.
    private func contains(_ word: String, in text: String) -> Bool {
        guard word.allSatisfy(\.isASCII) else { return text.contains(word) }
        func isPart(_ character: Character?) -> Bool { character.map { $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0)) } ?? false }
        return text.ranges(of: word).contains { range in !isPart(text[..<range.lowerBound].last) && !isPart(text[range.upperBound...].first) }
    }

    /// The words in a line that the glossary has another word for. Code, the targets of links and quotations are not the documents' words.
    private func otherWords(in line: some StringProtocol, of document: String, terms: [Term]) -> [(other: String, word: String)] {
        let prose = String(line).replacing(/`[^`]*`|\]\([^)]*\)|「[^」]*」|〈[^〉]*〉/, with: " ")
        return terms.filter { !$0.documents.contains(document) }.flatMap { term -> [(other: String, word: String)] in
            let rest = term.phrases.reduce(prose) { $0.replacingOccurrences(of: $1, with: " ") }
            return term.others.filter { contains($0, in: rest) }.map { ($0, term.word) }
        }
    }

    func testAThingHasOneNameInChinese() throws {
        let terms = try terms()
        XCTAssertGreaterThan(terms.count, 12, "\(Self.glossary) has been read")
        let guides = Self.documents.map { String($0.dropLast(3)) + ".zh.md" }
        for path in guides + SourceFile.all(in: "Documentation/Reference/api.zh", endings: ["md"]).map(\.path) {
            let text = try XCTUnwrap(SourceFile.read(path), path).text, name = String(path.split(separator: "/").last!)
            let document = try Facts.document(path), tables = document.rows.filter { $0.heads.first == "用" }
            let others = Set(document.code.map(\.line) + tables.flatMap { [$0.table, $0.line] })
            for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() where !others.contains(index + 1) {
                for (other, word) in otherWords(in: line, of: name, terms: terms) {
                    report([.init(path: path, line: index + 1, message: "“\(other)”: the glossary has “\(word)” for it")])
                }
            }
        }
    }

    /// A text in Chinese that a program shows, and its line.
    private typealias Shown = (text: String, line: Int)

    private static func isChinese(_ text: some StringProtocol) -> Bool { text.contains(where: isIdeograph) }

    /// The string literals with Chinese in a file in Python or JavaScript, with "#" for each place of a value: `端口 {port}`.
    private func literals(in text: String) -> [Shown] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap { index, line in
            line.matches(of: /"((?:\\.|[^"\\])*)"/).map { ($0.output.1.replacing(/\{\w*\}/, with: "#"), index + 1) }
                .filter { Self.isChinese($0.0) }.map { (String($0.0), $0.1) }
        }
    }

    /// The cells with Chinese in a table. Its first column has names, and phrases that readers type.
    private func cells(in text: String) -> [Shown] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().filter { !$0.element.hasPrefix("#") }.flatMap { index, line in
            line.split(separator: "\t", omittingEmptySubsequences: false).dropFirst().filter(Self.isChinese).map { (String($0), index + 1) }
        }
    }

    /// The Chinese of a file of the lab: what stands in a Text, and the words of a table by the English. Other literals with Chinese are the
    /// articles' headings, and what their programs print.
    private func words(of file: SourceFile) -> [Shown] {
        if !file.name.hasSuffix("Words.swift") { return Literals(file.text).all.filter { $0.isInWords && Self.isChinese($0.text) }.map { ($0.text, $0.line) } }
        return file.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap { index, line in
            line.matches(of: /": "((?:\\.|[^"\\])*)"/).map { (String($0.output.1), index + 1) }
        }
    }

    private func report(_ shown: [Shown], of file: SourceFile, terms: [Term]) {
        for (text, line) in shown {
            for part in text.split(separator: "\n") {
                for (other, word) in otherWords(in: part, of: file.name, terms: terms) {
                    report([.init(path: file.path, line: line, message: "“\(other)” in “\(part)”: the glossary has “\(word)” for it")])
                }
            }
        }
    }

    func testAThingHasOneNameInWhatProgramsShowInChinese() throws {
        let terms = try terms()
        for name in ["article-names", "claims", "frames", "functions", "stand-ins", "statements", "steps"] {
            let file = try XCTUnwrap(SourceFile.read("Facts/\(name).tsv"), name), cells = cells(in: file.text)
            XCTAssertGreaterThan(cells.count, 12, "\(file.path) has been read")
            report(cells, of: file, terms: terms)
        }
        var count = 0
        for file in SourceFile.all(in: "Lab", endings: ["swift"]) {
            let words = words(of: file)
            count += words.count
            report(words, of: file, terms: terms)
        }
        XCTAssertGreaterThan(count, 1500, "the lab has been read")
        let helpers = SourceFile.all(in: "Debugging/rlhelpers", endings: ["py"])
        // What the checks of the edition type is what readers type.
        let edition = SourceFile.all(in: "Edition/edition", endings: ["py", "js"]).filter { !$0.path.hasPrefix("Edition/edition/check/") }
        count = 0
        for file in helpers + edition {
            let literals = literals(in: file.text)
            count += literals.count
            report(literals, of: file, terms: terms)
        }
        XCTAssertGreaterThan(count, 600, "the helpers and the edition have been read")
    }

    func testTheTextsThatProgramsShowAreFound() {
        let lab = SourceFile(path: "A.swift", text: "heading: \"模式\",\nText(\"mode\", \"\\(x) 模式\") // \"端口\"\nNSLog(\"端口\")")
        XCTAssertEqual(words(of: lab).map { "\($0.line) \($0.text)" }, ["2 # 模式"])
        let table = SourceFile(path: "AWords.swift", text: "\"方法#\": \"加端口，方法#\", \"a\": \"甲\"")
        XCTAssertEqual(words(of: table).map(\.text), ["加端口，方法#", "甲"])
        XCTAssertEqual(literals(in: "x = \"a\"\n(\"port\", \"端口 {port}\")").map { "\($0.line) \($0.text)" }, ["2 端口 #"])
        XCTAssertEqual(cells(in: "# 甲\t乙\n丙\tport\t端口").map { "\($0.line) \($0.text)" }, ["2 端口"])
    }

    func testAnotherNameForTheSameThingIsFound() {
        let terms = [Term(word: "休眠", others: ["睡着", "睡眠"], phrases: ["睡眠质量"], documents: ["x.zh.md"])]
        func found(_ line: String, in document: String = "y.zh.md") -> [String] { otherWords(in: line, of: document, terms: terms).map(\.other) }
        XCTAssertEqual(found("线程睡着了，睡眠一秒"), ["睡着", "睡眠"])
        XCTAssertEqual(found("线程睡着了", in: "x.zh.md"), [])
        XCTAssertEqual(found("`睡着`，「睡着」，睡眠质量，[休眠](#睡着)"), [])
        let port = Term(word: "端口", others: ["port"], phrases: ["mach port"], documents: [])
        func hasPort(_ line: String) -> Bool { !otherWords(in: line, of: "y.zh.md", terms: [port]).isEmpty }
        XCTAssertTrue(hasPort("它的port 就绪"))
        XCTAssertFalse(hasPort("support、import、port-source、_port、mach port"))
    }

    // MARK: - The comparison itself

    private typealias Texts = (english: String, chinese: String)

    private static let english = """
        # One

        [中文](X.zh.md)

        A text with `code`,
        and a [link](#two-halves) to D3.

            swift run it

        ## Two halves

        | name | |
        |---|---|
        | `a`, `b` | same |
        | `c` | R1, for 20 ms, in [CFPort.c] |

        1. A number
           and more.
        """
    private static let chinese = """
        # 一

        [English](X.md)

        这里有 `code`，以及通往 D3 的[链接](#两半)。

            swift run it

        ## 两半

        | 名字 | |
        |---|---|
        | `a`、`b` | same |
        | `c` | R1，20 ms，在 [CFPort.c] |

        1. 一个编号，还有别的。
        """

    /// What is missing, in which language and line, if one language has another piece.
    func testEachDifferenceIsToldAtItsLine() throws {
        let last = "1. 一个编号，还有别的。", words = "\n\n## 用词\n\n| 用 | 不用 | 除非 |\n|---|---|---|\n| 休眠 | 睡眠 | |"
        let cases: [(language: WritableKeyPath<Texts, String>, piece: String, other: String, misses: [String])] = [
            (\.chinese, "一个编号", "一个号码", []),
            (\.chinese, "`code`", "code", ["zh 5"]),
            (\.chinese, "D3", "这里", ["zh 5", "zh 5"]),
            (\.chinese, "#两半", "#一半", ["zh 5", "en 5"]),
            (\.chinese, "swift run it", "swift run", ["zh 7"]),
            (\.chinese, "## 两半", "### 两半", ["zh 9"]),
            (\.chinese, "`a`、`b`", "`b`、`a`", ["zh 13"]),
            (\.chinese, "same", "相同", ["zh 13"]),
            (\.chinese, "20 ms", "30 ms", ["zh 14", "en 15"]),
            (\.chinese, "，在 [CFPort.c]", "", ["zh 14"]),
            (\.chinese, "| `c` |", "| `c` | |", ["zh 14"]),
            (\.chinese, "1. 一个", "2. 一个", ["zh 16"]),
            (\.chinese, "\n" + last, "", ["zh 14"]),
            (\.chinese, last, "1. A number and more.", ["zh 16"]), // still in English
            (\.chinese, "| `a`、`b` | same |\n", "", ["zh 13"]),
            (\.english, "| `a`, `b` | same |\n", "", ["en 14"]),
            (\.english, "`code`", "code", ["en 5"]),
            (\.english, "to D3", "to that", ["en 5", "en 5"]),
            (\.english, "R1, ", "", ["en 15", "en 15"]),
            (\.english, "\n1. A number\n   and more.", "", ["en 15"]),
            (\.chinese, last, last + words, []), // only Chinese says which Chinese words it has
            (\.chinese, last, last + words.replacingOccurrences(of: "不用", with: "不"), ["en 17"]),
        ]
        let documents = try Document.read(cases.flatMap { language, piece, other, _ in
            var texts = (english: Self.english, chinese: Self.chinese)
            XCTAssertTrue(texts[keyPath: language].contains(piece))
            texts[keyPath: language] = texts[keyPath: language].replacingOccurrences(of: piece, with: other)
            return [("X.md", texts.english), ("X.zh.md", texts.chinese)]
        })
        for (index, (_, piece, other, misses)) in cases.enumerated() {
            let translation = Translation(original: documents[2 * index], translated: documents[2 * index + 1])
            let found = translation.misses(among: [translation])
            XCTAssertEqual(found.map { "\($0.path == "X.md" ? "en" : "zh") \($0.line)" }, misses, "“\(other)” for “\(piece)”: \(found)")
        }
    }
}
