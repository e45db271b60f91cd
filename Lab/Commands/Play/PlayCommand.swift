// PlayCommand.swift: performs a program as text, and compares what loops make of it.

import CRunLoopModel
import CRunLoopPrograms
import CRunLoopTable
import Glibc

/// `play`: performs a program on one loop, or on several of them side by side.
@MainActor
struct PlayCommand {
    /// What performs a program.
    enum Loop: String, CaseIterable {
        case simulated, real, onFoundation = "on-foundation", model

        var option: String { "--" + rawValue }
        var title: Text {
            switch self {
            case .simulated: Text("on the simulated kernel", "在模拟内核上")
            case .real: Text("on Linux", "在 Linux 上")
            case .onFoundation: Text("Foundation's loop", "Foundation 的 RunLoop")
            case .model: Text("the model", "模型")
            }
        }
        /// Whether a run takes as long as the program says.
        var needsTime: Bool { self == .real || self == .onFoundation }
    }

    private static let mostLines = 100_000

    /// By how much real times may differ from others, in seconds.
    private static let tolerance = 0.25

    private let text: PlayText
    private let program = UnsafeMutablePointer<LoopProgram>.allocate(capacity: 1) // until the process ends
    private let seed: UInt64
    private let withKernel: Bool
    private let output = Output()

    /// Reads the program. An error in it ends the process, with its place.
    init(_ name: String, seed: UInt64, withKernel: Bool) {
        (text, self.seed, self.withKernel) = (PlayText(name), seed, withKernel)
        guard loopProgramRead(program, text.text) else {
            refuse(text.place(of: Text(string(&program.pointee.error), string(&program.pointee.errorInChinese)).description))
        }
    }

    /// Returns the exit status: 1 if logs differ, or if all threads of the only one wait forever.
    func run(on loops: [Loop]) -> Int32 {
        if let loop = loops.first(where: \.needsTime), case let line = Int(loopProgramStepLine(program)), line > 0 {
            refuse(Text("\(text.place(ofLine: line)):1: only the simulated kernel can stop a loop before a step or a wait; leave out \(loop.option)",
                        "\(text.place(ofLine: line)):1: 只有模拟内核能让 RunLoop 停在某个步骤或某次等待之前；请去掉 \(loop.option)").description)
        }
        if loops.contains(.onFoundation) { _ = table(of: .onFoundation) } // or ends the process
        return loops.count == 1 ? perform(on: loops[0]) : compare(loops)
    }

    // MARK: - One loop

    private func perform(on loop: Loop) -> Int32 {
        let standardOutput = fdopen(STDOUT_FILENO, "w")!
        defer { fflush(standardOutput) }
        onInterrupt { _exit(128 + SIGINT) }
        if loop == .simulated {
            let result = simulate(withKernel: withKernel, standardOutput)
            fflush(standardOutput)
            if result == playIsStopped { sayThatItHasNoEnd() }
            return result == playEnds ? 0 : 1
        }
        if loop == .model {
            let result = modelWriteLog(program, 0, standardOutput)
            if let words = undetermined(result) { fputs(words + "\n", standardOutput) }
            return result.isDeadlocked ? 1 : 0
        }
        playOnTable(program, table(of: loop), standardOutput)
        return 0
    }

    /// Where the model stops, and why; nil if it does not.
    private func undetermined(_ result: ModelResult) -> String? {
        guard let reason = result.reason else { return nil }
        let line = text.place(ofLine: Int(result.line))
        return Text("\(line): from here on, the model does not say what happens: \(String(cString: modelReason(reason)))",
                    "\(line)：从这里起模型不作预测：\(String(cString: modelReasonInChinese(reason)))").description
    }

    private func table(of loop: Loop) -> UnsafePointer<CFRunLoopTable> {
        if loop == .real { return CFRunLoopTableOurs() }
        var error: UnsafePointer<CChar>?
        if let table = CFRunLoopTableOriginal(&error) { return table }
        fail(Text(code: String(cString: error!)), status: 1)
    }

    // MARK: - Several

    private struct Log {
        var rows: [Row] = []
        var ends = true
        var stopsBecause: String? // the model does not say what comes then
    }

    private struct Row {
        var time: Double
        var thread: String
        var same: String // without the time
        var text: String
    }

