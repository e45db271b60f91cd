// ArticlePage.swift: prints a program of the articles: its head, what it logs, who wakes whom, and the verdict.

import RunLoopDiagnostics

/// How much a page says beside what the program prints and what happened.
enum PageLength: Sendable {
    case whole
    /// Without the head, what the article says, and what to notice: they stand once for both forms of a pair.
    case brief
}

extension Page {
    /// Prints a pair: what is the same for both forms once, and what `show` prints of each form in between.
    func showPair(_ about: ArticleAbout, _ show: (Form) -> Void) {
        head(about)
        section(Text("The article says", "文章说"), about.says)
        for form in about.forms {
            blank()
            let title = "──── \(form.words) "
            write(title + String(repeating: "─", count: 100 - columns(of: title)))
            show(form)
        }
        section(Text("What to notice", "值得注意"), about.notice)
        flush()
    }

    private func head(_ about: ArticleAbout) {
        let place = Text("Article \(about.article), 〈\(about.heading)〉", "文章 \(about.article)，〈\(about.heading)〉")
        line("\(place)  (\(about.items.joined(separator: " ")))")
        line(about.title.description)
    }

    /// Prints where in the articles the program is from.
    func introduce(_ about: ArticleAbout, _ form: Form, _ length: PageLength) {
        guard !isRecord, length == .whole else { return }
        head(about)
        if about.isPair { line(Text("In this form: \(form.words.english)", "形式：\(form.words.chinese)").description) }
        blank()
    }

    /// Prints a line that the program logs, with its time before it, as NSLog does. A line of a print has no time.
    func log(_ text: String, at time: Double? = nil) {
        if isRecord { write("log\t\(text)") } else { write((time.map { padded(seconds($0, unit: ""), to: -7) + "  " } ?? "") + text) }
    }

    /// Says what the transcript cannot show: that it is empty, and that the program did not end by itself.
    func endTranscript(hasLogged: Bool, endedAfter limit: Double?) {
        if isRecord { return }
        if !hasLogged { line(Text("(The program prints nothing.)", "（程序什么也不打印。）").description) }
        if let limit { paragraph(Text("(The harness ended the program after \(seconds(limit, unit: "")) s.)", "（\(seconds(limit, unit: "")) 秒后由运行环境结束了程序。）")) }
    }

    /// Prints what has ended the sleeps of the loops.
    func showWakeUps(_ list: WakeUpList) {
        if isRecord || list.lines.isEmpty { return }
        paragraph(Text("Who wakes whom", "谁唤醒谁"))
        for (first, words) in list.lines { hanging(first, words) }
    }

    /// Prints the stacks at the break points of a listing, innermost frame first.
    func showStacks(_ stacks: [(name: String, addresses: [UInt])], _ about: ArticleAbout) {
        if isRecord { return }
        for (name, addresses) in stacks {
            let ids = about.items.filter { Articles.item($0)?.breakPoint == name }
            paragraph(Text("The stack at \(name)\(ids.isEmpty ? "" : " (\(ids.joined(separator: " ")))")", "\(name) 的调用栈\(ids.isEmpty ? "" : "（\(ids.joined(separator: " "))）")"))
            for frame in stackFrames(addresses) { write("  " + frame) }
        }
    }

    /// Prints what the article says, what happened, and the verdict.
    /// - Returns: the exit status.
    func conclude(_ about: ArticleAbout, _ form: Form, _ checks: [Check], _ length: PageLength) -> Int32 {
        let articles = checks.filter(\.isArticles), own = checks.filter { !$0.isArticles }
        let isRight = articles.allSatisfy(\.holds), isCured = form == .cured
        let isAsExpected = !own.isEmpty && own.allSatisfy(\.holds) && (isCured || isRight == (about.verdict != .otherwise))
        let verdict: ArticleVerdict = !isRight ? .otherwise : about.verdict == .otherwise ? .asTheArticleSays : about.verdict
        if isRecord {
            for check in checks {
                write(["check", check.holds ? "ok" : "failed", check.isArticles ? "article" : "ours", check.claim, check.observed].joined(separator: "\t"))
            }
            write("verdict\t\(isAsExpected ? "expected" : "unexpected")\t\(isCured ? "cured" : isRight ? "as the article says" : "otherwise")")
            flush()
            return isAsExpected ? 0 : 1
        }
        if length == .whole { section(Text("The article says", "文章说"), about.says) }
        paragraph(Text("What happened", "实际情况"))
        for check in articles { self.check(check, check.holds ? Text("as said", "如其所说") : Text("otherwise", "并非如此")) }
        for check in own { self.check(check, check.holds ? Text("ok", "通过") : Text("FAIL", "失败")) }
        if length == .whole { section(Text("What to notice", "值得注意"), about.notice) }
        let words = isCured ? Text("Cured.", "已改正。") : verdict.words
        paragraph(isAsExpected ? words
            : Text("NOT as expected: see the lines marked FAIL, or the verdict \"\(words.english)\".", "与预期不符：见标有“失败”的行，或结论“\(words.chinese)”。"))
        flush()
        return isAsExpected ? 0 : 1
    }

