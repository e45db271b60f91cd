import XCTest
@testable import RunLoopLab

/// `RunLoopLab explain`. ReaderPhrasesTests has what the index finds.
final class ExplainTests: TestCaseBeside {
    override func setUpWithError() throws { _ = try runPython(["--version"]) }

    private func words(of name: String) throws -> String { try runPython(["Facts/explain", "--lang", "en", name]).output }

    func testACardLeadsFromANameToOurLineTheOriginalAndTheTests() throws {
        let card = try words(of: "CFRunLoopWakeUp")
        let place = try XCTUnwrap(card.firstMatch(of: /Sources\/CRunLoop\/CFRunLoop\.c:(\d+)/))
        let line = SourceTree.lines(of: "Sources/CRunLoop/CFRunLoop.c")![Int(place.1)! - 1]
        XCTAssertEqual(line, "void CFRunLoopWakeUp(CFRunLoopRef rl) {")
        for part in ["CF-855, CF-1153, current", "adapted", "D4", "X5_woken_by_hand", "article 1.14"] { XCTAssert(card.contains(part), "\(part): \(card)") }
    }

    func testFieldsIdsAndItemsHaveCards() throws {
        XCTAssert(try words(of: "_commonModeItems").contains("CFRunLoop_Internal.h:"))
        XCTAssert(try words(of: "L7").contains("L7_stop_ends_the_innermost_run"))
        XCTAssert(try words(of: "0.15").contains("RunLoopLab article 0.15"))
    }

    /// Every place that the index names by a text is there.
    func testEveryPlaceHasALine() throws {
        for name in ["CFRunLoopWakeUp", "T3", "correction 8", "term sleep", "_lock", "run(mode:before:)"] {
            XCTAssert(try words(of: name).contains(/\.(c|h|md|swift):\d+/), name)
        }
    }

    func testAnUnknownNameEndsWithCloseSpellings() throws {
        let result = try lab("$LAB explain CFRunLoopWakUp --lang en")
        XCTAssertEqual(result.status, 1)
        XCTAssert(result.output.contains("close spellings: CFRunLoopWakeUp"), result.output)
    }

    func testWhatNothingIsLikeSaysWhatToDo() throws {
        let result = try lab("$LAB explain qqqqqqqqqqqq --lang en")
        XCTAssertEqual(result.status, 1)
        XCTAssert(result.output.contains("try one of its names or words alone"), result.output)
        XCTAssertEqual(try lab("$LAB explain").status, 2)
    }

    /// As a reader pastes it: with parentheses, or with the dash of a method, and without quotation marks.
    func testANameMayBePartOfACall() throws {
        XCTAssertEqual(try lab("$LAB explain 'CFRunLoopWakeUp()' --lang en").output, try lab("$LAB explain CFRunLoopWakeUp --lang en").output)
        XCTAssert(try lab("$LAB explain '- (void)runUntilDate:(NSDate *)limitDate;' --lang en").output.hasPrefix("runUntilDate: "))
        XCTAssert(try lab("$LAB explain wake up --lang en").output.hasPrefix("wake up: "))
    }

    func testTheFirstLineAnswersAndAChinesePhraseIsAnsweredInChinese() throws {
        XCTAssert(try lab("$LAB explain CFRunLoopWakeUp --lang en").output.hasPrefix("CFRunLoopWakeUp: Wakes the loop's thread if it sleeps in the loop.\n"))
        XCTAssert(try lab("$LAB explain 为什么滑动时定时器不走 --lang en").output.hasPrefix("T2：正确：RunLoop 切换到别的 mode，Timer 就停了"))
    }

    func testAStepIsAnsweredByItsNumberOrItsWords() throws {
        for phrase in ["9.2", "step 9.2"] {
            let output = try lab("$LAB explain \(phrase) --lang en").output
            XCTAssert(output.hasPrefix("step 9.2: The main dispatch queue is served.\n"), output)
            XCTAssert(output.contains(/here +Sources\/CRunLoop\/CFRunLoop\.c:\d+\n/), output)
        }
        XCTAssert(try lab("$LAB explain 第5步").output.hasPrefix("第 5 步：主线程的 RunLoop 检查主队列"))
    }

    /// Differences and corrections are on pages of their own.
    func testADifferenceAndACorrectionHaveTheirPlaces() throws {
        for (name, page) in [("D13", "differences"), ("correction 8", "corrections"), ("R7", "ANNOTATIONS")] {
            XCTAssert(try words(of: name).contains(/\.(zh\.)?md:\d+/), name)
            XCTAssert(try words(of: name).contains("\(page)."), name)
        }
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
