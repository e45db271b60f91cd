import XCTest
@testable import RunLoopLab

/// `RunLoopLab explain`.
final class ExplainTests: XCTestCase {
    private static let shared = Explain() // reads all sources, so the tests share it
    private var explain: Explain { Self.shared }

    /// The names of the articles' own demos are those of the programs in Lab/Articles, or have a stand-in.
    func testEveryNameOfTheArticlesIsExplained() {
        XCTAssertEqual(explain.unresolvedNames(), [], "these need a row in Documentation/Data/stand-ins.tsv, or in ANNOTATIONS.md")
    }

    private func words(of name: String) -> String {
        explain.card(of: name).flatMap { [$0.head] + $0.texts }.joined(separator: "\n")
    }

    func testACardLeadsFromANameToOurLineTheOriginalAndTheTests() throws {
        let card = words(of: "CFRunLoopWakeUp")
        let place = try XCTUnwrap(card.firstMatch(of: /Sources\/CRunLoop\/CFRunLoop\.c:(\d+)/))
        let line = SourceTree.lines(of: "Sources/CRunLoop/CFRunLoop.c")![Int(place.1)! - 1]
        XCTAssertEqual(line, "void CFRunLoopWakeUp(CFRunLoopRef rl) {")
        for part in ["CF-855, CF-1153, current", "adapted", "D4", "I1_a_signal_does_not_wake", "signal-and-wake"] { XCTAssert(card.contains(part), "\(part): \(card)") }
    }

    func testFieldsIdsAndItemsHaveCards() {
        XCTAssert(words(of: "_commonModeItems").contains("CFRunLoop_Internal.h:"))
        XCTAssert(words(of: "L7").contains("L7_stop_ends_the_innermost_run"))
        XCTAssert(words(of: "0.15").contains("RunLoopLab article 0.15"))
        XCTAssert(words(of: "wantTodo").contains("0.15  〈惯例用例子来感受〉"), "the items that a reader can run: \(words(of: "wantTodo"))")
        XCTAssert(words(of: "nothing_of_this_name").isEmpty)
    }

    func testAnUnknownNameEndsWithCloseSpellings() throws {
        let result = try lab("$LAB explain CFRunLoopWakUp --lang en")
        XCTAssertEqual(result.status, 1)
        XCTAssert(result.output.contains("close spellings: CFRunLoopWakeUp"), result.output)
    }

    /// As a reader pastes it: with parentheses, or from a stack.
    func testANameMayCarryItsParentheses() throws {
        XCTAssertEqual(try lab("$LAB explain 'CFRunLoopWakeUp()' --lang en").output, try lab("$LAB explain CFRunLoopWakeUp --lang en").output)
    }

    // MARK: - Cards for programs

    func testEveryNameOfTheArticlesTheOriginalAndTheTablesHasARecord() {
        let names = explain.allNames
        for name in ["CFRunLoopWakeUp", "_commonModeItems", "L7", "D36", "0.15", "__CFRecordedRun", "runMode:beforeDate:", "UIEvent"] { XCTAssert(names.contains(name), name) }
        XCTAssertEqual(names, Set(names).sorted())
    }

    func testARecordLeadsFromANameToOurLineTheVersionsTheVerdictAndTheTests() throws {
        let card = explain.record(of: "CFRunLoopWakeUp")
        let place = try XCTUnwrap(card.here.first)
        XCTAssertEqual(SourceTree.lines(of: place.path)![place.line - 1], "void CFRunLoopWakeUp(CFRunLoopRef rl) {")
        XCTAssertEqual(card.original.map(\.versions), [["CF-855", "CF-1153", "current", "Linux build"]])
        XCTAssertEqual(card.rows.first?.verdict, "adapted")
        XCTAssert(card.claims.contains { $0.id == "D4" })
        let test = try XCTUnwrap(card.tests.first { $0.name == "I1_a_signal_does_not_wake" })
        XCTAssert(SourceTree.lines(of: test.place.path)![test.place.line - 1].contains(test.name))
        XCTAssert(test.sentence.contains(" "), test.sentence)
        XCTAssert(card.experiments.contains { $0.name == "signal-and-wake" })
        XCTAssert(card.items.contains { $0.id == "1.14" })
        XCTAssertEqual(explain.record(of: "_CFRunLoopGetWindowsThreadID").original.first?.remark, "Windows only")
        XCTAssertFalse(explain.record(of: "_CFRunLoopGetWindowsThreadID").original[0].versions.contains("Linux build"))
    }

    /// In C, a sentence may consist of several string literals on successive lines.
    func testATestHasASentence() {
        let tests = ProjectData.read().tests(named: ["testL7_AStopEndsTheInnermostOfNestedRunsAlone", "L7_stop_ends_the_innermost_run", "D4_wake_up_signal_and_stop_are_safe_in_signal_handlers"])
        XCTAssertEqual(tests.map(\.sentence), ["A handler of frequent signals wakes the loop, signals its source and stops it, while two threads hold the loop's locks "
                                                    + "most of the time. The defect: after some hundred signals the handler waited for a lock that its own thread held",
                                               "Of three nested runs, a stop ends the innermost alone; one that came before the nesting belongs to the outer",
                                               "A stop ends the innermost of nested runs alone"])
    }

    func testTheEditionsDataHasAFileForEachProgramAndExperiment() {
        let data = EditionData()
        XCTAssertEqual(data.programs.filter { $0.source == "" }.map(\.name), [])
        XCTAssertEqual(data.experiments.filter { $0.source == "" }.map(\.name), [])
        XCTAssertEqual(data.articles.flatMap(\.items).filter { $0.place == nil && $0.truth == nil }.map(\.id), [])
    }

    func testRecordsArePrintedAsJSON() throws {
        let result = try lab("$LAB explain 'CFRunLoopWakeUp()' --json --lang en")
        XCTAssert(result.output.hasPrefix("{\"cards\":[{") && result.output.contains("\"name\":\"CFRunLoopWakeUp\""), result.output)
        XCTAssertEqual(try lab("$LAB explain --json").status, 2)
        XCTAssertEqual(try lab("$LAB explain CFRunLoopRun --all --json").status, 2)
    }
}