    private func check(_ check: Check, _ mark: Text) {
        hanging("  \(padded(mark.description, to: 11))", check.claim)
        if !check.holds { hanging("             \(Text("expected", "预期"))  ", check.expected) }
        hanging("             \(Text("observed", "观察到"))  ", check.observed)
    }
}

/// The functions of a stack that stopped at a break point: from the caller of `breakPoint` out to what runs the loop.
private func stackFrames(_ addresses: [UInt]) -> [String] {
    let names = addresses.compactMap { StackFrame(address: $0, isReturnAddress: true).function }
    let own = names.lastIndex { $0.contains("breakPoint(") }.map { $0 + 1 } ?? 0, functions = shortFunctions(Array(names[own...]))
    let run = functions.firstIndex(of: "CFRunLoopRunSpecific") ?? functions.count - 1
    return Array(functions.prefix(run + 4)) // and CFRunLoopRunInMode, the Swift method, the thread's own function
}

/// What has ended the sleeps of the loops of a program: a line for each, in the order of their times; sleeps of one kind in a row share a line.
struct WakeUpList {
    /// The time and the thread; and the words.
    let lines: [(first: String, words: String)]
    private static let most = 12

    private struct Sleep {
        var end: UInt64, length: UInt64
        var thread: String, cause: String
        /// How many more like it follow.
        var more = 0
    }

    /// - Parameter start: when the program began, in seconds on CLOCK_MONOTONIC.
    init(_ timeline: Timeline, from start: Double) {
        var sleeps: [Sleep] = []
        let all = timeline.lanes.flatMap { lane in lane.spans.filter { $0.kind == .sleep && $0.isOver }.map { (lane, $0) } }
        for (lane, span) in all.sorted(by: { $0.1.end < $1.1.end }) {
            let cause = switch timeline.waker(of: span, on: lane) {
            case .other(let sender): Text("woken by \(sender.name): CFRunLoopWakeUp", "由 \(sender.name) 唤醒：CFRunLoopWakeUp").description
            case .itself: Text("it had called CFRunLoopWakeUp before the sleep", "休眠之前自己调用过 CFRunLoopWakeUp").description
            case .unknown: Text("woken by \(span.reason.words.english)", span.reason.wokenWords).description
            }
            if let last = sleeps.indices.last(where: { sleeps[$0].thread == lane.name }), sleeps[last].cause == cause, last >= sleeps.count - 2 {
                sleeps[last].more += 1
            } else {
                sleeps.append(Sleep(end: span.end, length: span.end - span.start, thread: lane.name, cause: cause))
            }
        }
        lines = sleeps.prefix(Self.most).map { sleep in
            let more = sleep.more > 0 ? Text("; \(sleep.more) more like this", "；这样的还有 \(sleep.more) 次") : .none
            return ("\(padded(seconds(Double(sleep.end) / 1e9 - start, unit: ""), to: -7))  \(padded(shownThread(sleep.thread), to: 10))  ",
                    Text("slept \(duration(sleep.length)); \(sleep.cause)\(more)", "休眠了 \(duration(sleep.length))，\(sleep.cause)\(more)").description)
        } + (sleeps.count > Self.most ? [(padded("", to: 9), Text("… and \(sleeps.count - Self.most) more", "……还有 \(sleeps.count - Self.most) 次").description)] : [])
    }
}
