// ArticleCommand.swift: lists and runs the programs of the articles.

import Glibc

/// `article`, `article ID` and `article all`.
struct ArticleCommand {
    let isFast: Bool
    private let page = Page(isRecord: false)
    private static let cannotBe = Text("It cannot exist here.", "这里无法实现。")

    init(isFast: Bool) {
        self.isFast = isFast
    }

    // MARK: - The list

    /// Lists the programs, by article and heading.
    func list() -> Int32 {
        page.write(Text("What the articles show. Run an item with: swift run RunLoopLab article ID", "文章里的内容。运行其中一项：swift run RunLoopLab article 编号").description)
        page.write(Text("All of them: article all", "全部运行：article all").description)
        page.write(Text("Every heading is in Documentation/Reference/articles.md.", "所有小标题在 Documentation/Reference/articles.zh.md 里。").description)
        for article in Articles.all {
            page.blank()
            page.write("\(Text("Article", "文章")) \(article.number)  \(article.title)")
            for program in article.programs {
                let about = program.about
                page.write("  \(padded(about.name, to: 6))〈\(about.heading)〉")
                for line in wrapped(about.title.description + (about.isPair ? Text(" (a pair)", "（成对）").description : ""), to: 90) { page.write("        " + line) }
            }
        }
        return 0
    }

    // MARK: - One item

    /// Runs the program of an item; an item without a program says where it is shown.
    /// - Parameter form: the form of a pair; nil runs both, each in a process of its own.
    func run(_ id: String, _ form: Form?, _ length: PageLength = .whole, asRecord: Bool) -> Int32 {
        let item = Articles.item(id)
        guard let program = item?.program else { return say(id) }
        let forms = program.about.forms, isWhole = !asRecord && length != .brief
        if isWhole, let item, !item.isOwnProgram { introduce(item, of: program.about) }
        if let form, !forms.contains(form) { fail(Text("\(id) is no pair: it has no form \(form.rawValue)", "\(id) 不成对，没有 \(form.rawValue) 这种形式"), status: 2) }
        if let only = form ?? (forms.count == 1 ? forms[0] : nil) {
            defer { if isWhole { showWhereItIs(item, program.about) } }
            return ProgramRun(program, only, isWhole && isPart(item, of: program.about) ? .part : length, isFast: isFast, asRecord: asRecord, tracing: !asRecord).perform()
        }
        var status: Int32 = 0
        page.showPair(program.about) { form in
            let child = child(of: program.about, form, isFast: isFast, "--brief")
            page.write(trimmed(child.output.hasSuffix("\n") ? String(child.output.dropLast()) : child.output))
            if case .exited(let code) = child.end { status = max(status, code) } else {
                page.write(child.end.words.description)
                status = 1
            }
        }
        showWhereItIs(item, program.about)
        return status
    }

    /// What the article says in an item that is a part of a program, and whether that is true.
    private func introduce(_ item: ArticleItem, of about: About) {
        head(item)
        page.blank()
        page.write((isPart(item, of: about) ? Text("It is part of this program:", "它是这个程序的一部分：") : Text("Here is its program:", "它的程序如下：")).description)
        page.blank()
    }

    /// Whether the program is another item's.
    private func isPart(_ item: ArticleItem?, of about: About) -> Bool { about.group == nil && item?.id != about.name }

    /// The item's own lines: its heading and what it is; what the article says; the verdict and what is true. What to notice in its program stands there.
    private func head(_ item: ArticleItem) {
        let kinds = item.kinds.map(\.words.description).joined(separator: Text(", ", "、").description)
        page.write("\(item.id)  〈\(item.heading)〉  (\(kinds))")
        page.section(Text("The article says", "文章说"), item.says)
        if let words = item.verdict?.words ?? item.whatIsTrue.map({ _ in Text("What is true", "实际情况") }) {
            if let truth = item.program == nil ? item.whatIsTrue : item.truth { page.section(words, truth) } else { page.paragraph(words) }
        }
    }

    /// The files and the commands that belong to an item; above them its statements, if it has several.
    private func showWhereItIs(_ item: ArticleItem?, _ about: About? = nil) {
        if let item, !item.statements.isEmpty {
            page.paragraph(Text("Statement by statement", "逐句判断"))
            for statement in item.statements { page.hanging("  \(padded(statement.verdict.word.description, to: 9))  ", statement.words.description) }
        }
        var rows: [(Text, String)] = []
        if let about {
            let place = ProgramSource(of: about)
            rows.append((Text("listing", "代码"), place.listings.map { "\(place.listing):\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ", ")))
            rows.append((Text("tests", "测试"), (["swift test --filter \(about.group == nil ? "ArticleTests" : "LabTests")", "\(place.path):\(place.judge)"] + place.sessions).joined(separator: ", ")))
            if !about.tracesItself { rows.append((Text("trace", "跟踪"), "swift run RunLoopLab trace \(about.name) --out \(about.name).txt")) }
        }
        func list(_ parts: [String]) -> String { parts.joined(separator: Text(", ", "、").description) }
        if let named = item?.named, !named.isEmpty { rows.append((Text("run also", "也可运行"), "article \(list(named))")) }
        if let corrections = item?.corrections, !corrections.isEmpty {
            rows.append((Text("corrected", "更正"), "\(list(corrections.map(String.init))), \(SourceTree.inLanguage("Documentation/Reference/corrections.md"))"))
        }
        for figure in item?.figures ?? [] { rows.append((Text("figure", "图"), "swift run RunLoopLab draw \(figure.id) \(figure.id).svg  (\(figure.title))")) }
        if let example = item?.example { rows.append((Text("play", "播放"), "swift run RunLoopLab play \(example)")) }
        if let item { rows.append((Text("page", "页面"), "Scripts/reading-edition serve: items/\(item.id).html")) }
        page.paragraph(Text("Here", "在这里"))
        for (words, text) in rows where text != "" { page.hanging("  \(padded(words.description, to: 9))  ", text) }
        page.flush()
    }

    /// Where an item without a program is shown.
    private func say(_ id: String) -> Int32 {
        guard let item = Articles.item(id) else {
            Command.refuse(Text("item", "编号"), id, among: Articles.all.flatMap(\.items).map(\.id), Text("'article' lists the programs", "article 会列出所有程序"))
        }
        head(item)
        page.blank()
        switch item.place {
        case .program, .experiment: break // these are run
        case .document(let path): page.write(Text("See \(path)", "见 \(SourceTree.inLanguage(path))").description)
        case .cannotBe: page.write(Self.cannotBe.description)
        }
        showWhereItIs(item)
        return 0
    }

    // MARK: - All of them

    /// Runs every program in every form, and counts the items.
    func all() -> Int32 {
        let all = AllPrograms(isFast: isFast)
        for article in Articles.all { all.run(article.programs, title: "\(Text("Article", "文章")) \(article.number)  \(article.title)") }
        summary()
        return all.conclude()
    }

    /// How many items are as their articles say.
    private func summary() {
        let items = Articles.all.flatMap(\.items)
        page.blank()
        for verdict in ArticleVerdict.allCases.map(Optional.some) + [nil] {
            page.write("\(padded("\(items.count { $0.verdict == verdict })", to: -5))  \(verdict?.words ?? Self.cannotBe)")
        }
    }
}
