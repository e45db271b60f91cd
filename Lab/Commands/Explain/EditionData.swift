// EditionData.swift: what the reading edition asks RunLoopLab for: the articles, their programs, and the experiments.

import FoundationEssentials

/// The articles, programs and experiments as `list --json` prints them. Texts come in both languages.
struct EditionData: Encodable {
    var articles = Articles.all.map(Article.init)
    var programs = Articles.programs.map { Program($0.about) }
    var experiments = Catalog.experiments.map { Program($0.about) }
    var figures = RunLoopLab.Figure.all.map(Figure.init)

    /// Prints it as JSON.
    func print() -> Int32 {
        let encoder = JSONEncoder(), output = Output()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(self) else { fail(Text("the list cannot be written as JSON", "无法把列表写成 JSON"), status: 1) }
        output.line(String(decoding: json, as: UTF8.self))
        output.flush()
        return 0
    }

    /// A text in both languages.
    struct Both: Encodable {
        var en: String, zh: String

        init(_ text: Text) { (en, zh) = (text.english, text.chinese) }
        /// A text that exists in one language stands for both.
        init(_ text: String) { (en, zh) = (text, text) }
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
        var kinds: [Both]
        /// What the article says there.
        var says: Both?
        /// A case of `ArticleVerdict`, and its words.
        var verdict: String?
        var verdictWords: Both?
        /// What is true, or why it cannot exist here.
        var truth: Both?
        /// The item is the stack at this break point.
        var breakPoint: String?
        /// The names of its figures, and the number of its example.
        var figures: [String]
        var example: Int?
        /// The numbers of the corrections.
        var corrections: [Int]

        init(_ item: ArticleItem) {
            (id, heading, kinds) = (item.id, item.heading, item.kinds.map { Both($0.words) })
            (says, truth) = (item.whatTheArticleSays.map { Both($0) }, item.whatIsTrue.map { Both($0) })
            (verdict, verdictWords) = (item.itsVerdict?.rawValue, item.itsVerdict.map { Both($0.words) })
            (breakPoint, figures, example, corrections) = (item.breakPoint, item.figures.map(\.id), item.example, item.corrections)
            switch item.place {
            case .program: (kind, place) = ("program", item.id)
            case .programOf(let id): (kind, place) = ("program", id)
            case .experiment(let name): (kind, place) = ("experiment", name)
            case .document(let path): (kind, place) = ("document", path)
            case .cannotBe: kind = "cannotBe"
            }
        }
    }

    struct Program: Encodable {
        /// Its name on the command line: for a program of an article the first of its items.
        var name: String
        /// Those of its article that it shows; none for an experiment.
        var items: [String]
        var claims: [String]
        var title: Both, notice: Both
        /// Only of an experiment: the case of `Group`, and its texts.
        var group: String?
        var setting: Both?, correction: Both?
        /// It has a second form, with the article's fault cured.
        var isPair: Bool
        /// It cannot be traced by `trace`.
        var tracesItself: Bool
        /// The path of its file; the first and the last lines that follow the listing; the line of what is checked; the debugger sessions.
        var source: String
        var listings: [[Int]]
        var judge: Int
        var sessions: [String]

        init(_ about: About) {
            (name, claims, group) = (about.name, about.claims, about.group.map { "\($0)" })
            items = about.group == nil ? about.items : []
            (title, notice) = (Both(about.title), Both(about.notice))
            (setting, correction) = (about.setting.map { Both($0) }, about.correction.map { Both($0) })
            (isPair, tracesItself) = (about.isPair, about.tracesItself)
            let place = ProgramSource(of: about)
            (source, listings, judge, sessions) = (place.path, place.listings.map { [$0.lowerBound, $0.upperBound] }, place.judge, place.sessions)
        }
    }

    struct Figure: Encodable {
        var id: String
        var title: Both, caption: Both

        init(_ figure: RunLoopLab.Figure) {
            (id, title, caption) = (figure.id, Both(figure.title), Both(figure.caption))
        }
    }
}
