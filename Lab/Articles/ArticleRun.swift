// ArticleRun.swift: one program of the articles, from its first line to its verdict.

import Glibc
import RunLoopDiagnostics
import SwiftRunLoop
import Synchronization

/// Runs a program of the articles in this process, in one form. Call it once, on the main thread.
final class ArticleRun: Sendable {
    /// The run of this process.
    nonisolated(unsafe) private(set) static var current: ArticleRun? // set once, before the program begins

    let lab: Lab
    let threadNumbers = ThreadNumbers()
    private let program: any ArticleProgram
    let form: Form
    private let length: PageLength
    private let hasEnded = Mutex(false)
    /// What the loops do, for the list of wake-ups.
    private let recorder: TraceRecorder?
    private let stacks = Mutex<[(name: String, addresses: [UInt])]>([])
    /// Gets the trace instead of the page, before the verdict is printed.
    private let traced: (@Sendable (Trace) -> Void)?

    /// - Parameter tracing: whether to record what the loops do. A figure records it itself, and a record for tests has no list of wake-ups.
    init(_ program: any ArticleProgram, _ form: Form, _ length: PageLength = .whole, isFast: Bool, asRecord: Bool = false, tracing: Bool = false,
         traced: (@Sendable (Trace) -> Void)? = nil) {
        (self.program, self.form, self.length, self.traced) = (program, form, length, traced)
        recorder = tracing && !program.about.tracesItself ? TraceRecorder(limit: 100_000) : nil
        lab = Lab(isFast: isFast, page: Page(isRecord: asRecord, hasRows: false))
    }

    /// Returns the exit status: 0 if the program did what `judge` expects.
    func perform() -> Int32 {
        ArticleRun.current = self
        lab.page.introduce(program.about, form, length)
        endWhenNeeded()
        program.run()
        return conclude(endedAfter: nil) ?? 0
    }

    /// A program with a limit is ended by the harness. Any other that does not end is stuck, and that is its verdict.
    private func endWhenNeeded() {
        let page = lab.page
        if let limit = program.about.limits[form] {
            let limit = lab.wait(limit)
            after(limit) { [self] in
                if let status = conclude(endedAfter: limit) { _exit(status) }
            }
        } else {
            let longest = program.about.longest
            after(longest) {
                page.gaveUp(after: longest)
                _exit(1)
            }
        }
    }

    /// Remembers the calling thread's stack, the first time for each name.
    fileprivate func keepStack(_ name: String) {
        let addresses = Thread.callStackReturnAddresses
        stacks.withLock { stacks in
            if !stacks.contains(where: { $0.name == name }) { stacks.append((name, addresses)) }
        }
    }

    /// Ends a program with a limit before its time, because everything has happened.
    func end() {
        if let status = conclude(endedAfter: now() - lab.start) { _exit(status) }
    }

    /// Judges and prints the verdict. Only the first call does: the program's end and the harness may meet.
    private func conclude(endedAfter limit: Double?) -> Int32? {
        guard hasEnded.withLock({ ended in
            defer { ended = true }
            return !ended
        }) else { return nil }
        lab.page.endTranscript(hasLogged: lab.events.contains { $0.name == linesLogged }, endedAfter: limit)
        if let recorder {
            var trace = recorder.finish(Text("article \(program.about.name): \(program.about.title)", "article \(program.about.name)：\(program.about.title)").description)
            trace.take(lab)
            if let traced { traced(trace) } else { lab.page.showWakeUps(WakeUpList(Timeline(trace), from: lab.start)) }
        }
        lab.page.showStacks(stacks.withLock { $0 }, program.about)
        program.judge()
        let checks = lab.checks.withLock { $0 }
        return lab.page.conclude(program.about, form, checks, length)
    }
}

/// The record of the program that runs in this process. A listing needs it only where it must say what nothing else shows. It is not inlined, so
/// that a debugger that stops at a method's first line stops in the method.
var lab: Lab {
    @inline(never) get { ArticleRun.current!.lab }
}

/// The form in which the program runs.
var form: Form { ArticleRun.current!.form }

/// The place where an article stops in Xcode. The stack of the calling thread is shown below the transcript.
@inline(never)
func breakPoint(_ name: String) { ArticleRun.current!.keepStack(name) }

/// A time of an article: as long as there, or a twentieth of it with `--fast`.
func shortened(_ seconds: Double) -> Double { lab.isFast ? seconds / 20 : seconds }

/// Numbers threads in the order in which they appear in the log.
final class ThreadNumbers: Sendable {
    private let seen = Mutex<[String]>([])

    /// The place of a thread's own number, from 1.
    func index(of number: String) -> Int {
        seen.withLock { seen in
            if let known = seen.firstIndex(of: number) { return known + 1 }
            seen.append(number)
            return seen.count
        }
    }
}
