import SwiftRunLoop
import TestSupport
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

    /// Differences and corrections are on pages of their own.
    func testADifferenceAndACorrectionHaveTheirPlaces() throws {
        for (name, page) in [("D13", "differences"), ("correction 8", "corrections"), ("R7", "ANNOTATIONS")] {
            XCTAssert(try words(of: name).contains(/\.(zh\.)?md:\d+/), name)
            XCTAssert(try words(of: name).contains("\(page)."), name)
        }
    }

    // MARK: - Stacks and printed loops

    /// The lines of Facts/explain: of each its head, and its text.
    private func read(_ pasted: String, language: String = "en") throws -> [[String]] {
        try runPython(["Facts/explain", "--lang", language, pasted]).output.split(separator: "\n").map { $0.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false).map(String.init) }
    }

    private static let asleep = "The run sleeps in step 7, until a port of its mode is ready or its time limit has passed."

    /// A reader who pastes a stack is told in which step the thread is, whatever tool has printed it: the call trees name main first, the lists last.
    func testAStackOfEachFormIsRead() throws {
        let stacks = [
            "lldb and Xcode": ("""
                * thread #1, queue = 'com.apple.main-thread', stop reason = breakpoint 1.1
                  * frame #0: 0x0000000104a8d1f0 Demo`-[Clock tick:](self=0x14f50a3b0, _cmd="tick:") at Clock.m:31:5
                    frame #1: 0x00000001812ab4f8 Foundation`__NSFireTimer + 88
                    frame #2: 0x0000000180361a88 CoreFoundation`__CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__ + 20
                    frame #3: 0x0000000180360e7c CoreFoundation`__CFRunLoopDoTimers + 284
                    frame #4: 0x000000018035b4b0 CoreFoundation`__CFRunLoopRun + 1868
                    frame #5: 0x000000018035a7b0 CoreFoundation`CFRunLoopRunSpecific + 572
                    frame #6: 0x0000000104a8d5a4 Demo`-[Clock start](self=0x14f50a3b0) at Clock.m:17:12
                """, "thread #1, queue = 'com.apple.main-thread': The run is in step 9.1: the timers that are due fire. It has called a timer's callback: __NSFireTimer, and in it -[Clock tick:]."),
            "gdb": ("""
                #0  0x00007ffff7d1e1f2 in epoll_pwait2 () from /lib/libc.so.6
                #1  0x00005555555a0d31 in __CFPortSetWait (set=5) at Kernel/CFPortSet.c:230
                #2  0x00005555555a2000 in __CFRunLoopRun (rl=0x5555) at CFRunLoop.c:400
                #3  0x00005555555a3000 in CFRunLoopRunSpecific (rl=0x5555) at CFRunLoop.c:500
                """, Self.asleep),
            "a crash report": ("""
                Thread 0 Crashed:
                0   libdispatch.dylib             \t0x00000001b5a3a8d4 _dispatch_sema4_wait + 28
                1   Demo                          \t0x0000000102d4c1a0 -[Page layoutSubviews] + 96
                2   CoreFoundation                \t0x00000001b5c6d6c8 __CFRUNLOOP_IS_CALLING_OUT_TO_AN_OBSERVER_CALLBACK_FUNCTION__ + 36
                3   CoreFoundation                \t0x00000001b5c6862c __CFRunLoopDoObservers + 572
                4   CoreFoundation                \t0x00000001b5c68360 CFRunLoopRunSpecific + 480
                """, "Thread 0 Crashed: The run is in step 1 or 10, where observers are notified. It has called an observer's callback: -[Page layoutSubviews]. The callback waits for a semaphore; until then the loop serves nothing."),
            "callStackSymbols": ("""
                (
                \t0   Demo                    0x0000000104a8d1f0 -[Worker work] + 48,
                \t1   CoreFoundation          0x0000000180361a88 __CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__ + 24,
                \t2   CoreFoundation          0x000000018035b4b0 __CFRunLoopRun + 836,
                \t3   CoreFoundation          0x000000018035a7b0 CFRunLoopRunSpecific + 572,
                \t4   Foundation              0x000000018c5ea9c4 -[NSRunLoop(NSRunLoop) run] + 212
                )
                """, "The run is in step 4: the signalled Source0s are performed, in their order. It has called a Source0's perform: -[Worker work]. Its mode is kCFRunLoopDefaultMode."),
            "sample": ("""
                Call graph:
                    2048 Thread_283475   DispatchQueue_1: com.apple.main-thread  (serial)
                    + 2048 main  (in Demo) + 128  [0x1046a1d80]
                    +   2048 CFRunLoopRunSpecific  (in CoreFoundation) + 608  [0x18a4d34b8]
                    +     2040 __CFRunLoopRun  (in CoreFoundation) + 1208  [0x18a4d401c]
                    +     ! 2040 __CFRunLoopServiceMachPort  (in CoreFoundation) + 160  [0x18a4d5758]
                    +     !   2040 mach_msg2_trap  (in libsystem_kernel.dylib) + 8  [0x18a40ef54]
                    +     8 __CFRunLoopRun  (in CoreFoundation) + 828  [0x18a4d3ea0]
                    +       8 __CFRunLoopDoSources0  (in CoreFoundation) + 244  [0x18a4d4f98]

                Total number in stack (recursive counted multiple, when >=5):
                """, "Thread_283475 DispatchQueue_1: com.apple.main-thread: \(Self.asleep)"),
            "spindump": ("""
                  Thread 0x1a2b    DispatchQueue "com.apple.main-thread"(1)    1001 samples (1-1001)    priority 46
                  1001  main + 128 (Demo + 7552) [0x1046a1d80]
                    1001  CFRunLoopRunSpecific + 608 (CoreFoundation + 512184) [0x18a4d34b8]
                      1001  __CFRunLoopRun + 1208 (CoreFoundation + 516124) [0x18a4d401c]
                        1001  __CFRunLoopServiceMachPort + 160 (CoreFoundation + 521048) [0x18a4d5758]
                """, "Thread 0x1a2b DispatchQueue \"com.apple.main-thread\"(1): \(Self.asleep)"),
            "Instruments": ("""
                2.05 s  100.0%\t0 s\t \tDemo (1234)
                2.05 s  100.0%\t0 s\t \t Main Thread  0x5cd
                2.05 s  100.0%\t0 s\t \t  CFRunLoopRunSpecific
                2.05 s  100.0%\t0 s\t \t   __CFRunLoopRun
                1.90 s  92.0%\t0 s\t \t    _dispatch_main_queue_callback_4CF
                0.15 s  8.0%\t0 s\t \t    __CFRunLoopDoBlocks
                """, "The run is in step 9.2: the main dispatch queue is served."),
            "a report in JSON": ("""
                {"threads":[{"frames":[{"symbol":"sleep"}]},{"triggered":true,"id":7,"frames":[{"imageIndex":0,"symbol":"__CFRunLoopDoSource1"},{"symbol":"__CFRunLoopRun"},{"symbol":"CFRunLoopRunSpecific"}]}]}
                """, "The run is in step 9.3: the Source1 whose port is ready is performed."),
            "names with arrows": ("main → CFRunLoopRunSpecific → __CFRunLoopRun → __CFRunLoopDoBlocks → __CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__ → refill",
                                  "The run is in step 3, 4 or 9, where blocks are performed. It has called a block: refill."),
        ]
        for (form, (stack, words)) in stacks {
            let lines = try read(stack)
            XCTAssertEqual(lines.first?.last, words, form)
            XCTAssert(lines.contains { $0[1].hasPrefix("CFRunLoopRunSpecific: One run") }, form)
            XCTAssert(try read(stack, language: "zh").first![1].contains("这次运行"), form)
        }
        XCTAssert(try read(stacks["lldb and Xcode"]!.0).contains(["–", "-[Clock start]"]), "what has begun the run is not what the run has called")
        XCTAssert(try read(stacks["lldb and Xcode"]!.0).contains(["yours", "-[Clock tick:]: the loop has called it"]))
        XCTAssertFalse(try read(stacks["sample"]!.0).contains { $0[1].hasPrefix("__CFRunLoopDoSources0") }, "the branch with fewer samples")
    }

    /// A frame of a nested run is in its own run: each has its own step.
    func testOfNestedRunsEachIsTold() throws {
        let inner = ["__CFRunLoopServiceMachPort", "__CFRunLoopRun", "CFRunLoopRunSpecific"], outer = ["show", "__CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__", "__CFRunLoopRun", "CFRunLoopRunSpecific"]
        let words = try read((inner + outer).enumerated().map { "\($0) \($1)" }.joined(separator: "\n"))[0][1]
        XCTAssert(words.contains("The inner run sleeps in step 7"), words)
        XCTAssert(words.contains("The outer run is in step 9.1: the timers that are due fire. It has called a timer's callback: show."), words)
    }

    /// The loop of an application whose timer stands still while a finger drags, as a debugger prints it.
    func testAPrintedLoopIsRead() throws {
        let mode = "port set = 0x2e03, queue = 0x6, source = 0x6 (not fired), timer port = 0x2d03, \n\tsources0 = "
        let signaled = "<CFRunLoopSource 0x6a [0x1]>{signalled = Yes, valid = Yes, order = -1, context = <CFRunLoopSource context>{version = 0, info = 0x0, callout = tap (0x1)}}"
        let print = """
            <CFRunLoop 0x600 [0x1]>{wakeup port = 0x1a07, stopped = false, ignoreWakeUps = false,
            current mode = UITrackingRunLoopMode,
            common modes = <CFBasicHash 0x6 [0x1]>{type = mutable set, count = 1, entries => 0 : <CFString 0x6 [0x1]>{contents = "UITrackingRunLoopMode"} },
            common mode items = (null),
            modes = <CFBasicHash 0x600 [0x1]>{type = mutable set, count = 2, entries =>
            \t2 : <CFRunLoopMode 0x600 [0x1]>{name = UITrackingRunLoopMode, \(mode)<CFBasicHash 0x6 [0x1]>{type = mutable set, count = 1, entries => 0 : \(signaled) },
            \tsources1 = (null),\n\tobservers = (null),\n\ttimers = (null) },
            \t3 : <CFRunLoopMode 0x601 [0x1]>{name = kCFRunLoopDefaultMode, \(mode)(null),
            \tsources1 = (null),\n\tobservers = (null),\n\ttimers = <CFArray 0x6 [0x1]>{type = mutable-small, count = 1, values = ( 0 : <CFRunLoopTimer 0x6b [0x1]>{valid = Yes, firing = No} )} } } }
            """
        let lines = try read(print)
        XCTAssertEqual(lines[0][1], "This loop was running in UITrackingRunLoopMode when it was printed.")
        XCTAssertEqual(lines.filter { $0[0] == "look here" }.map { $0[1] }, [
            "kCFRunLoopDefaultMode has more timers than UITrackingRunLoopMode: those that are not in UITrackingRunLoopMode do not fire until the mode changes.",
            "CFRunLoopSource 0x6a is signaled: the next step 4 performs it."])
        XCTAssert(lines.contains(["mode", "kCFRunLoopDefaultMode: 0 Source0, 0 Source1, 0 Observer, 1 Timer. The mode of ordinary work."]), "\(lines)")
        let ours = try read(RunLoop.main.description).map { $0[1] }
        XCTAssert(ours[0].hasPrefix("This loop was") && ours.contains { $0.hasPrefix("wakeup port = ") }, "\(ours)")
    }

    /// A single frame is a name, and an article's code with arrows or braces is code.
    func testAPhraseIsNoStack() throws {
        for (phrase, answer) in [("12  CoreFoundation  0x0000000181b2f2a0 __CFRunLoopDoBlocks + 356", "__CFRunLoopDoBlocks: "), ("do { CFRunLoopRun(); } while (1);", "CFRunLoopRun: ")] {
            XCTAssert(try read(phrase)[0][1].hasPrefix(answer), phrase)
        }
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
