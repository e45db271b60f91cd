import TestSupport
import XCTest
@testable import RunLoopLab

/// `RunLoopLab article`, run as a reader would run it.
final class ArticleTests: TestCaseBeside {
    private struct Run: @unchecked Sendable { // a program's description is constant
        var program: any Program
        var form: Form

        var name: String { program.about.name + (program.about.isPair ? " \(form.rawValue)" : "") }

        func record(_ language: Language = .english, mutation: String? = nil) throws -> ProgramRecord {
            let form = program.about.isPair ? " --\(form.rawValue)" : ""
            let result = try lab("\(mutation.map { "RUNLOOPLAB_MUTATE=\($0) " } ?? "")$LAB article \(program.about.name)\(form) --fast --record --lang \(language.rawValue)")
            return ProgramRecord(output: result.output, end: .exited(result.status))
        }
    }

    private static let runs = Articles.programs.flatMap { program in program.about.forms.map { Run(program: program, form: $0) } }
    /// The programs run in Chinese, so that a test also finds text that is left in English.
    private static let records = Result { try concurrently(runs) { try $0.record(.chinese) } }
    private static let falsifiedRecords = Result { try concurrently(runs) { try $0.record(mutation: "each") } }

    override class var programs: [@Sendable () -> Void] { [{ _ = records }, { _ = falsifiedRecords }] }

    func testEveryProgramEndsAsTheLabSays() throws {
        XCTAssertFalse(Self.runs.isEmpty)
        for (run, record) in zip(Self.runs, try Self.records.get()) {
            for check in record.checks {
                XCTAssertEqual(englishWords(in: check.claim) + englishWords(in: check.observed), [], "\(run.name): \(check.claim): \(check.observed)")
            }
            XCTAssert(record.isAsExpected, "\(run.name): \(record.failures.joined(separator: "\n"))")
            XCTAssertFalse(record.checks.isEmpty, run.name)
        }
    }

    func testNoVerdictHoldsWhateverHappened() throws {
        for (run, record) in zip(Self.runs, try Self.falsifiedRecords.get()) { _ = checksOfFalsified(record, run.name) }
    }

    /// What is the same for both forms stands once, and no line is wider than a hundred columns.
    func testAPairSaysOnceWhatBothFormsShare() throws {
        for (language, words) in [(Language.english, ["The article says", "What to notice", "What happened", "Cured."]), (.chinese, ["文章说", "值得注意", "实际情况", "已改正。"])] {
            let result = try lab("$LAB article 0.11 --fast --lang \(language.rawValue)")
            let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            XCTAssertEqual(words.map { word in lines.count { $0 == word } }, [1, 1, 2, 1], result.output)
            XCTAssertLessThanOrEqual(lines.count, 60, result.output)
            for line in lines { XCTAssertLessThanOrEqual(columns(of: line), 100, line) }
            XCTAssertEqual(lines.count { $0.hasPrefix("──── ") && columns(of: $0) == 100 }, 2, result.output)
        }
        let brief = try lab("$LAB article 0.11 --cured --brief --fast --lang en").output
        XCTAssert(brief.hasPrefix("(The program prints nothing.)\n\nWho wakes whom\n") && brief.contains("\n\nWhat happened\n") && brief.hasSuffix("\nCured."), brief)
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
        XCTAssert(output.hasPrefix("0.9  〈又到了愉快的猜谜时间〉  (output)\n\nThe article says\n  Four lines"), output)
        XCTAssert(output.contains("\nIt is part of this program:\n\nArticle 0, 〈注意添加的Mode〉"), output)
        XCTAssert(output.contains("\n\n0.8: Roughly as the article says.\n"), output)
        XCTAssert(try lab("$LAB 0.8 --fast --lang en").output.hasPrefix("Article 0, ")) // article 0.8
        let noticed = try lab("$LAB article 4.1 --fast --lang en").output, notice = try XCTUnwrap(Articles.item("0.1")?.whatIsTrue?.english.prefix(40))
        XCTAssertEqual(noticed.components(separatedBy: notice).count, 2, noticed) // once, although 4.1 has no words of its own about what is true
        let started = try lab("$LAB article 1.28 --fast --lang en").output
        XCTAssert(started.contains("\n\n0.10: In part as the article says.\n") && started.contains("\n  run also   article 0.11, 0.12, 1.29\n"), started)
    }

