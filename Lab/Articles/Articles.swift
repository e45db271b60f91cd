// Articles.swift: the articles, their programs and their items.

/// One of the five articles.
struct Article: Sendable {
    let number: Int
    let title: String
    /// What the article shows, item by item, in its order.
    let items: [ArticleItem]

    /// The programs, in the article's order.
    var programs: [any Program] { items.compactMap { if case .program(let program) = $0.place { program } else { nil } } }
}

/// Something that an article shows, at one place of it.
struct ArticleItem: Sendable {
    /// The article's number and the item's: "0.15".
    let id: String
    /// The heading in the article.
    let heading: String
    let kinds: [Kind]
    let place: Place
    /// What the article says there; nil if the text of its program says it.
    let says: Text?
    /// Whether that is true; nil if the program's verdict is the item's.
    let verdict: ArticleVerdict?
    /// What is true, or what to see here; nil if the text of its program says it.
    let truth: Text?
    /// The item is the stack at this break point of the listing.
    let breakPoint: String?
    /// The number of the example in Documentation/Reference/programs.md that plays what the loop does.
    let example: Int?
    /// The numbers of what Documentation/Reference/corrections.md corrects in the item.
    let corrections: [Int]
    /// What the article says there, sentence by sentence, if some of it is true and some is not: what is false comes first.
    let statements: [Statement]

    /// One of several statements of an item.
    struct Statement: Sendable {
        let words: Text
        let verdict: ArticleVerdict

        /// As in `false: run goes on for ever`.
        var withVerdict: Text { Text("\(verdict.word.english): \(words.english)", "\(verdict.word.chinese)：\(words.chinese)") }

        static func no(_ words: Text) -> Statement { Statement(words: words, verdict: .otherwise) }
        static func half(_ words: Text) -> Statement { Statement(words: words, verdict: .roughly) }
        static func yes(_ words: Text) -> Statement { Statement(words: words, verdict: .asTheArticleSays) }
        static func asks(_ words: Text) -> Statement { Statement(words: words, verdict: .question) }
    }

    /// What an item is in the article.
    enum Kind: Character, Sendable, CaseIterable {
        case listing = "L", demo = "D", output = "P", stack = "S", figure = "F", exercise = "X", table = "T", question = "Q"

        var words: Text {
            switch self {
            case .listing: Text("listing", "代码")
            case .demo: Text("demo", "演示")
            case .output: Text("output", "输出")
            case .stack: Text("stack", "调用栈")
            case .figure: Text("figure", "图")
            case .exercise: Text("exercise", "练习")
            case .table: Text("text", "正文")
            case .question: Text("question", "问题")
            }
        }
    }

    /// Where the item is shown here.
    enum Place: Sendable {
        /// A program of its own, which has its name.
        case program(any Program)
        /// The program of another item.
        case programOf(String)
        /// An experiment of RunLoopLab.
        case experiment(String)
        /// A place in the documents or the sources: a path, with a heading's anchor.
        case document(String)
        /// It cannot exist here, for this reason.
        case cannotBe(Text)
    }

    /// - Parameter kinds: the letters of its kinds.
    init(_ id: String, _ heading: String, _ kinds: String, _ place: Place, says: Text? = nil, _ verdict: ArticleVerdict? = nil, truth: Text? = nil,
         at breakPoint: String? = nil, plays example: Int? = nil, corrections: [Int] = [], statements: [Statement] = []) {
        (self.id, self.heading, self.place, self.says, self.verdict, self.truth) = (id, heading, place, says, verdict, truth)
        (self.breakPoint, self.example, self.corrections, self.statements) = (breakPoint, example, corrections, statements)
        self.kinds = kinds.map { Kind(rawValue: $0)! }
    }

    // MARK: - What follows from its program

    /// The program that shows it: one of the article, or an experiment.
    var program: (any Program)? {
        switch place {
        case .program(let program): program
        case .programOf(let id): Articles.item(id)?.program
        case .experiment(let name): Catalog.experiment(named: name)
        case .document, .cannotBe: nil
        }
    }

    var whatTheArticleSays: Text? { says ?? program?.about.says }
    var itsVerdict: ArticleVerdict? { statements.isEmpty ? verdict ?? program?.about.verdict : .partly }
    var whatIsTrue: Text? {
        if case .cannotBe(let reason) = place { reason } else { truth ?? program?.about.notice }
    }

