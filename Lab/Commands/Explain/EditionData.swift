// EditionData.swift: what the reading edition asks RunLoopLab for, beside the cards: the articles, their programs, and the experiments.

/// The articles, programs and experiments as `explain --all --json` has them. Texts come in both languages.
struct EditionData: Encodable {
    var articles = Articles.all.map(Article.init)
    var programs = Articles.programs.map { Program($0.about) }
    var experiments = Catalog.all.map { Experiment($0.about) }

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
        /// Why it cannot exist here.
        var why: Both?

        init(_ item: ArticleItem) {
            (id, heading) = (item.id, item.heading)
            switch item.place {
            case .program(let name): (kind, place) = ("program", name)
            case .experiment(let name): (kind, place) = ("experiment", name)
            case .document(let path): (kind, place) = ("document", path)
            case .cannotBe(let reason): (kind, why) = ("cannotBe", Both(reason))
            }
        }
    }

    struct Program: Encodable {
        /// Its name on the command line: the first of its items.
        var name: String
        var items: [String]
        var heading: String
        var title: Both, says: Both, notice: Both, verdict: Both
        var asTheArticleSays: Bool
        /// It has a second form, with the article's fault cured.
        var isPair: Bool
        /// The path of its file.
        var source: String

        init(_ about: ArticleAbout) {
            (name, items, heading) = (about.name, about.items, about.heading)
            (title, says, notice, verdict) = (Both(about.title), Both(about.says), Both(about.notice), Both(about.verdict.words))
            (asTheArticleSays, isPair) = (about.verdict == .asTheArticleSays, about.isPair)
            source = EditionData.file(in: "Lab/Articles", with: "items: [\"\(about.name)\"")
        }
    }

    struct Experiment: Encodable {
        var name: String
        var claims: [String]
        /// The case of `Group`.
        var group: String
        var shows: Both, setting: Both, notice: Both, correction: Both?
        /// The path of its file.
        var source: String

        init(_ about: About) {
            (name, claims, group) = (about.name, about.claims, "\(about.group)")
            (shows, setting, notice, correction) = (Both(about.shows), Both(about.setting), Both(about.notice), about.correction.map { Both($0) })
            source = EditionData.file(in: "Lab/Experiments", with: "name: \"\(about.name)\"")
        }
    }

    /// The file below a folder that has a text. RunLoopLab is built from these files, so there is one.
    private static func file(in folder: String, with text: String) -> String {
        SourceTree.files(in: folder, endings: [".swift"]).first { path in (SourceTree.lines(of: path) ?? []).contains { $0.contains(text) } } ?? ""
    }
}