    /// The lines have their times, the list says who woke the thread, and the two break points of the listing show their stacks.
    func testAnItemShowsItsTimesItsWakeUpsAndItsStacks() throws {
        let output = try lab("$LAB article 0.18 --fast --lang en").output
        XCTAssertEqual(output.matches(of: /\n {0,2}\d+\.\d{3}  (<\w+: 0x|当前线程|subThread线程被释放了)/).count, 5, output)
        XCTAssertNotNil(output.firstMatch(of: /\n {0,2}\d+\.\d{3}  subThread +slept [\d.]+ (µs|ms|s); woken by CFRunLoopWakeUp on main/), output)
        let stacks: [[String]] = output.components(separatedBy: "\nThe stack at ").dropFirst().map { part in
            part.components(separatedBy: "\n\n")[0].trimmingCharacters(in: .newlines).components(separatedBy: "\n  ")
        }
        XCTAssertEqual(stacks.map { $0[0] }, ["断点1 (0.17)", "断点2 (0.18)"], output)
        let ends = [("ViewController.touchesBegan", "Application.run"), ("ViewController.wantTodo", "ViewController.subThreadTodo")]
        for (stack, (first, last)) in zip(stacks, ends) {
            XCTAssertEqual(stack[1], first, output)
            XCTAssertEqual(stack.last, last, output)
            let callout = try XCTUnwrap(stack.firstIndex(of: "__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__"), output)
            let loop = Array(stack.dropFirst(callout + 1).prefix(4))
            XCTAssertEqual(loop, ["__CFRunLoopDoSource0", "__CFRunLoopDoSources0", "__CFRunLoopRun", "CFRunLoopRunSpecific"], output)
        }
        for part in ["Lab/Articles/0-NSRunLoop/WantTodo.swift:", "Tests/Debugger/stacks.txt", "trace 0.15 --out", "draw G15 ", "items/0.18.html"] { XCTAssert(output.contains(part), "\(part): \(output)") }
        let delayed = try lab("$LAB article 0.27 --as-written --fast --lang en").output
        let stack = try XCTUnwrap(delayed.components(separatedBy: "\nThe stack at 断点2 (0.27)\n").dropFirst().first, delayed)
        XCTAssert(stack.hasPrefix("  ViewController.afterDelayTodo\n  __NSFireDelayedPerform\n  __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__\n"), stack)
    }

    /// `trace` takes an item: its program, or its experiment. One that cannot be traced says what to do.
    func testAnItemCanBeTraced() throws {
        let file = "\(NSTemporaryDirectory())/ArticleTests-\(getpid()).txt"
        defer { unlink(file) }
        XCTAssertEqual(try lab("$LAB trace 0.15 --fast --out \(file) --lang en").status, 0)
        let trace = try String(contentsOfFile: file, encoding: .utf8)
        XCTAssert(trace.hasPrefix("article 0.15: "), trace)
        XCTAssertNotNil(trace.firstMatch(of: /subThread +8 awake after .*, woken by CFRunLoopWakeUp on main/), trace)
        XCTAssertEqual(try lab("$LAB trace 3.25 --fast --out \(file)").status, 0)
        for (id, words) in [("1.26", "run article 1.26"), ("2.26", "see article 2.26")] {
            let result = try lab("$LAB trace \(id) --out \(file) --lang en 2>&1")
            XCTAssertEqual(result.status, 2)
            XCTAssert(result.output.contains(words), result.output)
        }
    }

