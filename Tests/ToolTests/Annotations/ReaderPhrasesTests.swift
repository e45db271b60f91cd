import Foundation
import TestSupport
import XCTest
@testable import RunLoopLab

/// Facts/reader-phrases.tsv: what readers ask, and the card that answers it. A phrase
/// whose answer has gone, or has got another name, cannot be answered: these tests show its line.
/// unseen-phrases.tsv has others, which the index is not made from. `Facts/reader-phrases` counts
/// how the phrases of both are answered.
final class ReaderPhrasesTests: XCTestCase {
    private static let path = "Facts/reader-phrases.tsv", unseen = "Facts/unseen-phrases.tsv"

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
            "term", "name", "call", "field", "constant", "misspelling", "frame", "question", "claim",
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
            if !(["0", "1", "2", "3", "4"] + (phrase.path == Self.unseen ? ["-"] : [])).contains(phrase.article) { // -: of another article
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
        let names = try ["names", "versions"].reduce(into: spans) { names, table in
            let text = try XCTUnwrap(SourceFile.read("Facts/\(table).tsv")).text
            names.formUnion(text.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) })
        }
        let index = try Answers(of: []), steps = Set(SourceTree.lines(of: "Facts/steps.tsv")!.dropFirst().map { String($0.prefix { $0 != "\t" }) })
        func exists(_ answer: String) -> Bool {
            if answer.hasPrefix("term ") { return terms.contains(String(answer.dropFirst(5))) }
            if answer.hasPrefix("experiment ") { return Catalog.experiment(named: String(answer.dropFirst(11))) != nil }
            if answer.hasPrefix("correction ") { return corrections.contains(answer) }
            if answer.wholeMatch(of: Pattern.claim) != nil { return ids.contains(answer) }
            if answer.wholeMatch(of: /[\d.]+/) != nil { return items.contains(answer) || steps.contains(answer) }
            // A type or a member of the Swift layer has a card of its own, which says where it is.
            return names.contains(answer) || index.swiftCards.contains(answer) || index.sections.contains(answer)
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
        let phrases = try phrases(), index = try Answers(of: phrases.map(\.text))
        for phrase in phrases {
            let found = index.find(phrase.text).prefix(phrase.answers.count)
            if found.sorted() != phrase.answers.sorted() {
                miss("“\(phrase.text)” is answered by \(found.joined(separator: ", ")), not by \(phrase.answers.joined(separator: ", "))", line: phrase.line)
            }
        }
    }

    /// How the index answers what it is not made from, although its ranking was chosen with these phrases: about seven in ten by the first card, and nine in ten by one of the first three. These are the least that it may be.
    func testUnseenPhrasesAreMostlyAnswered() throws {
        let phrases = try phrases(Self.unseen), index = try Answers(of: phrases.map(\.text))
        XCTAssertGreaterThan(phrases.count, 50)
        func count(among most: Int) -> Int { phrases.count { !Set(index.find($0.text).prefix(most)).isDisjoint(with: $0.answers) } }
        XCTAssertGreaterThan(count(among: 1) * 100, phrases.count * 72)
        XCTAssertGreaterThan(count(among: 3) * 100, phrases.count * 92)
    }

    /// The rows of Facts/names.tsv that are names of the articles: the name, the articles, its class, what it is, in Chinese.
    private static let articleNames = SourceTree.lines(of: "Facts/names.tsv")!.filter { !$0.hasPrefix("#") }.dropFirst()
        .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }.filter { $0.count > 4 && $0[1] != "" }

    func testEveryNameOfTheArticlesIsAnsweredByItsCard() throws {
        let names = Self.articleNames.map { $0[0] }, index = try Answers(of: names)
        XCTAssertGreaterThan(names.count, 600)
        for name in names { XCTAssertEqual(index.find(name).first, name) }
    }

    /// A reader who types a name is told first what it is: in a sentence of four words or more, in both languages.
    func testEveryNameOfTheArticlesIsAnsweredByASentence() throws {
        let index = try Answers(of: [])
        for cells in Self.articleNames {
            let (name, english, chinese) = (cells[0], cells[3], cells[4])
            XCTAssert(english.hasSuffix(".") && english.split(separator: " ").count > 3, "\(name): \(english)")
            XCTAssert(chinese.hasSuffix("。") && chinese.contains(/\p{Script=Han}{3}/), "\(name): \(chinese)")
            XCTAssertEqual(index.sentences[name], [english, chinese])
        }
    }

    /// A word that nothing knows is said, and decides: the rest of the text is no answer. So is a qualified name of which only the last part is known.
    func testAWordThatNothingKnowsIsSaid() throws {
        let unknown = ["Foo::Entry": "Foo::Entry", "queue.next()": "queue.next()", "CFRunLoopWakUp": "CFRunLoopWakUp", "why does a zeppelin timer stop": "zeppelin"]
        let index = try Answers(of: [String](unknown.keys) + ["RunLoop.main", "timer.invalidate()"])
        for (text, word) in unknown { XCTAssertEqual(index.answers[text]!.unknown, [word], text) }
        for text in ["Foo::Entry", "queue.next()"] { XCTAssertEqual(index.find(text), [], text) }
        XCTAssertEqual(index.find("RunLoop.main").first, "RunLoop.main")
        XCTAssertEqual(index.find("timer.invalidate()").first, "Timer.invalidate()")
    }

    /// Who types a question of the guide word for word, with its mark or without, gets its section first.
    func testEveryQuestionOfTheGuideIsAnsweredByItsSection() throws {
        let questions: [[String]] = try answerOfPython(["-c", """
            import json
            from facts import documents, annotations
            both = [[annotations.plain(section.heading) for section in documents.read(f"Documentation/Guides/questions{end}.md").sections if section.level == 3] for end in ("", ".zh")]
            anchors = [documents.anchor_of(section.heading) for section in documents.read("Documentation/Guides/questions.md").sections if section.level == 3]
            print(json.dumps(list(zip(*both, anchors, strict=True))))
            """])
        XCTAssertGreaterThan(questions.count, 70)
        let typed = questions.flatMap { [$0[0], $0[1]] }.flatMap { [$0, $0.trimmingCharacters(in: ["?", "？"])] }
        let index = try Answers(of: typed)
        for (number, text) in typed.enumerated() { XCTAssertEqual(index.find(text).first, "Guides/questions#\(questions[number / 4][2])", text) }
    }

    /// A question in other words of the same meaning has the answer of the heading: the order of the words does not count, nor whether somebody asks for a difference or says “vs”.
    func testAQuestionInOtherWordsIsAnsweredAlike() throws {
        let alike = ["Source0 vs Source1": "how-do-source0-and-source1-differ", "Source1 和 Source0 的区别": "how-do-source0-and-source1-differ", "RunLoop.main vs DispatchQueue.main": "in-combine-how-do-runloopmain-and-dispatchqueuemain-differ"]
        let index = try Answers(of: [String](alike.keys))
        for (text, section) in alike { XCTAssertEqual(index.find(text).first, "Guides/questions#\(section)", text) }
    }

    /// A quiz of the book has several answers, and most are wrong: none is an answer here, nor is a question without one.
    func testAnAnswerToChooseFromIsNoAnswer() throws {
        let found: [String: [String]] = try answerOfPython(["-c", """
            import json, re
            from facts import annotations, book, index
            choices = {annotations.plain(re.sub(r"^\\d\\. ", "", line)).rstrip(".。") for language in ("en", "zh") for chapter in book.chapters(language) for group, _ in book.PREDICTION.findall(chapter.text) for line in group.splitlines()}
            cards = {name: index.index().card(name) for name in index.index().card_names()}
            wrong = [name for name, card in cards.items() if "#" in name and any(card[column].rstrip(".。") in choices for column in ("sentence", "sentence in Chinese"))]
            print(json.dumps({"choices": sorted(choices), "wrong": wrong}))
            """])
        XCTAssertGreaterThan(found["choices"]!.count, 50)
        XCTAssertEqual(found["wrong"], [])
    }

    /// The guides, recipes and the book answer, too, and the names of Apple's in Objective-C.
    func testSectionsAndApplesNamesAnswer() throws {
        let wanted = ["SIGINT": "Guides/recipes#sigint", "compile a C program without SwiftPM": "Guides/c#without-swiftpm", "加锁的顺序": "Explanation/architecture#in-which-order-locks-are-taken",
                      "NSPostWhenIdle": "PostingStyle", "performBlock:": "perform(_:)", "_ZN2CA11Transaction17observer_callbackEP19__CFRunLoopObservermPv": "CA::Transaction::observer_callback"]
        let index = try Answers(of: [String](wanted.keys))
        for (text, card) in wanted { XCTAssert(index.find(text).prefix(3).contains(card), "\(text): \(index.find(text).prefix(3))") }
    }

    /// The rule is in Python and in JavaScript. Python's answers are the measure of the other.
    func testJavaScriptHasTheSameAnswers() throws {
        let names = Self.articleNames.map { $0[0] }
        let texts = try (phrases() + phrases(Self.unseen)).map(\.text) + names
            + ["CFRunLoopWakUp", "scheduledTimerWith", "} // 休眠 if (", "do { CFRunLoopRun() // 运行", "_", "", "[]", "a::b", "x:", "漢", "Foo::Entry", "queue.next()", "Timers stop while the table scrolls", "Source0 vs Source1", "RunLoop.current.run() never returns"]
        let script = """
            import json, shutil, subprocess, sys
            from facts import ROOT, index
            if not shutil.which("node"):
                print("null")
                sys.exit()
            made = index.index()
            text = "\\n".join("\\t".join([key, rest.partition("\\t")[0] if key[0] == "=" else rest]) for key, rest in made.lines.items())
            script = "vm.runInThisContext(fs.readFileSync(process.argv[1], 'utf8')); const [text, asked] = JSON.parse(fs.readFileSync(0, 'utf8')), index = makeIndex(text);"
            script += "console.log(JSON.stringify(asked.map(text => { const { cards, unknown, isSure } = index.answer(text); return [cards, unknown, isSure, cards.length ? [] : index.near(text)]; })))"
            done = subprocess.run(["node", "-e", script, ROOT / "Edition/edition/static/index.js"], input=json.dumps([text, sys.argv[1:]]), capture_output=True, text=True, check=True)
            def answer(text):
                cards, unknown, is_sure = made.answer(text)
                return [cards, unknown, is_sure, [] if cards else made.near(text)]
            print(json.dumps([f"{text}: {here[0][:3]}, {there[0][:3]}" for text, here in zip(sys.argv[1:], json.loads(done.stdout)) if here != (there := answer(text))]))
            """
        let differences: [String]? = try answerOfPython(["-c", script] + texts)
        if differences == nil { throw XCTSkip("node is not installed; on Debian and Ubuntu: apt install nodejs") }
        XCTAssertEqual(differences, [])
    }
}

