// BookFigures.swift: the figures of the book that no recording is needed for: two of time, from what the model does with a chapter's program,
// and two of what a loop holds.

import CRunLoopModel

// MARK: - What a program does

/// The runs of a program's threads, and what happens in them, by the model. On its clock only sleeping takes time, so the figure is the same each time.
private final class ModelRun {
    struct Run {
        var thread: String, mode: String, depth: Int
        var from: Double, to = Double.infinity
    }

    private(set) var runs: [Run] = []
    private(set) var calls: [(item: String, thread: String, time: Double)] = []
    private(set) var actions: [(verb: LoopVerb, time: Double)] = []
    private let program = UnsafeMutablePointer<LoopProgram>.allocate(capacity: 1)

    /// Performs a program of the book.
    init(_ chapter: String) {
        let text = PlayText("\(SourceTree.root)Documentation/Book/\(chapter)").text
        guard loopProgramRead(program, text) else { fail(Text("\(chapter) has a mistake", "\(chapter) 有错"), status: 1) }
        var options = ModelOptions()
        options.context = Unmanaged.passUnretained(self).toOpaque()
        options.happens = { event, context in Unmanaged<ModelRun>.fromOpaque(context!).takeUnretainedValue().take(event!.pointee) }
        let result = modelPerform(program, &options)
        if result.reason != nil { fail(Text("the model does not say what \(chapter) does", "模型没有说出 \(chapter) 会怎样"), status: 1) }
    }

    deinit { program.deallocate() }