    private func log(_ text: some StringProtocol) -> Log {
        var log = Log()
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 2)
            guard words.count == 3, let time = Double(words[0]) else { // a message of a process that has ended
                log.rows.append(Row(time: 0, thread: "main", same: String(line), text: String(line)))
                continue
            }
            if words[1] == "kernel", words[2].hasPrefix("deadlock") { // and then who waits for what, which Linux does not say
                log.ends = false
                break
            }
            if words[1] == "kernel" { continue }
            log.rows.append(Row(time: time, thread: String(words[1]), same: line.drop { $0 != " " }.description, text: String(line)))
        }
        return log
    }

    /// What a function writes into a file.
    private func written(_ write: (UnsafeMutablePointer<FILE>) -> Void) -> String {
        var text: UnsafeMutablePointer<CChar>?, length = 0
        let memory = open_memstream(&text, &length)!
        write(memory)
        fclose(memory)
        defer { free(text) }
        return String(cString: text!)
    }

    private func simulatedLog() -> Log {
        log(written { if simulate(withKernel: false, $0) == playIsStopped { sayThatItHasNoEnd() } })
    }

    private func modelLog() -> Log {
        var result = ModelResult()
        var log = log(written { result = modelWriteLog(program, 0, $0) })
        (log.ends, log.stopsBecause) = (!result.isDeadlocked, undetermined(result))
        return log
    }

    /// In a process of its own, whose main thread's loop nothing has run.
    private func realLog(_ loop: Loop, limit: Double) -> Log {
        guard let file = tmpfile() else { fail(Text("cannot make a file: \(reason(errno))", "无法创建文件：\(reason(errno))"), status: 1) }
        fputs(text.text, file)
        fflush(file)
        let child = ChildProcess.run(ownProgram, ["play", "/proc/self/fd/\(fileno(file))", loop.option], limit: limit)
        fclose(file)
        var log = log(child.output)
        switch child.end {
        case .exited(0): break
        case .timedOut: log.ends = false
        default: log.rows.append(Row(time: 0, thread: "main", same: child.end.words.description, text: child.end.words.description))
        }
        return log
    }

    private func compare(_ loops: [Loop]) -> Int32 {
        let simulated = simulatedLog(), model = loops.contains(.model) ? modelLog() : Log()
        let seconds = simulated.rows.map(\.time).max() ?? 0
        if loops.contains(where: \.needsTime), seconds > 10 {
            let time = Int(seconds) * loops.count(where: \.needsTime)
            note(Text("In real time, this takes about \(time) s. Ctrl-C ends it.", "按真实时间大约需要 \(time) 秒。按 Ctrl-C 结束。").description)
        }
        onInterrupt { _exit(128 + SIGINT) }
        let logs = loops.map { $0 == .simulated ? simulated : $0 == .model ? model : realLog($0, limit: seconds + 5) }
        return show(logs, titles: loops.map(\.title.description), tolerance: loops.contains(where: \.needsTime) ? Self.tolerance : 0.001)
    }

    // MARK: - With a line broken

    /// Performs the program on the loop as it is and with one line broken, both on the simulated kernel, and shows the logs side by side.
    func run(broken number: String) -> Int32 {
        let brokenLoop = BrokenLoop(number)
        let logs = [simulatedLog(), log(brokenLoop.log(of: text.text, seed: seed))]
        note(brokenLoop.words)
        return show(logs, titles: [Text("as it is", "原样").description, Text("broken", "改坏以后").description], tolerance: 0.001, same: brokenLoop.unnoticed)
    }

    /// Thread by thread, because how threads take turns at one moment is chance.
    private func show(_ logs: [Log], titles: [String], tolerance: Double, same: Text = Text("The logs are the same.", "日志相同。")) -> Int32 {
        var threads: [String] = [], isSame = true
        for row in logs.flatMap(\.rows) where !threads.contains(row.thread) { threads.append(row.thread) }
        let width = max(30, 116 / logs.count)
        func show(_ texts: [String], isDifferent: Bool) {
            output.line("  \(!isDifferent ? " " : isSame ? "*" : "·")  " + SideBySide.line(texts, width: width))
            if isDifferent { isSame = false }
        }
        show(titles, isDifferent: false)
        for thread in threads {
            let rows = logs.map { $0.rows.filter { $0.thread == thread } }
            let known = zip(rows, logs).map { rows, log in log.stopsBecause == nil ? Int.max : rows.count }.min()!
            for rows in SideBySide.align(rows.map { Array($0.prefix(known)) }, by: \.same) {
                show(rows.map { $0?.text ?? "" }, isDifferent: differ(rows, by: tolerance))
            }
            for rows in SideBySide.align(rows.map { Array($0.dropFirst(known)) }, by: \.same) {
                show(rows.map { $0?.text ?? "" }, isDifferent: false)
            }
        }
        let whole = logs.allSatisfy { $0.stopsBecause == nil } ? logs : []
        if whole.contains(where: { !$0.ends }) {
            let words = Text("(threads wait forever)", "（有线程永远等下去）").description
            show(logs.map { $0.ends ? "" : words }, isDifferent: whole.contains(where: \.ends))
        }
        output.line("")
        for reason in logs.compactMap(\.stopsBecause) { note(reason) }
        note((isSame ? same
            : Text("The logs differ: * is the first line that does, · are the others.", "日志不同：* 是第一处，· 是其余的。")).description)
        return isSame ? 0 : 1
    }

    /// Whether a log has no such row, or at another time.
    private func differ(_ rows: [Row?], by tolerance: Double) -> Bool {
        let times = rows.compactMap { $0?.time }
        return times.count < rows.count || times.max()! - times.min()! > tolerance
    }

    private func note(_ text: String) {
        output.line(text)
        output.flush()
    }

    /// Hours take no time on a simulated clock, so a program that needs this long, or has so many lines, may go on forever.
    private func simulate(withKernel: Bool, _ output: UnsafeMutablePointer<FILE>) -> PlayResult {
        signal(SIGALRM) { _ in playStop() }
        alarm(10)
        defer { alarm(0) }
        return playSimulated(program, seed, !withKernel, Self.mostLines, output)
    }

    private func sayThatItHasNoEnd() -> Never {
        let most = Self.mostLines
        fail(Text("the log is cut off after \(most) lines or 10 s: this program has no end, or a very late one. Give its runs a limit, or stop them",
                  "日志超过 \(most) 行或 10 秒，到此为止：这个程序不会结束，或者要很久才结束。给运行加上超时时间，或者停止它"), status: 1)
    }

    /// Ends the program because of a mistake in the text.
    private func refuse(_ message: String) -> Never {
        let line = Array((message + "\n").utf8)
        _ = write(STDERR_FILENO, line, line.count)
        exit(2)
    }
}

private func string(_ bytes: inout some Any) -> String {
    withUnsafeBytes(of: &bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