/// What the index answers, which Python looks up.
private struct Answers {
    struct Answer: Decodable {
        var cards: [String], unknown: [String]
    }

    private struct Made: Decodable {
        var answers: [Answer], sentences: [String: [String]], swift: [String]
    }

    let answers: [String: Answer]
    /// In both languages, by the names of the cards.
    let sentences: [String: [String]]
    /// The cards of the Swift layer.
    let swiftCards: Set<String>

    var sections: Set<String> { Set(sentences.keys.filter { $0.contains("#") }) }

    init(of texts: [String]) throws {
        let script = """
            import json, sys
            from facts import index
            made = index.index()
            answers = [dict(zip(("cards", "unknown"), made.answer(text))) for text in sys.argv[1:]]
            cards = {name: made.card(name) for name in made.card_names()}
            swift = [name for name, card in cards.items() if card["here"].startswith("Sources/SwiftRunLoop/")]
            print(json.dumps({"answers": answers, "swift": swift, "sentences": {name: [card["sentence"], card["sentence in Chinese"]] for name, card in cards.items()}}))
            """
        let made: Made = try answerOfPython(["-c", script] + texts)
        answers = Dictionary(zip(texts, made.answers), uniquingKeysWith: { first, _ in first })
        (sentences, swiftCards) = (made.sentences, Set(made.swift))
    }

    func find(_ text: String) -> [String] { answers[text]!.cards }
}