    private func take(_ event: ModelEvent) {
        let thread = String(cString: event.thread), time = Double(event.now) / 1e9
        switch event.kind {
        case actionBegins:
            let action = withUnsafeBytes(of: &program.pointee.actions) { $0.bindMemory(to: LoopAction.self)[Int(event.action)] }
            actions.append((action.verb, time))
            if action.verb == doRun {
                runs.append(Run(thread: thread, mode: name(action.modes.trailingZeroBitCount), depth: Int(event.depth), from: time))
            }
        case itemIsCalled:
            let name = withUnsafeBytes(of: &program.pointee.items) { items in
                withUnsafeBytes(of: items.bindMemory(to: LoopItem.self)[Int(event.item)].name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            }
            calls.append((name, thread, time))
        case runEnds:
            runs[runs.lastIndex { $0.thread == thread && $0.to == .infinity }!].to = time
        default: break
        }
    }

    private func name(_ mode: Int) -> String {
        withUnsafeBytes(of: &program.pointee.modes) { String(decoding: $0.dropFirst(mode * Int(longestName)).prefix { $0 != 0 }, as: UTF8.self) }
    }

    func times(_ verb: LoopVerb) -> [Double] { actions.filter { $0.verb == verb }.map(\.time) }
    func times(of item: String) -> [Double] { calls.filter { $0.item == item }.map(\.time) }
    func runs(of thread: String) -> [Run] { runs.filter { $0.thread == thread } }
}

private func moment(_ time: Double, _ words: Text, _ paint: Drawing.Paint) -> Chart.Row {
    .bar(Chart.Bar(from: time, to: time, paint: paint, words: words.description))
}

// MARK: - B2

@MainActor
func drawThreads(_ page: inout Drawing) {
    let program = ModelRun("2-threads-that-end.md"), never = ModelRun("2-threads-that-end.md#3")
    func bars(_ runs: [ModelRun.Run], _ words: (Int) -> Text) -> Chart.Row {
        .band(runs.enumerated().map { Chart.Bar(from: $1.from, to: $1.to, paint: .mode, words: words($0).description) })
    }
    let asleep: (Int) -> Text = { _ in Text("runs in the default mode", "在默认 mode 下运行") }
    var chart = Chart(from: 0, to: program.runs.map(\.to).max()!)
    chart.rows = [
        .head(Text("Thread A: nothing is in the mode", "线程 A：mode 里什么也没有").description),
        moment(program.runs(of: "A")[0].to, Text("Finished at once, and the thread ends", "立刻 Finished，线程随之结束"), .alert),
        .head(Text("Thread B: a source is in the mode", "线程 B：mode 里有一个 Source").description),
        bars(program.runs(of: "B"), asleep),
        .ticks(Text("S performs; otherwise the thread sleeps", "S 执行；其余时间线程在休眠").description, program.times(of: "S").map { ($0, .source0) }),
        .head(Text("The main thread: its mode serves the main queue", "主线程：它的 mode 要处理主队列").description),
        bars(program.runs(of: "main"), asleep),
    ]
    chart.draw(into: &page)
    page.y += 6
    chart = Chart(from: 0, to: chart.to)
    chart.rows = [
        .head(Text("The thread that never ends: one run after the other", "永远不结束的线程：运行一次接一次").description),
        bars(never.runs(of: "worker")) { Text(code: "\($0 + 1)") },
        .ticks(Text("CFRunLoopStop ends one run", "CFRunLoopStop 只结束其中一次").description, never.times(doStop).map { ($0, .alert) }),
    ]
    chart.draw(into: &page)
}

// MARK: - B3

/// What is called in a stack: the item, its callout, the frames below it up to `__CFRunLoopRun`, and where the item is kept.
let itemsOfAStack: [(callout: Callout, words: Text, name: String, frames: String, steps: String, paint: Drawing.Paint)] = [
    (.observer, Text("an observer", "Observer"), "…AN_OBSERVER_CALLBACK_FUNCTION__", "__CFRunLoopDoObservers", "1, 2, 3, 6, 8, 10", .observer),
    (.source0, Text("a Source0", "Source0"), "…A_SOURCE0_PERFORM_FUNCTION__", "__CFRunLoopDoSources0", "4", .source0),
    (.timer, Text("a timer", "Timer"), "…A_TIMER_CALLBACK_FUNCTION__", "__CFRunLoopDoTimer, __CFRunLoopDoTimers", "9.1", .timer),
    (.source1, Text("a Source1", "Source1"), "…A_SOURCE1_PERFORM_FUNCTION__", "__CFRunLoopDoSource1", "9.3", .source1),
    (.block, Text("a block", "block"), "…A_BLOCK__", "__CFRunLoopDoBlocks", "3, 4, 9", .block),
    (.mainQueue, Text("a block of the main queue", "主队列的 block"), "…THE_MAIN_DISPATCH_QUEUE__", "", "9.2", .queue),
]

@MainActor
func drawStack(_ page: inout Drawing) {
    func item(_ item: (callout: Callout, words: Text, name: String, frames: String, steps: String, paint: Drawing.Paint), _ x: Double) {
        let lines = [item.name] + (item.frames == "" ? [] : [item.frames]), height = 24 + 14 * Double(lines.count)
        page.box(x, page.y, 380 - x, height, item.paint)
        page.text(item.words.description, x + 8, page.y + 17, isBold: true)
        page.text(Text("step \(item.steps)", "步骤 \(item.steps)").description, 372, page.y + 17, .ink, size: 11, anchor: .end)
        for (index, line) in lines.enumerated() { page.text(line, x + 8, page.y + 32 + 14 * Double(index), size: 11) }
        page.y += height + 6
    }
    func frame(_ name: String, _ words: Text, _ x: Double, _ draw: () -> Void) {
        let start = page.y
        page.y += 22
        page.text(name, x + 6, page.y - 7, isBold: true)
        page.text(words.description, 376, page.y - 7, .quiet, size: 11, anchor: .end)
        draw()
        page.box(x, start, 386 - x, page.y - start, .lane)
        page.y += 6
    }
    frame("CFRunLoopRunSpecific", Text("a run", "一次运行"), 4) {
        frame("__CFRunLoopRun", Text("its passes", "各轮循环"), 10) {
            page.text(Text("what is queued in the loop:", "RunLoop 里排队的：").description, 22, page.y + 10, .quiet, size: 11)
            page.y += 16
            for each in itemsOfAStack where each.callout == .block { item(each, 22) }
            page.text(Text("what is in the current mode:", "当前 mode 里的：").description, 22, page.y + 10, .quiet, size: 11)
            page.y += 16
            for each in itemsOfAStack where ![.block, .mainQueue].contains(each.callout) { item(each, 22) }
            page.text(Text("and the process's, if this is the main loop:", "如果这是主线程的 RunLoop，还有进程的：").description, 22, page.y + 10, .quiet, size: 11)
            page.y += 16
            for each in itemsOfAStack where each.callout == .mainQueue { item(each, 22) }
        }
    }
}

// MARK: - B7

@MainActor
func drawNestedRun(_ page: inout Drawing) {
    let program = ModelRun("7-stop-and-nested-runs.md"), outer = program.runs(of: "main")[0], inner = program.runs(of: "main")[1]
    let asleep = Text("asleep", "休眠").description
    var chart = Chart(from: outer.from, to: outer.to)
    chart.rows = [
        .head(Text("The outer run: the mode \(outer.mode), with S", "外层运行：\(outer.mode) mode，里面有 S").description),
        .band([Chart.Bar(from: outer.from, to: inner.to, paint: .plain, words: Text("in a callback", "在回调里").description),
               Chart.Bar(from: inner.to, to: outer.to, paint: .sleep, words: asleep)]),
        .head(Text("The inner run: the mode \(inner.mode), with a button", "内层运行：\(inner.mode) mode，里面有 button").description),
        .band([Chart.Bar(from: inner.from, to: inner.to, paint: .sleep, words: asleep)]),
        .head(Text("What happens", "发生了什么").description),
        moment(program.times(doSignal)[0], Text("S is signaled, and the loop is woken", "S 标记为待处理，RunLoop 被唤醒"), .source0),
        moment(program.times(doStop)[0], Text("CFRunLoopStop ends the inner run", "CFRunLoopStop 结束内层运行"), .alert),
        moment(program.times(of: "S")[0], Text("S performs, in the outer run", "S 在外层运行里执行"), .source0),
        moment(outer.to, Text("the outer run: TimedOut", "外层运行：TimedOut"), .plain),
    ]
    chart.draw(into: &page)
}

// MARK: - B8

/// The parts of a loop of your own. The numbers are those of the chapter's order of work; the names are those of YourLoop.h, or of the finished loop.
@MainActor
func drawYourLoop(_ page: inout Drawing) {
    func number(_ number: Int, _ x: Double, _ y: Double) {
        page.circle(x, y - 4, 8, .new)
        page.text("\(number)", x, y, size: 11, anchor: .middle)
    }
    func line(_ steps: [Int], _ words: String, _ x: Double, isBold: Bool = false) {
        page.y += 18
        for (index, step) in steps.enumerated() { number(step, x + 8 + 19 * Double(index), page.y) }
        page.text(words, x + 20 + 19 * Double(max(steps.count - 1, 0)), page.y, isBold: isBold)
    }
    func box(_ x: Double, _ width: Double, _ paint: Drawing.Paint, _ draw: () -> Void) {
        let start = page.y
        draw()
        page.y += 8
        page.box(x, start, width, page.y - start, paint)
        page.y += 6
    }
    // A box is drawn before what is in it, so its height has to be known first.
    func filled(_ x: Double, _ width: Double, _ height: Double, _ paint: Drawing.Paint, _ draw: () -> Void) {
        page.box(x, page.y, width, height, paint)
        let start = page.y
        draw()
        page.y = start + height + 6
    }
    box(4, 382, .lane) {
        line([], "Loop", -6, isBold: true)
        page.y += 6
        box(12, 366, .lane) {
            line([1], Text("modes: each a list of items, for addItem", "modes：每个 mode 是一个 item 列表，由 addItem 填").description, 18)
            page.y += 6
            filled(20, 350, 38, .source0) {
                line([3], Text("a source: isSignaled, order", "Source：isSignaled、order").description, 26)
                page.y -= 3
                page.text(Text("signalSource marks it, step 4 performs it", "signalSource 标记，第 4 步执行").description, 46, page.y + 17, size: 11)
            }
            filled(20, 350, 38, .timer) {
                line([5], Text("a timer: date, interval", "Timer：date、interval").description, 26)
                page.y -= 3
                page.text(Text("when it is late, it fires once and keeps its rhythm", "晚了只触发一次，节奏不变").description, 46, page.y + 17, size: 11)
            }
            filled(20, 350, 38, .observer) {
                line([4], Text("an observer: activities", "Observer：activities").description, 26)
                page.y -= 3
                page.text(Text("keeps no mode from being empty", "只有它，mode 仍算空").description, 46, page.y + 17, size: 11)
            }
        }
        page.y += 2
        box(12, 366, .lane) {
            line([6], Text("a record for each run, the innermost first", "每次运行一条记录，最里层的在最前").description, 18)
            page.y += 6
            filled(20, 350, 38, .tracking) {
                line([6], Text("the inner run: isStopped", "内层运行：isStopped").description, 26)
                page.y -= 3
                page.text(Text("stopLoop ends this one alone", "stopLoop 只结束这一次").description, 46, page.y + 17, size: 11)
            }
            filled(20, 350, 38, .mode) {
                line([7], Text("the outer run: hasNested", "外层运行：hasNested").description, 26)
                page.y -= 3
                page.text(Text("checks for work before it sleeps", "休眠之前先看有没有事可做").description, 46, page.y + 17, size: 11)
            }
        }
        page.y -= 4
    }
    page.y += 12
    page.arrow((100, page.y - 16), (100, page.y + 8))
    page.text(Text("sleepUntil", "sleepUntil").description, 107, page.y, size: 11)
    page.arrow((270, page.y + 10), (270, page.y - 14))
    page.text(Text("ends the sleep", "结束休眠").description, 277, page.y, size: 11)
    page.y += 12
    filled(4, 382, 44, .sleep) {
        line([2], Text("the kernel: the thread sleeps here", "内核：线程在这里休眠").description, 10)
        line([7], Text("wakeUp rings, unless the flag ignoresWakeUps is set", "wakeUp 会 ring，除非设了标志 ignoresWakeUps").description, 10)
    }
}
