import Foundation
import XCTest
@testable import RunLoopLab

/// Documentation/Data/reader-phrases.tsv: what readers ask, and the card that answers it. A phrase
/// whose answer has gone, or has got another name, cannot be answered: these tests show its line.
/// unseen-phrases.tsv has others, which the index is not made from. `Scripts/reader-phrases` counts
/// how the phrases of both are answered.
final class ReaderPhrasesTests: XCTestCase {
    private static let path = "Documentation/Data/reader-phrases.tsv", unseen = "Documentation/Data/unseen-phrases.tsv"

    private struct Phrase {
        var line: Int
        var text, language, kind, article: String
        var answers: [String]
        /// In which table it is.
        var path: String
    }

    /// The rows after the heads. A comment begins with "# ", a phrase may begin with "#1".
    private func phrases(_ path: String = path) throws -> [Phrase] {
        let text = try XCTUnwrap(SourceFile.read(path)).text
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.element.hasPrefix("# ") && $0.element != "" }
        XCTAssertEqual(lines.first?.element, "phrase\tlanguage\tkind\tarticle\tanswer")
        return lines.dropFirst().compactMap { index, line in
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard cells.count == 5 else {
                miss("\(cells.count) cells, and not 5", line: index + 1, path)
                return nil
            }
            return Phrase(
                line: index + 1, text: cells[0], language: cells[1], kind: cells[2], article: cells[3],
                answers: cells[4].components(separatedBy: path == Self.unseen ? " or " : " + "), path: path)
        }
    }

    private func miss(_ message: String, line: Int, _ path: String = path) {
        let file = SourceFile.root.appendingPathComponent(path).path
        recordFailure(withDescription: message, inFile: file, atLine: line, expected: true)
    }

    func testEveryRowHasAPhraseALanguageAKindAndAnArticle() throws {
        let kinds: Set = [
            "term", "name", "call", "field", "constant", "misspelling", "frame", "question",
        ]
        let phrases = try phrases() + phrases(Self.unseen)
        for phrase in phrases {
            let (text, language) = (phrase.text, phrase.language)
            let isChinese = text.contains(/\p{Script=Han}/)
            if text == "" || text != text.trimmed {
                miss("an empty phrase, or spaces around it", line: phrase.line, phrase.path)
            }
            if !["zh", "en", "code"].contains(language) || (language == "zh") != isChinese {
                miss("“\(language)” is not the language of “\(text)”", line: phrase.line, phrase.path)
            }
            if !kinds.contains(phrase.kind) {
                miss("there is no kind “\(phrase.kind)”", line: phrase.line, phrase.path)
            }
            if !["0", "1", "2", "3", "4"].contains(phrase.article) {
                miss("there is no article “\(phrase.article)”", line: phrase.line, phrase.path)
            }
        }
        for (_, same) in Dictionary(grouping: phrases, by: \.text) where same.count > 1 {
            miss("“\(same[1].text)” is in line \(same[0].line), too", line: same[1].line, same[1].path)
        }
    }

    func testEachArticleHasItsPhrases() throws {
        let phrases = try phrases()
        XCTAssertGreaterThanOrEqual(phrases.count, 200)
        for article in 0...4 {
            let count = phrases.filter { $0.article == "\(article)" }.count
            XCTAssertGreaterThanOrEqual(count, 25, "article \(article)")
        }
    }

    func testEveryAnswerExists() throws {
        let pages = ["claims", "corrections", "differences", "stacks"].map { "Documentation/Reference/\($0).md" }
        let documents = try (["ANNOTATIONS.md"] + pages).map(Facts.document)
        /// The first cells of the rows of a page.
        func subjects(_ page: String) throws -> Set<String> {
            let cells = try Facts.document("Documentation/Reference/\(page).md").rows.map { $0.cells[0] }
            XCTAssertGreaterThan(cells.count, 40, "\(page).md has been read")
            return Set(cells)
        }
        let terms = try subjects("glossary"), items = try subjects("articles")
        let corrections = Set(documents.flatMap(\.sections).map { $0.heading.lowercased() }.filter {
            $0.hasPrefix("correction ")
        })
        let ids = Set(documents.flatMap(\.ids).map(\.text))
        let spans = Set(documents.flatMap(\.spans).map(\.text))
        let names = try ["names", "article-names", "stand-ins", "frames"].reduce(into: spans) { names, table in
            let text = try XCTUnwrap(SourceFile.read("Documentation/Data/\(table).tsv")).text
            names.formUnion(text.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) })
        }
        let index = Index(), steps = Set(SourceTree.lines(of: "Documentation/Data/steps.tsv")!.dropFirst().map { String($0.prefix { $0 != "\t" }) })
        func exists(_ answer: String) -> Bool {
            if answer.hasPrefix("term ") { return terms.contains(String(answer.dropFirst(5))) }
            if answer.hasPrefix("experiment ") { return Catalog.experiment(named: String(answer.dropFirst(11))) != nil }
            if answer.hasPrefix("correction ") { return corrections.contains(answer) }
            if answer.wholeMatch(of: Pattern.claim) != nil { return ids.contains(answer) }
            if answer.wholeMatch(of: /[\d.]+/) != nil { return items.contains(answer) || steps.contains(answer) }
            // A type or a member of the Swift layer has a card of its own, which says where it is.
            return names.contains(answer) || index.row(answer)?.contains { $0.hasPrefix("Sources/SwiftRunLoop/") } == true
        }
        for wrong in ["term x", "experiment x", "correction 0", "T99", "9.4", "11", "nothing_of_this_name", "run(nothing:)", "NothingError"] {
            XCTAssertFalse(exists(wrong), wrong)
        }
        for phrase in try phrases() + phrases(Self.unseen) {
            for answer in phrase.answers where !exists(answer) {
                miss("“\(answer)”, the answer to “\(phrase.text)”, is not there", line: phrase.line, phrase.path)
            }
        }
    }

    /// By the first card, or, if it asks for several things, by the first ones. A close spelling is no answer.
    func testEveryPhraseIsAnsweredFirst() throws {
        let index = Index()
        for phrase in try phrases() {
            let found = index.find(phrase.text).prefix(phrase.answers.count)
            if found.sorted() != phrase.answers.sorted() {
                miss("“\(phrase.text)” is answered by \(found.joined(separator: ", ")), not by \(phrase.answers.joined(separator: ", "))", line: phrase.line)
            }
        }
    }

    /// How the index answers what nobody has asked yet: about three in four by the first card, and more than nine in ten by one of the first three. These are the least that it may be.
    func testUnseenPhrasesAreMostlyAnswered() throws {
        let index = Index(), phrases = try phrases(Self.unseen)
        XCTAssertGreaterThan(phrases.count, 50)
        func count(among most: Int) -> Int { phrases.count { !Set(index.find($0.text).prefix(most)).isDisjoint(with: $0.answers) } }
        XCTAssertGreaterThan(count(among: 1) * 100, phrases.count * 70)
        XCTAssertGreaterThan(count(among: 3) * 100, phrases.count * 91)
    }

    func testEveryNameOfTheArticlesIsAnsweredByItsCard() throws {
        let index = Index(), rows = SourceTree.lines(of: "Documentation/Data/article-names.tsv")!
        let names = rows.dropFirst().filter { !$0.isEmpty }.map { String($0.prefix { $0 != "\t" }) }
        XCTAssertGreaterThan(names.count, 600)
        for name in names { XCTAssertEqual(index.find(name).first, name) }
    }

    /// A reader who types a name is told first what it is: in a sentence of four words or more, in both languages.
    func testEveryNameOfTheArticlesIsAnsweredByASentence() throws {
        let index = Index(), rows = SourceTree.lines(of: "Documentation/Data/article-names.tsv")!
        for row in rows.dropFirst() where !row.isEmpty {
            let cells = row.split(separator: "\t").map(String.init)
            let (name, english, chinese) = (cells[0], cells[3], cells[4])
            XCTAssert(english.hasSuffix(".") && english.split(separator: " ").count > 3, "\(name): \(english)")
            XCTAssert(chinese.hasSuffix("。") && chinese.contains(/\p{Script=Han}{3}/), "\(name): \(chinese)")
            XCTAssertEqual(index.row(name)?.prefix(3), [name, english, chinese])
        }
    }

    /// The rule is in Swift, in Python and in JavaScript. Python's answers are the measure of the others.
    func testPythonHasTheSameAnswers() throws {
        let script = """
            import json, sys
            from facts import index
            found = index.index()
            print(json.dumps([found.find(text) or found.near(text) for text in sys.argv[1:]]))
            """
        let texts = try (phrases() + phrases(Self.unseen)).map(\.text) + ["CFRunLoopWakUp", "scheduledTimerWith", "} // 休眠 if (", "do { CFRunLoopRun() // 运行", "_", "", "[]", "a::b", "x:", "漢"]
        let result: [[String]] = try answerOfPython(["-c", script] + texts), index = Index()
        for (text, expected) in zip(texts, result) {
            let found = index.find(text)
            XCTAssertEqual(found.isEmpty ? index.near(text) : found, expected, text)
        }
        XCTAssertEqual(result.count, texts.count)
    }
}
