// ProgramRun.swift: one program, from its first line to its verdict.

import Glibc
import SwiftRunLoop
import Synchronization

/// Runs a program in this process, in one form. Call it once, on the main thread: a program needs an unused main loop.
final class ProgramRun: Sendable {
    /// The run of this process.
    nonisolated(unsafe) private(set) static var current: ProgramRun? // set once, before the program begins

    let lab: Lab
    let threadNumbers = ThreadNumbers()
    let form: Form
    private let program: any Program
    private let length: PageLength
    private let hasEnded = Mutex(false)
    /// What the loops do, for the list of wake-ups or for `traced`.
    private let recorder: TraceRecorder?
    private let stacks = Mutex<[(name: String, addresses: [UInt])]>([])
    /// Gets the trace instead of the page, after the verdict is printed; after Ctrl-C, the trace until then.
    private let traced: (@Sendable (Trace) -> Void)?

    /// - Parameter tracing: whether to record what the loops do. A figure records it itself, and a record for tests has no list of wake-ups.
    init(_ program: any Program, _ form: Form = .asWritten, _ length: PageLength = .whole, isFast: Bool, asRecord: Bool = false, tracing: Bool = false,
         traced: (@Sendable (Trace) -> Void)? = nil) {
        (self.program, self.form, self.length, self.traced) = (program, form, length, traced)
        recorder = tracing && !program.about.tracesItself ? TraceRecorder() : nil
        lab = Lab(isFast: isFast, page: Page(isRecord: asRecord, hasRows: program.about.group != nil))
    }

    /// Returns the exit status: 0 if the program did what `judge` expects. Does not return after Ctrl-C.
    func perform() -> Int32 {
        ProgramRun.current = self
        onInterrupt { [self] in giveUp(128 + SIGINT) { $0.interrupted() } }
        lab.page.introduce(program.about, form, length, isFast: lab.isFast)
        endWhenNeeded()
        program.run()
        return conclude(endedAfter: nil) ?? 0
    }

    /// A program with a limit is ended by the harness. Any other that does not end is stuck, and that is its verdict.
    private func endWhenNeeded() {
        if let limit = program.about.limits[form] {
            let limit = lab.wait(limit)
            after(limit) { [self] in
                if let status = conclude(endedAfter: limit) { _exit(status) }
            }
        } else {
            let longest = program.about.longest
            after(longest) { [self] in giveUp(1) { $0.gaveUp(after: longest) } }
        }
    }

    /// Ends the process, from another thread, with what has been seen so far.
    private func giveUp(_ status: Int32, _ words: (Page) -> Void) {
        if let trace = finishTrace() { traced?(trace) }
        words(lab.page)
        _exit(status)
    }

    private func finishTrace() -> Trace? {
        guard let recorder else { return nil }
        let about = program.about
        var trace = recorder.finish(Text("\(about.command): \(about.title)", "\(about.command)：\(about.title)").description)
        trace.take(lab)
        return trace
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
        let page = lab.page, trace = finishTrace()
        page.endTranscript(hasLogged: lab.events.contains { $0.name == linesLogged }, endedAfter: limit)
        if let trace, traced == nil { page.showWakeUps(WakeUpList(Timeline(trace), from: lab.start)) }
        page.showStacks(stacks.withLock { $0 }, program.about)
        program.judge()
        let status = page.conclude(program.about, form, lab.checks.withLock { $0 }, length)
        if let trace { traced?(trace) }
        return status
    }
}

/// The record of the program that runs in this process. A listing needs it only where it must say what nothing else shows. It is not inlined, so
/// that a debugger that stops at a method's first line stops in the method.
var lab: Lab {
    @inline(never) get { ProgramRun.current!.lab }
}

/// The form in which the program runs.
var form: Form { ProgramRun.current!.form }

/// The place where an article stops in Xcode. The stack of the calling thread is shown below the transcript.
@inline(never)
func breakPoint(_ name: String) { ProgramRun.current!.keepStack(name) }

/// A time of an article: as long as there, or a twentieth of it with `--fast`.
func shortened(_ seconds: Double) -> Double { lab.isFast ? seconds / 20 : seconds }

/// Numbers threads in the order in which they appear in the log. The main thread is number 1, as everywhere.
final class ThreadNumbers: Sendable {
    private let seen = Mutex(["1"])

    /// The place of a thread's own number, from 1.
    func index(of number: String) -> Int {
        seen.withLock { seen in
            if let known = seen.firstIndex(of: number) { return known + 1 }
            seen.append(number)
            return seen.count
        }
    }
}
