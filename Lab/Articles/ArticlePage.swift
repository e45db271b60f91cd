// ArticlePage.swift: prints a program of the articles: its head, what it logs, and the verdict.

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

    /// Prints a line that the program logs.
    func log(_ text: String) {
        if isRecord { write("log\t\(text)") } else { write(text) }
    }

    /// Prints what the article says, what happened, and the verdict.
    /// - Parameter hasLogged: whether the program has printed anything.
    /// - Returns: the exit status.
    func conclude(_ about: ArticleAbout, _ form: Form, _ checks: [Check], _ length: PageLength, hasLogged: Bool, endedAfter limit: Double?) -> Int32 {
        let articles = checks.filter(\.isArticles), own = checks.filter { !$0.isArticles }
        let verdict: ArticleVerdict = articles.allSatisfy(\.holds) ? .asTheArticleSays : .otherwise
        let isCured = form == .cured
        let isAsExpected = !own.isEmpty && own.allSatisfy(\.holds) && (isCured || verdict == about.verdict)
        if isRecord {
            for check in checks {
                write(["check", check.holds ? "ok" : "failed", check.isArticles ? "article" : "ours", check.claim, check.observed].joined(separator: "\t"))
            }
            write("verdict\t\(isAsExpected ? "expected" : "unexpected")\t\(isCured ? "cured" : verdict == .asTheArticleSays ? "as the article says" : "otherwise")")
            flush()
            return isAsExpected ? 0 : 1
        }
        if !hasLogged { line(Text("(The program prints nothing.)", "（程序什么也不打印。）").description) }
        if let limit { paragraph(Text("(The harness ended the program after \(seconds(limit, unit: "")) s.)", "（\(seconds(limit, unit: "")) 秒后由运行环境结束了程序。）")) }
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
