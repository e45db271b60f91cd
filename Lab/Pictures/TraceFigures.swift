// TraceFigures.swift: figures of what happened, each from a recording that is made for it, on a scale of time.

import Glibc
import RunLoopDiagnostics
import SwiftRunLoop

/// The bars of the callouts in which these events happened.
private func bars(_ record: Recording, after start: Double, _ rows: [(event: String, words: Text, note: String, paint: Drawing.Paint)], on thread: String = "main") -> [Chart.Bar] {
    rows.compactMap { row in
        let time = record.time(of: row.event, after: start)
        guard let span = record.callout(at: time, on: thread) else { return nil }
        return Chart.Bar(from: span.from, to: span.to, paint: row.paint, words: row.words.description, note: row.note)
    }
}

/// A moment.
private func moment(_ time: Double, _ words: Text, _ paint: Drawing.Paint = .plain) -> Chart.Bar {
    Chart.Bar(from: time, to: time, paint: paint, words: words.description)
}

private func asleep(_ sleeps: [Recording.Span]) -> [Chart.Bar] {
    sleeps.map { Chart.Bar(from: $0.from, to: $0.to, paint: .sleep, words: Text("asleep", "休眠").description) }
}

private func threadName(_ name: String) -> Text { name == "main" ? Text("The main thread", "主线程") : Text("The thread \(name)", "线程 \(name)") }

// MARK: - G4, G6: an application

@MainActor
func drawTouch(_ page: inout Drawing) {
    let record = Recording(of: "first-touch")
    let sent = record.time(of: "sends", detail: "up"), released = record.time(of: "event object is released", after: sent)
    let arrives = record.callout(at: record.time(of: "event arrives", after: sent))!
    let end = record.sleeps().first { $0.from > released }!.from, space = (end - arrives.from) * 0.04
    var chart = Chart(from: min(sent, arrives.from) - space, to: end + space)
    let passes = record.spans(in: arrives.from...end).filter { if case .pass = $0.span.kind { true } else { false } }
    if passes.count != 3 { fail(Text("something else has woken the main loop during the touch: \(passes.count) passes; try again", "触摸期间有别的东西唤醒了主线程的 RunLoop：\(passes.count) 轮；请再试一次"), status: 1) }
    chart.rows = [
        .head(Text("The system (here a thread)", "系统（这里是一个线程）").description), .bar(moment(sent, Text("sends the touch", "发送触摸事件"))),
        .head(Text("The main thread: three passes", "主线程：三轮循环").description),
        .band(passes.enumerated().map { Chart.Bar(from: $1.from, to: $1.to, paint: $0 % 2 == 0 ? .mode : .plain, words: "\($0 + 1)") }),
    ]
    let rows = bars(record, after: sent, [
        ("event arrives", Text("Source1: takes the event", "Source1：取出事件"), "__IOHIDEventSystemClientQueueCallback", .source1),
        ("event queue", Text("Source0: window, hit test, view", "Source0：window、hit test、view"), "_UIApplicationHandleEventQueue", .source0),
        ("tap", Text("observer: the gesture", "observer：手势"), "_UIGestureRecognizerUpdateObserver", .observer),
        ("commit", Text("observer: layers are committed", "observer：提交 layer"), "CA::Transaction::observer_callback", .observer),
        ("event object is released", Text("observer: the pool is drained", "observer：释放池"), "_wrapRunLoopWithAutoreleasePoolHandler", .observer),
    ])
    chart.rows += rows.map(Chart.Row.bar)
    chart.rows += asleep(record.sleeps(in: arrives.to...end + space)).map(Chart.Row.bar)
    chart.draw(into: &page)
}

