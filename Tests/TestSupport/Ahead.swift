import Foundation
import XCTest

/// What runs at the same time as the tests, on the processors that they leave idle. Where all tests run, two further processes run some of the
/// classes, those that run programs, and report to this process. Programs that take many seconds start with the first tests. Where only some
/// tests run, all of them run in this process, and each starts what it needs.
///
/// `swift test --parallel` would start a process for each test, and each would run the programs of its class again.
private enum Ahead {
    /// The classes that have programs to start in this process.
    private static let here = ["SwiftTests.CTest"]

    /// The classes that each further process runs; first those with programs, which run one after another.
    private static let beside = [
        // what compiles and computes
        ["SwiftTests.ExamplesTests", "ToolTests.DebuggerTests", "ToolTests.ConformanceTests",
         "SwiftTests.AsyncMainTests", "SwiftTests.CompileTests", "SwiftTests.HeaderCompileTests", "ToolTests.BenchTests", "ToolTests.DarwinTests",
         "ToolTests.FactsTests", "LabTests.YourLoopTests"],
        // what mostly sleeps
        ["LabTests.ArticleTests", "LabTests.DrawTests", "LabTests.LabCommandTests",
         "LabTests.ExplainTests", "LabTests.LabLanguageTests", "LabTests.PlayTests", "LabTests.ReadingsTests",
         "LabTests.TourTests", "LabTests.TraceTests"],
    ]

    /// Tests that are chosen are arguments of this process.
    static let allTestsRun = !CommandLine.arguments.dropFirst().contains { $0.contains(/\b(Swift|Lab|Tool)Tests\./) }
    private static let variable = "TESTS_BESIDE"

    /// The processes, by the names of their classes.
    static let processes: [String: ProcessBeside] = {
        var processes: [String: ProcessBeside] = [:]
        for (index, classes) in beside.enumerated() where allTestsRun {
            let process = ProcessBeside(classes, environment: "\(variable)=\(index)")
            for name in classes { processes[name] = process }
        }
        return processes
    }()

    /// Called before the first test of each class; the first call counts.
    static let started: Void = {
        if let value = ProcessInfo.processInfo.environment[variable], let index = Int(value) {
            unsetenv(variable) // it is not for the programs that the tests run
            startPrograms(of: beside[index])
        } else if allTestsRun {
            _ = processes
            startPrograms(of: here)
        }
    }()

    private static func startPrograms(of classes: [String]) {
        let programs = classes.flatMap { name in
            guard let type = NSClassFromString(name) as? TestCaseAhead.Type else { preconditionFailure("there is no class \(name)") }
            return type.programs
        }
        Foundation.Thread.detachNewThread { for run in programs { run() } }
    }
}

/// A test whose class runs programs that take many seconds, which start with the first tests.
open class TestCaseAhead: XCTestCase {
    /// Each returns when its program has ended. A test that needs the result before it is there waits for it.
    open class var programs: [@Sendable () -> Void] { [] }

    open override class func setUp() { _ = Ahead.started }
}

/// A test that may run in another process, beside the tests of this one. Then it waits here for its outcome, which it reports as its own.
open class TestCaseBeside: TestCaseAhead {
    fileprivate var outcome: OutcomeBeside?

    open override func invokeTest() {
        outcome = Ahead.processes[String(reflecting: Self.self)]?.outcome(of: name)
        guard let outcome else {
            if Ahead.allTestsRun {
                recordFailure(withDescription: "Ahead.beside does not have the class \(String(reflecting: Self.self))", inFile: #filePath, atLine: #line, expected: true)
            }
            return super.invokeTest()
        }
        if outcome.skips != nil { return super.invokeTest() } // as far as setUpWithError()
        print(outcome.output.joined(separator: "\n"), terminator: outcome.output.isEmpty ? "" : "\n")
        for failure in outcome.failures {
            recordFailure(withDescription: failure.description, inFile: failure.file, atLine: failure.line, expected: true)
        }
    }

    open override func setUpWithError() throws {
        if let reason = outcome?.skips { throw XCTSkip(reason) }
    }

    /// XCTest would show how long this process has waited.
    open override var testRunClass: AnyClass? { Run.self }

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
        Foundation.Thread.detachNewThread { self.run(classes.joined(separator: ","), environment) }
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
