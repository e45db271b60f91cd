import XCTest
@testable import RunLoopLab

/// `RunLoopLab article`, run as a reader would run it.
final class ArticleTests: XCTestCase {
    private struct Run {
        var program: any ArticleProgram
        var form: Form

        var name: String { program.about.name + (program.about.isPair ? " \(form.rawValue)" : "") }

        func record(_ language: Language = .english, mutation: String? = nil) throws -> ArticleRecord {
            let form = program.about.isPair ? " --\(form.rawValue)" : ""
            let result = try lab("\(mutation.map { "RUNLOOPLAB_MUTATE=\($0) " } ?? "")$LAB article \(program.about.name)\(form) --fast --record --lang \(language.rawValue)")
            return ArticleRecord(output: result.output, end: .exited(result.status))
        }
    }

    private let runs = Articles.programs.flatMap { program in program.about.forms.map { Run(program: program, form: $0) } }

    /// The programs run in Chinese, so that the test also finds text that is left in English.
    func testEveryProgramEndsAsTheLabSays() throws {
        XCTAssertFalse(runs.isEmpty)
        let records = try concurrently(runs) { try $0.record(.chinese) }
        for (run, record) in zip(runs, records) {
            for check in record.checks {
                XCTAssertEqual(englishWords(in: check[3]) + englishWords(in: check[4]), [], "\(run.name): \(check[3]): \(check[4])")
            }
            XCTAssert(record.isAsExpected, "\(run.name): \(record.failures.joined(separator: "\n"))")
            XCTAssertFalse(record.checks.isEmpty, run.name)
        }
    }

    /// Applies each check to five falsified records, as `LabTests` does for the experiments. It must reject one of the first two: a record without
    /// the events that it looks at, or with more of them everywhere.
    func testNoVerdictHoldsWhateverHappened() throws {
        let records = try concurrently(runs) { try $0.record(mutation: "each") }
        for (run, record) in zip(runs, records) {
            let checks = record.checks, mutations = Mutation.allCases.count
            XCTAssert(!checks.isEmpty && checks.count.isMultiple(of: mutations), "\(run.name): \(checks.count) checks")
            for first in stride(from: 0, to: checks.count, by: mutations) where checks[first][1] == "ok" && checks[first + 1][1] == "ok" {
                XCTFail("\(run.name): “\(checks[first][3])” holds whatever happened")
            }
        }
    }

    /// At a terminal of forty lines: what is the same for both forms stands once, and no line is wider than a hundred columns.
    func testAPairSaysOnceWhatBothFormsShare() throws {
        for (language, words) in [(Language.english, ["The article says", "What to notice", "What happened", "Cured."]), (.chinese, ["文章说", "值得注意", "实际情况", "已改正。"])] {
            let result = try lab("$LAB article 0.11 --fast --lang \(language.rawValue)")
            let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            XCTAssertEqual(words.map { word in lines.count { $0 == word } }, [1, 1, 2, 1], result.output)
            XCTAssertLessThanOrEqual(lines.count, 40, result.output)
            for line in lines { XCTAssertLessThanOrEqual(columns(of: line), 100, line) }
            XCTAssertEqual(lines.count { $0.hasPrefix("──── ") && columns(of: $0) == 100 }, 2, result.output)
        }
        let brief = try lab("$LAB article 0.11 --cured --brief --fast --lang en").output
        XCTAssert(brief.hasPrefix("(The program prints nothing.)\n\nWhat happened\n") && brief.hasSuffix("\nCured."), brief)
    }

    func testTheListsFitAHundredColumns() throws {
        for words in ["article", "list", "--help", "article 9.9", "draw"] {
            for language in Language.allCases {
                for line in try lab("$LAB \(words) --lang \(language.rawValue)").output.split(separator: "\n") {
                    XCTAssertLessThanOrEqual(columns(of: String(line)), 100, "\(words): \(line)")
                }
            }
        }
    }

    func testAnItemOfAnotherProgramSaysSo() throws {
        let output = try lab("$LAB article 0.9 --fast --lang en").output
        XCTAssert(output.hasPrefix("0.9  〈又到了愉快的猜谜时间〉 is part of this program:\n\nArticle 0, 〈注意添加的Mode〉"), output)
        XCTAssert(try lab("$LAB article 0.8 --fast --lang en").output.hasPrefix("Article 0, "))
    }

