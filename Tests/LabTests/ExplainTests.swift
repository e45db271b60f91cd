import SwiftRunLoop
import TestSupport
import XCTest
@testable import RunLoopLab

/// `RunLoopLab explain`. Tests/Facts has what it says of names, stacks and questions.
final class ExplainTests: TestCaseBeside {
    override func setUpWithError() throws { _ = try runPython(["--version"]) }

    func testAnUnknownNameEndsWithCloseSpellings() throws {
        let result = try lab("$LAB explain CFRunLoopWakUp --lang en")
        XCTAssertEqual(result.status, 1)
        XCTAssert(result.output.contains("close spellings: CFRunLoopWakeUp"), result.output)
    }

    func testWhatNothingIsLikeSaysWhatToDo() throws {
        let result = try lab("$LAB explain qqqqqqqqqqqq --lang en")
        XCTAssertEqual(result.status, 1)
        XCTAssert(result.output.contains("RunLoopLab article lists the items"), result.output)
        XCTAssertFalse(result.output.contains("words alone"), "it is one word")
        XCTAssert(try lab("$LAB explain qqqqqqqqqqqq wwwwwwwwwwww --lang en").output.contains("try one of its names or words alone"))
        XCTAssertEqual(try lab("$LAB explain < /dev/null").status, 2)
    }

    /// As a reader pastes it: with parentheses, or with the dash of a method, and without quotation marks.
    func testANameMayBePartOfACall() throws {
        XCTAssertEqual(try lab("$LAB explain 'CFRunLoopWakeUp()' --lang en").output, try lab("$LAB explain CFRunLoopWakeUp --lang en").output)
        XCTAssert(try lab("$LAB explain '- (void)runUntilDate:(NSDate *)limitDate;' --lang en").output.hasPrefix("runUntilDate: "))
        XCTAssert(try lab("$LAB explain wake up --lang en").output.hasPrefix("wake up: "))
    }

    func testTheFirstLineAnswersAndAChinesePhraseIsAnsweredInChinese() throws {
        XCTAssert(try lab("$LAB explain CFRunLoopWakeUp --lang en").output.hasPrefix("CFRunLoopWakeUp: Wakes the loop's thread if it sleeps in the loop.\n"))
        XCTAssert(try lab("$LAB explain 为什么滑动时定时器不走 --lang en").output.hasPrefix("T2：RunLoop 切换到别的 mode，Timer 就停了"))
    }

    func testAStepIsAnsweredByItsNumberOrItsWords() throws {
        for phrase in ["9.2", "step 9.2"] {
            let output = try lab("$LAB explain \(phrase) --lang en").output
            XCTAssert(output.hasPrefix("step 9.2: The main dispatch queue is served.\n"), output)
            XCTAssert(output.contains(/here +Sources\/CRunLoop\/CFRunLoop\.c:\d+\n/), output)
        }
        XCTAssert(try lab("$LAB explain 第5步").output.hasPrefix("第 5 步：主线程的 RunLoop 检查主队列"))
    }

    /// What the loop prints of itself. Tests/Facts/test_explain.py has stacks and the loops of a Mac.
    func testAPrintedLoopIsRead() throws {
        let printed = Shared("")
        onThread { printed.value = RunLoop.current.description } // that of the main thread may have modes with Chinese names
        let words = try runPython(["Facts/explain", "--lang", "en", printed.value]).output
        XCTAssert(words.hasPrefix("\tThe loop is not running") && words.contains("\twakeup port = "), words)
    }

    /// `explain < file` and `explain -` read standard input.
    func testStandardInputIsExplained() throws {
        let stack = "printf '0 __CFRunLoopServiceMachPort\\n1 __CFRunLoopRun\\n2 CFRunLoopRunSpecific\\n'"
        for command in ["$LAB explain --lang en", "$LAB explain - --lang en"] {
            XCTAssert(try lab("\(stack) | \(command)").output.hasPrefix("The run sleeps in step 7"), command)
        }
        XCTAssertEqual(try lab("printf CFRunLoopWakeUp | $LAB explain --lang en").output, try lab("$LAB explain CFRunLoopWakeUp --lang en").output)
        for empty in ["$LAB explain < /dev/null", "printf ' ' | $LAB explain"] { XCTAssertEqual(try lab(empty).status, 2, empty) }
    }

    // MARK: - What the reading edition asks

    func testTheEditionsDataHasAFileForEachProgramAndExperiment() throws {
        let data = EditionData()
        XCTAssertEqual(data.programs.filter { $0.source == "" }.map(\.name), [])
        XCTAssertEqual(data.experiments.filter { $0.source == "" }.map(\.name), [])
        XCTAssertEqual(data.programs.filter(\.listings.isEmpty).map(\.name), [])
        XCTAssertEqual(data.programs.filter { $0.listing != $0.source }.map(\.name), ["1.5", "1.25"]) // two listings are C
        XCTAssertEqual(data.articles.flatMap(\.items).filter { $0.place == nil && $0.truth == nil }.map(\.id), [])
        XCTAssert(try lab("$LAB list --json").output.hasPrefix("{\"articles\":[{"))
    }
}
