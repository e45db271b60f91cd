import TestSupport
import XCTest

/// `RunLoopLab tour`, run as a reader would run it: from a shell, with its input from a pipe, a file or nothing. The transcript must show
/// what a run loop does, whatever input comes and in whatever order.
final class TourTests: TestCaseBeside {
    // MARK: - The transcript

    func testX1_TheTenStepsComeInOrder() throws {
        let transcript = try Transcript(of: "printf 'a\\nb\\n' | $LAB tour")
        let steps = transcript.steps
        XCTAssertEqual(steps.first, "1")
        XCTAssertEqual(steps.last, "10")
        XCTAssertEqual(steps.filter { $0 == "1" || $0 == "10" }.count, 2, "Entry and Exit come once a run")
        for pass in transcript.passes {
            let numbers = pass.map { Int(Double($0.step)!) }
            XCTAssertEqual(numbers.first, 2)
            XCTAssertEqual(numbers, numbers.sorted(), "the steps of a pass: \(pass.map(\.step))")
        }
        let all = Set(steps)
        for step in ["1", "2", "3", "4", "5", "6", "7", "8", "9.1", "9.2", "9.3", "10"] { XCTAssert(all.contains(step), "no step \(step)") }
    }

    func testX2_EachOfTheSixCalloutsShowsItsStackOnce() throws {
        try skip(under: .thread, because: "its frame around a block of a dispatch queue has no frame pointer, so a backtrace ends there")
        let expected: [(callback: String, callout: String, within: [String])] = [
            ("observe(_:)", "__CFRUNLOOP_IS_CALLING_OUT_TO_AN_OBSERVER_CALLBACK_FUNCTION__", ["__CFRunLoopDoObservers"]),
            ("blockPerformed()", "__CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__", ["__CFRunLoopDoBlocks"]),
            ("inputArrived()", "__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE1_PERFORM_FUNCTION__", ["__CFRunLoopDoSource1"]),
            ("timerFired()", "__CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__", ["__CFRunLoopDoTimer", "__CFRunLoopDoTimers"]),
            ("sourcePerformed()", "__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__",
             ["__CFRunLoopDoSource0", "__CFRunLoopDoSources0"]),
            ("mainQueueServed(_:)", "__CFRUNLOOP_IS_SERVICING_THE_MAIN_DISPATCH_QUEUE__", []),
        ]
        let stacks = try Transcript(of: "printf 'a\\nb\\n' | $LAB tour").stacks
        XCTAssertEqual(stacks.count, expected.count)
        for (callback, callout, within) in expected {
            let stack = try XCTUnwrap(stacks.first { $0.first == "Tour.\(callback)" }, "no stack begins in \(callback)")
            let start = try XCTUnwrap(stack.firstIndex(of: callout), "\(stack)")
            let loop = [callout] + within + ["__CFRunLoopRun", "CFRunLoopRunSpecific", "CFRunLoopRun"]
            XCTAssertEqual(Array(stack[start...].prefix(loop.count)), loop)
            XCTAssertEqual(stack.last, "main")
        }
    }

    func testX5_WhatWokeTheLoopIsWhatItServesNext() throws {
        let served = ["the timer port": "9.1", "the main queue's port": "9.2", "the Source1 port": "9.3", "its wake-up port": "9"]
        let transcript = try Transcript(of: "(echo a; sleep 0.5; echo b) | $LAB tour")
        var seen: Set<String> = []
        for pass in transcript.passes {
            guard let awake = pass.firstIndex(where: { $0.step == "8" }) else { continue }
            let waker = String(pass[awake].text.dropFirst("AfterWaiting     woken by ".count))
            seen.insert(waker)
            XCTAssertEqual(pass[pass.index(after: awake)].step, served[waker], "woken by \(waker)")
        }
        XCTAssertEqual(seen, Set(served.keys))
    }

    /// A block that a callback has put on the main queue is found in step 5 of the next pass, which then does not sleep.
    func testX6_TheMainQueueIsServedFromStep5AndFromASleep() throws {
        let passes = try Transcript(of: "$LAB tour </dev/null").passes.map { $0.map(\.step) }.filter { $0.contains("9.2") }
        XCTAssertEqual(passes, [["2", "3", "4", "5", "9.2"], ["2", "3", "4", "5", "6", "7", "8", "9.2", "9"]])
    }

    func testX1_APassThatHasHandledASource0OnlyLooks() throws {
        let passes = try Transcript(of: "$LAB tour </dev/null").passes
        let performed = try XCTUnwrap(passes.first { pass in pass.contains { $0.text.hasPrefix("  Source0") } })
        XCTAssertEqual(performed.map(\.step), ["2", "3", "4", "5", "7"])
        XCTAssert(performed[4].text.hasPrefix("(polled)"))
    }

    func testThePassesWithoutNewsAreOneRowEach() throws {
        let transcript = try Transcript(of: "(sleep 0.6; for line in 1 2 3 4 5; do sleep 0.15; echo line $line; done) | $LAB tour")
        for line in 3...5 {
            let row = transcript.lines.filter { $0.contains("\"line \(line)\"") }
            XCTAssertEqual(row.count, 1)
            XCTAssert(row[0].contains(" 2-9.3  pass "), row[0])
            XCTAssert(row[0].contains("woken by the Source1 port"), row[0])
        }
        let told = transcript.lines.filter { $0.contains("  pass ") }.compactMap { Int($0.split(separator: "pass ")[1].prefix { $0.isNumber }) }
        XCTAssertEqual(told, Array(1...told.count), "every pass is told, in order")
        XCTAssert(transcript.lines.contains { $0.hasPrefix("Seen: \(told.count) passes, 5 lines of input") }, transcript.text)
    }

