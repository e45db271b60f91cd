import TestSupport
import XCTest

/// Programs whose main function is async, built and run as a user would. Their sources are in Tests/Programs/AsyncMain. They are in the package of
/// `ExamplesTests`, which depends on this one, and their only code for it is `import SwiftRunLoop`.
final class AsyncMainTests: TestCaseBeside {
    private func run(_ program: String, _ arguments: String...) throws -> (lines: [String], status: Int32) {
        try skip(under: .thread, .address, because: "it builds programs that have no sanitizer")
        let result = try runProgram(ExamplesTests.built.get().path(of: program), arguments)
        return (result.output.split(separator: "\n").map(String.init), result.status)
    }

    /// What `useMainThread` prints where the main thread runs the main loop.
    private let allOnMainThread = [
        "timer: main thread, mode default",
        "main actor after it: main thread, mode default",
        "after a sleep: main thread, mode default",
        "after a block of the main queue: main thread, mode default",
        "the block itself: main thread",
        "detached: another thread",
        "MainActor.run: main thread",
        "performed: main thread",
        "awaited perform: main thread",
        "after a block and a source of the loop: main thread, mode default",
        "main thread executing: true",
    ]

    private func check(
        _ result: (lines: [String], status: Int32), prints lines: [String], status: Int32 = 0, line: UInt = #line
    ) {
        XCTAssertEqual(result.lines, lines, line: line)
        XCTAssertEqual(result.status, status, line: line)
    }

    // MARK: One main thread

    func testR1_D64_UnderAnAsyncMainTheMainThreadRunsTheMainLoopTheMainQueueAndTheMainActor() throws {
        check(try run("AtMain", "works"), prints: ["begins: true"] + allOnMainThread + ["ends"])
    }

    func testAProgramWithTopLevelAwaitHasTheSameMainThread() throws {
        check(try run("TopLevel"), prints: ["begins: true"] + allOnMainThread + ["ends: true"])
    }

    func testAMainFunctionOnTheMainActorStaysOnTheMainThread() throws {
        check(try run("OnMainActor"), prints: ["begins: true", "counted: 100"] + allOnMainThread + ["ends: true"])
    }

    func testASynchronousMainThatRunsTheMainLoopWorksAsBefore() throws {
        check(try run("Synchronous"), prints: allOnMainThread, status: 5)
    }

    /// As with swift-argument-parser: the async main function is the library's, and calls the tool's `run()`.
    func testAMainFunctionThatAProtocolProvidesHasTheSameMainThread() throws {
        check(try run("Command"), prints: allOnMainThread)
        check(try run("Command", "fails"), prints: ["Error: 64"], status: 64)
    }

    /// A job of the main actor runs Foundation's loop, inside ours. Blocks of the main queue wait meanwhile; none is lost.
    func testFoundationsLoopRunsInAJobOfTheMainActor() throws {
        check(try run("BesideFoundation"), prints: [
            "Foundation's timer fires", "of ours and of the main queue meanwhile: 0", "afterwards: 6", "begins and ends on the main thread: true",
        ])
    }

    func testTestsOfSwiftTestingOnTheMainActorHaveTheMainThreadAndItsLoop() throws {
        try skip(under: .thread, .address, because: "it builds programs that have no sanitizer")
        let package = try ExamplesTests.built.get()
        let result = try runProgram("/usr/bin/env", [
            "timeout", "120", "swift", "test", "--skip-build", "--disable-xctest", "--filter", "MainThreadTests", "--package-path", package.directory.path,
        ])
        XCTAssertEqual(result.status, 0, result.output)
        XCTAssert(result.output.contains("Test run with 3 tests"), result.output)
        XCTAssert(result.output.contains("passed"), result.output)
    }

    /// This would notice a wait that polls, or a descriptor that stays ready.
    func testAnAsyncMainWithNothingToDoSleeps() throws {
        check(try run("AtMain", "idle"), prints: ["begins: true", "idle: yes", "ends"])
    }

    func testD65_StoppingTheMainLoopDoesNotEndAnAsyncMain() throws {
        check(try run("AtMain", "stopped"), prints: ["begins: true", "still on the main thread: true", "ends"])
    }

    // MARK: The end of the program

    func testAnErrorThatAnAsyncMainThrowsEndsTheProgramAsInTheRuntime() throws {
        for program in [try run("AtMain", "throws"), try run("TopLevel", "throws")] {
            XCTAssert(program.lines.contains { $0.contains("Fatal error: Error raised at top level: ") && $0.contains("Problem()") }, "\(program)")
            XCTAssert([128 + SIGILL, 128 + SIGTRAP].contains(program.status), "\(program)")
        }
    }

