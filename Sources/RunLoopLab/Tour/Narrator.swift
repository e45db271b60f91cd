// Narrator.swift: tells a run of the loop, step by step. It knows only what reaches the outside of a loop, the activities and the
// callouts, in the order in which they come; the rest it concludes from that.

import SwiftRunLoop

/// What ended a sleep: known by what the loop serves next.
enum Waker: String, CaseIterable {
    case timer = "the timer port"
    case source1 = "the port of source 1"
    case mainQueue = "the main queue's port"
    case wakeUpPort = "its wake-up port"
}

/// Keeps what is known of the pass that the loop is in, and turns it into rows.
///
/// A pass is told in full as long as something new happens; after a pass without news it is one row a pass, until there is news again.
@MainActor
final class Narrator {
    /// How often each kind of callback was called.
    private(set) var callouts: [Callout: Int] = [:]
    /// How often each waker ended a sleep.
    private(set) var wakers: [Waker: Int] = [:]
    /// How many seconds the loop has slept, and how many passes it has made.
    private(set) var timeAsleep = 0.0, passes = 0

    private struct Pass {
        var hasNews = false
        var handledSource0 = false
        var fellAsleep: Double?
        var slept: Double?
        var waker: Waker?
        var lastStep = "3"
        var notes: [String] = []
    }

    private var pass = Pass()
    private var servedMainQueueLast = true // a run begins as if it had
    private var hasGoneOnFrom5 = false
    private var wasBrief = false
    private let transcript: Transcript

    init(transcript: Transcript) {
        self.transcript = transcript
    }

    // MARK: - What reaches the outside

    /// The observer was called, in `callback`.
    func observed(_ activity: Observer.Activity, from callback: String) {
        callouts[.observer, default: 0] += 1
        switch activity {
        case .entry:
            transcript.separate()
            transcript.row("1", "Entry", "the run begins: told by CFRunLoopRunSpecific, outside the passes")
        case .beforeTimers:
            endPass("no reason to leave: round again, to step 2")
            beginPass(from: callback)
        case .beforeSources: transcript.row("3", "BeforeSources", transcript.once("blocks that are queued come next"))
        case .beforeWaiting: fallAsleep()
        case .afterWaiting: pass.slept = pass.fellAsleep.map { now() - $0 }
        default: end()
        }
    }

    /// Any other callback was called; the notes say what it has seen or done, a row each.
    func calledOut(to callout: Callout, from callback: String, _ notes: [String]) {
        switch callout {
        case .timer: woke(by: .timer)
        case .mainQueue: woke(by: .mainQueue)
        case .source1: woke(by: .source1)
        case .block where pass.slept != nil: woke(by: .wakeUpPort)
        case .source0: pass.handledSource0 = true
        default: break
        }
        pass.lastStep = step(of: callout)
        pass.notes += notes
        callouts[callout, default: 0] += 1
        if callouts[callout] == 1 { news() }
        transcript.row(pass.lastStep, "  \(callout.rawValue)", notes.first ?? "")
        let shortNotes = 4 // much input does not part the stack from its callout
        for note in notes.prefix(shortNotes).dropFirst() { transcript.row("", "", note) }
        if callouts[callout] == 1 { transcript.stack(stack(from: callback)) }
        for note in notes.dropFirst(shortNotes) { transcript.row("", "", note) }
    }

    private func step(of callout: Callout) -> String {
        switch callout {
        case .source0: "4"
        case .timer: "9.1"
        case .mainQueue: "9.2"
        case .source1: "9.3"
        case .block, .observer: pass.waker != nil ? "9" : pass.handledSource0 ? "4" : "3"
        }
    }

    // MARK: - The steps

    /// Step 2.
    private func beginPass(from callback: String) {
        passes += 1
        pass = Pass(hasNews: passes == 1)
        transcript.separate()
        transcript.row("2", "BeforeTimers", "pass \(passes)")
        if passes == 1 { transcript.stack(stack(from: callback)) }
    }

    /// Steps 4 to 6. Steps 4 and 5 have called nobody: there was nothing to serve, or the loop would not go to sleep.
    private func fallAsleep() {
        lookedAtSources0()
        lookedAtMainQueue()
        transcript.row("6", "BeforeWaiting", transcript.once("nothing is left to do: the thread goes to sleep"))
        transcript.flush()
        pass.fellAsleep = now()
    }

    private func lookedAtSources0() {
        transcript.row("4", "(sources 0)", "none is signalled")
    }

    private func lookedAtMainQueue() {
        let text = passes == 1 ? "its port is not looked at in the first pass of a run"
            : servedMainQueueLast ? "its port is not looked at in the pass after it was served"
            : "its port is not ready"
        transcript.row("5", "(main queue)", text)
    }

    /// Steps 7 and 8, or 5, told when the first thing that is served shows what they were. A pass that sleeps, and then has nothing to
    /// serve, was woken by the wake-up port: the run has no time limit. A pass that does not sleep has handled a source 0 and only looks,
    /// or has found the main queue ready in step 5.
    private func woke(by waker: Waker) {
        guard pass.waker == nil else { return }
        pass.waker = waker
        if let slept = pass.slept {
            awoke(after: slept, by: waker)
        } else if !pass.handledSource0 {
            if !hasGoneOnFrom5 { news() }
            hasGoneOnFrom5 = true
            lookedAtSources0()
            transcript.row("5", "(main queue)", "its port is ready: this pass does not sleep, but goes on to 9")
        } else {
            lookedAtMainQueue()
            transcript.row("7", "(looked)", transcript.once("a pass that has handled a source 0 only looks, and leaves out 6 and 8"))
        }
        servedMainQueueLast = waker == .mainQueue
    }

    private func awoke(after slept: Double, by waker: Waker) {
        timeAsleep += slept
        wakers[waker, default: 0] += 1
        if wakers[waker] == 1 { news() }
        transcript.row("7", "(asleep)", "for \(seconds(slept))")
        transcript.row("8", "AfterWaiting", "woken by \(waker.rawValue)")
        if waker == .wakeUpPort { transcript.row("9", "(nothing)", "a plain wake-up has nothing to serve") }
    }

    /// The end of step 9, where the loop decides: what, is known when it goes round again or leaves.
    private func endPass(_ decision: String) {
        guard passes > 0 else { return }
        if pass.waker == nil {
            woke(by: .wakeUpPort)
            pass.lastStep = "9"
        }
        let isBrief = transcript.isHolding
        if isBrief { tellBriefly() }
        wasBrief = isBrief
        let decision = transcript.once(decision)
        if decision != "" { transcript.row("9", "(decision)", decision) }
        if !pass.hasNews { transcript.hold() }
    }

    /// One row for the pass, and more only if there is more than one thing to note.
    private func tellBriefly() {
        transcript.forget()
        if !wasBrief { transcript.separate() }
        let sleep = pass.slept.map { "slept \(seconds($0)), woken by \(pass.waker!.rawValue)" } ?? "did not sleep"
        transcript.row("2-\(pass.lastStep)", "pass \(passes)", ([sleep] + pass.notes.prefix(1)).joined(separator: ": "))
        for note in pass.notes.dropFirst() { transcript.row("", "", note) }
    }

    /// Step 10.
    private func end() {
        endPass("CFRunLoopStop was called: leave, with kCFRunLoopRunStopped")
        transcript.show()
        transcript.row("10", "Exit", "the run ends: told by CFRunLoopRunSpecific, outside the passes")
    }

    /// Something happens for the first time: the pass is told in full.
    private func news() {
        pass.hasNews = true
        transcript.show()
    }
}
