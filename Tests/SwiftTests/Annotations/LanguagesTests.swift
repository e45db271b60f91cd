import Foundation
import XCTest

/// The documents in English and in Chinese have the same parts, name the same things and link to the same places. If you change one
/// language, these tests show which line of the other to change.
final class LanguagesTests: XCTestCase {
    private static let documents = ["ANNOTATIONS.md", "CONTRIBUTING.md", "CHANGELOG.md", "Debugging/README.md"] + SourceFile.guides

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
            for (outline, other) in [(original, translated), (translated, original)] {
                let first = outline.sections[0].parts[0]
                if first.text.wholeMatch(of: /\[[^\]]+\]\(([^)]+)\)/)?.1 != other.path.split(separator: "/").last {
                    report([.init(path: outline.path, line: first.line, message: "the link to \(other.path) is missing")])
                }
            }
        }
    }

    func testEveryLinkLeadsSomewhere() throws {
        let outlines = try Translation.all(of: Self.documents).flatMap { [$0.original, $0.translated] }
        for outline in outlines {
            let document = try Document(path: outline.path)
            XCTAssertFalse(document.links.isEmpty, "\(outline.path) has been read")
            let references = document.links.filter { $0.text.hasPrefix("[") }
            for link in references where document.references[String(link.text.dropFirst().dropLast())] == nil {
                report([.init(path: outline.path, line: link.line, message: "\(link.text) is not explained at the end")])
            }
            let stoodFor = document.references.values.map { Document.Span(line: 1, text: SourceFile.resolve(link: $0, in: outline.path)) }
            for link in document.links + stoodFor where !link.text.hasPrefix("http") && !link.text.hasPrefix("[") {
                let file = String(link.text.prefix { $0 != "#" }), anchor = String(link.text.dropFirst(file.count + 1))
                let target = outlines.first { $0.path == (file == "" ? outline.path : file) }
                if file != "", !SourceFile.exists(file) {
                    report([.init(path: outline.path, line: link.line, message: "there is no file \(file)")])
                } else if anchor != "", let target, !target.anchors.contains(anchor) {
                    let message = "there is no heading in \(target.path) for \(link.text)"
                    report([.init(path: outline.path, line: link.line, message: message)])
                }
            }
            for (anchor, count) in Dictionary(outline.anchors.map { ($0, 1) }, uniquingKeysWith: +) where count > 1 {
                report([.init(path: outline.path, line: 1, message: "\(count) headings are linked to by #\(anchor)")])
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
        let rows = try Document(path: Self.glossary).bodyRows.filter { $0.heads.first == "用" }
        return rows.map { row in
            let exceptions = row.cells[2].split(separator: "、").map(String.init)
            return Term(
                word: row.cells[0], others: row.cells[1].split(separator: "、").map(String.init),
                phrases: exceptions.filter { !$0.hasPrefix("`") }, documents: Document.spans(in: row.cells[2]))
        }
    }

    /// The words in a line that the glossary has another word for. Code, the targets of links and quotations are not the documents' words.
    private func otherWords(in line: some StringProtocol, of document: String, terms: [Term]) -> [(other: String, word: String)] {
        let prose = String(line).replacing(/`[^`]*`|\]\([^)]*\)|「[^」]*」|〈[^〉]*〉/, with: " ")
        return terms.filter { !$0.documents.contains(document) }.flatMap { term -> [(other: String, word: String)] in
            let rest = term.phrases.reduce(prose) { $0.replacingOccurrences(of: $1, with: " ") }
            return term.others.filter(rest.contains).map { ($0, term.word) }
        }
    }

    func testAThingHasOneNameInChinese() throws {
        let terms = try terms()
        XCTAssertGreaterThan(terms.count, 12, "\(Self.glossary) has been read")
        let guides = Self.documents.map { String($0.dropLast(3)) + ".zh.md" }
        for path in guides + SourceFile.all(in: "Documentation/Reference/api.zh", endings: ["md"]).map(\.path) {
            let text = try XCTUnwrap(SourceFile.read(path), path).text, name = String(path.split(separator: "/").last!)
            var isCode = false, isTable = false
            for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                if line.hasPrefix("```") { isCode.toggle() }
                isTable = line.hasPrefix("| 用 |") || isTable && line.hasPrefix("|")
                if isCode || isTable || line.hasPrefix("    ") { continue }
                for (other, word) in otherWords(in: line, of: name, terms: terms) {
                    report([.init(path: path, line: index + 1, message: "“\(other)”: the glossary has “\(word)” for it")])
                }
            }
        }
    }

    func testAnotherNameForTheSameThingIsFound() {
        let terms = [Term(word: "休眠", others: ["睡着", "睡眠"], phrases: ["睡眠质量"], documents: ["x.zh.md"])]
        func found(_ line: String, in document: String = "y.zh.md") -> [String] { otherWords(in: line, of: document, terms: terms).map(\.other) }
        XCTAssertEqual(found("线程睡着了，睡眠一秒"), ["睡着", "睡眠"])
        XCTAssertEqual(found("线程睡着了", in: "x.zh.md"), [])
        XCTAssertEqual(found("`睡着`，「睡着」，睡眠质量，[休眠](#睡着)"), [])
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

    /// What is missing where the parts of the two languages differ.
    private func misses(in language: WritableKeyPath<Texts, String>, _ piece: String, _ other: String) -> [Translation.Miss] {
        var texts = (english: Self.english, chinese: Self.chinese)
        XCTAssertTrue(texts[keyPath: language].contains(piece))
        texts[keyPath: language] = texts[keyPath: language].replacingOccurrences(of: piece, with: other)
        let translation = Translation(
            original: Outline(path: "X.md", text: texts.english), translated: Outline(path: "X.zh.md", text: texts.chinese))
        return translation.misses(among: [translation])
    }

    func testAFaithfulTranslationHasNoMisses() {
        XCTAssertEqual(misses(in: \.chinese, "一个编号", "一个号码"), [])
    }

    func testWhatTheTranslationLacksIsToldAtItsLine() {
        for (piece, other, line) in [
            ("`code`", "code", 5), ("D3", "这里", 5), ("#两半", "#一半", 5), ("swift run it", "swift run", 7),
            ("## 两半", "### 两半", 9), ("`a`、`b`", "`b`、`a`", 13), ("same", "相同", 13), ("20 ms", "30 ms", 14),
            ("，在 [CFPort.c]", "", 14), ("| `c` |", "| `c` | |", 14), ("1. 一个", "2. 一个", 16), ("\n1. 一个编号，还有别的。", "", 14),
        ] {
            let found = misses(in: \.chinese, piece, other)
            XCTAssertEqual(found.first?.path, "X.zh.md", "“\(other)” for “\(piece)”")
            XCTAssertEqual(found.first?.line, line, "“\(other)” for “\(piece)”: \(found)")
        }
    }

    func testWhatIsStillInEnglishIsTold() {
        let found = misses(in: \.chinese, "1. 一个编号，还有别的。", "1. A number and more.")
        XCTAssertEqual(found.map { "\($0.path):\($0.line)" }, ["X.zh.md:16"])
    }

    func testARowThatIsLeftOutIsToldOnce() {
        let inChinese = misses(in: \.chinese, "| `a`、`b` | same |\n", "")
        let inEnglish = misses(in: \.english, "| `a`, `b` | same |\n", "")
        XCTAssertEqual(inChinese.map { "\($0.path):\($0.line)" }, ["X.zh.md:13"])
        XCTAssertEqual(inEnglish.map { "\($0.path):\($0.line)" }, ["X.md:14"])
    }

    func testWhatTheTranslationHasMoreIsToldAtTheLineOfTheOriginal() {
        for (piece, other, line) in [
            ("`code`", "code", 5), ("to D3", "to that", 5), ("R1, ", "", 15), ("\n1. A number\n   and more.", "", 15),
        ] {
            let found = misses(in: \.english, piece, other).filter { $0.path == "X.md" }
            XCTAssertEqual(found.first?.line, line, "“\(other)” for “\(piece)”: \(found)")
        }
    }
}
