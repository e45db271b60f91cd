// FixedFigures.swift: figures of structure and order, without a scale of time.

import CRunLoop
import Glibc
import SwiftRunLoop

// MARK: - G1, G2: from a print

@MainActor
func drawStructure(_ page: inout Drawing) {
    let fill: @Sendable (RunLoop) -> Void = { loop in
        loop.addCommonMode(.tracking)
        loop.add(RunLoop.Source {}, forMode: .default)
        loop.add(RunLoop.Observer(activities: .allActivities) { _, _ in }, forMode: .default)
        loop.add(Timer(timeInterval: 1e6, repeats: true) { _ in }, forMode: .default)
    }
    let before = LoopPrint(ofNewThreadAfter: fill)
    let after = LoopPrint(ofNewThreadAfter: { loop in
        fill(loop)
        loop.add(NSMachPort(), forMode: .common)
    })
    let new = after.marked(against: before).filter { $0.mark == "+" && $0.text.contains("<CFRunLoop") }
    func number(_ number: Int, _ x: Double, _ y: Double) {
        page.circle(x, y - 4, 8, .plain)
        page.text("\(number)", x, y, size: 11, anchor: .middle)
    }
    func item(_ words: String, isNew: Bool, _ x: Double) {
        page.box(x, page.y, 150, 18, isNew ? .new : .plain)
        page.text((isNew ? "+ " : "") + words, x + 6, page.y + 13, size: 11.5)
    }
    let top = page.y
    page.y += 20
    number(1, 26, page.y)
    page.text("CFRunLoop", 40, page.y, isBold: true)
    page.y += 20
    page.text("_commonModes: \(after.modes.map(shortModeName).joined(separator: ", "))", 26, page.y)
    page.y += 18
    page.text("_commonModeItems:", 26, page.y)
    page.y -= 13
    for line in new where line.place == LoopPrint.Place(field: "common mode items") { item(kind(of: line.text), isNew: true, 180) }
    page.y += 34
    number(2, 26, page.y)
    page.text("_modes: \(after.modes.count)", 40, page.y)
    page.y += 8
    for mode in after.modes {
        let start = page.y
        page.y += 18
        number(3, 40, page.y)
        page.text("CFRunLoopMode  \(shortModeName(mode))", 54, page.y, isBold: true)
        page.y += 8
        for (label, field) in [(4, "sources0"), (4, "sources1"), (5, "observers"), (6, "timers")] {
            page.y += 4
            number(label, 46, page.y + 13)
            page.text("_\(field)", 60, page.y + 13)
            let items = after.items(field, in: RunLoop.Mode(mode))
            for text in items {
                item(kind(of: text), isNew: new.contains { $0.place == LoopPrint.Place(mode: mode, field: field) && $0.text == text }, 180)
                page.y += 20
            }
            if items.isEmpty { page.y += 18 }
        }
        page.y += 6
        page.box(20, start, 350, page.y - start, .lane)
        page.y += 8
    }
    page.box(10, top, 370, page.y - top, .lane)
    page.y += 6
}

/// What kind of item a line of a print shows.
private func kind(of line: String) -> String {
    switch true {
    case line.contains("<CFRunLoopSource") && line.contains("port = #"): "Source1 (port)"
    case line.contains("<CFRunLoopSource"): "Source0"
    case line.contains("<CFRunLoopObserver"): "CFRunLoopObserver"
    default: "CFRunLoopTimer"
    }
}

@MainActor
func drawModel(_ page: inout Drawing) {
    let print = LoopPrint(ofNewThreadAfter: { loop in
        loop.add(NSMachPort(), forMode: .default)
        loop.add(RunLoop.Source {}, forMode: .default)
        try? Thread.perform(on: .current, waitUntilDone: false) {}
        loop.add(Timer(timeInterval: 1e6, repeats: true) { _ in }, forMode: .default)
        loop.add(RunLoop.Observer(activities: .allActivities) { _, _ in }, forMode: .default)
    })
    let sources0 = print.items("sources0", in: .default), sources1 = print.items("sources1", in: .default)
    let performs = sources0.filter { $0.contains("__NSThreadPerformPerform") }
    let rows: [(Text, String, Drawing.Paint, Text, Int)] = [
        (Text("a port", "端口"), "version 1", .source1, Text("wakes the loop by itself", "自己能唤醒 RunLoop"), sources1.count),
        (Text("your own source", "自定义 source"), "version 0", .source0, Text("signal it, then wake the loop", "先标记，再唤醒"), sources0.count - performs.count),
        (Text("a perform", "perform"), "version 0", .source0, Text("__NSThreadPerformPerform", "__NSThreadPerformPerform"), performs.count),
        (Text("a timer", "timer"), "", .timer, Text("fires at its date", "到时间触发"), print.items("timers", in: .default).count),
        (Text("an observer", "observer"), "", .observer, Text("is notified of each activity", "每个状态都通知它"), print.items("observers", in: .default).count),
    ]
    let top = page.y
    page.box(8, top, 96, Double(rows.count) * 50 - 6, .mode)
    page.text(Text("the thread", "线程").description, 56, top + 100, isBold: true, anchor: .middle)
    page.text(Text("and its loop", "和它的 RunLoop").description, 56, top + 116, anchor: .middle)
    page.text(Text("default mode", "默认 mode").description, 56, top + 136, .quiet, size: 11, anchor: .middle)
    for (words, version, paint, what, count) in rows {
        page.box(148, page.y, 234, 44, paint)
        page.text("\(count) × \(words)\(version == "" ? "" : ", \(version)")", 156, page.y + 18, isBold: true)
        page.text(what.description, 156, page.y + 35, .ink, size: 11)
        page.arrow((paint == .observer ? 105 : 147, page.y + 22), (paint == .observer ? 146 : 107, page.y + 22))
        page.y += 50
    }
}

