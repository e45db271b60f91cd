import Foundation
import TestSupport
import XCTest

/// Programs that the compiler must refuse, because they would race or block, and its messages. They are compiled against the module that is
/// being tested, in Swift 6 mode, up to the point where the compiler looks for data races.
final class CompileTests: TestCaseBeside {
    private let modules = String(try! productBeside("CTests").dropLast("CTests".count)) + "Modules"
    private let headers = ["CRunLoop", "CSwiftRunLoop", "CRunLoopFoundationHook", "CRunLoopDiagnostics"].map {
        "-I\(SourceFile.root.path)/Sources/\($0)/include"
    }

    /// The compiler's messages about a program.
    private func compile(_ program: String, flags: [String] = ["-parse-as-library"], as name: String = "Program.swift") throws -> ProgramResult {
        let directory = NSTemporaryDirectory() + "CompileTests.\(UUID())", file = directory + "/" + name
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try ("import SwiftRunLoopAsync\nfinal class Box { var value = 0 }\n" + program).write(toFile: file, atomically: true, encoding: .utf8)
        return try runProgram("/usr/bin/env", [
            "swiftc", "-swift-version", "6", "-emit-sil", "-o", "/dev/null", "-I", modules,
            "-module-cache-path", modules + ".cache", file,
        ] + headers + flags)
    }

    /// A program, and the errors that the compiler must find in it.
    private struct Case {
        var what: String, program: String
        var errors: [String]

        static func compiles(_ what: String, _ program: String) -> Case { Case(what: what, program: program, errors: []) }
        static func refused(_ what: String, _ program: String, _ errors: String...) -> Case { Case(what: what, program: program, errors: errors) }
    }

    private func check(_ cases: [Case], line: UInt = #line) throws {
        for (one, result) in zip(cases, try concurrently(cases) { try self.compile($0.program) }) {
            XCTAssertEqual(result.status == 0, one.errors.isEmpty, "\(one.what): \(result.output)", line: line)
            for error in one.errors {
                XCTAssert(result.output.contains("error: ") && result.output.contains(error), "\(one.what): no “\(error)” in \(result.output)", line: line)
            }
        }
    }

    // MARK: What crosses to another thread

