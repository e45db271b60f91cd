// Articles.swift: the articles, their programs and their items.

/// One of the five articles.
struct Article: Sendable {
    let number: Int
    let title: String
    /// The programs, in the article's order.
    let programs: [any ArticleProgram]
    /// What the article shows, item by item, in its order.
    let items: [ArticleItem]
}

/// Something that an article shows: a listing, a demo, an output, a stack, a figure, a table, an exercise or a question.
struct ArticleItem: Sendable {
    /// The article's number and the item's: "0.15".
    let id: String
    /// The heading in the article.
    let heading: String
    let place: Place

    /// Where the item is shown here.
    enum Place: Sendable {
        /// The program with this name.
        case program(String)
        /// An experiment of RunLoopLab.
        case experiment(String)
        /// A place in the documents or the sources: a path, with a heading's anchor.
        case document(String)
        /// It cannot exist here, for this reason.
        case cannotBe(Text)
    }

    init(_ id: String, _ heading: String, _ place: Place) {
        (self.id, self.heading, self.place) = (id, heading, place)
    }
}

enum Articles {
    static let all = [article0, article1, article2, article3, article4]
    static let programs = all.flatMap(\.programs)

    static func program(named id: String) -> (any ArticleProgram)? { programs.first { $0.about.items.contains(id) } }
    static func item(_ id: String) -> ArticleItem? { all.flatMap(\.items).first { $0.id == id } }
}
