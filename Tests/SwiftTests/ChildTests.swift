import XCTest

/// What needs a process of its own: the end of the main thread, and a system that has nothing left. The programs are in
/// Tests/SwiftChildren; each says what it saw.
final class ChildTests: XCTestCase {
    private func lines(of arguments: String...) throws -> [String] {
        let result = try runProgram(productBeside("SwiftChildren"), arguments)
        XCTAssertEqual(result.status, 0, "\(arguments): \(result.output)")
        return result.output.split(separator: "\n").map(String.init)
    }

    /// How a main thread's own code can end while the process goes on. libdispatch parks the thread in the first two, so that the kernel
    /// shows it asleep and not as a zombie.
    private let endings = ["async", "dispatchMain", "pthread_exit", "Thread.exit"]

    // MARK: The end of the main thread's own code

    /// A wait on the main thread hung forever in every program with an async main: the layer looked for a zombie, and there is none.
    func testPerformingOnAMainThreadWhoseCodeIsOverIsAnErrorAndNeverHangs() throws {
        for ending in endings {
            XCTAssertEqual(try lines(of: "performs", ending), [
                "waiting: mainThreadHasEnded", "waiting, later: mainThreadHasEnded", "not waiting: mainThreadHasEnded",
            ], ending)
        }
    }

    func testAMainThreadThatNobodyAskedForBeforeItsEndIsKnownToHaveEnded() throws {
        for ending in endings {
            XCTAssertEqual(try lines(of: "first-use", ending), ["waiting: mainThreadHasEnded", "executing: false"], ending)
        }
    }

    /// The loop of a thread that has ended takes its executor along; the main loop stays, so its executor must be told.
    func testAnExecutorOnTheMainLoopLeavesWhenTheMainThreadsCodeIsOverAndLosesNoJob() throws {
        for ending in endings {
            XCTAssertEqual(try lines(of: "executor", ending), [
                "has left at first: false", "all jobs have run", "has left at last: true", "a new one has left: true",
            ], ending)
        }
    }

    // MARK: A system that has nothing left

    /// It trapped. The thread for which there is no room is finished without having run, and says why; its executor does without.
    func testAThreadForWhichTheSystemHasNoRoomIsFinishedAndSaysWhy() throws {
        for sanitizer in [Sanitizer.thread, .address] { try skip(under: sanitizer, because: "its shadow takes more than the limit") }
        let said = try lines(of: "no-threads")
        XCTAssertEqual(said.filter { !$0.contains("Thread.start()") }, [
            "finished: true, executing: false, EAGAIN: true", "block released: true", "waiting: the thread has finished: nothing can be performed on it any more",
            "performed before: 1 released", "executor has left: true", "its jobs run: 1", "a smaller one: finished true, error 0",
        ])
        XCTAssertEqual(said.filter { $0.contains("Thread.start(): the system cannot create <Thread: 0x") }.count, 2, "\(said)")
    }

    func testAMainThreadThatRunsItsLoopHasNotEnded() throws {
        XCTAssertEqual(try lines(of: "lives"), ["performed", "waiting: no error", "finished: false"])
    }
}
