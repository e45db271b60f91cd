// PredictCommand.swift: asks what happens next, one event at a time, and keeps the score.

import Glibc

/// `predict`: a game for somebody who knows the theory.
struct PredictCommand {
    let level: Int
    let seed: UInt64
    private let output = Output()
    private let choices = 4

    init(level: Int, seed: UInt64) {
        (self.level, self.seed) = (level, seed)
    }

    /// Returns the exit status.
    func run() -> Int32 {
        let lesson = Lesson(seed: seed, level: level)
        introduce(lesson)
        var generator = Generator(state: seed ^ 0x9E37_79B9_7F4A_7C15), right = 0, asked = 0, hints = 0
        let events = lesson.log.indices.filter { lesson.log[$0].isEvent }
        for (index, line) in lesson.log.enumerated() {
            guard line.isEvent, events.count > 1 else {
                show(line, "  ")
                continue
            }
            let options = options(for: line.text, in: lesson, after: index, using: &generator)
            guard options.count > 1 else {
                show(line, "  ")
                continue
            }
            ask(options)
            var answer = read()
            if answer == "h" {
                hints += 1
                output.line("    \(Lesson.hint(for: line.text))")
                output.flush()
                answer = read()
            }
            guard let answer else {
                finish(right, asked, hints, isComplete: false)
                return 0
            }
            asked += 1
            let isRight = answer.first.flatMap { "abcd".firstIndex(of: $0) }.map { "abcd".distance(from: "abcd".startIndex, to: $0) } == options.firstIndex(of: line.text)
            if isRight { right += 1 } else { output.line("    \(Text("No: ", "不对："))\(Lesson.hint(for: line.text))") }
            show(line, isRight ? "✓ " : "✗ ")
        }
        finish(right, asked, hints, isComplete: true)
        return 0
    }

    private func introduce(_ lesson: Lesson) {
        output.line(Text("What does this program do? Level \(level), seed \(seed).", "这个程序会做什么？难度 \(level)，种子 \(seed)。").description)
        output.line(Text("s0 and s1 are Source0s, t0 and t1 timers. \"~\" is an activity, of which an observer is notified. A block has a number, and what it does stands under \"in #1:\".",
                         "s0、s1 是 Source0，t0、t1 是 Timer。“~” 是通知 Observer 的状态。block 有编号，它做的事写在“#1 里：”下面。").description)
        output.line(Text("Answer with a letter, h for a hint, q to stop. The lines that the program itself does are shown.",
                         "用字母回答；h 给提示，q 结束。程序自己做的事会直接显示。").description)
        output.line(Text("A limit and “soon” count in the same unit: a run with limit 3 sees a timer fire that is due soon (1.5). Limit 0 is a single pass.",
                         "超时时间和“稍后”用同一个单位：超时 3 的运行，等得到稍后（1.5）到期的 Timer。超时 0 只运行一轮。").description)
        output.line("")
        lesson.program.forEach { output.line(LessonWords.shown($0)) }
        output.line("")
        output.flush()
    }

    private func show(_ line: Lesson.Line, _ mark: String) {
        output.line(mark + String(repeating: "  ", count: line.depth) + LessonWords.shown(line.text))
        output.flush()
    }

    private func ask(_ options: [String]) {
        let words = zip("abcd", options).map { "\($0)) \(LessonWords.shown($1))" }.joined(separator: "   ")
        output.line("    \(Text("What comes next?", "接下来是什么？"))  \(words)")
        output.flush()
    }

    /// A word; nil at the end of the input, or after q.
    private func read() -> String? {
        while let line = readLine() {
            let word = line.filter { $0 != " " }.lowercased()
            if word == "q" { return nil }
            if ["a", "b", "c", "d", "h"].contains(word) { return word }
            output.line("    \(Text("a, b, c, d, h or q", "请输入 a、b、c、d、h 或 q"))")
            output.flush()
        }
        return nil
    }

    /// The right answer among others that a reader might think of: what comes soon after, and what this program does elsewhere.
    private func options(for right: String, in lesson: Lesson, after index: Int, using generator: inout Generator) -> [String] {
        var options = [right]
        let later = lesson.log[(index + 1)...].filter(\.isEvent).map(\.text)
        let others = lesson.log.filter(\.isEvent).map(\.text) + ["~ BeforeTimers", "~ BeforeWaiting", "~ Exit"]
        for text in later.prefix(2) + others.shuffled(using: &generator) where options.count < choices && !options.contains(text) { options.append(text) }
        return options.shuffled(using: &generator)
    }

    private func finish(_ right: Int, _ asked: Int, _ hints: Int, isComplete: Bool) {
        output.line("")
        let score = Text("\(right) of \(asked) right, \(count(hints, "hint")).", "\(asked) 题答对 \(right) 题，用了 \(hints) 次提示。")
        output.line(score.description + (isComplete ? "" : " " + Text("The program goes on.", "程序还没有结束。").description))
        output.line(Text("Another: predict --seed \(seed &+ 1) --level \(level)", "下一题：predict --seed \(seed &+ 1) --level \(level)").description)
        output.flush()
    }

    /// The same options each time for a seed.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }
}
