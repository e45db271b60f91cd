// Tour.swift: the loop of the tour: its items, their callbacks, and its end.

import CRunLoop
import Dispatch
import Glibc
import SwiftRunLoop

/// One run of the main thread's loop, from entry to exit.
///
/// Apart from the input, its events form a chain. A block is queued before the run. The timer's first tick puts work on the main queue,
/// which the next pass finds in step 5, and makes another thread signal the Source0 a little later. The Source0's callback makes another
/// thread put work on the main queue again, which ends a sleep. The run is stopped when all this has happened and the input has ended.
///
/// The callbacks are never inlined, and their calls of the narrator are not tail calls. So the stacks show the callbacks by name.
@MainActor
final class Tour {
    private static let pause = 0.1 // seconds; enough for the loop to be asleep again
    private static let firstTick = 0.2, interval = 3.0

    private let input: StandardInput
    private let transcript = Transcript()
    private let narrator: Narrator
    private let loop = RunLoop.main
    private let cfLoop = CFRunLoopGetMain()!, cfMode = kCFRunLoopDefaultMode! // the same in C
    private var source0: RunLoop.Source!, source1: RunLoop.Source? // from fillLoop on

    private var ticks = 0, lines = 0
    private var chainIsOver = false, inputHasEnded = false, isStopped = false

    init(input: StandardInput) {
        self.input = input
        narrator = Narrator(transcript: transcript)
    }

    /// Runs the loop and describes the run. Returns when the input has ended, or on Ctrl-C.
    @inline(never)
    func run() {
        introduce()
        fillLoop()
        signal(SIGINT) { _ in
            signal(SIGINT, SIG_DFL) // a second Ctrl-C ends the process
            CFRunLoopStop(CFRunLoopGetMain()) // may be called in a signal handler
        }
        CFRunLoopRun()
        conclude()
    }

    private func introduce() {
        transcript.paragraph(Text("A tour of one run loop: the main thread's, in kCFRunLoopDefaultMode.", "导览：主线程的 RunLoop，运行在 kCFRunLoopDefaultMode 里。"))
        transcript.paragraph(Text("""
            The mode holds an observer of all activities, a timer, a Source0, and a Source1 on standard input (\(input.kind)); \
            one block is queued. The tour ends when the input has ended and every kind of callout has been shown; press Ctrl-C to end it \
            earlier.
            """, """
            mode 里有一个监听所有状态的 Observer、一个 Timer、一个 Source0 和一个读标准输入的 Source1（\(input.kind)），还加入了一个 \
            block。输入结束、每一种回调都出现过之后，导览结束；按 Ctrl-C 可以提前结束。
            """))
        transcript.paragraph(Text("""
            The number of the step is on the left. Only the activities and the callouts are visible outside the loop; the tour infers the rows \
            in brackets from their order. The first callout of each kind shows its stack, out to main. A pass without anything new takes one row.
            """, """
            左边是步骤的编号。从 RunLoop 外面只能看到状态的通知和回调；括号里的行是导览根据它们的顺序推断的。每种回调第一次出现时，显示一直到 \
            main 的调用栈。没有新内容的一轮只占一行。
            """))
    }

    private func conclude() {
        if !isStopped { transcript.paragraph(Text("Interrupted: the SIGINT handler called CFRunLoopStop.", "已中断：SIGINT 的处理函数调用了 CFRunLoopStop。")) }
        let passes = narrator.passes, sleeps = narrator.wakers.values.reduce(0, +), asleep = narrator.timeAsleep
        transcript.paragraph(Text("""
            Seen: \(count(passes, "pass", "passes")), \(count(lines, "line")) of input, and \(count(sleeps, "sleep")) of \
            \(seconds(asleep)) in all. The loop was woken by
            """, "一共 \(passes) 轮，输入 \(lines) 行，休眠 \(sleeps) 次，共 \(seconds(asleep, unit: " 秒"))。唤醒 RunLoop 的有"))
        for waker in Waker.allCases { transcript.tally(narrator.wakers[waker], waker.words) }
        transcript.line(Text("and called out to", "它回调过").description)
        for callout in Callout.allCases { transcript.tally(narrator.callouts[callout], Text(callout.rawValue, shown(callout.rawValue))) }
        transcript.paragraph(Text("You find the same step numbers in __CFRunLoopRun, in Sources/CRunLoop/CFRunLoop.c.",
                                  "在 Sources/CRunLoop/CFRunLoop.c 的 __CFRunLoopRun 里，步骤的编号与这里一致。"))
        transcript.flush()
    }

