// Narrator.swift: describes a run of the loop, step by step. It knows only what is visible outside the loop: the activities and the
// callouts, in their order. It infers everything else from that.

import SwiftRunLoop

/// What ended a sleep. What the loop serves next shows it.
enum Waker: CaseIterable {
    case timer, source1, mainQueue, wakeUpPort

    var words: Text {
        switch self {
        case .timer: Text("the timer port", "Timer 端口")
        case .source1: Text("the Source1 port", "Source1 的端口")
        case .mainQueue: Text("the main queue's port", "主队列的端口")
        case .wakeUpPort: Text("its wake-up port", "wakeUpPort")
        }
    }
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
        var notes: [Text] = []
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
            transcript.row("1", Text(code: "Entry"), Text("the run begins; CFRunLoopRunSpecific sends this, outside the passes", "运行开始；由 CFRunLoopRunSpecific 通知，不在任何一轮里"))
        case .beforeTimers:
            endPass(Text("no reason to leave: back to step 2", "没有退出的理由：回到步骤 2"))
            beginPass(from: callback)
        case .beforeSources: transcript.row("3", Text(code: "BeforeSources"), transcript.once(Text("queued blocks come next", "接下来执行已加入的 block")))
        case .beforeWaiting: fallAsleep()
        case .afterWaiting: pass.slept = pass.fellAsleep.map { now() - $0 }
        default: end()
        }
    }

    /// Any other callback was called. Each note is a row about what it saw or did.
    func calledOut(to callout: Callout, from callback: String, _ notes: [Text]) {
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
        transcript.row(pass.lastStep, Text("  \(callout.rawValue)", "  \(shown(callout.rawValue))"), notes.first ?? .none)
        let shortNotes = 4 // so that long input does not separate a callout from its stack
        for note in notes.prefix(shortNotes).dropFirst() { transcript.row("", .none, note) }
        if callouts[callout] == 1 { transcript.stack(stack(from: callback)) }
        for note in notes.dropFirst(shortNotes) { transcript.row("", .none, note) }
    }

    private func step(of callout: Callout) -> String {
        callout.step ?? (pass.waker != nil ? "9" : pass.handledSource0 ? "4" : "3")
    }

    // MARK: - The steps

    /// Step 2.
    private func beginPass(from callback: String) {
        passes += 1
        pass = Pass(hasNews: passes == 1)
        transcript.separate()
        transcript.row("2", Text(code: "BeforeTimers"), Text("pass \(passes)", "第 \(passes) 轮"))
        if passes == 1 { transcript.stack(stack(from: callback)) }
    }

    /// Steps 4 to 6. In steps 4 and 5 there was nothing to serve; otherwise the loop would not go to sleep.
    private func fallAsleep() {
        rowForSource0()
        rowForMainQueue()
        transcript.row("6", Text(code: "BeforeWaiting"), transcript.once(Text("nothing is left to do: the thread is about to sleep", "没有事可做了：线程即将休眠")))
        transcript.flush()
        pass.fellAsleep = now()
    }

    private func rowForSource0() {
        transcript.row("4", Text("(Source0)", "（Source0）"), Text("none is signalled", "没有标记为待处理的"))
    }

    private func rowForMainQueue() {
        let text = passes == 1 ? Text("its port is not checked in the first pass of a run", "一次运行的第一轮不检查它的端口")
            : servedMainQueueLast ? Text("its port is not checked in the pass after it was served", "刚处理过主队列，这一轮不检查它的端口")
            : Text("its port is not ready", "它的端口没有就绪")
        transcript.row("5", Text("(main queue)", "（主队列）"), text)
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
            transcript.row("5", Text("(main queue)", "（主队列）"), Text("its port is ready: this pass does not sleep; step 9 is next", "它的端口就绪：这一轮不休眠，直接到步骤 9"))
        } else {
            rowForMainQueue()
            transcript.row("7", Text("(polled)", "（不等待）"), transcript.once(Text("after a Source0, a pass only polls, and leaves out steps 6 and 8", "处理过 Source0 的一轮只查询、不等待，跳过步骤 6 和 8")))
        }
        servedMainQueueLast = waker == .mainQueue
    }

    private func awoke(after slept: Double, by waker: Waker) {
        timeAsleep += slept
        wakers[waker, default: 0] += 1
        if wakers[waker] == 1 { news() }
        transcript.row("7", Text("(asleep)", "（休眠）"), Text("for \(seconds(slept))", "\(seconds(slept, unit: " 秒"))"))
        transcript.row("8", Text(code: "AfterWaiting"), Text("woken by \(waker.words)", spaced("被\(waker.words)唤醒")))
        if waker == .wakeUpPort { transcript.row("9", Text("(nothing)", "（没有）"), Text("CFRunLoopWakeUp alone gives the loop nothing to serve", "只有 CFRunLoopWakeUp，没有要处理的事")) }
    }

    /// The end of step 9, where the loop decides. The next activity shows what it has decided.
    private func endPass(_ decision: Text) {
        guard passes > 0 else { return }
        if pass.waker == nil {
            woke(by: .wakeUpPort)
            pass.lastStep = "9"
        }
        let isBrief = transcript.isHolding
        if isBrief { showBriefly() }
        wasBrief = isBrief
        let decision = transcript.once(decision)
        if decision != .none { transcript.row("9", Text("(decision)", "（决定）"), decision) }
        if !pass.hasNews { transcript.hold() }
    }

    /// One row for the pass, and further rows only for further notes.
    private func showBriefly() {
        transcript.forget()
        if !wasBrief { transcript.separate() }
        let sleep = pass.slept.map { (time: Double) -> Text in
            let waker = pass.waker!.words
            return Text("slept \(seconds(time)), woken by \(waker)", spaced("休眠 \(seconds(time, unit: " 秒"))，被\(waker)唤醒"))
        } ?? Text("did not sleep", "没有休眠")
        let note = pass.notes.first.map { Text("\(sleep): \($0)", "\(sleep)：\($0)") }
        transcript.row("2-\(pass.lastStep)", Text("pass \(passes)", "第 \(passes) 轮"), note ?? sleep)
        for note in pass.notes.dropFirst() { transcript.row("", .none, note) }
    }

    /// Step 10.
    private func end() {
        endPass(Text("CFRunLoopStop was called: leave with kCFRunLoopRunStopped", "调用过 CFRunLoopStop：退出，返回 kCFRunLoopRunStopped"))
        transcript.show()
        transcript.row("10", Text(code: "Exit"), Text("the run ends; CFRunLoopRunSpecific sends this, outside the passes", "运行结束；由 CFRunLoopRunSpecific 通知，不在任何一轮里"))
    }

    /// Something happens for the first time: the pass is shown in full.
    private func news() {
        pass.hasNews = true
        transcript.show()
    }
}
