import Foundation
import TestSupport
import XCTest
@testable import RunLoopLab

/// Scripts/your-loop: it agrees with a finished loop, and says of others where they differ from the model first.
final class YourLoopTests: TestCaseBeside {
    private let finished = SourceTree.root + "Tests/Programs/FinishedLoop/FinishedLoop.c"

    private func judge(_ arguments: String) throws -> (output: String, status: Int32) {
        let result = try lab("\(SourceTree.root)Scripts/your-loop \(arguments) 2>&1")
        return (result.output, result.status)
    }

    /// What the judge says of the finished loop when a line of it has been changed by sed.
    private func judge(changed expression: String) throws -> (output: String, status: Int32) {
        let result = try lab("""
            folder=$(mktemp -d); sed '\(expression)' \(finished) >$folder/Loop.c
            cmp --quiet \(finished) $folder/Loop.c && echo 'nothing has changed'
            \(SourceTree.root)Scripts/your-loop $folder/Loop.c 2>&1; status=$?; rm -r $folder; exit $status
            """)
        return (result.output, result.status)
    }

    func testTheFinishedLoopAgreesWithTheModel() throws {
        let result = try judge(finished)
        XCTAssertEqual(result.status, 0, result.output)
        let last = try XCTUnwrap(result.output.split(separator: "\n").last?.wholeMatch(of: /([0-9]+) of ([0-9]+) programs have the model's log/), result.output)
        XCTAssertEqual(last.1, last.2)
        XCTAssertGreaterThanOrEqual(try XCTUnwrap(Int(last.2)), 35)
    }

    /// Chapter 8 says how many lines of code there are to write. Comments, empty lines, and what stands in the file as it comes do not count.
    func testTheFinishedLoopIsAsLongAsTheChapterSays() throws {
        func code(_ path: String) throws -> [String] {
            try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
                .map { $0.replacing(/\s*\/\/.*/, with: "") }.filter { $0.contains { $0 != " " } }
        }
        let written = try code(finished).difference(from: code(SourceTree.root + "Programs/YourLoop/YourLoop.c")).insertions.count
        for (ending, words) in [("", /about ([0-9]+) lines/), (".zh", /大约 ([0-9]+) 行/)] {
            let chapter = try String(contentsOfFile: SourceTree.root + "Documentation/Book/8-write-your-own\(ending).md", encoding: .utf8)
            let said = try XCTUnwrap(chapter.firstMatch(of: words).flatMap { Int($0.1) })
            XCTAssert((said - 5...said + 5).contains(written), "the chapter says \(said) lines, and the finished loop has \(written)")
            XCTAssertLessThanOrEqual(said, 110)
        }
    }

    /// Chapter 8 shows what the judge says of the file as it comes.
    func testTheFileAsItComesDiffersAsTheChapterSays() throws {
        let result = try judge(""), chapter = try String(contentsOfFile: SourceTree.root + "Documentation/Book/8-write-your-own.md", encoding: .utf8)
        XCTAssertEqual(result.status, 1)
        let shown = result.output.components(separatedBy: "\n").prefix(14).joined(separator: "\n")
        XCTAssert(chapter.contains("$ Scripts/your-loop\n\(shown)\n"), shown)
        let chinese = try judge("--chinese")
        XCTAssert(chinese.output.hasPrefix("不同 programs.zh.md") && chinese.output.contains("第 9.1 步：到期的 Timer 触发"), chinese.output)
    }

    func testTheFirstDifferenceHasItsStep() throws {
        let rings = try judge(changed: "s/ && !loop->run->ignoresWakeUps//")
        XCTAssertEqual(rings.status, 1)
        XCTAssert(rings.output.contains("OTHER 8-write-your-own.md: 8. Write your own"), rings.output)
        XCTAssert(rings.output.contains("  the model:  2.000 main   O AfterWaiting\n              step 8: observers are notified, because the loop has woken up"), rings.output)
        let order = try judge(changed: "s/left->since < right->since/false/")
        XCTAssert(order.status == 1 && order.output.contains("  the model:  1.000 main   B performs\n              step 4:"), order.output)
        let crash = try judge(changed: "s/^void wakeUp(Loop \\*loop) {/&abort();/")
        XCTAssert(crash.status == 1 && crash.output.contains("(it has crashed)"), crash.output)
        let endless = try judge(changed: "s/^ *sleepUntil(loop.*/    \\/\\/ &/")
        XCTAssert(endless.status == 1 && endless.output.contains("does each pass sleep in step 7?"), endless.output)
    }

    func testAMistakeIsNamed() throws {
        XCTAssertEqual(try judge("/nowhere.c").status, 2)
        XCTAssertEqual(try judge("--no-such-option").status, 2)
        let wrong = try lab("folder=$(mktemp -d); echo 'source S in' >$folder/wrong; \(SourceTree.root)Scripts/your-loop \(finished) $folder/wrong; status=$?; rm -r $folder; exit $status")
        XCTAssert(wrong.status == 2 && wrong.output.contains("line 1, column"), wrong.output)
        XCTAssertEqual(try lab("folder=$(mktemp -d); printf 'int x' >$folder/no.c; \(SourceTree.root)Scripts/your-loop $folder/no.c 2>/dev/null; echo $?; rm -r $folder").output, "3")
    }
}
