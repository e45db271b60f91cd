// EditionData.swift: what the reading edition asks RunLoopLab for: the articles, their programs, and the experiments.

import FoundationEssentials

/// The articles, programs and experiments as `list --json` prints them. Texts come in both languages.
struct EditionData: Encodable {
    var articles = Articles.all.map(Article.init)
    var programs = Articles.programs.map { Program($0.about) }
    var experiments = Catalog.experiments.map { Program($0.about) }
    var figures = Figure.ofTheArticles

    /// Prints it as JSON.
    func print() -> Int32 {
        let encoder = JSONEncoder(), output = Output()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(self) else { fail(Text("the list cannot be written as JSON", "无法把列表写成 JSON"), status: 1) }
        output.line(String(decoding: json, as: UTF8.self))
        output.flush()
        return 0
    }

    struct Article: Encodable {
        var number: Int
        var title: String
        var items: [Item]

        init(_ article: RunLoopLab.Article) {
            (number, title, items) = (article.number, article.title, article.items.map(Item.init))
        }
    }

    struct Item: Encodable {
        var id: String
        var heading: String
        /// program, experiment, document or cannotBe
        var kind: String
        /// The name of the program or the experiment, or the path of the document.
        var place: String?
        var kinds: [Text]
        /// What the article says there.
        var says: Text
        /// A case of `ArticleVerdict`, and its words.
        var verdict: String?
        var verdictWords: Text?
        /// The statements of which some are true, in their order.
        var statements: [Statement]
        /// What is true, or why it cannot exist here.
        var truth: Text?
        /// The item is the stack at this break point.
        var breakPoint: String?
        /// The names of its figures, and the number of its example.
        var figures: [String]
        var example: Int?
        /// The numbers of the corrections.
        var corrections: [Int]
        /// The other items that its text names.
        var named: [String]

        init(_ item: ArticleItem) {
            (id, heading, kinds) = (item.id, item.heading, item.kinds.map(\.words))
            (says, truth) = (item.says, item.whatIsTrue)
            (verdict, verdictWords) = (item.verdict?.rawValue, item.verdict?.words)
            statements = item.statements.map { Statement(words: $0.withVerdict, verdict: $0.verdict.rawValue) }
            (breakPoint, figures, example, corrections, named) = (item.breakPoint, item.figures.map(\.id), item.example, item.corrections, item.named)
            switch item.place {
            case .program(let id): (kind, place) = ("program", id)
            case .experiment(let name): (kind, place) = ("experiment", name)
            case .document(let path): (kind, place) = ("document", path)
            case .cannotBe: kind = "cannotBe"
            }
        }
    }

    /// A statement with its verdict before it, and the case of `ArticleVerdict`.
    struct Statement: Encodable {
        var words: Text
        var verdict: String
    }

    struct Program: Encodable {
        /// Its name on the command line: for a program of an article the first of its items.
        var name: String
        /// Those of its article that it shows; none for an experiment.
        var items: [String]
        var claims: [String]
        var title: Text, notice: Text
        /// Only of an experiment: the case of `Group`, and its texts.
        var group: String?
        var setting: Text?, correction: Text?
        /// It has a second form, with the article's fault cured.
        var isPair: Bool
        /// It cannot be traced by `trace`.
        var tracesItself: Bool
        /// The path of its file, and of the file of its listing; the first and the last lines that follow the listing; the line of what is checked; the debugger sessions.
        var source: String, listing: String
        var listings: [[Int]]
        var judge: Int
        var sessions: [String]

        init(_ about: About) {
            (name, claims, group) = (about.name, about.claims, about.group.map { "\($0)" })
            items = about.group == nil ? about.items : []
            (title, notice, setting, correction) = (about.title, about.notice, about.setting, about.correction)
            (isPair, tracesItself) = (about.isPair, about.tracesItself)
            let place = ProgramSource(of: about)
            (source, listing, listings, judge, sessions) = (place.path, place.listing, place.listings.map { [$0.lowerBound, $0.upperBound] }, place.judge, place.sessions)
        }
    }
}