    /// Without this, the tests below could pass for another reason, such as a missing module.
    func testWhatIsSendableOrGivenAwayMayCross() throws {
        try check([
            .compiles("what a source, a descriptor or an observer captures", """
                func given() throws {
                    let count = 1
                    RunLoop.main.add(RunLoop.Source { print(count) }, forMode: .default)
                    try! RunLoop.main.add(RunLoop.Source(fileDescriptor: 0) { _, _ in print(count) }, forMode: .default)
                    let observed = Box()
                    RunLoop.main.add(RunLoop.Observer { _, _ in observed.value += 1 }, forMode: .default)
                    let performed = Box()
                    Thread.main.perform { performed.value += 1 }
                    let worker = RunLoop.Worker(), waited = Box()
                    let returned = try worker.thread.performAndWait { () -> Box in
                        waited.value += 1
                        return Box()
                    }
                    print(returned.value)
                }
                """),
            .compiles("a thread and a port", """
                final class Worker: Thread, @unchecked Sendable {}
                func cross() {
                    let worker = Worker(), port = Port(), descriptor = try! RunLoop.Source(fileDescriptor: 0) { _, _ in }
                    Thread.detachNewThread { print(worker.isFinished, port.isValid, descriptor.events) }
                    Task { print(worker, port, descriptor) }
                    print(worker, port, descriptor)
                }
                """),
            .compiles("what is given to a perform", """
                func given(_ thread: Thread) {
                    let other = Box()
                    RunLoop.main.perform { other.value += 1 }
                    Task {
                        let dates = try await thread.run { RunLoop.current.ticks(every: .seconds(1)) }
                        for await date in dates { print(date) }
                    }
                }
                @MainActor final class Screen {
                    var count = 0
                    func show() {
                        RunLoop.main.perform { MainActor.assumeIsolated { self.count += 1 } }
                    }
                }
                """),
            .compiles("the closure of a timer that belongs to an actor", """
                @MainActor var ticks = 0
                @MainActor func natural() {
                    Timer.scheduledTimer(withTimeInterval: 0.1, repeats: true) { timer in
                        ticks += 1
                        if ticks == 3 { timer.invalidate() }
                    }
                }
                @MainActor final class Clock {
                    var ticks = 0
                    func start() -> [RunLoop.Item] {
                        let timer = Timer.scheduledTimer(withTimeInterval: 0.1, repeats: true) { timer in
                            self.ticks += 1
                            if self.ticks == 3 { timer.invalidate() }
                        }
                        let other = Timer(timeInterval: 1, repeats: true) { @MainActor [weak self] _ in self?.ticks += 1 }
                        let source = RunLoop.Source { @MainActor in self.ticks += 1 }
                        let descriptor = try! RunLoop.Source(fileDescriptor: 0) { @MainActor _, _ in self.ticks += 1 }
                        let observer = RunLoop.Observer { @MainActor _, _ in self.ticks += 1 }
                        let signals = try! RunLoop.Source(signals: SIGINT) { @MainActor _ in self.ticks += 1 }
                        let child = try! RunLoop.Source(exitOf: 1) { @MainActor _ in self.ticks += 1 }
                        RunLoop.main.perform { @MainActor in self.ticks += 1 }
                        return [timer, other, source, descriptor, observer, signals, child]
                    }
                    func assumes() -> Timer {
                        Timer(timeInterval: 1, repeats: true) { timer in
                            MainActor.assumeIsolated {
                                self.ticks += 1
                                if self.ticks == 3 { timer.invalidate() }
                            }
                        }
                    }
                }
                actor Counter {
                    var ticks = 0
                    func start() {
                        Timer.scheduledTimer(withTimeInterval: 0.1, repeats: true) { timer in
                            self.ticks += 1
                            if self.ticks == 3 { timer.invalidate() }
                        }
                    }
                }
                """),
            .compiles("loops, timers and other items are Sendable", """
                func cross(_ loop: RunLoop, _ timer: Timer, _ source: RunLoop.Source, _ observer: RunLoop.Observer, _ port: Port) {
                    Task { print(loop.isWaiting, timer.isValid, source.isValid, observer.isValid, port.isValid) }
                    Thread.detachNewThread { loop.add(timer, forMode: .default) }
                    loop.perform { loop.stop() }
                }
                """),
        ])
    }

