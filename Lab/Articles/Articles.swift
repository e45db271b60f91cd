// Articles.swift: the articles, their programs and their items. What an article says, and what is true, is in Facts/items.tsv.

/// One of the five articles.
struct Article: Sendable {
    let number: Int
    let title: String
    /// What the article shows, item by item, in its order.
    let items: [ArticleItem]

    init(_ number: Int, _ title: String) {
        (self.number, self.title) = (number, title)
        items = ArticleItem.rows.filter { $0["item"]!.hasPrefix("\(number).") }.map(ArticleItem.init)
    }

    /// The programs, in the article's order.
    var programs: [any Program] { Articles.programs.filter { $0.about.name.hasPrefix("\(number).") } }
}

/// Something that an article shows, at one place of it: a row of Facts/items.tsv.
struct ArticleItem: Sendable {
    /// The article's number and the item's: "0.15".
    let id: String
    /// The heading in the article.
    let heading: String
    let kinds: [Kind]
    let place: Place
    /// What the article says there.
    let says: Text
    /// Whether that is true; of several statements, some are. Nil if the item cannot exist here.
    let verdict: ArticleVerdict?
    /// What is true, or what to see here; nil if the text of another item's program says it.
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

        /// `false: run goes on for ever`, and the Chinese words.
        init(_ text: Text) {
            verdict = ArticleVerdict.all[String(text.english.prefix { $0 != ":" })]!
            words = Text(String(text.english[text.english.firstRange(of: ": ")!.upperBound...]), text.chinese)
        }

        /// As in `false: run goes on for ever`.
        var withVerdict: Text { Text("\(verdict.word.english): \(words.english)", "\(verdict.word.chinese)：\(words.chinese)") }
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
    enum Place: Sendable, Equatable {
        /// The program of this item, or of another.
        case program(String)
        /// An experiment of RunLoopLab.
        case experiment(String)
        /// A place in the documents or the sources: a path, with a heading's anchor.
        case document(String)
        /// It cannot exist here; `truth` is the reason.
        case cannotBe
    }

    fileprivate static let rows = FactRow.all(of: "items")
    fileprivate static let rowOfItem = Dictionary(uniqueKeysWithValues: rows.map { ($0["item"]!, $0) })

    fileprivate init(_ row: FactRow) {
        (id, heading, breakPoint) = (row["item"]!, row["heading"]!, row["break point"])
        kinds = row["kinds"]!.map { Kind(rawValue: $0)! }
        let words = row.words("place"), rest = words.dropFirst().joined(separator: " ")
        switch words[0] {
        case "program": place = .program(id)
        case "experiment": place = .experiment(rest)
        case "document": place = .document(rest)
        case "cannot": place = .cannotBe
        default: place = .program(words[0])
        }
        (says, truth) = (row.text("says")!, row.text("true"))
        statements = row.texts("statements").map(Statement.init)
        verdict = statements.isEmpty ? row["verdict"].map { ArticleVerdict.all[$0]! } : .partly
        (example, corrections) = (row["example"].map { Int($0)! }, row.words("corrections").map { Int($0)! })
    }

    // MARK: - What follows from its program

    /// The program that shows it: one of the article, or an experiment.
    var program: (any Program)? {
        switch place {
        case .program(let id): isOwnProgram ? Articles.programs.first { $0.about.name == id } : Articles.item(id)?.program
        case .experiment(let name): Catalog.experiment(named: name)
        case .document, .cannotBe: nil
        }
    }

    var isOwnProgram: Bool { place == .program(id) }
    var whatIsTrue: Text? { truth ?? program?.about.notice }

