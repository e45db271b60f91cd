import TestSupport
import XCTest

/// Cases that need their own process: the end of the main thread, and a system without free resources. The programs are in
/// Tests/Programs/SwiftChildren; each prints its observations.
final class ChildTests: XCTestCase {
    private func lines(of arguments: String...) throws -> [String] {
        let result = try runProgram(productBeside("SwiftChildren"), arguments)
        XCTAssertEqual(result.status, 0, "\(arguments): \(result.output)")
        return result.output.split(separator: "\n").map(String.init)
    }

    /// Checks that a child traps, with these words.
    private func assertTraps(_ arguments: String..., words: String, line: UInt = #line) throws {
        let result = try runProgram(productBeside("SwiftChildren"), arguments)
        XCTAssertGreaterThan(result.status, 128, "\(arguments): \(result.output)", line: line)
        XCTAssert(result.output.contains(words), "\(arguments): \(result.output)", line: line)
    }

    /// How a main thread can end while the process continues. libdispatch parks the thread in the first two, so that the kernel
    /// shows it asleep and not as a zombie.
    private let endings = ["async", "dispatchMain", "pthread_exit", "Thread.exit"]

    // MARK: The end of the main thread's own code

    /// The defect: a wait for the main thread hung forever in every program with an async main, because the layer looked for a zombie
    /// thread, and there is none.
    func testPerformingOnAMainThreadWhoseCodeIsOverIsAnErrorAndNeverHangs() throws {
        for ending in endings {
            XCTAssertEqual(try lines(of: "performs", ending), [
                "waiting: mainThreadHasEnded", "waiting, later: mainThreadHasEnded", "not waiting: false",
            ], ending)
        }
    }

    func testAMainThreadThatNobodyAskedForBeforeItsEndIsKnownToHaveEnded() throws {
        for ending in endings {
            XCTAssertEqual(try lines(of: "first-use", ending), ["waiting: mainThreadHasEnded", "executing: false"], ending)
        }
    }

    /// The main loop does not end with its thread's code, so what keeps its jobs must be notified.
    func testNoJobOfTheMainLoopIsLostWhenTheMainThreadsCodeIsOver() throws {
        for ending in endings {
            // If the main thread ends while a job wakes its loop, the C library writes a line.
            XCTAssertEqual(try lines(of: "jobs", ending).filter { !$0.contains("the main thread has exited") }, [
                "all jobs have run", "the last one on the main thread: false", "a new actor's, too",
            ], ending)
            XCTAssertEqual(try lines(of: "late-jobs", ending), ["a late job has run"], ending)
        }
    }

    /// The main loop does not end, so its sequences must be notified.
    func testSequencesOnTheMainLoopEndWhenTheMainThreadsCodeIsOver() throws {
        for ending in endings {
            // If the main thread ends while a task adds an item, the C library writes a line.
            XCTAssertEqual(try lines(of: "sequences", ending).filter { !$0.contains("the main thread has exited") }, [
                "the ticks end", "the descriptor's events end", "later sequences end, too",
            ], ending)
        }
    }

    func testASecondStartOfAThreadStopsTheProgram() throws {
        try assertTraps("started-twice", words: "the thread has been started before")
        try assertTraps("started-twice", "later", words: "the thread has been started before")
    }

    // MARK: Signals

    func testASignalForWhichNoLoopCanWaitStopsTheProgramAtOnceAndIsNamed() throws {
        for number in [0, 65, SIGSEGV] {
            try assertTraps("impossible-signal", "\(number)", words: "RunLoop: no loop can wait for signal \(number)\n")
        }
    }

    func testSignalsWithoutADescriptorThrowAndKeepTheirActions() throws {
        XCTAssertEqual(try lines(of: "no-descriptor"), ["EMFILE: true", "the action is the default one: true"])
    }

    /// The defect: the child of a fork wrote its signals into its parent's pipe.
    func testTheSignalsOfAForkedChildAreNotItsParents() throws {
        XCTAssertEqual(try lines(of: "fork"), ["after the child's: 0", "after its own: 1"])
    }

    // MARK: Standard input

    /// A pipe, a file, a device that is at its end, and a directory; and a closed one, whose number libdispatch may have taken.
    func testLinesOfStandardInputArriveWhateverItIsWhileATimerTicks() throws {
        let program = try productBeside("SwiftChildren"), path = NSTemporaryDirectory() + "ChildTests.\(getpid())"
        try "one\ntwo".write(toFile: path, atomically: true, encoding: .utf8)
        defer { unlink(path) }
        let lines = ["line: one", "line: two", "end", "the timer ticks"]
        for (input, expected) in [
            ("printf 'one\\ntwo' | \(program) input", lines),
            ("\(program) input <\(path)", lines),
            ("\(program) input </dev/null", ["end", "the timer ticks"]),
            ("\(program) input </", ["error \(EISDIR)", "the timer ticks"]),
        ] {
            let result = try runProgram("/bin/sh", ["-c", input])
            XCTAssertEqual(result.output.split(separator: "\n").map(String.init), expected, input)
        }
    }

    /// The defect: libdispatch may have the number 0 by then, for an epoll instance; the lines waited until that had something to report.
    func testAClosedStandardInputIsAnErrorWhoeverHasItsNumber() throws {
        let program = try productBeside("SwiftChildren")
        for _ in 0..<30 {
            let result = try runProgram("/bin/sh", ["-c", "\(program) input <&-"])
            XCTAssertEqual(result.output.split(separator: "\n").map(String.init), ["error \(EBADF)", "the timer ticks"])
        }
    }

