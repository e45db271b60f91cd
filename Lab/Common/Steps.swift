// Steps.swift: the steps of a run, which are in Facts/steps.tsv.

/// A step of a run.
struct Step {
    /// Its number in the source and in articles 0 to 2: "7", "9.1".
    let number: String
    /// The numbers that article 3 (3.18) and article 4 (4.7) give it.
    let inArticle3: String, inArticle4: String
    let words: Text

    private init(_ row: FactRow) {
        (number, inArticle3, inArticle4, words) = (row["step"]!, row["article 3"]!, row["article 4"]!, row.text("words")!)
    }

    static let all = FactRow.all(of: "steps").map(Step.init)

    /// One of the ten.
    static func numbered(_ number: Int) -> Step { all.first { $0.number == "\(number)" }! }
}
