import XCTest
@testable import RunLoopLab

/// `RunLoopLab explain`.
final class ExplainTests: XCTestCase {
    /// The names of the articles' own demos are those of the programs in Sources/RunLoopLab/Articles.
    func testEveryNameOfTheArticlesIsExplained() {
        XCTAssertEqual(Explain().unresolvedNames(except: ["demo", "network", "third-party"]), [], "these need a row in Documentation/Data/stand-ins.tsv, or in ANNOTATIONS.md")
    }

    private func words(of name: String) -> String {
        Explain().card(of: name).flatMap { [$0.head] + $0.texts }.joined(separator: "\n")
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
}