    func testWhatWouldRaceIsRefused() throws {
        let box = "capture of 'box' with non-Sendable type 'Box' in a '@Sendable' closure"
        try check([
            .refused("the closure of a source", """
                func race(_ box: Box) {
                    RunLoop.main.add(RunLoop.Source { box.value += 1 }, forMode: .default)
                    box.value += 1
                }
                """, box),
            .refused("the handler of a descriptor", """
                func race(_ box: Box) { _ = try? RunLoop.Source(fileDescriptor: 0) { _, _ in box.value += 1 } }
                """, box),
            .refused("the handler of an observer", """
                func race() {
                    let box = Box()
                    RunLoop.main.add(RunLoop.Observer { _, _ in box.value += 1 }, forMode: .default)
                    box.value += 1
                }
                """, "risks causing data races"),
            .refused("what is given to a perform", """
                func race() {
                    let box = Box()
                    RunLoop.main.perform { box.value += 1 }
                    box.value += 1
                }
                """, "risks causing data races"),
            .refused("what is given to a perform in modes", """
                func race() {
                    let box = Box()
                    RunLoop.main.perform(inModes: [.common]) { box.value += 1 }
                    box.value += 1
                }
                """, "risks causing data races"),
            .refused("the closure of a timer", """
                func race() {
                    let box = Box()
                    RunLoop.main.add(Timer(timeInterval: 1, repeats: true) { _ in box.value += 1 }, forMode: .default)
                    box.value += 1
                }
                """, box),
            .refused("a local variable that a timer changes", """
                func race() {
                    var count = 0
                    Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in count += 1 }
                }
                """, "mutation of captured var 'count' in concurrently-executing code"),
            .refused("a variable of the main actor in the closure of a timer for any loop", """
                @MainActor var count = 0
                func race() -> Timer { Timer(timeInterval: 1, repeats: true) { _ in count += 1 } }
                """, "main actor-isolated var 'count' can not be mutated from a nonisolated context"),
            .refused("a variable of the main actor in the closure of a source", """
                @MainActor final class Screen {
                    var count = 0
                    func race() -> RunLoop.Source { RunLoop.Source { self.count += 1 } }
                }
                """, "main actor-isolated property 'count' can not be mutated from a Sendable closure"),
            .refused("a variable of the main actor in a nonisolated helper", """
                @MainActor var count = 0
                func helper() { Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in count += 1 } }
                """, "main actor-isolated var 'count' can not be mutated from a nonisolated context"),
            .refused("a target that is not Sendable", """
                final class Counter { var n = 0; func add(_ timer: Timer) { n += 1 } }
                func race() {
                    let counter = Counter()
                    RunLoop.main.add(Timer(timeInterval: 1, repeats: true) { counter.add($0) }, forMode: .default)
                    counter.n += 1
                }
                """, "capture of 'counter' with non-Sendable type 'Counter' in a '@Sendable' closure"),
            .refused("the closure of a perform on a thread", """
                func race(_ box: Box) { Thread.main.perform { box.value += 1 } }
                """, "risks causing data races"),
            .refused("the closure of a perform that waits", """
                func race() throws {
                    let box = Box()
                    try Thread.main.performAndWait { box.value += 1 }
                    box.value += 1
                }
                """, "risks causing data races"),
            .refused("the result of a run, which the thread keeps", """
                let kept = Box()
                func race(_ worker: RunLoop.Worker) async throws {
                    let own = try await worker.run { kept }
                    own.value += 1
                }
                """, "error: "),
        ])
    }

    // MARK: What blocks

    /// A blocking call in async code occupies one of the few threads of the pool, and cannot be cancelled.
    func testBlockingCallsAreRefusedInAsyncCodeAndNameTheAsyncForm() throws {
        try check([
            ("try Thread.main.performAndWait {}", "await run(inModes:_:), which does not block"),
            ("Thread {}.join()", "await finished(), which does not block"),
            ("RunLoop.main.run()", "await Task.sleep to wait, or run(inModes:_:) to make a call on the loop's thread"),
            ("RunLoop.main.run(until: Date())", "await Task.sleep to wait"),
            ("RunLoop.main.run(mode: .default, before: Date())", "await Task.sleep to wait"),
            ("RunLoop.main.runUntilStopped()", "await Task.sleep to wait"),
            ("_ = RunLoop.current", "use RunLoop.main, or Thread.run(inModes:_:)"),
            ("Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in }", "add a Timer to RunLoop.main, or iterate over SwiftRunLoopAsync's ticks(every:)"),
            ("Thread.sleep(forTimeInterval: 1)", "await Task.sleep, which does not block the thread"),
        ].map { call, form in
            .refused(call, """
                func block() async throws { \(call) }
                """, "is unavailable from asynchronous contexts; ", form)
        })
    }