    func testTheTranscriptFitsOnThePage() throws {
        let transcript = try Transcript(of: "(printf 'x%.0s' $(seq 500); echo) | $LAB tour")
        for line in transcript.lines { XCTAssertLessThanOrEqual(line.count, 100, line) }
        XCTAssert(transcript.text.contains("xxx\" ... (500 bytes)"), transcript.text)
    }

    // MARK: - The input

    func testTheLinesOfTheInputAppearInOrderAndTheLastNeedsNoNewline() throws {
        let transcript = try Transcript(of: "printf 'first\\n\\nthird\\nno newline' | $LAB tour")
        XCTAssertEqual(transcript.inputLines, ["first", "", "third", "no newline"])
        XCTAssert(transcript.text.contains("end of input"))
    }

    func testALineThatComesInPiecesIsPutTogether() throws {
        let transcript = try Transcript(of: "(printf 'one '; sleep 0.1; printf 'line\\nan'; sleep 0.1; echo other) | $LAB tour")
        XCTAssertEqual(transcript.inputLines, ["one line", "another"])
    }

    func testWhatATerminalWouldObeyIsShownInstead() throws {
        let transcript = try Transcript(of: "printf 'a\\tb\\033[31mc\\n' | $LAB tour")
        XCTAssertEqual(transcript.inputLines, ["a\\tb\\u{1B}[31mc"])
    }

    func testMuchInputArrivesWhole() throws {
        let transcript = try Transcript(of: "seq 20000 | $LAB tour")
        XCTAssertEqual(transcript.inputLines, (1...20000).map(String.init))
    }

    func testAFileIsReadThroughAPipe() throws {
        let transcript = try Transcript(of: "$LAB tour <'\(#filePath)'")
        XCTAssertEqual(transcript.inputLines.first, "import TestSupport")
        XCTAssertEqual(transcript.inputLines.last, "}")
        XCTAssert(transcript.text.split(separator: "\n").joined(separator: " ").contains("epoll cannot wait for it"), transcript.text)
    }

    func testWithoutInputEverythingElseIsShown() throws {
        let transcript = try Transcript(of: "$LAB tour </dev/null")
        XCTAssertEqual(transcript.inputLines, [])
        XCTAssertEqual(transcript.stacks.count, 6)
        XCTAssert(transcript.lines.contains("      1  the timer port"), transcript.text)
    }

    func testInputThatCannotBeReadGetsOneClearLine() throws {
        for (redirection, reason) in [("<&-", "is closed"), ("</", "is a directory"), ("0>/dev/null", "is open for writing only")] {
            let result = try lab("$LAB tour \(redirection)")
            XCTAssertEqual(result.status, 1)
            XCTAssertEqual(result.output, "RunLoopLab: standard input \(reason); give the tour a pipe, a file or a terminal, "
                + "or </dev/null for a tour without input")
        }
    }

    // MARK: - The ends

    func testCtrlCEndsTheTourWithWhatWasSeen() throws {
        let endless = "fifo=$(mktemp -u); mkfifo $fifo; exec 0<>$fifo; rm $fifo" // the tour itself has the writing end, so the input never ends
        let transcript = Transcript(try lab("$LAB tour", after: endless, interruptedAfter: "dispatched by another thread"))
        XCTAssertEqual(transcript.steps.last, "10")
        XCTAssert(transcript.text.contains("Interrupted: the SIGINT handler called CFRunLoopStop."), transcript.text)
        XCTAssert(transcript.lines.contains("      0  Source1"), "no input was seen: \(transcript.text)")
    }

    func testAReaderThatLeavesEndsTheTourQuietly() throws {
        let result = try lab("yes | $LAB tour | head -n 1")
        XCTAssertEqual(result.output, "A tour of one run loop: the main thread's, in kCFRunLoopDefaultMode.")
        let ignored = try lab("trap '' PIPE; yes 2>/dev/null | $LAB tour | head -n 1")
        XCTAssertEqual(ignored.output, result.output, "also where SIGPIPE is ignored")
    }
}

// MARK: - Reading it

/// The output of a tour, taken apart.
private struct Transcript {
    struct Row {
        var step: String
        var text: String
    }

    var text: String
    var lines: [String]

    init(of line: String) throws { self.init(try lab(line)) }

    init(_ result: ProgramResult) {
        XCTAssertEqual(result.status, 0, result.output)
        text = result.output
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The rows that begin with one step's number.
    var rows: [Row] {
        let run = lines.drop { !$0.hasPrefix("      1  Entry") }.prefix { !$0.hasPrefix("Seen:") }
        return run.compactMap { line in
            let step = line.prefix(7).filter { $0 != " " }
            return Double(step) == nil ? nil : Row(step: step, text: String(line.dropFirst(9)))
        }
    }

    var steps: [String] { rows.map(\.step) }

    /// The passes that are shown in full: rows from step 2 to step 9.
    var passes: [[Row]] {
        var passes: [[Row]] = []
        for row in rows where row.step != "1" && row.step != "10" {
            if row.step == "2" { passes.append([]) }
            passes[passes.count - 1].append(row)
        }
        return passes
    }

    /// The frames of each stack.
    var stacks: [[String]] {
        var stacks: [[String]] = []
        for line in lines where line.hasPrefix("              |  #") {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            if words[1] == "#0" { stacks.append([]) }
            stacks[stacks.count - 1].append(words[2].trimmingPrefix(" ").description)
        }
        return stacks
    }

    /// The text in quotes.
    var inputLines: [String] {
        lines.compactMap { line in
            guard let start = line.firstIndex(of: "\""), let end = line.lastIndex(of: "\""), start < end else { return nil }
            return String(line[line.index(after: start)..<end])
        }
    }
}