    func testLinesOfATerminalArriveUntilItsEnd() throws {
        let main = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try XCTSkipIf(main < 0, "there is no terminal")
        var number: Int32 = 0
        XCTAssertEqual(ioctl(main, 0x4004_5431, &number), 0) // TIOCSPTLCK: unlocked
        XCTAssertEqual(ioctl(main, 0x8004_5430, &number), 0) // TIOCGPTN
        XCTAssertEqual(write(main, "one\ntwo\n\u{4}", 9), 9) // Control-D is the end
        let result = try runProgram("/bin/sh", ["-c", "\(productBeside("SwiftChildren")) input </dev/pts/\(number)"])
        close(main)
        XCTAssertEqual(result.output.split(separator: "\n").map(String.init), ["line: one", "line: two", "end", "the timer ticks"])
    }

    // MARK: A main loop that nobody runs

    /// The defect: such a program, an async XCTest for example, hung without a word.
    func testATaskThatAwaitsAMainLoopThatNobodyRunsIsReportedOnce() throws {
        let program = try productBeside("SwiftChildren"), waits = ["all", "ticks", "run", "job", "attached", "attached later"], said = Shared([String: [Substring]]())
        DispatchQueue.concurrentPerform(iterations: waits.count) { index in
            let result = try? runProgram(program, ["unserved", waits[index]])
            said.withLock { $0[waits[index]] = result?.output.split(separator: "\n") ?? ["cannot run"] }
        }
        XCTAssertEqual(said.value.count, waits.count)
        for (wait, said) in said.value {
            let reports = said.filter { $0.hasPrefix("RunLoop.main: a task has waited for this loop for two seconds, and nobody runs it.") }
            XCTAssertEqual(reports.count, wait.hasPrefix("attached") ? 0 : 1, "\(wait): \(said)")
            XCTAssertEqual(said.count, reports.count, "\(wait): \(said)")
            XCTAssert(reports.allSatisfy { $0.contains("RunLoop.main.attachToMainQueue()") })
        }
    }

    // MARK: Numbers

    /// On a Mac, the main thread has the number 1 whenever it is asked for, and others have the next ones in the order in which they are made.
    func testThreadsHaveTheirNumbersInTheirOrder() throws {
        XCTAssertEqual(try lines(of: "numbers"), ["number = 2", "number = 1", "number = 3"])
    }

    // MARK: What stops the program

    func testATimeThatIsNoNumberStopsTheProgram() throws {
        for time in ["date", "interval"] {
            try assertTraps("no-number", time, words: "Timer: the fire date and the interval must be numbers")
        }
    }

    func testOnlyTheMainLoopIsAttachedAndOnlyOnItsThread() throws {
        for loop in ["main", "another"] {
            try assertTraps("attach", loop, words: "this is not the main loop, or not its thread")
        }
        try assertTraps("attach", "common", words: "nothing runs in the mode .common")
    }

    // MARK: Closures of actors

    func testAClosureOfTheMainActorMayBeCalledWhereTheMainQueueIsServed() throws {
        let result = try runProgram(productBeside("SwiftChildren"), ["main-actor", "dispatchMain"])
        XCTAssertEqual(result.status, 0, result.output)
        XCTAssert(result.output.contains("called on the main thread: false"), result.output)
    }

    /// The compiler cannot know which thread's loop gets an item, so the loop checks before it calls the closure.
    func testAClosureOfTheMainActorIsNotCalledOnAnotherThreadAndTheProgramSaysWhy() throws {
        for item in ["timer", "fire", "observer", "source", "descriptor", "signal", "perform"] {
            try assertTraps("wrong-actor", item, words: "belongs to the main actor, but a thread other than the main thread calls it. Use RunLoop.main")
        }
    }

    // MARK: The data of a thread

    /// An NSMutableDictionary has no lock, and the compiler cannot know which thread asks for it.
    func testTheDictionaryOfAThreadThatRunsIsRefusedToOtherThreads() throws {
        try assertTraps("dictionary", words: "Thread.threadDictionary: only the thread itself may use it while it runs")
    }

    // MARK: A system without free resources

    /// The defect: this trapped. A thread that the system cannot create is finished without having run, and reports the reason. A
    /// stall monitor waited for such a thread when it was stopped.
    func testAThreadForWhichTheSystemHasNoRoomIsFinishedAndSaysWhy() throws {
        try skip(under: .thread, .address, because: "its shadow takes more than the limit")
        let said = try lines(of: "no-threads")
        XCTAssertEqual(said.filter { !$0.contains("Thread.start()") }, [
            "finished: true, executing: false, EAGAIN: true", "block released: true", "waiting: the thread has finished: nothing can be performed on it any more",
            "performed before: 1 released", "a smaller one: finished true, error 0", "a monitor stops",
        ])
        XCTAssertEqual(said.filter { $0.contains("Thread.start(): the system cannot create <Thread: 0x") }.count, 2, "\(said)")
    }

    func testAWorkerForWhichTheSystemHasNoThreadTrapsWithWords() throws {
        try skip(under: .thread, .address, because: "its shadow takes more than the limit")
        try assertTraps("no-worker", words: "RunLoop.Worker: the system cannot create a thread: Resource temporarily unavailable")
    }

    func testAMainThreadThatRunsItsLoopHasNotEnded() throws {
        XCTAssertEqual(try lines(of: "lives"), ["performed", "waiting: no error", "finished: false"])
    }
}