    func testACheckBesideAnotherSaysWhoseSentenceItIsAndFitsItsColumn() {
        func cell(_ outcome: String, _ whose: String) -> [String] { ArticleCommand.cell(["check", outcome, whose, "an observer keeps it", "ended"], width: 47) }
        XCTAssertEqual([("failed", "article"), ("ok", "article"), ("ok", "ours"), ("failed", "ours")].map { cell($0.0, $0.1) },
                       ["✗", "✓", "·", "!"].map { ["\($0) an observer keeps it", "    ended"] })
        let long = ArticleCommand.cell(["check", "ok", "ours", String(repeating: "每个滑动事件 ", count: 20), "decodeImage | __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__"],
                                       width: 47)
        for line in long { XCTAssertLessThanOrEqual(columns(of: line), 47, line) }
        XCTAssertEqual(long.suffix(3), ["    decodeImage |", "    __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLB", "    ACK_FUNCTION__"])
    }

    func testAPrintedLoopNamesSwiftsFunctionsInShort() {
        let long = """
            \t0 : <CFRunLoopSource 0x1 [0x2]>{valid = Yes, context = <closure 0x3: partial apply forwarder for closure #1 @Sendable () -> () in \
            Lab.Port.(make in _C3B2231F227888B7C68C634A68296ADA)() -> Swift.Optional<Lab.Source<Swift.Int>>>}
            \t1 : {callout = @objc Lab.(call in _25C41BA331E2B65F8950BA6894695567)(Swift.Optional<A>, B) -> () (0x55), context = <closure 0x4: measure>}
            \t2 : {callout = @objc closure #2 (Swift.Optional<A>) -> () in closure #1 @Sendable () -> () in Lab.run(A, B) -> () (0x56)}}
            \t3 : {callout = __NSFireTimer (0x57)}
            \t4 : {context = <closure 0x5: closure #1 @Sendable (A) -> () in static (extension in Lab):Loop.Timer.(make in _C3B2231F227888B7C68C634A68296ADA)(B) -> C>}
            """
        let short = """
            \t0 : <CFRunLoopSource 0x1 [0x2]>{valid = Yes, context = <closure 0x3: closure #1 in Lab.Port.make>}
            \t1 : {callout = Lab.call (0x55), context = <closure 0x4: measure>}
            \t2 : {callout = closure #2 in closure #1 in Lab.run (0x56)}}
            \t3 : {callout = __NSFireTimer (0x57)}
            \t4 : {context = <closure 0x5: closure #1 in Loop.Timer.make>}
            """
        XCTAssertEqual(withShortNames(long), short)
        XCTAssertEqual(withShortNames(short), short)
    }

    /// Every text exists in both languages, and they are not the same.
    func testEveryTextIsTranslated() {
        for about in Articles.programs.map(\.about) {
            for text in [about.title, about.says, about.notice] {
                XCTAssert(text.chinese.contains(where: isIdeograph), "\(about.name): \(text.chinese)")
                XCTAssertFalse(text.english.contains { isIdeograph($0) && !text.english.contains("〈") }, "\(about.name): \(text.english)")
            }
        }
    }

    /// The items of each article are numbered without a gap, and their links lead to something.
    func testEveryItemHasItsPlace() {
        for article in Articles.all {
            for (index, item) in article.items.enumerated() {
                XCTAssertEqual(item.id, "\(article.number).\(index + 1)")
                switch item.place {
                case .program(let name): XCTAssertNotNil(Articles.program(named: name), "\(item.id): no program \(name)")
                case .experiment(let name): XCTAssertNotNil(Catalog.named(name), "\(item.id): no experiment \(name)")
                case .document(let path):
                    XCTAssert(SourceFile.exists(String(path.prefix { $0 != "#" })), "\(item.id): no file \(path)")
                case .cannotBe(let reason): XCTAssertNotEqual(reason.english, "")
                }
            }
            for program in article.programs {
                for id in program.about.items where !article.items.isEmpty {
                    guard let item = article.items.first(where: { $0.id == id }) else { XCTFail("\(id) is no item of article \(article.number)"); continue }
                    if case .program(let name) = item.place { XCTAssert(program.about.items.contains(name), "\(id) is shown by \(name)") } else { XCTFail("\(id) has a program") }
                }
                XCTAssertEqual(program.about.article, article.number)
            }
        }
        let ids = Articles.programs.flatMap(\.about.items)
        XCTAssertEqual(Set(ids).count, ids.count, "an item has two programs")
    }
}
