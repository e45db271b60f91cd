import Foundation
import TestSupport
import XCTest
@testable import RunLoopLab

/// A correction quotes what it corrects, says what kind of correction it is, for which versions it is true, and what shows it, in both
/// languages.
final class CorrectionsTests: XCTestCase {
    private struct Language {
        var path: String
        /// The word for a correction in a heading.
        var name: String
        var badges: Set<String>
        var all: String
    }

    private static let languages = [
        Language(
            path: "Documentation/Reference/corrections.md", name: "Correction",
            badges: ["wrong", "simplified", "true of an app, not of the loop", "open question", "depends on the version"], all: "all"),
        Language(
            path: "Documentation/Reference/corrections.zh.md", name: "更正",
            badges: ["错误", "简化", "对 App 成立，对 RunLoop 不成立", "未决的问题", "取决于版本"], all: "全部版本"),
    ]

    /// The quoted lines of the articles: the article's number, the line's, and the words around the quotation.
    private static let lines = SourceFile.read("Tests/ToolTests/Annotations/Data/quotations.tsv")!.text
        .split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.split(separator: "\t", maxSplits: 2).map(String.init) }

    /// A row of the table, and the section that it links to: the quotations, the correction, and what shows it.
    private struct Correction {
        var number: Substring
        var line: Int
        var badge: String
        var versions: String
        var quotations: String
        var shown: String
    }

    private func corrections(_ language: Language) throws -> [Correction] {
        let document = try Facts.document(language.path), rows = document.rows
        XCTAssertGreaterThan(rows.count, 40, "\(language.path) has been read")
        let sections = document.sections.filter { $0.heading.hasPrefix(language.name + " ") }
        XCTAssertEqual(sections.map(\.heading), (1...rows.count).map { "\(language.name) \($0)" }, language.path)
        return zip(rows, sections).map { row, section in
            let number = row.cells[0].dropFirst().prefix { $0 != "]" }
            if section.heading != "\(language.name) \(number)" || section.parts.count < 3 {
                miss("not the quotations, what is so, and what shows the correction \(number)", line: section.line, in: language.path)
            }
            return Correction(
                number: number, line: section.line, badge: row.cells[2], versions: row.cells[3], quotations: section.parts.map(\.text).filter { $0.hasPrefix("> ") }.joined(separator: "\n"),
                shown: section.parts.last?.text ?? "")
        }
    }

    private func miss(_ message: String, line: Int, in path: String) {
        recordFailure(withDescription: message, inFile: SourceFile.root.appendingPathComponent(path).path, atLine: line, expected: true)
    }

    /// `1: 「…」`: the article's number and its words.
    private func quotations(in cell: String) -> [(article: String, words: String)] {
        cell.matches(of: /(\d): 「([^」]+)」/).map { (String($0.1), String($0.2)) }
    }

    func testEachCorrectionQuotesItsArticle() throws {
        for language in Self.languages {
            for correction in try corrections(language) {
                let quoted = quotations(in: correction.quotations)
                if quoted.isEmpty { miss("the correction \(correction.number) quotes no article", line: correction.line, in: language.path) }
                for (article, words) in quoted where !Self.lines.contains(where: { $0[0] == article && $0[2].contains(words) }) {
                    miss("article \(article) does not say “\(words)”", line: correction.line, in: language.path)
                }
            }
        }
    }

    func testNoLineOfTheArticlesIsKeptThatIsNotQuoted() throws {
        let quoted = try corrections(Self.languages[0]).flatMap { quotations(in: $0.quotations) }
        for line in Self.lines where !quoted.contains(where: { $0.article == line[0] && line[2].contains($0.words) }) {
            XCTFail("no correction quotes line \(line[1]) of article \(line[0])")
        }
    }

    func testEachCorrectionHasABadgeAndTheVersionsThatItSpeaksOf() throws {
        for language in Self.languages {
            for correction in try corrections(language) {
                guard let match = correction.badge.wholeMatch(of: #/\*\*(.+)\*\*/#), language.badges.contains(String(match.1)) else {
                    miss("“\(correction.badge)” is no badge", line: correction.line, in: language.path)
                    continue
                }
                if correction.versions != language.all, !correction.versions.contains("CF-") {
                    miss("“\(correction.versions)” names no version", line: correction.line, in: language.path)
                }
            }
        }
    }

    func testEachCorrectionIsShownBySomething() throws {
        let tests = try Facts.read.get().tests
        let programs = Set(SourceFile.all(in: "Programs/Conformance/Scenarios", endings: ["c"]).map(\.name))
        let experiments = Set(Catalog.experiments.map(\.about.name)), articles = Set(Articles.programs.flatMap(\.about.items).map { "article \($0)" })
        for language in Self.languages {
            for correction in try corrections(language) {
                let shown = Document.spans(in: correction.shown)
                if shown.isEmpty { miss("nothing shows the correction \(correction.number)", line: correction.line, in: language.path) }
                for name in shown where !tests.contains(name) && !programs.contains(name) && !experiments.contains(name) && !articles.contains(name) {
                    miss("\(name) is no test, no program of an article, no scenario and no experiment", line: correction.line, in: language.path)
                }
            }
        }
    }

    /// What `Facts/annotations` says of the claims and corrections if a row of the claims, or a correction, has other cells than it has.
    private func complaints(_ change: String) throws -> [String] {
        try answerOfPython(["-c", """
            import json, sys
            from dataclasses import replace
            from facts import annotations, claims, tables
            rows, corrections = tables.rows("claims"), annotations.corrections("en")
            def claim(id, **cells): return [row | cells if row["id"] == id else row for row in rows], corrections
            def correction(number, **fields): return rows, [replace(each, **fields) if each.number == number else each for each in corrections]
            print(json.dumps(list(claims.contradictions(*eval(sys.argv[1])))))
            """, change])
    }

    func testNoClaimAndCorrectionContradictEachOtherWithoutSayingSo() throws {
        let found: [String] = try answerOfPython(["-c", "import json; from facts import claims; print(json.dumps(list(claims.problems())))"])
        XCTAssertEqual(found, [])
    }

    func testAContradictionBetweenAClaimAndACorrectionIsFound() throws {
        let none = try complaints("(rows, corrections)") // not in the assertion, which would take a skip for a failure
        XCTAssertEqual(none, [])
        for (change, complaint) in [
            (#"claim("S11", verdict="true", corrections="")"#, "correction 11 (true of an app, not of the loop) names S11, which is “true” and does not name it"),
            (#"claim("S11", verdict="true")"#, "S11 is “true”, and yet correction 11 corrects it"),
            (#"claim("T3", verdict="half true", corrections="", see="8")"#, "T3 is “half true”, and names no correction that says why"),
            (#"claim("T3", corrections="8 14")"#, "T3 names correction 14 (wrong), whose text does not link T3"),
            (#"claim("L7", verdict="mostly true")"#, "L7 is “mostly true”: that is no verdict"),
            (#"claim("S9", verdict="true in CF-635")"#, "S9 is “true in CF-635”: that is no verdict"),
            (#"claim("S9", verdict="true in current", corrections="12", see="")"#, "correction 12 (true of an app, not of the loop) corrects S9, which is “true in current”"),
            (#"claim("R5", verdict="half true", corrections="99")"#, "R5 is “half true”, and names a correction that is not there: 99"),
            (#"claim("D13", verdict="true")"#, "D13 is a difference, and no claim: it has no verdict"),
            (#"correction(8, badge="open question")"#, "correction 8 (open question) corrects T3, which is “half true”"),
            (#"correction(8, so=["The timer fires late."])"#, "T3 names correction 8 (wrong), whose text does not link T3"),
            (#"correction(4, so=["See [R1]."])"#, "correction 4 (wrong) names R1, which is “true” and does not name it"),
        ] {
            let found = try complaints(change)
            XCTAssert(found.contains { $0.hasPrefix(complaint) }, "\(change): \(found)")
        }
    }

    /// What explain says of a claim or a correction.
    private struct Card: Decodable {
        var answer: String
        /// Each a head and a text.
        var lines: [[String]]
    }

    /// In a document a reader sees the verdict first. A card answers what a reader has asked, and that may be the contrary of the claim: so it says the claim, and the verdict behind it, unless that is plainly true.
    func testEachPlaceOfAClaimHasItsVerdict() throws {
        let claims = SourceFile.read("Facts/claims.tsv")!.text.split(separator: "\n").dropFirst().map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
            .filter { $0[6] == "" }
        XCTAssertGreaterThan(claims.count, 60)
        let cards: [String: Card] = try answerOfPython(["-c", """
            import json, re
            from facts import explain, index
            names = [name for name in index.index().card_names() if re.match("(?:[RSLITOXA]\\\\d+|correction \\\\d+)$", name)]
            print(json.dumps({name: {"answer": explain.answer(name, "en"), "lines": explain.card(name, "en")} for name in names}))
            """])
        let table = try Facts.document("ANNOTATIONS.md").rows, items = try Facts.document("Documentation/Reference/claims.md").items
        for claim in claims {
            let (id, verdict, corrections) = (claim[0], claim[7], claim[8])
            let row = try XCTUnwrap(table.first { $0.cells[0] == id }), item = try XCTUnwrap(items.first { $0.subject == id })
            XCTAssert(row.cells[1].hasPrefix(verdict == "true" ? "true" : "**\(verdict)**"), "ANNOTATIONS.md:\(row.line): \(row.cells[1])")
            XCTAssert(item.text.hasPrefix("**\(id)**: **\(verdict)**"), "claims.md:\(item.line): \(item.text.prefix(60))")
            let card = try XCTUnwrap(cards[id])
            XCTAssert(card.answer.hasPrefix("\(id): \(claim[2].replacing("*", with: "").replacing("`", with: ""))\(verdict == "true" ? "." : " (\(verdict)).")"), card.answer)
            for number in corrections.split(separator: " ") {
                XCTAssert(row.cells[1].contains("[\(number)]") && item.text.contains("[correction \(number)]"), id)
                XCTAssert(card.lines.contains { $0[0] == "more" && $0[1].contains("Correction \(number): ") }, id)
                XCTAssertFalse(card.lines.contains { $0[1].contains("See correction") }, "\(id): a number alone says nothing")
                XCTAssert(cards["correction \(number)"]!.lines.contains(["claims", card.answer]), "\(id), \(number)")
            }
        }
    }

    /// Experiments refer to corrections by their numbers.
    func testWhatExperimentsReferToIsThere() throws {
        let count = try corrections(Self.languages[0]).count
        var referred = 0
        for file in SourceFile.all(in: "Lab", endings: ["swift"]) {
            for match in file.text.matches(of: /Corrections? ([\d ,andto]+)\s+\\?\s*of/) {
                for number in match.1.matches(of: /\d+/).compactMap({ Int($0.0) }) {
                    referred += 1
                    XCTAssert((1...count).contains(number), "\(file.path): there is no correction \(number)")
                }
            }
        }
        XCTAssertGreaterThan(referred, 5)
    }
}