@MainActor
func drawStart(_ page: inout Drawing) {
    let programs = [
        (Text("returns at once", "立即返回"), ["int main() {", "    work();", "}"]),
        (Text("returns when the loop ends", "RunLoop 结束时返回"), ["int main() {", "    work();", "    CFRunLoopRun();", "}"]),
        (Text("never returns", "不返回"), ["int main() {", "    UIApplicationMain(…);", "}"]),
    ]
    let top = page.y
    for (number, program) in programs.enumerated() {
        let x = [8.0, 114, 234][number], width = [100.0, 114, 148][number]
        page.box(x, top, width, 84, .plain)
        for (line, words) in program.1.enumerated() { page.text(words.replacing("    ", with: "\u{A0}\u{A0}"), x + 5, top + 16 + 15 * Double(line), size: 11) }
        for (line, words) in Drawing.lines(of: program.0.description, size: 11, width: width).enumerated() {
            page.text(words, x, top + 98 + 14 * Double(line), .quiet, size: 11)
        }
    }
    page.y = top + 122
    let record = Recording(of: "first-touch"), launch = record.time(of: "did finish launching"), touch = record.time(of: "event arrives")
    let arrived = record.callout(at: touch)!, start = record.time(of: "main"), space = (arrived.to - start) * 0.03
    var chart = Chart(from: start - space, to: arrived.to + 4 * space)
    chart.rows = [.head(threadName("main").description), .bar(moment(start, Text("main", "main"))),
                  .bar(moment(record.time(of: "application object"), Text("the application object is made", "创建 application 对象")))]
    if let span = record.callout(at: launch) {
        chart.rows.append(.bar(Chart.Bar(from: span.from, to: span.to, paint: .block, words: Text("it has finished launching", "启动完成").description, note: "didFinishLaunchingWithOptions:")))
    }
    chart.rows += [.band(record.modes(in: chart.from...chart.to).filter { $0.paint != .plain }), .band(asleep(record.sleeps(in: launch...arrived.to))),
                   .bar(Chart.Bar(from: arrived.from, to: arrived.to, paint: .source1, words: Text("the first touch arrives", "第一次触摸到达").description))]
    chart.draw(into: &page)
}

// MARK: - G5

@MainActor
func drawSleep(_ page: inout Drawing) {
    let record = Recording(of: "wake-ups"), sleeps = record.sleeps()
    let end = sleeps.last!.to, space = end * 0.02
    var chart = Chart(from: max(0, sleeps[0].from - space), to: end + space)
    var awake: [Chart.Bar] = [], from = chart.from
    for sleep in sleeps {
        awake.append(Chart.Bar(from: from, to: sleep.from, paint: .mode))
        from = sleep.to
    }
    awake.append(Chart.Bar(from: from, to: chart.to, paint: .mode))
    chart.rows = [.head(Text("User mode: the thread runs", "用户态：线程在运行").description), .band(awake),
                  .head(Text("Kernel mode: the thread sleeps", "内核态：线程在休眠").description), .band(asleep(sleeps)),
                  .head(Text("What ended each sleep", "每次休眠由什么结束").description)]
    let stop = record.time(of: "stops the loop")
    for sleep in sleeps {
        let words = switch sleep.span.reason {
        case .sourcePort: Text("a Source1's port became ready", "Source1 的端口就绪")
        case .timerPort: Text("a timer is due", "Timer 到期")
        case .dispatchPort: Text("the main queue has work", "主队列有任务")
        case .wokenUp where sleep.to >= stop: Text("CFRunLoopStop", "CFRunLoopStop")
        case .wokenUp: Text("CFRunLoopWakeUp", "CFRunLoopWakeUp")
        case .timeout: Text("the time limit", "时间限制")
        default: Text("another wake-up", "其他唤醒")
        }
        chart.rows.append(.bar(Chart.Bar(from: sleep.from, to: sleep.to, paint: .sleep, words: "\(words), \(duration(sleep.span.end - sleep.span.start))")))
    }
    chart.draw(into: &page)
}

// MARK: - G7

@MainActor
func drawTracking(_ page: inout Drawing) {
    let record = Recording(of: "0.24")
    func ticks(_ name: String) -> [Event] { record.events.filter { $0.name == linesLogged && $0.detail.hasPrefix("\(name) ") } }
    let dragged = record.time(of: "dragged"), lifted = record.time(of: "lifted"), rests = record.time(of: "rests")
    let all = ["default", "both", "common"].flatMap { ticks($0).map(\.time) }
    var chart = Chart(from: all.min()! - 0.02, to: all.max()! + 0.02)
    let late = ticks("default").first { $0.time >= rests }?.time
    chart.rows = [.head(Text("The user", "用户").description),
                  .band([Chart.Bar(from: dragged, to: lifted, paint: .source0, words: Text("drags the list", "拖动列表").description),
                         Chart.Bar(from: lifted, to: rests, paint: .plain, words: Text("slows down", "减速").description)]),
                  .head(Text("The mode of the main loop", "主线程 RunLoop 的 mode").description), .band(record.modes(in: chart.from...chart.to))]
    for (name, words) in [("default", Text("a timer in the default mode", "默认 mode 里的 timer")), ("both", Text("a timer in both modes", "两个 mode 里的 timer")),
                          ("common", Text("a timer in the common modes", "common modes 里的 timer"))] {
        chart.rows.append(.ticks(words.description, ticks(name).map { ($0.time, name == "default" && $0.time == late ? .alert : .timer) }))
    }
    chart.draw(into: &page)
}