    /// Code from a Mac, whose closures change local variables: in Swift 5 mode, it is the programmer who knows that one thread does so.
    func testCodeOfSwift5CompilesInItsMode() throws {
        let result = try compile("""
            import SwiftRunLoopFoundation
            final class Controller: NSObject {
                var count = 0
                func start() {
                    var isDone = false
                    let timer = Timer.scheduledTimer(withTimeInterval: 0.1, repeats: true) { timer in
                        self.count += 1
                        isDone = self.count == 3
                        if isDone { timer.invalidate() }
                    }
                    RunLoop.current.add(timer, forMode: RunLoop.Mode.common)
                    let thread = Thread {
                        RunLoop.current.add(Port(), forMode: .default)
                        while !isDone { RunLoop.current.run(mode: .default, before: .distantFuture) }
                    }
                    thread.start()
                    RunLoop.main.perform { self.count = 0 }
                    RunLoop.main.perform(inModes: [.common]) { self.count = 0 }
                    NotificationQueue.default.enqueue(Notification(name: Notification.Name("done")), postingStyle: .whenIdle)
                    while RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 1)), !isDone {}
                }
            }
            """, flags: ["-parse-as-library", "-swift-version", "5"])
        XCTAssertEqual(result.status, 0, result.output)
    }

    /// A file may import both products: the loop is one, and Foundation's is hidden.
    func testTheAsyncFormsExist() throws {
        try check([
            .compiles("in an actor", """
                actor Client {
                    func doNotBlock() async throws {
                        let number = try await Thread.main.run(inModes: [.default]) { 1 }
                        print(number)
                        let result = try await RunLoop.Worker().run { 1 } + withWorker { try await $0.run { 2 } }
                        print(result)
                        try await Task.sleep(nanoseconds: 1)
                    }
                }
                """),
            .compiles("a watch, and a name with the name of its module", """
                import RunLoopDiagnostics
                func watch() async throws -> StallWatch {
                    try await StallWatch.started { stall in
                        let frames: [RunLoopDiagnostics.StackFrame] = stall.stack
                        print(frames)
                    }
                }
                """),
            .compiles("Foundation's own quality of service", """
                import SwiftRunLoopFoundation
                final class Queue: OperationQueue, @unchecked Sendable {
                    override var qualityOfService: QualityOfService {
                        get { .utility }
                        set {}
                    }
                }
                func set(_ thread: Thread) { thread.qualityOfService = .utility }
                """),
            .compiles("beside Foundation", """
                import SwiftRunLoopFoundation
                func tick() async {
                    for await date in RunLoop.main.ticks(every: .seconds(0.1)) { print(date, Thread.isMainThread, ProcessInfo.processInfo.processName) }
                }
                """),
        ])
    }

    /// The closure's captures and its result cross threads, so their senders must not use them any more.
    func testWhatAnAwaitedRunCapturesAndReturnsIsGivenAway() throws {
        try check([
            .compiles("what is given away", """
                @MainActor final class Model {
                    func noRace(_ thread: Thread) async throws -> Int {
                        let given = Box()
                        let returned = try await thread.run {
                            given.value += 1
                            return Box()
                        }
                        return returned.value
                    }
                }
                """),
        ] + ["Thread.main.run", "RunLoop.Worker().run"].flatMap { call -> [Case] in [
            .refused("\(call) of what is used again", """
                func race() async throws {
                    let box = Box()
                    try await \(call) { box.value += 1 }
                    box.value += 1
                }
                """, "risks causing data races"),
            .refused("\(call) of what is the main actor's", """
                @MainActor final class Model {
                    let box = Box()
                    func race() async throws { try await \(call) { self.box.value += 1 } }
                }
                """, "main actor-isolated property 'box' can not be"),
        ] })
    }

    // MARK: Memory safety