    /// The items that its own text names and other programs show.
    var named: [String] {
        let ids = Self.ids(in: truth?.english ?? "")
        return Articles.all.flatMap(\.items).filter { item in
            ids.contains(item.id) && item.program.map { $0.about.name != program?.about.name } == true
        }.map(\.id)
    }

    /// The ids in a text. "0.2 s" is a time.
    static func ids(in text: String) -> Set<String> {
        Set(text.matches(of: /\b[0-4]\.\d+\b(?! ?(s\b|秒))/.wordBoundaryKind(.simple)).map { String($0.0) })
    }

    /// The figures of `draw` that belong to it.
    var figures: [Figure] { Figure.ofTheArticles.filter { $0.belongs(to: id) } }
}

/// What became of an article's statements.
enum ArticleVerdict: String, Sendable, CaseIterable {
    case asTheArticleSays
    /// What was measured is as the article says, but a sentence of it is loose; the text beside the verdict says which.
    case roughly
    case otherwise
    /// Of several statements, some are true: the item lists them.
    case partly
    /// The article asks, and states nothing.
    case question

    var words: Text {
        switch self {
        case .asTheArticleSays: Text("As the article says.", "与文章所说一致。")
        case .roughly: Text("Roughly as the article says.", "与文章所说大体一致，但不够准确。")
        case .otherwise: Text("Not as the article says.", "与文章所说不同。")
        case .partly: Text("In part as the article says.", "一部分与文章所说一致。")
        case .question: Text("A question of the article, answered.", "文章提出的问题，已有答案。")
        }
    }
}

/// The verdict on one of several statements, in a word. Claims have the same words.
extension ArticleVerdict {
    var word: Text {
        switch self {
        case .asTheArticleSays: Text("true", "正确")
        case .roughly, .partly: Text("half true", "部分正确")
        case .otherwise: Text("false", "错误")
        case .question: Text("answered", "已有答案")
        }
    }
}

enum Articles {
    static let all = [article0, article1, article2, article3, article4]
    static let programs = all.flatMap(\.programs)

    static func item(_ id: String) -> ArticleItem? { all.flatMap(\.items).first { $0.id == id } }
}

/// The place of a program of the articles.
extension About {
    private var article: Article { Articles.all[Int(name.prefix { $0 != "." })!] }
    /// The article and the heading in it.
    var place: Text { Text("Article \(article.number), 〈\(heading)〉", "文章 \(article.number)，〈\(heading)〉") }
    var heading: String { Articles.item(name)!.heading }
    /// The items of its article that it shows: its own, and others.
    var items: [String] {
        [name] + article.items.filter { if case .programOf(name) = $0.place { true } else { false } }.map(\.id)
    }
}

/// Where a program is in the sources.
struct ProgramSource {
    let path: String
    /// The file of the article's listing: `path`, or a file in C.
    let listing: String
    /// The lines that follow the article's listing: those below the mark, and those of `run` if the mark is missing or a few lines follow it.
    let listings: [ClosedRange<Int>]
    /// The line of what the tests check.
    let judge: Int
    /// The stacks of it that are compared with a debugger's.
    let sessions: [String]

    init(of about: About) {
        path = SourceTree.files(in: about.group == nil ? "Lab/Articles" : "Lab/Experiments", endings: [".swift"]).first { path in
            SourceTree.lines(of: path)!.contains { $0.hasPrefix("        name: \"\(about.name)\", ") }
        } ?? ""
        let own = SourceTree.lines(of: path) ?? [], mark = "// MARK: - The listing"
        let inC = SourceTree.files(in: "Lab/CArticles", endings: [".c"]).first { SourceTree.lines(of: $0)!.contains("\(mark) (\(about.name))") }
        listing = inC ?? path
        let lines = SourceTree.lines(of: listing) ?? []
        func line(_ text: String, in lines: [Substring], after first: Int = 0) -> Int? { lines.indices.first { $0 >= first && lines[$0].hasPrefix(text) } }
        judge = (line("    func judge()", in: own) ?? 0) + 1
        var found: [ClosedRange<Int>] = []
        if let start = line(mark, in: lines), let end = line("// MARK: - ", in: lines, after: start + 1) { found.append(start + 3...max(start + 3, end - 1)) }
        if found.isEmpty || found[0].count < 12, let run = line("    func run()", in: lines), let end = line("    }", in: lines, after: run + 1) { found.append(run + 1...end + 1) }
        listings = found
        sessions = ["Tests/Debugger/stacks.txt"].filter { stacks in
            (SourceTree.lines(of: stacks) ?? []).contains { $0.hasPrefix("RunLoopLab \(about.command) ") }
        }
    }
}