    /// The items that its own text names and other programs show.
    var named: [String] {
        let ids = isOwnProgram ? [] : Self.ids(in: truth?.english ?? "")
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

/// What became of an article's statements: a row of Facts/verdicts.tsv.
enum ArticleVerdict: String, Sendable, CaseIterable {
    case asTheArticleSays
    /// What was measured is as the article says, but a sentence of it is loose; the text beside the verdict says which.
    case roughly
    case otherwise
    /// Of several statements, some are true: the item lists them.
    case partly
    /// The article asks, and states nothing.
    case question

    private static let rows = Dictionary(uniqueKeysWithValues: zip(allCases, FactRow.all(of: "verdicts").filter { $0["of"] == "item" }))
    /// By the words of the table.
    fileprivate static let all = Dictionary(uniqueKeysWithValues: rows.map { ($1["verdict"]!, $0) })

    /// In a sentence.
    var words: Text { Self.rows[self]!.text("sentence")! }
    /// In a word. Claims have the same words.
    var word: Text { Text(Self.rows[self]!["verdict"]!, Self.rows[self]!["in Chinese"]!) }
}

enum Articles {
    static let all = ["NSRunLoop", "Runloop概述", "RunLoop入门篇", "ios 程序启动与运转", "RunLoop是iOS开发中的核心机制"].enumerated().map { Article($0, $1) }
    /// In the order of their items.
    static let programs: [any Program] = [
        FourGetters(), SubThread(), PrintedLoop(), ThreeCommonModes(), ObserverOfAllActivities(),
        ObserverIsNoCondition(), WrongMode(), RunCannotBeStopped(), RunUntilDateInAWhile(), RunModeReturns(),
        SixPerforms(), WantTodo(), SixTimerFactories(), TimerMustBeAdded(), ScheduledOnItsThread(),
        ScrollingStopsTheTimer(), WhoHoldsTheController(), AfterDelayTodo(), SetImageAfterDelay(),
        ListeningForIdleTime(), MainThreadsPool(), WhoHasAPool(), PoolAroundTheWhile(), PoolAroundRun(), ManyStrings(),
        SubThreadSwitchesMode(), MainThreadInTracking(), WherePerformsGo(), PerformInTracking(),
        SleepAndWait(), TheGetters(), TheSecondLook(), CommonItems(), FiveModes(), ModeInterface(), SignalThenWake(),
        PortThenSource0(), ScheduledTimer(), ScrollAndCount(), ObserversTogether(), SixActivities(), SimplifiedLoop(),
        CalloutChain(), RemovingIsNotEnough(), RunThread(), KeptAlive(), TimerInTime(),
        ThreeMains(), TwoThreadObjects(), TimerPlacements(), ModeIsAdded(), ImageAfterDragging(), FourInputs(),
        ExitThread(), OddKeeping(), GCDTimer(),
        LaunchToView(), PoolChain(), FourExits(), ThreeKindsOfSources(), TimerOfTheThread(), ObserverParameters(),
        Refresh(), GestureIsRecognised(), NetworkRequest(), StartKeepsTheLock(), TimerCost(),
        EventSources(), OneTimerThreeModes(), MainLoopRunsAlready(), PermanentThread(), ExecutionSequence(),
        SimplifiedRun(), ThreadManagers(), StallAlarm(), TimerPriorities(), DeferredImageLoading(), CommitAndDisplay(),
        AsyncRendering(), ThreadIsolation(), RequestPriorities(), BatchedData(), BoundsOffMain()
    ]

    static func item(_ id: String) -> ArticleItem? { all.flatMap(\.items).first { $0.id == id } }
}

/// A program of the articles. What it says of itself is in Facts/items.tsv.
extension About {
    init(article id: String, seconds: Double, isPair: Bool = false, tracesItself: Bool = false, limits: [Form: Double] = [:]) {
        let row = ArticleItem.rowOfItem[id]!
        self.init(name: id, claims: row.words("claims"), title: row.text("program")!, says: row.text("says"), notice: row.text("true")!,
                  verdict: ArticleVerdict.all[row["verdict"]!], seconds: seconds, isPair: isPair, tracesItself: tracesItself, limits: limits)
    }
}

/// The place of a program of the articles.
extension About {
    private var article: Article { Articles.all[Int(name.prefix { $0 != "." })!] }
    /// The article and the heading in it.
    var place: Text { Text("Article \(article.number), 〈\(heading)〉", "文章 \(article.number)，〈\(heading)〉") }
    var heading: String { Articles.item(name)!.heading }
    /// The items of its article that it shows: its own, and others.
    var items: [String] {
        [name] + article.items.filter { $0.place == .program(name) && $0.id != name }.map(\.id)
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
            SourceTree.lines(of: path)!.contains { $0.hasPrefix("    let about = About(article: \"\(about.name)\", ") || $0.hasPrefix("        name: \"\(about.name)\", ") }
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