    /// In a program compiled with -strict-memory-safety, the compiler marks each unsafe use. In this layer, only the members that take or
    /// return an object of the C library are unsafe.
    func testAProgramUsesNothingUnsafe() throws {
        let safe = """
            import CRunLoop
            final class Worker: Thread, @unchecked Sendable {
                override func main() {
                    RunLoop.current.add(Port(), forMode: .default)
                    RunLoop.current.runUntilStopped()
                }
            }
            func use(_ loop: CFRunLoop) async throws {
                let worker = Worker(), port = Port(), source = RunLoop.Source {}, observer = RunLoop.Observer { _, activity in print(activity) }
                worker.start()
                try await worker.run {
                    RunLoop.current.add(port, forMode: .default)
                    RunLoop.current.add(source, forMode: .common)
                    RunLoop.current.add(observer, forMode: .common)
                    RunLoop.current.add(Timer(timeInterval: 1, repeats: true) { print($0.fireDate) }, forMode: .common)
                }
                source.signal()
                CFRunLoopWakeUp(loop)
                for await date in RunLoop.main.ticks(every: .seconds(1)) { print(date) }
                for await events in try RunLoop.main.events(of: 0) { print(events) }
                print(RunLoop.main.getCFRunLoop(), source.cfSource, observer.cfObserver)
                try await worker.run { RunLoop.current.stop() }
            }
            """
        let result = try compile(safe, flags: ["-strict-memory-safety"])
        guard !result.output.contains("unknown argument") else { return } // a compiler before 6.2
        XCTAssertEqual(result.status, 0, result.output)
        XCTAssertFalse(result.output.contains("warning"), result.output)
    }

    // MARK: Names, types and conformances

    func testNamesOfTheStandardLibraryAreLeftAlone() throws {
        try check([
            .compiles("a type inside RunLoop hides the type of that name in each extension of RunLoop", """
                extension RunLoop {
                    func attempt() -> Result<Int, any Error> { .success(1) }
                    func wait<C: Clock>(on clock: C, _ executor: any Executor) -> C.Instant { clock.now }
                }
                """),
            .compiles("the runtime's own run loop executors", """
                #if compiler(>=6.3)
                @_spi(ExperimentalCustomExecutors) import _Concurrency
                func both(_ loop: RunLoop, _ other: any _Concurrency.RunLoopExecutor) throws {
                    loop.stop()
                    other.stop()
                }
                #endif
                """),
            .compiles("a loop as the executor of an actor and of a task", """
                actor Archive {
                    private let worker = RunLoop.Worker(name: "archive")
                    nonisolated var unownedExecutor: UnownedSerialExecutor { worker.loop.asUnownedSerialExecutor() }
                    var tick = 0
                    func start() { RunLoop.current.add(Timer(timeInterval: 1, repeats: true) { _ in self.assumeIsolated { $0.tick += 1 } }, forMode: .default) }
                }
                func use(_ worker: RunLoop.Worker) async {
                    await Task(executorPreference: worker.loop) { print("on the worker") }.value
                    await withTaskExecutorPreference(RunLoop.main) {}
                }
                """),
        ])
    }

    /// As in Foundation: so a program cannot add a conformance of its own, and the compiler says why.
    func testWhatBelongsToAThreadIsExplicitlyNotSendable() throws {
        try check([
            .refused("NotificationQueue", """
                import SwiftRunLoopFoundation
                func share(_ value: some Sendable) {}
                func use(_ value: NotificationQueue) { share(value) }
                """, "conformance of 'NotificationQueue' to 'Sendable' is unavailable"),
        ])
    }

    // MARK: The C library's types

    func testTheTypesOfTheCLibraryHaveNamesAreDistinctAndResultsHaveCases() throws {
        try check([
            .compiles("types and results", """
                import CRunLoop
                func use(_ timer: CFRunLoopTimer, _ observer: CFRunLoopObserver, _ source: CFRunLoopSource) -> CFString? {
                    let loop: CFRunLoop = RunLoop.current.getCFRunLoop(), mode: CFRunLoopMode = kCFRunLoopDefaultMode
                    CFRunLoopAddTimer(loop, timer, mode)
                    CFRunLoopAddTimer(loop, timer, .commonModes)
                    CFRunLoopAddSource(loop, source, CFRunLoopMode.defaultMode)
                    print(loop == CFRunLoopGetMain(), Set([timer]).count, observer, source)
                    let names: CFArray = CFRunLoopCopyAllModes(loop), number: CFMutableArray? = nil
                    guard CFArrayGetCount(names) > 0, number == nil else { return nil }
                    switch CFRunLoopRunInMode(mode, 0, false) {
                    case .timedOut, .handledSource: return nil
                    default: break
                    }
                    let activities: CFRunLoopActivity = [.entry, .beforeWaiting]
                    return activities.contains(.entry) ? CFRunLoopCopyCurrentMode(loop) : nil
                }
                """),
            .refused("an observer for a timer", """
                import CRunLoop
                func use(_ loop: CFRunLoop, _ observer: CFRunLoopObserver) { CFRunLoopAddTimer(loop, observer, kCFRunLoopDefaultMode) }
                """, "cannot convert value of type 'CFRunLoopObserver' to expected argument type 'CFRunLoopTimerRef'"),
            .refused("a mode for a loop", """
                import CRunLoop
                func use(_ loop: CFRunLoop) -> Bool { CFRunLoopIsWaiting(kCFRunLoopDefaultMode) }
                """, "cannot convert value of type 'CFRunLoopMode?'"),
        ])
    }