// MARK: - G3

/// The ten steps of a run: what each calls out to, and its colour. A test compares them with CFRunLoop.c.
let stepsOfARun: [(number: Int, words: Text, callouts: [String], paint: Drawing.Paint)] = [
    (["…AN_OBSERVER_CALLBACK_FUNCTION__"], .observer),
    (["…AN_OBSERVER_CALLBACK_FUNCTION__"], .observer),
    (["…A_BLOCK__"], .observer),
    (["…A_SOURCE0_PERFORM_FUNCTION__", "…A_BLOCK__"], .source0),
    ([], .queue),
    (["…AN_OBSERVER_CALLBACK_FUNCTION__"], .observer),
    ([], .sleep),
    (["…AN_OBSERVER_CALLBACK_FUNCTION__"], .observer),
    (["9.1 …A_TIMER_CALLBACK_FUNCTION__", "9.2 …THE_MAIN_DISPATCH_QUEUE__", "9.3 …A_SOURCE1_PERFORM_FUNCTION__"], .timer),
    (["…AN_OBSERVER_CALLBACK_FUNCTION__"], .observer),
].enumerated().map { (index, step: (callouts: [String], paint: Drawing.Paint)) in (index + 1, Step.numbered(index + 1).words, step.callouts, step.paint) }

@MainActor
func drawSteps(_ page: inout Drawing) {
    let x = 34.0, width = 260.0, left = 12.0, around = 23.0, right = 306.0, margins = (334.0, 370.0)
    var tops: [Int: Double] = [:], middles: [Int: Double] = [:], sleeps = 0.0
    page.text(Text("in article", "文章").description, (margins.0 + margins.1) / 2, page.y + 9, .quiet, size: 11, anchor: .middle)
    page.text("3", margins.0, page.y + 23, .quiet, size: 11, isBold: true, anchor: .middle)
    page.text("4", margins.1, page.y + 23, .quiet, size: 11, isBold: true, anchor: .middle)
    page.y += 28
    func decide(_ words: Text) {
        let middle = x + width / 2, y = page.y
        page.box(x + 22, y, width - 44, 26, .lane, isDashed: true)
        page.text("◇ \(words)", middle, y + 17, size: 11.5, anchor: .middle)
        page.y += 34
    }
    for step in stepsOfARun {
        if step.number == 6 { sleeps = page.y + 13 }
        if step.number == 6 { decide(Text("does it sleep? not if it only polls", "休眠吗？只轮询时不休眠")) }
        if step.number == 10 { decide(Text("does the run end? no: back to 2", "结束吗？不：回到第 2 步")) }
        let height = 26 + 14 * Double(step.callouts.count) + (step.number == 7 ? 30 : 0)
        tops[step.number] = page.y
        middles[step.number] = page.y + 13
        page.box(x, page.y, width, height, step.paint)
        page.text("\(step.number)", x + 15, page.y + 17, isBold: true, anchor: .middle)
        page.text(step.words.description, x + 30, page.y + 17)
        page.text(Step.numbered(step.number).inArticle3, margins.0, page.y + 17, .quiet, size: 11, anchor: .middle)
        page.text(Step.numbered(step.number).inArticle4, margins.1, page.y + 17, .quiet, size: 11, anchor: .middle)
        var y = page.y + 31
        for callout in step.callouts {
            page.text(callout, x + 30, y, .ink, size: 11)
            y += 14
        }
        if step.number == 7 {
            page.text(Text("until: a Source1's port, a timer, the main", "直到：Source1 的端口、timer、主队列的").description, x + 30, y, size: 11)
            page.text(Text("queue's port, a wake-up, the time limit", "端口、CFRunLoopWakeUp、时间限制").description, x + 30, y + 14, size: 11)
        }
        page.y += height + 8
    }
    // Back to step 2; from step 5 to step 9; what a handled Source0 skips.
    let back = tops[10]! - 21
    page.arrow((x + 22, back), (left, back), (left, middles[2]!), (x - 2, middles[2]!))
    page.text(Text("next pass", "下一轮").description, left - 6, back + 16, .quiet, size: 11)
    // around the sleep
    page.arrow((x + 22, sleeps), (around, sleeps), (around, middles[9]!), (x - 2, middles[9]!))
    page.text(Text("no", "否").description, around + 3, sleeps - 3, .quiet, size: 11)
    page.arrow((x + width, middles[5]!), (right, middles[5]!), (right, middles[9]!), (x + width + 2, middles[9]!))
    page.text(Text("ready", "就绪").description, right + 4, middles[6]! - 26, .quiet, size: 11)
    page.paragraph(Text("A pass that has handled a Source0 polls: it leaves out 6 and 8, and does not wait in 7.", "处理过 Source0 的那一轮只轮询：跳过第 6、8 步，第 7 步不等待。").description, size: 11.5)
    page.paragraph(Text("The callouts' names begin with __CFRUNLOOP_IS_CALLING_OUT_TO_ (9.2: __CFRUNLOOP_IS_SERVICING_).", "callout 的名字以 __CFRUNLOOP_IS_CALLING_OUT_TO_ 开头（9.2 是 __CFRUNLOOP_IS_SERVICING_）。").description, .quiet, size: 11)
}