// MARK: - G8

@MainActor
func drawPools(_ page: inout Drawing) {
    let record = Recording(of: "0.30"), released = record.times(ofLinesWith: "的对象释放"), ticks = record.times(ofLinesWith: "对象放到自动释放池")
    let entry = record.observers("Entry").first!, exit = record.observers("Exit").last!
    let pops = record.sleeps().compactMap { sleep in record.observers("BeforeWaiting").last { $0.to <= sleep.from } } // the last of all
    let space = (exit.to - entry.from) * 0.03
    var chart = Chart(from: entry.from - space, to: exit.to + space), pools: [Chart.Bar] = [], start = entry.from
    for pop in pops.map(\.to) + [exit.to] {
        pools.append(Chart.Bar(from: start, to: pop, paint: .queue, words: Text("pool \(pools.count + 1)", "池 \(pools.count + 1)").description))
        start = pop
    }
    chart.rows = [.head(threadName("main").description), .band(asleep(record.sleeps())), .head(Text("Pools, one after the other", "依次的释放池").description)]
    chart.rows += pools.map(Chart.Row.bar)
    chart.rows.append(.head(Text("Autoreleased objects", "autorelease 的对象").description))
    for (tick, end) in zip(ticks, released) {
        chart.rows.append(.bar(Chart.Bar(from: tick, to: end, paint: .timer, words: Text("from a timer's callback to the pop", "从 Timer 回调到 pop").description)))
    }
    chart.rows += [.head(Text("The two observers", "两个 observer").description),
                   .ticks(Text("push at Entry", "Entry：push").description, [(entry.from, .new)]),
                   .ticks(Text("pop and push at BeforeWaiting", "BeforeWaiting：pop，再 push").description, pops.map { ($0.to, .observer) }),
                   .ticks(Text("pop at Exit", "Exit：pop").description, [(exit.to, .source0)])]
    chart.draw(into: &page)
}

// MARK: - G9

@MainActor
func drawNetwork(_ page: inout Drawing) {
    let record = Recording(of: "3.26"), loader = "com.apple.NSURL" // what Linux keeps of the name
    let start = record.time(of: "begins"), calls = record.events.filter { $0.name == "第1个" }
    let end = calls.last.flatMap { record.callout(at: $0.time)?.to } ?? start, space = (end - start) * 0.02
    func signals(on thread: String) -> [Double] {
        record.timeline.lanes.filter { $0.name == thread }.flatMap(\.instants).filter { $0.kind == .signal }
            .map { record.timeline.seconds($0.time) }.filter { $0 >= start && $0 <= end }
    }
    let socket = signals(on: Wakers.socketThread).map { moment($0, Text("signals the CFSocket's Source0", "标记 CFSocket 的 Source0"), .source1) }
    let callbacks = record.spans(on: loader, in: start...end).filter { $0.span.kind == .callout(.source0, activity: "") && $0.from >= start }.enumerated().map { number, span in
        let tells = signals(on: loader).contains { $0 >= span.from && $0 <= span.to }
        let words = number == 0 ? Text("Source0 of a perform: connects", "perform 的 Source0：开始连接") : Text("its Source0", "它的 Source0")
        return Chart.Bar(from: span.from, to: span.to, paint: .source0, words: "\(words)\(tells ? Text("; signals the delegate's", "；标记 delegate 的 Source0") : .none)")
    }
    var delegate = [moment(start, Text("starts the connection", "启动连接"))], drawn = Set<Double>() // a callout may bring several calls
    for call in calls {
        guard let span = record.callout(at: call.time) else { continue }
        let isNew = drawn.insert(span.from).inserted, name = call.detail.prefix { $0 != ":" }
        delegate.append(Chart.Bar(from: isNew ? span.from : call.time, to: isNew ? span.to : call.time, paint: .source0, words: "delegate: \(name)"))
    }
    let lanes = [("main", delegate), ("com.apple.NSURLConnectionLoader", callbacks), ("com.apple.CFSocket.private", socket)]
    let order = lanes.flatMap(\.1).map(\.from).sorted()
    var chart = Chart(from: start - space, to: end + space)
    for (thread, bars) in lanes {
        chart.rows.append(.head(thread == "main" ? threadName(thread).description : thread))
        for var bar in bars {
            bar.words = "\(order.firstIndex(of: bar.from)! + 1) \(bar.words)"
            chart.rows.append(.bar(bar))
        }
    }
    chart.draw(into: &page)
}

// MARK: - G11

/// Eight frames: each changes a layer, and the fourth is busy for more than two frames.
private func frames(_ lab: Lab) {
    nonisolated(unsafe) let layer = Layer() // on the main thread alone, like what follows
    nonisolated(unsafe) var frame = 0
    LayerTransaction.current.begin { _, activity in lab.activity(activity, "commit", "\(frame)") }
    let link = DisplayLink { link in
        frame += 1
        lab.callout(.timer, "tick", "\(frame)", value: link.timestamp)
        layer.contents = ["\(frame)"]
        if frame == 4 { Thread.sleep(forTimeInterval: 0.04) }
        if frame == 8 { link.invalidate() }
    }
    link.add(to: .main, forMode: .default)
    while link.isValid { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05)) }
    LayerTransaction.current.end()
}

