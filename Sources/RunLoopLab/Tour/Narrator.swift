// Narrator.swift: describes a run of the loop, step by step. It knows only what is visible outside the loop: the activities and the
// callouts, in their order. It infers everything else from that.

import SwiftRunLoop

/// What ended a sleep. What the loop serves next shows it.
enum Waker: String, CaseIterable {
    case timer = "the timer port"
    case source1 = "the Source1 port"
    case mainQueue = "the main queue's port"
    case wakeUpPort = "its wake-up port"
}

/// Keeps what is known of the current pass, and turns it into rows.
///
/// A pass in which something new happens is shown in full. After a pass without news, each pass is one row, until there is news again.
@MainActor
final class Narrator {
    /// How often each kind of callback was called.
    private(set) var callouts: [Callout: Int] = [:]
    /// How often each waker ended a sleep.
    private(set) var wakers: [Waker: Int] = [:]
    /// The number of seconds that the loop has slept, and of the passes that it has made.
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

    // MARK: - What is visible outside the loop

    /// The observer was called, in `callback`.
    func observed(_ activity: RunLoop.Observer.Activity, from callback: String) {
        callouts[.observer, default: 0] += 1
        switch activity {
        case .entry:
            transcript.separate()
            transcript.row("1", "Entry", "the run begins; CFRunLoopRunSpecific sends this, outside the passes")
        case .beforeTimers:
            endPass("no reason to leave: back to step 2")
            beginPass(from: callback)
        case .beforeSources: transcript.row("3", "BeforeSources", transcript.once("queued blocks come next"))
        case .beforeWaiting: fallAsleep()
        case .afterWaiting: pass.slept = pass.fellAsleep.map { now() - $0 }
        default: end()
        }
    }

    /// Any other callback was called. Each note is a row about what it saw or did.
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
        let shortNotes = 4 // so that long input does not separate a callout from its stack
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

    /// Steps 4 to 6. In steps 4 and 5 there was nothing to serve; otherwise the loop would not go to sleep.
    private func fallAsleep() {
        rowForSource0()
        rowForMainQueue()
        transcript.row("6", "BeforeWaiting", transcript.once("nothing is left to do: the thread is about to sleep"))
        transcript.flush()
        pass.fellAsleep = now()
    }

    private func rowForSource0() {
        transcript.row("4", "(Source0)", "none is signalled")
    }

    private func rowForMainQueue() {
        let text = passes == 1 ? "its port is not checked in the first pass of a run"
            : servedMainQueueLast ? "its port is not checked in the pass after it was served"
            : "its port is not ready"
        transcript.row("5", "(main queue)", text)
    }

    /// Steps 7 and 8, or 5. The first callout after them shows what they were. If a pass sleeps and then serves nothing, the wake-up port
    /// has woken it, because the run has no time limit. If a pass does not sleep, it has handled a Source0, or has found the main queue
    /// ready in step 5.
    private func woke(by waker: Waker) {
        guard pass.waker == nil else { return }
        pass.waker = waker
        if let slept = pass.slept {
            awoke(after: slept, by: waker)
        } else if !pass.handledSource0 {
            if !hasGoneOnFrom5 { news() }
            hasGoneOnFrom5 = true
            rowForSource0()
            transcript.row("5", "(main queue)", "its port is ready: this pass does not sleep; step 9 is next")
        } else {
            rowForMainQueue()
            transcript.row("7", "(polled)", transcript.once("after a Source0, a pass only polls, and leaves out steps 6 and 8"))
        }
        servedMainQueueLast = waker == .mainQueue
    }

    private func awoke(after slept: Double, by waker: Waker) {
        timeAsleep += slept
        wakers[waker, default: 0] += 1
        if wakers[waker] == 1 { news() }
        transcript.row("7", "(asleep)", "for \(seconds(slept))")
        transcript.row("8", "AfterWaiting", "woken by \(waker.rawValue)")
        if waker == .wakeUpPort { transcript.row("9", "(nothing)", "CFRunLoopWakeUp alone gives the loop nothing to serve") }
    }

    /// The end of step 9, where the loop decides. The next activity shows what it has decided.
    private func endPass(_ decision: String) {
        guard passes > 0 else { return }
        if pass.waker == nil {
            woke(by: .wakeUpPort)
            pass.lastStep = "9"
        }
        let isBrief = transcript.isHolding
        if isBrief { showBriefly() }
        wasBrief = isBrief
        let decision = transcript.once(decision)
        if decision != "" { transcript.row("9", "(decision)", decision) }
        if !pass.hasNews { transcript.hold() }
    }

    /// One row for the pass, and further rows only for further notes.
    private func showBriefly() {
        transcript.forget()
        if !wasBrief { transcript.separate() }
        let sleep = pass.slept.map { "slept \(seconds($0)), woken by \(pass.waker!.rawValue)" } ?? "did not sleep"
        transcript.row("2-\(pass.lastStep)", "pass \(passes)", ([sleep] + pass.notes.prefix(1)).joined(separator: ": "))
        for note in pass.notes.dropFirst() { transcript.row("", "", note) }
    }

    /// Step 10.
    private func end() {
        endPass("CFRunLoopStop was called: leave with kCFRunLoopRunStopped")
        transcript.show()
        transcript.row("10", "Exit", "the run ends; CFRunLoopRunSpecific sends this, outside the passes")
    }

    /// Something happens for the first time: the pass is shown in full.
    private func news() {
        pass.hasNews = true
        transcript.show()
    }
}