    // MARK: Examples in doc comments

    /// What the examples of a file take for granted.
    private static let givens = [
        "AsyncMain.swift": "func serve() async throws {}",
        "Child.swift": "let child = getpid()",
        "NotificationQueue.swift": "let saved = Notification.Name(\"saved\")",
        "Perform.swift": "let worker = Thread {}, thread = Thread {}",
        "Port.swift": "let isDone = false",
        "SignalsAndExits.swift": "let child = getpid()",
        "Streams.swift": "let socket: Int32 = 0",
        "Timer.swift": "let isDone = false",
    ]

    /// The examples, by file and line. An example stands below an empty line of its comment, four columns to the right of the text.
    private func examples(in folder: String) -> [(place: String, file: String, code: String)] {
        var found: [(place: String, file: String, code: String)] = []
        for file in SourceFile.all(in: folder, endings: ["swift"]) {
            var before = "", isInside = false
            for (index, line) in file.text.split(separator: "\n", omittingEmptySubsequences: false).map({ $0.drop { $0 == " " } }).enumerated() {
                let isCode = line.hasPrefix("///     ")
                if isCode, !isInside, before == "///" { found.append(("\(file.path):\(index + 1)", file.name, "")) }
                isInside = isCode && (isInside || before == "///")
                if isInside { found[found.count - 1].code += line.dropFirst(8) + "\n" }
                before = String(line)
            }
        }
        return found
    }

    func testTheExamplesInDocCommentsCompile() throws {
        try assertExamplesCompile(in: "Sources/SwiftRunLoop", atLeast: 10, importing: "FoundationEssentials", "Glibc")
        try assertExamplesCompile(in: "Sources/SwiftRunLoopAsync", atLeast: 6, importing: "FoundationEssentials", "Glibc")
        try assertExamplesCompile(in: "Sources/SwiftRunLoopFoundation", atLeast: 1, importing: "SwiftRunLoopFoundation")
    }

    private func assertExamplesCompile(in folder: String, atLeast count: Int, importing modules: String...) throws {
        let examples = examples(in: folder).filter { !$0.code.contains("g_unix_fd_add") } // GLib's
        XCTAssertGreaterThanOrEqual(examples.count, count)
        var program = modules.map { "import \($0)\n" }.joined() + "class TestCase { class func setUp() {} }\n"
        for (index, example) in examples.enumerated() {
            let code = example.code.replacing("@main ", with: "").replacing("…", with: "fatalError()")
            let effects = code.contains("await ") && !code.contains("Task {") ? " async throws" : " throws"
            program += code.hasPrefix("override ")
                ? "final class Example\(index): TestCase {\n\(code)}\n"
                : "func example\(index)()\(effects) {\n\(Self.givens[example.file] ?? "")\n// \(example.place)\ndo {\n\(code)}\n}\n"
        }
        let result = try compile(program, flags: ["-suppress-warnings"])
        XCTAssertEqual(result.status, 0, "\(program)\n\(result.output)")
    }
}