@MainActor
func drawFrames(_ page: inout Drawing) {
    let record = Recording("frames", frames), ticks = record.events.filter { $0.name == "tick" }
    let frame = 1.0 / 60, last = ticks.last!.time
    // A callback comes some time after its frame: the one that was quickest tells when the frames are.
    let first = ticks.compactMap { tick in tick.value.map { tick.time - ($0 - ticks[0].value!) } }.min() ?? last
    var chart = Chart(from: first - frame / 2, to: last + 1.2 * frame)
    let taken = Set(ticks.compactMap { $0.value }.map { (($0 - ticks[0].value!) / frame).rounded() })
    let count = Int(((last - first) / frame).rounded()) + 1
    let beats = (0...count).map { (time: first + Double($0) * frame, isDropped: $0 < count && !taken.contains(Double($0))) }
    func commits(_ number: Int) -> Double? { record.events.first { $0.name == "commit" && $0.detail == "\(number)" }?.time }
    // The display shows what has been committed at each of its own frames, whether or not the app is called then.
    func shown(_ number: Int) -> Double? { commits(number).flatMap { commit in beats.first { $0.time > commit }?.time } }
    chart.rows = [.ticks(Text("frames of the display: \(beats.count { $0.isDropped }) without a callback (red)", "显示器的帧：\(beats.count { $0.isDropped }) 帧没有回调（红色）").description,
                         beats.map { ($0.time, $0.isDropped ? .alert : .plain) }),
                  .head(threadName("main").description)]
    let calls = ticks.compactMap { tick in record.callout(at: tick.time).map { Chart.Bar(from: $0.from, to: $0.to, paint: $0.to - $0.from > frame ? .alert : .timer,
                                                                                         words: $0.to - $0.from > frame ? Text("busy", "占用").description : "") } }
    chart.rows += [.text(Text("callbacks of the display link", "display link 的回调").description, .ink), .band(calls),
                   .text(Text("asleep", "休眠").description, .ink), .band(asleep(record.sleeps(in: chart.from...chart.to)).map { Chart.Bar(from: $0.from, to: $0.to, paint: .sleep) })]
    for number in [3, 4, 5] {
        guard let commit = commits(number), let shown = shown(number) else { continue }
        let isReplaced = commits(number + 1).map { $0 < shown } ?? false
        let words = isReplaced ? Text("waits for the display; never shown", "等显示器；没有显示过") : Text("waits for the display, then shown", "等显示器，然后显示")
        chart.rows += [.head(Text("Change \(number)", "改动 \(number)").description),
                       .bar(Chart.Bar(from: ticks[number - 1].time, to: commit, paint: .timer, words: Text("changed, then committed", "改动到提交").description)),
                       .bar(Chart.Bar(from: commit, to: shown, paint: isReplaced ? .alert : .queue, words: words.description, isAlert: isReplaced))]
    }
    chart.draw(into: &page)
}

// MARK: - G12

