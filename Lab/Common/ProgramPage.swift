// ProgramPage.swift: prints a program: its head, what it logs, who wakes whom, and the verdict.

import RunLoopDiagnostics

/// How much a page says beside what the program prints and what happened.
enum PageLength: Sendable {
    case whole
    /// Whole, below another item: the verdict has the program's name, because the item has a verdict of its own.
    case part
    /// Without the head, what the article says, and what to notice: they stand once for both forms of a pair.
    case brief
}

extension Page {
    /// Prints a pair: what is the same for both forms once, and what `show` prints of each form in between.
    func showPair(_ about: About, _ show: (Form) -> Void) {
        head(about)
        if let says = about.says { section(Text("The article says", "文章说"), says) }
        for form in about.forms {
            blank()
            let title = "──── \(form.words) "
            write(title + String(repeating: "─", count: 100 - columns(of: title)))
            show(form)
        }
        section(Text("What to notice", "值得注意"), about.notice)
        flush()
    }

    /// An experiment has the ids of its claims, and an article's program its place and the ids of its items.
    private func head(_ about: About) {
        if about.group == nil {
            line("\(about.place)  (\(about.items.joined(separator: " ")))")
            line(about.title.description)
        } else {
            let claims = about.claims.joined(separator: Text(", ", "、").description)
            line(Text("\(about.name) (\(claims)): \(about.title)", "\(about.name)（\(claims)）：\(about.title)").description)
        }
    }

    /// Prints what the program is, and for an experiment what is about to happen.
    func introduce(_ about: About, _ form: Form, _ length: PageLength, isFast: Bool) {
        guard !isRecord, length != .brief else { return }
        head(about)
        if about.isPair { line(Text("In this form: \(form.words.english)", "形式：\(form.words.chinese)").description) }
        if let setting = about.setting { paragraph(setting) }
        let time = Int((isFast ? about.seconds * 0.4 : about.seconds).rounded())
        if hasRows, time > 2 { paragraph(Text("This takes about \(time) s; press Ctrl-C to end it earlier.", "大约需要 \(time) 秒；按 Ctrl-C 提前结束。")) }
        blank()
        if hasRows { write(trimmed(EventRow.head)) }
    }

    /// Prints a line that the program logs, with its time before it, as NSLog does. A line of a print has no time.
    func log(_ text: String, at time: Double? = nil) {
        if isRecord { write("log\t\(text)") } else { write((time.map { padded(seconds($0, unit: ""), to: -7) + "  " } ?? "") + text) }
    }

    /// Says what the transcript cannot show: that it is empty, and that the program did not end by itself.
    func endTranscript(hasLogged: Bool, endedAfter limit: Double?) {
        if isRecord { return }
        if !hasRows, !hasLogged { line(Text("(The program prints nothing.)", "（程序什么也不打印。）").description) }
        if let limit { paragraph(Text("(The harness ended the program after \(seconds(limit, unit: "")) s.)", "（\(seconds(limit, unit: "")) 秒后由运行环境结束了程序。）")) }
    }

    /// Prints what has ended the sleeps of the loops.
    func showWakeUps(_ list: WakeUpList) {
        if isRecord || list.lines.isEmpty { return }
        paragraph(Text("Who wakes whom", "谁唤醒谁"))
        for (first, words) in list.lines { hanging(first, words) }
    }

    /// Prints the stacks at the break points of a listing, innermost frame first.
    func showStacks(_ stacks: [(name: String, addresses: [UInt])], _ about: About) {
        if isRecord { return }
        for (name, addresses) in stacks {
            let ids = about.items.filter { Articles.item($0)?.breakPoint == name }
            paragraph(Text("The stack at \(name)\(ids.isEmpty ? "" : " (\(ids.joined(separator: " ")))")", "\(name) 的调用栈\(ids.isEmpty ? "" : "（\(ids.joined(separator: " "))）")"))
            for frame in stackFrames(addresses) { write("  " + frame) }
        }
    }

    /// Prints what the article says, what happened, and the verdict.
    /// - Returns: the exit status.
    func conclude(_ about: About, _ form: Form, _ checks: [Check], _ length: PageLength) -> Int32 {
        let articles = checks.filter(\.isArticles), own = checks.filter { !$0.isArticles }
        let isRight = articles.allSatisfy(\.holds), isCured = form == .cured
        let isAsExpected = !own.isEmpty && own.allSatisfy(\.holds) && (isCured || isRight == (about.verdict != .otherwise))
        let verdict: ArticleVerdict? = !isRight ? .otherwise : about.verdict == .otherwise ? .asTheArticleSays : about.verdict
        // An item with a verdict for each statement has some that are true.
        let shown = verdict != nil && isAsExpected && about.group == nil ? Articles.item(about.name)?.verdict : verdict
        if isRecord {
            for check in checks {
                write(["check", check.holds ? "ok" : "failed", check.isArticles ? "article" : "ours", check.claim, check.observed].joined(separator: "\t"))
            }
            let words = verdict == nil ? "as claimed" : isCured ? "cured" : isRight ? "as the article says" : "otherwise"
            write("verdict\t\(isAsExpected ? "expected" : "unexpected")\t\(words)")
            return isAsExpected ? 0 : 1
        }
        if length != .brief, let says = about.says { section(Text("The article says", "文章说"), says) }
        paragraph(Text("What happened", "实际情况"))
        for check in articles { self.check(check, check.holds ? Text("as said", "如其所说") : Text("otherwise", "并非如此")) }
        for check in own { self.check(check, check.holds ? Text("ok", "通过") : Text("FAIL", "失败")) }
        if length != .brief { section(Text("What to notice", "值得注意"), about.notice) }
        if let correction = about.correction { section(Text("Where the articles are imprecise", "文章不够准确的地方"), correction) }
        let words = isCured ? Text("Cured.", "已改正。") : shown?.words ?? Text("The experiment shows what it claims.", "实验结果与预期一致。")
        let named = length == .part ? Text("\(about.name): \(words.english)", "\(about.name)：\(words.chinese)") : words
        paragraph(isAsExpected ? named : verdict == nil ? Text("The experiment does NOT show what it claims: see the lines marked FAIL.", "实验结果与预期不符：见标有“失败”的行。")
            : Text("NOT as expected: see the lines marked FAIL, or the verdict \"\(words.english)\".", "与预期不符：见标有“失败”的行，或结论“\(words.chinese)”。"))
        flush()
        return isAsExpected ? 0 : 1
    }

    /// Prints the end after Ctrl-C.
    func interrupted() {
        if !isRecord { paragraph(Text("Verdict: interrupted. The rows above show what was observed until then.", "结论：已中断。上面是到那时为止观察到的。")) }
        flush()
    }

    /// Prints the end of a program that is stuck.
    func gaveUp(after limit: Double) {
        let words = Text("the program did not end within \(Int(limit)) s; the rows above show what was observed until then",
                         "程序在 \(Int(limit)) 秒内没有结束；上面是到那时为止观察到的").description
        if isRecord { write(["check", "failed", "ours", Text("the program ends", "程序结束").description, words].joined(separator: "\t")) }
        else {
            blank()
            hanging("  \(Text("FAIL", "失败"))  ", words)
        }
        flush()
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
