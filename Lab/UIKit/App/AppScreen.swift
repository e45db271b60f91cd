// AppScreen.swift: the screen of `RunLoopLab app` as lines of text.

import SwiftRunLoop

/// A screen of one size: the list on the left, the rest on the right. If the user resizes the terminal, another one takes its place.
struct AppScreen: Equatable, Sendable {
    let columns: Int, rows: Int

    /// A terminal may be too small for anything; the screen has some columns and rows anyway, and is cut when it is painted.
    init(columns: Int, rows: Int) {
        (self.columns, self.rows) = (max(20, columns), max(6, rows))
    }

    var listWidth: Int { max(1, min(30, columns / 2)) }
    /// The rows of the screen that the list takes, from 1; below the title.
    var listRows: ClosedRange<Int> { 3...max(3, rows) }

    /// The lines of the screen, each as wide as the screen at most.
    func lines(_ state: AppState, _ loop: LoopSnapshot) -> [String] {
        let head = Text("RunLoopLab app   drag the list: mouse, ↑ ↓   s: stall   q: end", "RunLoopLab app   拖动列表：鼠标、↑ ↓   s：卡住   q：退出").description
        let right = panel(state, loop), height = listRows.count
        var lines = [Self.fit(head, columns), String(repeating: "─", count: columns)]
        for row in 0..<max(0, height) {
            let left = padded(Self.fit(row < state.rows.count ? state.rows[row] : "", listWidth), to: listWidth)
            lines.append(trimmed(left + "│" + Self.fit(row < right.count ? " " + right[row] : "", max(0, columns - listWidth - 1))))
        }
        return Array(lines.prefix(rows))
    }

    private func panel(_ state: AppState, _ loop: LoopSnapshot) -> [String] {
        func clock(_ name: Text, _ ticks: Int) -> String { "  \(padded(name.description, to: 18))\(padded(decimals(Double(ticks) * ScrollingApp.interval, 1), to: -6))" }
        func row(_ name: Text, _ words: String) -> String { "  \(padded(name.description, to: 10))\(words)" }
        let step = stepsOfARun.first { $0.number == loop.step }.map { "\($0.number) \($0.words)" } ?? ""
        var lines = [
            Text("Clocks of the main loop", "主线程 RunLoop 的时钟").description,
            clock(Text("default mode", "默认 mode"), state.ticks.default), clock(Text("common modes", "common modes"), state.ticks.common),
            clock(Text("GCD, main queue", "主队列（GCD）"), state.ticks.gcd), "",
            Text("Main loop", "主线程 RunLoop").description,
            row(Text("mode", "mode"), shortModeName(loop.mode)), row(Text("step", "步骤"), step), row(Text("woken by", "唤醒者"), waker(loop.lastReason)),
            row(Text("passes", "循环轮数"), "\(loop.passes)"), "",
            Text("Images: \(state.images.shown) shown, \(state.images.waiting) wait", "图片：\(state.images.shown) 张已显示，\(state.images.waiting) 张等待").description,
            Text("Work done: urgent \(state.urgent.done)/\(state.urgent.asked), deferrable \(state.deferrable.done)/\(state.deferrable.asked)",
                 "任务：紧急 \(state.urgent.done)/\(state.urgent.asked)，可推迟 \(state.deferrable.done)/\(state.deferrable.asked)").description,
            Text("Worker thread: \(shortModeName(state.worker.mode.rawValue)), timer ticks: \(state.worker.ticks)", "子线程：\(shortModeName(state.worker.mode.rawValue))，Timer \(state.worker.ticks) 次").description,
        ]
        if let stall = state.stall {
            let time = decimals(stall.duration, 2)
            lines += ["", (stall.isOver ? Text("Stalled for \(time) s, in:", "卡住了 \(time) 秒：") : Text("Stalls, \(time) s so far, in:", "正在卡住，已 \(time) 秒：")).description]
            lines += stall.frames.map { "  \($0)" }
        }
        return lines
    }

    private func waker(_ reason: TraceEvent.Reason) -> String {
        switch reason {
        case .notYet, .nothing: Text("nothing yet", "尚无").description
        case .wokenUp: "CFRunLoopWakeUp"
        case .timerPort: Text("a timer", "Timer").description
        case .dispatchPort: Text("the main queue", "主队列").description
        case .sourcePort: Text("a Source1", "Source1").description
        case .timeout: Text("its time limit", "时间限制").description
        }
    }

    /// The part of a text that fits. Chinese characters take two columns.
    static func fit(_ text: String, _ width: Int) -> String {
        var text = text
        while RunLoopLab.columns(of: text) > width { text.removeLast() }
        return text
    }
}
