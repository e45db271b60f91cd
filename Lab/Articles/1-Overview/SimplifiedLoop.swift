// Article 1, 〈__CFRunLoopRun源码实现〉: 1.25; the same listing in 2.12, 3.7, 3.18.
//
// The article's simplified loop and the library's run the same eight programs. What to see: the table of the steps in which they differ.
// The listing itself, with a comment at each difference, is in Lab/CArticles/ArticleLoop.c.

import CArticles
import SwiftRunLoop

// MARK: - Running it

/// Runs the listing in C, or the library's loop: one of the eight programs. Returns the steps that it went through.
private func runListing(_ loop: ArticleLoopForm, _ program: Int) -> String {
    nonisolated(unsafe) var text = [CChar](repeating: 0, count: 2048)
    let run: @Sendable () -> Void = { _ = ArticleLoopRun(Int32(program), loop, &text, text.count) }
    if ArticleLoopProgramIsForMainThread(Int32(program)) { run() } else { lab.onThread("runner", run) }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

// MARK: - Telling and judging

struct SimplifiedLoop: Program {
    let about = About(article: "1.25", seconds: 1.5, isPair: true, tracesItself: true)

    private static let names = [
        Text("a timer", "一个 Timer"), Text("an observer alone", "只有 Observer"), Text("the limit 0", "超时时间为 0"), Text("a signaled Source0", "已标记的 Source0"),
        Text("a Source0, and return after it", "Source0，处理后返回"), Text("a block that queues a block", "block 里再加 block"),
        Text("three blocks in the main queue", "主队列里三个 block"), Text("the main queue, and return after it", "主队列，处理后返回"),
    ]
    private static let steps = ["1", "2", "3", "4", "6", "7", "8", "9", "9.1", "9.2", "9.3", "10", "="]

    func run() {
        let (copy, loop) = form == .asWritten ? ("1.25", ArticleLoopForm.loop1) : ("cured", ArticleLoopForm.loopCured)
        var table: [[String]] = []
        for (program, name) in Self.names.enumerated() {
            let real = runListing(.loopReal, program)
            lab.observe("real", real)
            NSLog("\(program + 1). \(name)\n    \(padded("real", to: 8))\(real)")
            let found = runListing(loop, program), differing = Self.differingSteps(real, found)
            lab.observe(copy, found)
            lab.observe("\(copy) differs", differing.isEmpty ? "-" : differing.joined(separator: " "))
            table.append(differing)
            NSLog("    \(padded(copy, to: 8))\(found)")
        }
        NSLog(Text("The steps in which they differ (= is the result):", "有差别的步骤（= 是返回值）：").description)
        NSLog("   " + Self.steps.map { padded($0, to: 5) }.joined())
        for (program, steps) in table.enumerated() {
            NSLog("\(program + 1). " + Self.steps.map { padded(steps.contains($0) ? "x" : ".", to: 5) }.joined())
        }
    }

    /// The steps in which two records do not have the same entries in the same order; "=" is the result.
    static func differingSteps(_ one: String, _ other: String) -> [String] {
        func entries(_ text: String, _ step: String) -> [Substring] {
            text.split(separator: " ").filter { step == "=" ? $0.hasPrefix("=") : $0 == step || $0.hasPrefix("\(step):") }
        }
        return steps.filter { entries(one, $0) != entries(other, $0) }
    }

    func judge() {
        let same = Array(repeating: "-", count: Self.names.count)
        if form == .cured {
            lab.expectFound(Text("corrected, the listing does what the library's loop does, in all programs", "改正后，所有程序都与本项目的循环一致"), of: "cured differs", same)
            lab.expectFound(Text("down to the order of all entries", "连每一项的先后都一致"), of: "cured", lab.events.filter { $0.name == "real" }.map(\.detail))
            return
        }
        lab.article.expectFound(Text("the simplified loop does what the real one does", "简化的循环与真正的循环一致"), of: "1.25 differs", same)
        lab.expectFound(Text("the table of the differences", "差别表"), of: "1.25 differs", [
            "-", "1 2 3 6 7 8 10 =", "6 8", "2 3 6", "7 8 =", "4 9", "6 7 8", "2 3 =",
        ])
        lab.expectFound(Text("what the library's loop does", "本项目的循环所做的"), of: "real", [
            "1 2 3 6 7 8 9.1:timer 10 =Stopped", "=Finished", "1 2 3 10 =TimedOut", "1 2 3 4:source0 2 3 6 7 8 10 =TimedOut", "1 2 3 4:source0 10 =HandledSource",
            "1 2 3 3:first 6 7 8 9.3:port 9:second 10 =Stopped", "1 2 3 6 7 8 9.2 2 3 6 7 8 9.2 2 3 6 7 8 9.2 10 =Stopped", "1 2 3 6 7 8 9.2 10 =HandledSource",
        ])
    }
}
