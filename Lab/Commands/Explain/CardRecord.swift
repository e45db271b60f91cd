// CardRecord.swift: a card as a program reads it: `RunLoopLab explain --all --json`.

/// What is known of a name. Texts are in the language that the user has chosen, and marked up as in ANNOTATIONS.md.
struct CardRecord: Encodable {
    var name: String
    /// Where the sources define it: bodies before declarations.
    var here: [Line] = []
    /// What it is in the original. A name can be two things: a function, and a local variable of the run.
    var original: [Original] = []
    var articles: Articles?
    /// Its rows in the tables.
    var rows: [Row] = []
    /// The claims and the differences that its rows cite, or that mention it.
    var claims: [Claim] = []
    /// The other rows that mention it.
    var mentions: [Mention] = []
    var tests: [Test] = []
    var experiments: [Experiment] = []
    /// Where the articles' programs use it first.
    var programs: [Line] = []
    /// The articles' items that show it.
    var items: [Item] = []
    /// What stands in its place, if this project has nothing of the name.
    var instead: String?

    /// The output of the command.
    struct Document: Encodable {
        /// The documents that the cards are from.
        var documents: [String]
        var cards: [CardRecord]
        /// Only with the cards of all names.
        var edition: EditionData?
    }

    struct Line: Encodable {
        var path: String
        /// From 1.
        var line: Int

        init(_ place: Place) { (path, line) = (place.path, place.line) }
    }

    struct Original: Encodable {
        var kind: String
        /// The programs that have it. The Linux build has what the current source has for Linux.
        var versions: [String]
        /// On which systems, if not on all.
        var remark: String?

        /// - Parameter cells: a line of names.tsv.
        init(_ cells: [String]) {
            kind = NameWords.kind(cells[1]).description
            versions = zip(["CF-855", "CF-1153", "current"], cells[2...4]).filter { $0.1.hasPrefix("y") }.map(\.0)
            let remark = cells[4].drop { $0 != " " }.drop { $0 == " " }
            self.remark = remark.isEmpty ? nil : String(remark)
            let isForOthers = remark.hasSuffix("only") && !remark.contains("Linux") && !remark.contains("Swift runtime")
            if cells[4].hasPrefix("y"), !isForOthers { versions.append("Linux build") }
        }
    }

    struct Articles: Encodable {
        var numbers: [Int]
        /// The kind of name, as in article-names.tsv.
        var kind: String
        var note: String

        /// - Parameter cells: a line of article-names.tsv.
        init(_ cells: [String]) {
            numbers = cells[1].split(separator: " ").compactMap { Int($0) }
            (kind, note) = (cells[2], NameWords.note(cells).description)
        }
    }

    struct Row: Encodable {
        var document: String
        var line: Int
        var section: String
        /// same, adapted, absent or ours.
        var verdict: String?
        /// The ids in its other cells.
        var ids: [String]
        /// The first cell, and the others that are not empty.
        var subject: String
        var cells: [Cell]

        struct Cell: Encodable {
            /// The name of the column; empty if it has none.
            var head: String
            var text: String
        }

        init(_ row: AnnotationRow) {
            (document, line, section, subject) = (row.document, row.line, row.section, row.cells[0])
            cells = zip(row.heads, row.cells).dropFirst().filter { $0.1 != "" }.map { Cell(head: $0.0, text: $0.1) }
            verdict = cells.lazy.compactMap { cell in
                let word = cell.text.drop { $0 == "*" }.prefix { $0.isASCII && $0.isLetter }
                return ["same", "adapted", "absent", "ours"].contains(word) ? String(word) : nil
            }.first
            if verdict == nil, document.contains("our-helpers") { verdict = "ours" }
ids = row.ids
        }
    }

    struct Claim: Encodable {
        var id: String
        var text: String

        /// - Parameter row: one that has an id.
        init(_ row: AnnotationRow) { (id, text) = (row.id!, row.words.first?.text ?? "") }
    }

    struct Mention: Encodable {
        var document: String
        var line: Int
        var section: String
        /// The row's first cell: a correction's number, or names.
        var subject: String

        init(_ row: AnnotationRow) { (document, line, section, subject) = (row.document, row.line, row.section, row.cells[0]) }
    }

    struct Test: Encodable {
        var name: String
        /// What it shows.
        var sentence: String
        var place: Line
    }

    struct Experiment: Encodable {
        var name: String
        var shows: String
    }

    struct Item: Encodable {
        /// "0.15"
        var id: String
        var heading: String
    }
}