    func testExitEndsTheProgramFromATimerAndFromAnotherThread() throws {
        check(try run("AtMain", "exits"), prints: ["begins: true"], status: 7)
        check(try run("AtMain", "exits elsewhere"), prints: ["begins: true"], status: 8)
    }

    func testSignalsEndTheProgramByTheirDefaultActions() throws {
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            check(try run("AtMain", "signal", "\(signal)"), prints: ["begins: true"], status: 128 + signal)
        }
    }

    // MARK: Without the hook

    /// One call before the first suspension leaves the main thread to Swift's runtime, as without this library.
    func testD64_AProgramMayLeaveItsMainThreadToTheRuntime() throws {
        check(try run("AtMain", "without"), prints: [
            "begins: true", "enabled: true", "enabled: false", "still on the main thread: false, finished: true", "ends",
        ])
    }

    /// Builds only the target with the hook, in a program that stands for a runtime.
    private func loadHook(_ arguments: String..., options: [String] = [], hasTrait: Bool = true) throws -> [String] {
        try skip(under: .thread, .address, because: "its runtime would have to be in the host")
        let files = FileManager.default, sources = SourceFile.root.appendingPathComponent("Sources").path
        let directory = NSTemporaryDirectory() + "AsyncMainTests.\(getpid())", plugin = directory + "/plugin.so", host = directory + "/host"
        try files.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? files.removeItem(atPath: directory) }
        let products = try productBeside("CRunLoop.build")
        let objects = (files.enumerator(atPath: products)!.compactMap { $0 as? String }).filter { $0.hasSuffix(".o") }.map { products + "/" + $0 }
        let swift = try runProgram("/usr/bin/env", ["which", "swift"]).output
        let libraries = URL(fileURLWithPath: swift).resolvingSymlinksInPath().deletingLastPathComponent().path + "/../lib/swift/linux"
        let dispatch = ["-L\(libraries)", "-ldispatch", "-lBlocksRuntime", "-Wl,-rpath,\(libraries)"] // the host has it, like Swift's runtime
        let hook = "\(sources)/CSwiftRunLoop"
        var forPlugin = (hasTrait ? ["-DCRUNLOOP_MAIN_HOOK=1"] : []) + ["-fPIC", "-shared", "-fblocks", "-I\(sources)/CRunLoop/include", "-I\(hook)/include"]
        forPlugin += ["\(hook)/CRunLoopMainHook.c", "-o", plugin, "-lm"] + objects + dispatch
        let source = SourceFile.root.appendingPathComponent("Tests/Programs/AsyncMain/Plugin/host.c").path
        let forHost = options + ["-rdynamic", source, "-o", host, "-ldl", "-lpthread", "-Wl,--no-as-needed"] + dispatch
        for command in [forPlugin, forHost] {
            let result = try runProgram("/usr/bin/env", ["clang"] + command)
            if result.status != 0 { throw CannotRun(description: result.output) }
        }
        let result = try runProgram(host, [plugin] + arguments)
        XCTAssertEqual(result.status, 0, result.output)
        return result.output.split(separator: "\n").map(String.init)
    }

    /// Otherwise the main thread would call a function that has been unloaded. A plug-in that the main thread has loaded stays loaded,
    /// because the end of that thread calls one of its functions; any other plug-in can be unloaded.
    func testAPlugInThatIsUnloadedTakesItsHookAway() throws {
        let lines = try loadHook()
        XCTAssertEqual(lines, ["loaded: set, enabled 1, then 0", "unloaded: set"])
        let linesOfThread = try loadHook("thread")
        XCTAssertEqual(linesOfThread, ["loaded: set, enabled 1, then 0", "unloaded: not set"])
    }

    func testTheHookOfAnotherLibraryIsLeftAlone() throws {
        let lines = try loadHook("other")
        XCTAssertEqual(lines, ["loaded: another library's, enabled 0, then 0", "unloaded: another library's"])
    }

    func testARuntimeWithoutTheHookIsNoError() throws {
        let lines = try loadHook(options: ["-DWITHOUT"])
        XCTAssertEqual(lines, ["loaded: not set, enabled 0, then 0", "unloaded: not set"])
    }

    /// The trait defines this macro.
    func testWithoutTheTraitMainHookTheHookIsNotSet() throws {
        let lines = try loadHook(hasTrait: false)
        XCTAssertEqual(lines, ["loaded: not set, enabled 0, then 0", "unloaded: not set"])
        let manifest = try XCTUnwrap(SourceFile.read("Package.swift")?.text)
        XCTAssert(manifest.contains(#".define("CRUNLOOP_MAIN_HOOK", .when(traits: ["MainHook"]))"#))
        XCTAssert(manifest.contains(#".default(enabledTraits: ["MainHook"])"#))
    }
}