@MainActor
func drawModeSwitch(_ page: inout Drawing) {
    // The thread of the form as written goes on for ever, so it comes last, and is drawn first.
    let record = Recording(of: [("0.36", .cured), ("0.46", .cured), ("0.36", .asWritten)]), runs = record.runs
    let titles = [Text("0.43: the tracking mode declared common", "0.43：把 tracking mode 标记为 common"),
                  Text("0.46: the way back names the tracking mode", "0.46：切回时指名 tracking mode"),
                  Text("0.36: the performs in the common modes", "0.36：perform 加在 common modes 里")]
    func time(_ name: String, in events: [Event], after start: Double = 0) -> Double { events.first { $0.name == name && $0.time >= start }?.time ?? start }
    // One scale for all: before the drag, the drag, and as long a pause.
    let before = 0.085, length = runs.map { time("rests", in: $0) - time("finger down", in: $0) }.max()! + before + 0.1
    for number in [2, 0, 1] {
        let events = runs[number], thread = number == 0 ? "subThread" : "subThread (\(number + 1))"
        let down = time("finger down", in: events), up = time("finger up", in: events), rests = time("rests", in: events)
        var chart = Chart(from: down - before, to: down - before + length), bars: [Chart.Bar] = []
        let inside = events.filter { $0.time >= chart.from && $0.time <= chart.to }
        chart.rows = [.head(titles[number].description), .text(Text("the user", "用户").description, .quiet),
                      .band([Chart.Bar(from: down, to: up, paint: .source0, words: Text("drags", "拖动").description),
                             Chart.Bar(from: up, to: rests, paint: .plain, words: Text("slows down", "减速").description)]),
                      .text(Text("the mode in which the thread runs", "子线程在哪个 mode 里运行").description, .quiet), .band(record.modes(on: thread, in: chart.from...chart.to))]
        for asked in inside where asked.name == "asks" {
            let done = events.first { $0.name == linesLogged && $0.time >= asked.time && $0.detail.hasSuffix("改变成:\(asked.detail)") }?.time
            let words = asked.detail == RunLoop.Mode.tracking.rawValue ? Text("to tracking", "切到 tracking") : Text("back to default", "切回默认 mode")
            bars.append(Chart.Bar(from: asked.time, to: done ?? chart.to, paint: done == nil ? .alert : .source0,
                                  words: done == nil ? Text("\(words): never performed", "\(words)：一直没有执行").description : words.description, isAlert: done == nil))
        }
        chart.rows += bars.map(Chart.Row.bar)
        chart.rows.append(.ticks(Text("the timer in the tracking mode", "tracking mode 里的 Timer").description,
                                 inside.filter { $0.name == linesLogged && $0.detail.hasPrefix("Timer启动啦") }.map { ($0.time, .timer) }))
        chart.draw(into: &page)
    }
}

// MARK: - G14

/// Two monitors of one main loop that sleeps, works for a moment, stalls, and sleeps.
private func stall(_ lab: Lab, _ threshold: Double) {
    let monitor = StallWatch(threshold: threshold, log: false) { stall in
        lab.note("alarm")
        lab.observe("frames", stall.functions.joined(separator: stackSeparator))
    }
    monitor.start()
    let apm = APMMonitor.started(threshold: threshold) { lab.note("the article's alarm") }
    lab.note("begin")
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 3.4 * threshold))
    lab.inCallback("short work") { decodeImage(for: threshold / 4) { true } }
    RunLoop.main.run(until: Date(timeIntervalSinceNow: threshold / 2))
    lab.inCallback("stall") { decodeImage(for: 2.6 * threshold) { true } }
    lab.waitUntil { lab.times("frames") > 0 }
    RunLoop.main.run(until: Date(timeIntervalSinceNow: threshold / 2))
    lab.note("end")
    apm.stopMonitoring()
    monitor.stop()
}