// MARK: - G10

@MainActor
func drawLoops(_ page: inout Drawing) {
    let record = Recording(of: "event-loops"), names = Set(["A", "B", "m1", "m2", "draw"])
    let second = record.time(of: "tasks and microtasks")
    let parts = [(Text("This run loop: m1 and m2 are blocks", "RunLoop：m1、m2 是 block"), 0..<second),
                 (Text("As in JavaScript: m1 and m2 are microtasks", "像 JavaScript：m1、m2 是微任务"), second..<1e9)]
    for (title, range) in parts {
        page.y += 6
        page.paragraph(title.description, isBold: true)
        var x = Drawing.margin
        page.y += 4
        for event in record.events where names.contains(event.name) && range.contains(event.time) {
            let paint: Drawing.Paint = event.name == "draw" ? .observer : event.name.hasPrefix("m") ? .block : .timer
            page.box(x, page.y, 62, 30, paint)
            page.text(event.name, x + 31, page.y + 19, isBold: true, anchor: .middle)
            page.text(Text("step", "步骤").description + " \(event.step)", x + 31, page.y + 44, .quiet, size: 11, anchor: .middle)
            if x > Drawing.margin { page.arrow((x - 14, page.y + 15), (x - 2, page.y + 15)) }
            x += 76
        }
        page.y += 52
    }
}

// MARK: - G13

/// What the registry does, in the order in which it does it. A test compares the names with CFRunLoopRegistry.c.
let stepsOfTheRegistry: [(title: Text, steps: [(code: String, words: Text)])] = [
    (Text("The thread asks for the first time", "线程第一次获取"), [
        ("CFRunLoopGetCurrent", Text("no loop in the thread's own data", "线程自己的数据里没有 RunLoop")),
        ("_CFRunLoopGet0", Text("locks; looks in the dictionary", "加锁，查字典")),
        ("__CFRunLoops", Text("if it is the first request of all: the main thread's loop is made, too", "如果是进程里第一次：同时创建主线程的 RunLoop")),
        ("__CFRunLoopCreate", Text("none for this thread: made and stored, the lock still held (CF-855 lets go of its spin lock to create, so it must look a second time)", "没有这个线程的：创建并存入，一直持锁（CF-855 创建时放开自旋锁，所以要再看第二次）")),
        ("_CFSetTSD", Text("the loop and a countdown go to the thread's own data", "RunLoop 和倒数计数存入线程自己的数据")),
    ]),
    (Text("It asks again", "再次获取"), [
        ("_CFGetTSD", Text("the loop is there: no lock, no dictionary", "直接取到：不加锁，不查字典")),
    ]),
    (Text("The thread ends", "线程结束"), [
        ("__CFFinalizeRunLoop", Text("called once a destructor round: counts down first, so that other destructors may still use the loop", "每轮析构调用一次：先倒数，让其他析构函数还能用 RunLoop")),
        ("__CFRunLoopUnregister", Text("taken out of the dictionary", "从字典里取出")),
        ("__CFRunLoopEnd", Text("its sources are removed, and the last reference goes", "移除 Source，释放最后的引用")),
    ]),
]

@MainActor
func drawRegistry(_ page: inout Drawing) {
    for (title, steps) in stepsOfTheRegistry {
        page.y += 4
        page.paragraph(title.description, isBold: true)
        page.y += 2
        for (number, step) in steps.enumerated() {
            let lines = Drawing.lines(of: step.words.description, size: 11.5, width: 330), height = 24 + 15 * Double(lines.count)
            if number > 0 { page.arrow((34, page.y), (34, page.y + 10)) }
            if number > 0 { page.y += 11 }
            page.box(14, page.y, 362, height, .plain)
            page.text(step.code, 24, page.y + 17, isBold: true)
            for (index, line) in lines.enumerated() { page.text(line, 24, page.y + 33 + 15 * Double(index), size: 11.5) }
            page.y += height
        }
        page.y += 6
    }
}
