import Foundation
import TestSupport
import XCTest

/// `RunLoopLab trace`, run as a reader would run it.
final class TraceTests: TestCaseBeside {
    // MARK: - Text

    func testTheTextHasEveryStep() throws {
        let text = try String(contentsOf: traced("modes-isolate --fast"), encoding: .utf8)
        let lines = text.split(separator: "\n").map { $0.dropFirst(12).drop { $0 != " " }.trimmingCharacters(in: .whitespaces) }
        let run = try XCTUnwrap(lines.firstIndex(of: "run in work {"))
        let steps = lines[run...].prefix(12).map { $0.prefix { $0 != "," } }.map(String.init)
        XCTAssertEqual(steps.filter { !$0.hasPrefix("8 awake") && !$0.hasPrefix("\"") },
                       ["run in work {", "step 1", "pass 1 {", "step 2", "step 3", "step 4", "step 6", "7 asleep", "step 9",
                        "timer: timer of work {", steps[11]])
        XCTAssertEqual(lines.count { $0.hasSuffix("{") }, lines.count { $0.hasPrefix("}") })
        XCTAssert(lines.contains("} Stopped"), text)
    }

    func testTheTourCanBeTraced() throws {
        let text = try String(contentsOf: traced("tour"), encoding: .utf8)
        XCTAssert(text.hasPrefix("tour: ") && text.contains("step 9") && text.contains("main queue"), text)
    }

    // MARK: - In Chinese

    func testInChineseATraceSaysWhatTheEnglishOneDoes() throws {
        let text = try String(contentsOf: traced("wake-ups --fast --lang zh"), encoding: .utf8)
        for words in ["wake-ups：", "秒  线程", "步骤 1", "第 1 轮 {", "里运行 {", "7 休眠", "8 休眠了 ", "，由 Timer 唤醒", "} 用时 ", "Source1：端口 {", "由主队列唤醒", " 上的 CFRunLoopWakeUp 唤醒"] {
            XCTAssert(text.contains(words), "no “\(words)”: \(text)")
        }
        check(text.components(separatedBy: "\n"))
    }

    /// Names in code may stand there, and no English sentence or word of ours.
    private func check(_ lines: [String]) {
        for line in lines {
            XCTAssertEqual(englishWords(in: line), [], line)
            let words = line.matches(of: /\b(asleep|awake|poll|pass|step|nested|timer|observer|woken|wakes|returns|after|thread)\b/).map { $0.output.0 }
            XCTAssertEqual(words, [], line)
        }
    }

    // MARK: - The command

    func testAFileThatCannotBeWrittenIsSaidBeforeAnythingRuns() throws {
        let lines = [
            "trace modes-isolate": (2, "'trace' needs an output file; usage: trace NAME --out FILE"),
            "trace tuor --out x.txt": (2, "there is no experiment 'tuor'; did you mean 'tour'? --help lists all of them"),
            "trace modes-isolate --out /nowhere/x.txt": (1, "cannot write '/nowhere/x.txt': No such file or directory"),
        ]
        for (words, (status, line)) in lines {
            let result = try lab("$LAB \(words)")
            XCTAssertEqual(result.output, "RunLoopLab: \(line)")
            XCTAssertEqual(result.status, Int32(status), words)
        }
    }

    /// The file is not taken for a missing descriptor.
    func testWithoutStandardOutputTheFileHasTheTraceAlone() throws {
        let file = temporaryFile()
        let result = try lab("$LAB trace modes-isolate --fast --out \(file.path) <&- >&- 2>&-")
        XCTAssertEqual(result.status, 0)
        let text = try String(contentsOf: file, encoding: .utf8)
        XCTAssert(text.hasPrefix("modes-isolate: ") && text.contains("} Stopped") && !text.contains("What happened"), text)
    }

    func testCtrlCWritesWhatThereIsByThen() throws {
        let file = temporaryFile()
        let result = try lab("$LAB trace busy-timer --out \(file.path)", interruptedAfter: "  timer          tick ")
        XCTAssertEqual(result.status, 130, result.output)
        let text = try String(contentsOf: file, encoding: .utf8)
        XCTAssert(text.hasPrefix("busy-timer: ") && text.contains("timer: tick: for date ") && !text.contains("for date 5.000"), text)
    }

    // MARK: - Probes

    func testThePointsAreProbesOfTheSystemToo() throws {
        let result = try runProgram("/bin/bash", [SourceFile.root.path + "/Scripts/check-probes", try productBeside("CScenarios")])
        if result.status == 77 { throw XCTSkip(result.output) }
        XCTAssertEqual(result.status, 0, result.output)
    }

    // MARK: - Files

    private var files: [URL] = []

    override func tearDown() {
        for file in files { try? FileManager.default.removeItem(at: file) }
    }

    private func temporaryFile() -> URL {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("trace-\(UUID().uuidString).txt")
        files.append(file)
        return file
    }

    /// Runs an experiment, and returns the file with its trace.
    private func traced(_ words: String) throws -> URL {
        let file = temporaryFile()
        let result = try lab("$LAB trace \(words) --out \(file.path)")
        XCTAssertEqual(result.status, 0, result.output)
        XCTAssert(result.output.contains("\nTraced: ") || result.output.contains("\n已跟踪："), result.output)
        return file
    }
}