@MainActor
func drawStall(_ page: inout Drawing) {
    let threshold = 0.1, record = Recording("stall") { stall($0, threshold) }
    let start = record.time(of: "begin"), end = record.time(of: "end")
    let stalled = record.callout(at: record.time(of: "stall"))!, worked = record.callout(at: record.time(of: "short work"))!
    let alarms = record.times(of: "the article's alarm").filter { $0 >= start && $0 <= end }
    let isTrue = { (time: Double) in time >= stalled.from && time <= stalled.to + threshold / 4 }
    let wrong = alarms.count { !isTrue($0) }, frames = record.events.first { $0.name == "frames" && $0.detail != "" }?.detail.split(separator: stackSeparator).map(String.init)
    guard let frames, record.times(of: "alarm").count == 1, wrong > 1, wrong < alarms.count else {
        fail(Text("the machine was too busy for the two monitors; try again", "机器太忙，两种监控都看不清；请再试一次"), status: 1)
    }
    var chart = Chart(from: start, to: end)
    chart.rows = [
        .head(threadName("main").description), .band(asleep(record.sleeps(in: start...end))),
        .bar(Chart.Bar(from: worked.from, to: worked.to, paint: .timer, words: Text("works for a moment", "短暂工作").description)),
        .bar(Chart.Bar(from: stalled.from, to: stalled.to, paint: .alert, words: Text("stalls: \(duration(stalled.span.end - stalled.span.start))", "卡住：\(duration(stalled.span.end - stalled.span.start))").description, isAlert: true)),
        .ticks(Text("the article's monitor: \(wrong) false alarms (red), \(alarms.count - wrong) for the stall", "文章的监控：误报 \(wrong) 次（红色），卡顿时报警 \(alarms.count - wrong) 次").description,
               alarms.map { ($0, isTrue($0) ? .new : .alert) }),
        .ticks(Text("StallWatch: \(record.times(of: "alarm").count) alarm", "StallWatch：报警 \(record.times(of: "alarm").count) 次").description, record.times(of: "alarm").map { ($0, .new) }),
    ]
    chart.draw(into: &page)
    let first = frames.firstIndex { $0.contains("decodeImage") } ?? 0, last = frames.lastIndex(of: "CFRunLoopRunSpecific") ?? frames.count - 1
    page.paragraph(Text("The stack at that moment", "当时的堆栈").description, isBold: true)
    for frame in frames[min(first, last)...max(first, last)] where !frame.hasPrefix("closure") {
        page.paragraph(frame.replacing("__CFRUNLOOP_IS_CALLING_OUT_TO_", with: "…"), size: 11)
    }
    page.paragraph(Text("Threshold: \(duration(UInt64(threshold * 1e9)))", "阈值：\(duration(UInt64(threshold * 1e9)))").description, .quiet, size: 11)
}

// MARK: - G15

@MainActor
func drawPerform(_ page: inout Drawing) {
    let record = Recording(of: "0.26"), thread = "subThread"
    let wanted = record.time(of: "wantTodo"), delayed = record.time(of: "afterDelayTodo"), over = record.time(of: "the run has ended")
    let source = record.callout(at: wanted, on: thread)!, timer = record.callout(at: delayed, on: thread)!
    let lane = record.timeline.lanes.first { $0.name == "main" }!
    let signals = lane.instants.filter { $0.kind == .signal }.map { record.timeline.seconds($0.time) }
    let touch = record.spans().last { span in
        span.span.kind == .callout(.source0, activity: "") && span.from < source.from && signals.contains { span.from <= $0 && $0 <= span.to }
    }!
    let space = (over - touch.from) * 0.04
    var chart = Chart(from: touch.from - space, to: over + space)
    func moments(_ kind: Timeline.Instant.Kind) -> [Double] {
        lane.instants.filter { $0.kind == kind }.map { record.timeline.seconds($0.time) }.filter { $0 >= touch.from && $0 <= touch.to }
    }
    chart.rows = [.head(threadName("main").description),
                  .bar(Chart.Bar(from: touch.from, to: touch.to, paint: .source0, words: Text("Source0: touchesBegan", "Source0：touchesBegan").description))]
    chart.rows += moments(.signal).prefix(1).map { .bar(moment($0, Text("CFRunLoopSourceSignal", "CFRunLoopSourceSignal"), .source0)) }
    chart.rows += moments(.wakeUp).prefix(1).map { .bar(moment($0, Text("CFRunLoopWakeUp", "CFRunLoopWakeUp"), .source1)) }
    chart.rows += [.head(threadName(thread).description), .band(asleep(record.sleeps(on: thread, in: chart.from...chart.to))),
                   .bar(Chart.Bar(from: source.from, to: source.to, paint: .source0, words: Text("Source0: wantTodo", "Source0：wantTodo").description, note: "__NSThreadPerformPerform")),
                   .bar(Chart.Bar(from: timer.from, to: timer.to, paint: .timer, words: Text("timer: afterDelayTodo", "timer：afterDelayTodo").description, note: "__NSFireDelayedPerform")),
                   .bar(moment(over, Text("the run has returned", "run 返回"))),
                   .text(Text("The run, and the thread with it, end with this pass.", "run 随这一轮结束，线程也随之结束。").description, .quiet)]
    chart.draw(into: &page)
}
