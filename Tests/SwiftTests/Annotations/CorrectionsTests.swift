import Foundation
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
    private static let lines = SourceFile.read("Tests/SwiftTests/Annotations/Data/quotations.tsv")!.text
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
        let programs = Set(SourceFile.all(in: "Tests/Oracle/Conformance/Scenarios", endings: ["c"]).map(\.name))
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