    /// A thread cannot wake itself: a sleep that its own CFRunLoopWakeUp ends had it before it began.
    func testAThreadThatHasSentItsWakeUpBeforeTheSleepIsNotWokenByItself() {
        func event(_ number: UInt64, _ kind: TraceEvent.Kind, on thread: Int32 = 1, from sender: Int32 = 0) -> TraceEvent {
            TraceEvent(time: 1_000_000 * number, kind: kind, step: kind == .stepBegins ? 2 : 7, depth: 1, thread: thread, callout: .timer, reason: .wokenUp,
                       activity: "", value: 0, sender: sender, mode: "kCFRunLoopDefaultMode")
        }
        func lines(_ sender: Int32, _ sent: UInt64) -> WakeUpList {
            let events = [event(1, .runBegins), event(2, .stepBegins), event(sent, .wakeUpSent, on: sender), event(4, .sleeps), event(6, .wakes), event(7, .serves, from: sender), event(8, .runEnds)]
            let trace = Trace(title: "", events: events.sorted { $0.time < $1.time }, lost: 0, threadNames: [1: "main", 2: "worker"])
            return WakeUpList(Timeline(trace), from: 0)
        }
        let words = [(1, 3), (2, 5), (1, 5)].map { lines($0.0, $0.1).lines.map(\.words) }
        XCTAssertEqual(words, [["slept 2.0 ms; woken by its own CFRunLoopWakeUp before the sleep"], ["slept 2.0 ms; woken by CFRunLoopWakeUp on worker"],
                               ["slept 2.0 ms; woken by CFRunLoopWakeUp"]])
    }

    /// In Chinese an item names the Chinese documents; and it names its corrections.
    func testAnItemNamesDocumentsInTheReadersLanguageAndItsCorrections() throws {
        let english = try lab("$LAB article 2.8 --lang en").output, chinese = try lab("$LAB article 2.8 --lang zh").output
        XCTAssert(english.contains("See ANNOTATIONS.md#22-the-structs") && english.contains("10, Documentation/Reference/corrections.md"), english)
        XCTAssert(chinese.contains("见 ANNOTATIONS.zh.md") && chinese.contains("10, Documentation/Reference/corrections.zh.md") && !chinese.contains("corrections.md"), chinese)
    }

    func testAnItemHasItsFigures() {
        XCTAssertEqual(Articles.item("0.40")?.figures.map(\.id), ["G12"])
        XCTAssertEqual(Articles.item("0.4")?.figures.map(\.id), ["G1"])
    }

    /// An item that is true in part has a verdict for each statement, where a reader meets it: the command, its card, and the page of the articles.
    func testAnItemThatIsTrueInPartHasAVerdictForEachStatement() throws {
        XCTAssertEqual(["0.30", "0.48", "0.42", "0.31", "1.24", "2.11"].map { Articles.item($0)?.verdict }, [.partly, .otherwise, .question, .roughly, .partly, .otherwise])
        let first = "false: run goes on for ever", page = try XCTUnwrap(SourceFile.read("Documentation/Reference/articles.md")).text
        let program = try lab("$LAB article 0.10 --fast --lang en").output
        XCTAssert(program.contains("\nIn part as the article says.\n\nStatement by statement\n  false      run goes on for ever\n  false      the thread can never end\n  true       CFRunLoopStop does not end run\n"), program)
        XCTAssert(page.contains("| In part as the article says. False: run goes on for ever. False: the thread can never end. True: CFRunLoopStop does not end run. "), first)
        _ = try runPython(["--version"]) // which explain needs
        let card = try lab("$LAB explain 0.10 --lang en").output
        XCTAssert(card.replacing(/\s+/, with: " ").contains("In part as the article says. \(first.prefix(1).uppercased() + first.dropFirst()). "), card)
    }

    /// The programs are in the order of the table, and each item with a program has one.
    func testEveryItemHasItsProgram() {
        let items = Articles.all.flatMap(\.items)
        XCTAssertEqual(items.filter(\.isOwnProgram).map(\.id), Articles.programs.map(\.about.name))
        XCTAssertEqual(items.filter { $0.program == nil }.map(\.place).filter { if case .document = $0 { false } else { $0 != .cannotBe } }, [])
    }
}