    // MARK: - What is in the loop

    private func fillLoop() {
        let observer = RunLoop.Observer { [unowned self] _, activity in MainActor.assumeIsolated { observe(activity) } }
        loop.add(observer, forMode: .default)

        let soon = CFAbsoluteTimeGetCurrent() + Self.firstTick
        let timer = CFRunLoopTimerCreateWithHandler(nil, soon, Self.interval, 0, 0) { [unowned self] _ in timerFired() }
        CFRunLoopAddTimer(cfLoop, timer, cfMode)

        source0 = RunLoop.Source { [unowned self] in MainActor.assumeIsolated { sourcePerformed() } }
        loop.add(source0, forMode: .default)
        do {
            let source = try RunLoop.Source(fileDescriptor: STDIN_FILENO) { [unowned self] _, _ in
                MainActor.assumeIsolated { inputArrived() }
            }
            loop.add(source, forMode: .default)
            source1 = source
        } catch {} // a file, which is always ready to read: nobody can type a line

        CFRunLoopPerformBlock(cfLoop, UnsafeRawPointer(cfMode)) { [unowned self] in blockPerformed() }
    }

    // MARK: - The callbacks

    @inline(never)
    private func observe(_ activity: RunLoop.Observer.Activity) {
        narrator.observed(activity, from: #function)
        withExtendedLifetime(self) {} // not a tail call
    }

    @inline(never)
    private func blockPerformed() {
        narrator.calledOut(to: .block, from: #function, [Text("queued before the run", "运行之前加入的")])
        withExtendedLifetime(self) {} // not a tail call
    }

    @inline(never)
    private func timerFired() {
        ticks += 1
        let plan = Text("; dispatches to the main queue; a thread signals Source0 in \(Self.pause) s",
                        "；向主队列派发任务；另一个线程 \(Self.pause) 秒后标记 Source0")
        narrator.calledOut(to: .timer, from: #function, [Text("tick \(ticks)\(ticks == 1 ? plan : .none)", "第 \(ticks) 次触发\(ticks == 1 ? plan : .none)")])
        if ticks == 1 {
            DispatchQueue.main.async { self.mainQueueServed(Text("dispatched by the timer's callback", "由 Timer 的回调派发")) }
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.pause) { [source = source0!] in
                source.signal()
                RunLoop.main.wakeUp()
            }
        }
        stopIfComplete()
    }

    @inline(never)
    private func sourcePerformed() {
        let plan = Text("that thread will dispatch to the main queue in \(Self.pause) s", "那个线程 \(Self.pause) 秒后会向主队列派发任务")
        narrator.calledOut(to: .source0, from: #function, [Text("signalled by another thread; \(plan)", "由另一个线程标记；\(plan)")])
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.pause) {
            DispatchQueue.main.async {
                self.chainIsOver = true
                self.mainQueueServed(Text("dispatched by another thread", "由另一个线程派发"))
            }
        }
    }

    @inline(never)
    private func mainQueueServed(_ origin: Text) {
        narrator.calledOut(to: .mainQueue, from: #function, [origin])
        stopIfComplete()
    }

    @inline(never)
    private func inputArrived() {
        let arrival = input.readAvailable()
        lines += arrival.lines.count
        narrator.calledOut(to: .source1, from: #function, arrival.lines.map(Text.init(code:)) + (arrival.end.map { [$0] } ?? []))
        guard arrival.end != nil else { return }
        source1?.invalidate() // a descriptor at its end is always ready
        inputHasEnded = true
        stopIfComplete()
    }

    private func stopIfComplete() {
        guard inputHasEnded, chainIsOver, !isStopped, narrator.wakers[.timer] != nil else { return }
        isStopped = true
        loop.stop()
    }
}
