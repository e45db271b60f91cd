import Foundation
import XCTest

/// What runs at the same time as the tests, on the processors that they leave idle. Where all tests run, two further processes run some of the
/// classes, those that run programs, and report to this process. Programs that take many seconds start with the first tests. Where only some
/// tests run, all of them run in this process, and each starts what it needs.
enum Ahead {
    /// The classes that a process runs, and the programs that it starts at once: each list one after another, in the order in which the tests
    /// need them. A test that needs a result before it is there waits for it.
    struct Part {
        var classes: [TestCaseBeside.Type] = []
        var programs: [[@Sendable () -> Void]]
    }

    private static let here = Part(programs: [[{ CTest.runAll() }]])

    private static let beside = [
        // what compiles and computes
        Part(classes: [AsyncMainTests.self, BenchTests.self, CompileTests.self, ConformanceTests.self, DarwinTests.self, DebuggerTests.self,
                       ExamplesTests.self, FactsTests.self, HeaderCompileTests.self],
             programs: [[{ _ = ExamplesTests.built }, { _ = DebuggerTests.sessions }, { _ = ConformanceTests.results }]]),
        // what mostly sleeps
        Part(classes: [ArticleTests.self, DrawTests.self, ExplainTests.self, LabLanguageTests.self, LabTests.self,
                       PlayTests.self, TourTests.self, TraceTests.self],
             programs: [[{ _ = ArticleTests.records }, { _ = ArticleTests.falsifiedRecords }, { _ = DrawTests.drawn }, { _ = LabTests.all }]]),
    ]

    /// Tests that are chosen are arguments of this process.
    private static let allTestsRun = !CommandLine.arguments.contains { $0.contains("SwiftTests.") }
    private static let variable = "TESTS_BESIDE"

    /// The processes, by the names of their classes.
    fileprivate static let processes: [String: ProcessBeside] = {
        var processes: [String: ProcessBeside] = [:]
        for (index, part) in beside.enumerated() where allTestsRun {
            let names = part.classes.map { "\($0)" }, process = ProcessBeside(names, environment: "\(variable)=\(index)")
            for name in names { processes[name] = process }
        }
        return processes
    }()

    /// Where all tests run, the first tests of these classes start what runs at the same time.
    fileprivate static let started: Void = {
        guard allTestsRun else { return }
        _ = processes
        start(here)
    }()

    /// What a process beside starts with its first test.
    fileprivate static let startedBeside: Void = {
        guard let value = ProcessInfo.processInfo.environment[variable], let index = Int(value) else { return }
        unsetenv(variable) // it is not for the programs that the tests run
        start(beside[index])
    }()

    private static func start(_ part: Part) {
        for list in part.programs { Foundation.Thread.detachNewThread { for each in list { each() } } }
    }
}

/// A test that may run in another process, beside the tests of this one. Then it waits here for its outcome, which it reports as its own.
class TestCaseBeside: XCTestCase {
    fileprivate var outcome: OutcomeBeside?

    override class func setUp() { (_, _) = (Ahead.startedBeside, Ahead.started) }

    override func invokeTest() {
        outcome = Ahead.processes[name.split(separator: ".").first.map(String.init) ?? ""]?.outcome(of: name)
        guard let outcome else { return super.invokeTest() }
        if outcome.skips != nil { return super.invokeTest() } // as far as setUpWithError()
        print(outcome.output.joined(separator: "\n"), terminator: outcome.output.isEmpty ? "" : "\n")
        for failure in outcome.failures {
            recordFailure(withDescription: failure.description, inFile: failure.file, atLine: failure.line, expected: true)
        }
    }

    override func setUpWithError() throws {
        if let reason = outcome?.skips { throw XCTSkip(reason) }
    }

    /// XCTest would show how long this process has waited.
    override var testRunClass: AnyClass? { Run.self }

    private final class Run: XCTestCaseRun {
        override var totalDuration: TimeInterval { (test as? TestCaseBeside)?.outcome?.seconds ?? super.totalDuration }
    }
}

/// What the other process has printed of a test.
private struct OutcomeBeside {
    var test: String
    var seconds: TimeInterval = 0
    var skips: String?
    var failures: [(file: String, line: Int, description: String)] = []
    /// The other lines.
    var output: [String] = []

    mutating func add(_ line: String) {
        if let failure = line.firstMatch(of: /^(\S+):(\d+): error: (\w+\.\w+) : (.*)$/), failure.3 == test {
            failures.append((String(failure.1), Int(failure.2)!, String(failure.4)))
        } else if let skip = line.firstMatch(of: /^\S+:\d+: (\w+\.\w+) : Test skipped(?: - |: )?(.*)$/), skip.1 == test {
            skips = String(skip.2)
        } else if failures.isEmpty {
            output.append(line)
        } else {
            failures[failures.count - 1].description += "\n" + line
        }
    }
}

/// Another process of this bundle, which runs some classes.
private final class ProcessBeside: @unchecked Sendable {
    private let state = NSCondition()
    private var outcomes: [String: OutcomeBeside] = [:]
    private var lastLines: [String] = []
    private var hasEnded = false

    init(_ classes: [String], environment: String) {
        Foundation.Thread.detachNewThread { self.run(classes.map { "SwiftTests.\($0)" }.joined(separator: ","), environment) }
    }

    private func run(_ classes: String, _ environment: String) {
        var running: OutcomeBeside?
        var result = "it did not start"
        do {
            let status = try runProgram("/usr/bin/env", [environment, productBeside("RunLoopPackageTests.xctest"), classes]) { line in
                self.state.withLock { self.lastLines = self.lastLines.suffix(50) + [line] }
                guard let event = line.firstMatch(of: /Test Case '(\w+\.\w+)' (started|passed|failed|skipped)(?: \((\d+\.\d+) seconds\))?/) else {
                    running?.add(line)
                    return
                }
                let name = String(event.1)
                if event.2 == "started" { running = OutcomeBeside(test: name) }
                guard event.2 != "started", var outcome = running, outcome.test == name else { return }
                outcome.seconds = event.3.flatMap { TimeInterval($0) } ?? 0
                if event.2 == "skipped", outcome.skips == nil { outcome.skips = "" }
                if event.2 == "failed", outcome.failures.isEmpty { outcome.failures = [(#filePath, #line, outcome.output.joined(separator: "\n"))] }
                running = nil
                self.state.withLock {
                    self.outcomes[name] = outcome
                    self.state.broadcast()
                }
            }
            result = "it ended with status \(status)"
        } catch { result = "\(error)" }
        state.withLock {
            lastLines.append(result)
            hasEnded = true
            state.broadcast()
        }
    }

    /// Waits until the test has ended there.
    func outcome(of test: String) -> OutcomeBeside {
        state.withLock {
            while outcomes[test] == nil && !hasEnded { state.wait() }
            return outcomes[test] ?? OutcomeBeside(test: test, failures: [(#filePath, #line, "the process that runs this test has not run it:\n\(lastLines.joined(separator: "\n"))")])
        }
    }
}
