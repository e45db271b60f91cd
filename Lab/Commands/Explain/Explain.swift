// Explain.swift: what a name is: here, in the original, and in the articles.

import FoundationEssentials

/// `RunLoopLab explain NAME`: a card for a function, a field, a type, an id (L7, D36), an item of an article (0.15) or any name in the articles.
struct Explain {
    private let data = ProjectData.read()
    private let originals: [[String]], articleNames: [[String]]
    private let programs = ArticleWords()
    private var rows: [AnnotationRow] { data.rows }

    init() {
        originals = SourceTree.required("Documentation/Data/names.tsv").map(Self.cells)
        articleNames = SourceTree.required("Documentation/Data/article-names.tsv").dropFirst().map(Self.cells)
    }

    private static func cells(_ line: Substring) -> [String] { line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }

    // MARK: - The card

    /// Prints the card. Returns 1 if nothing is known of the name.
    func run(_ word: String) -> Int32 {
        let output = Output(), name = plain(word)
        let parts = card(of: name)
        if parts.isEmpty {
            let near = spellings(near: name)
            fail(Text("nothing is known of '\(name)'; close spellings: \(near.joined(separator: ", "))",
                      "没有关于“\(name)”的内容；相近的写法：\(near.joined(separator: "、"))"), status: 1)
        }
        output.line(name)
        for (head, texts) in parts {
            for (index, text) in texts.enumerated() {
                for (number, line) in wrapped(text, to: 78).enumerated() {
                    output.line("  \(padded(index == 0 && number == 0 ? head : "", to: 18))\(line)")
                }
            }
        }
        output.flush()
        return 0
    }

    /// What the card says, part by part: a head and its lines.
    func card(of name: String) -> [(head: String, texts: [String])] {
        var parts: [(head: String, texts: [String])] = []
        func add(_ head: Text, _ texts: [String]) { if !texts.isEmpty { parts.append((head.description, texts)) } }
        if let item = Articles.item(name) {
            add(Text("item", "条目"), ["〈\(item.heading)〉"])
            add(Text("try", "运行"), ["swift run RunLoopLab article \(name)"])
        }
        let about = articleNames.filter { $0[0] == name && $0.count > 3 }
        add(Text("in the articles", "文章里"), about.map { "\(NameWords.note($0)) (\(Text("articles", "文章")) \($0[1]))" })
        add(Text("what it is", "是什么"), [data.sentences[name]].compactMap(\.self))
        add(Text("here", "这里"), places(of: name).map(\.words))
        add(Text("in the original", "原版"), originals.filter { $0[0] == name && $0.count > 4 }.map(original))
        let own = rowsAbout(name)
        for row in own.prefix(4) {
            add(Text("annotated", "注解"), ["\(row.document):\(row.line), \(row.section)"])
            add(Text("", ""), row.words.map { $0.head == "" ? $0.text : $0.head + Text(": ", "：").description + $0.text })
        }
        let mentions = rowsMentioning(name), ids = mentions.filter { $0.id != nil }
        // An id has a row, with the claim, and an item below it, with code and tests.
        let claims = ids.compactMap(\.id).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }.prefix(6)
        add(Text("claims", "相关说法"), claims.compactMap { id in rows.first { $0.id == id }.map { "\(id)  \($0.words[0].text)" } })
        if own.isEmpty {
            add(Text("mentioned", "提到它的地方"), mentions.filter { $0.id == nil }.prefix(6).map { "\($0.document):\($0.line), \($0.section)" })
        }
        let shown = Set((own + rows.filter { $0.id.map(claims.contains) ?? false }).flatMap(\.names))
        add(Text("tests", "测试"), data.tests(named: shown).prefix(6).map { "\($0.place.words)  \($0.name)" })
        add(Text("experiments", "实验"), Catalog.all.map(\.about.name).filter(shown.contains).map { "swift run RunLoopLab \($0)" })
        add(Text("in programs", "文章程序"), programs.places(of: name).map(\.words))
        let run = items(of: name).filter { item in Articles.programs.contains { $0.about.name == item.id } }
        add(Text("article items", "文章条目"), run.prefix(6).map { "\($0.id)  〈\($0.heading)〉" })
        if let instead = StandIns.all[name] { add(Text("in its place", "对应"), [instead.description]) }
        return parts
    }

    // MARK: - Cards for programs

    /// Prints the cards of these names as JSON.
    /// - Parameter names: as `allNames` has them.
    /// - Parameter edition: what the reading edition needs beside the cards.
    func printRecords(of names: [String], edition: EditionData? = nil) -> Int32 {
        let encoder = JSONEncoder(), output = Output()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let document = CardRecord.Document(documents: data.documents, cards: names.map(record), edition: edition)
        guard let json = try? encoder.encode(document) else { fail(Text("the cards cannot be written as JSON", "无法把卡片写成 JSON"), status: 1) }
        output.line(String(decoding: json, as: UTF8.self))
        output.flush()
        return 0
    }

    /// Every name that has a card: names in the tables, their ids, the names of the original and of the articles, and the articles' items.
    var allNames: [String] {
        let subjects = rows.flatMap { row in row.spans.isEmpty ? [row.id].compactMap(\.self) : row.spans }
        let items = Articles.all.flatMap(\.items).map(\.id)
        return Set(subjects + originals.filter { $0.count > 4 && $0[0] != "name" }.map { $0[0] } + articleNames.map { $0[0] } + StandIns.all.keys + items).sorted()
    }

    /// What the card of a name says, for a program that shows it.
    func record(of name: String) -> CardRecord {
        let own = rowsAbout(name), mentions = rowsMentioning(name)
        var card = CardRecord(name: name)
        card.here = places(of: name).map(CardRecord.Line.init)
        card.original = originals.filter { $0[0] == name && $0.count > 4 }.map(CardRecord.Original.init)
        card.articles = articleNames.first { $0[0] == name && $0.count > 3 }.map(CardRecord.Articles.init)
        card.rows = own.map(CardRecord.Row.init)
        let ids = Set(card.rows.flatMap(\.ids) + mentions.compactMap(\.id)).subtracting([name])
        // An id has a row, with the claim, and an item below it, with code and tests.
        card.claims = rows.filter { $0.id.map(ids.contains) ?? false }.reduce(into: [AnnotationRow]()) { claims, row in
            if !claims.contains(where: { $0.id == row.id }) { claims.append(row) }
        }.map(CardRecord.Claim.init)
        card.mentions = mentions.filter { $0.id == nil }.map(CardRecord.Mention.init)
        let shown = Set((own + mentions.filter { $0.id != nil } + rows.filter { $0.id.map(ids.contains) ?? false }).flatMap(\.names))
        let near = data.tests(named: shown), far = data.tests(named: Set(mentions.flatMap(\.names)).subtracting(shown))
        card.tests = (near + far).map { CardRecord.Test(name: $0.name, sentence: $0.sentence, place: CardRecord.Line($0.place)) }
        card.experiments = Catalog.all.map(\.about).filter { shown.contains($0.name) }.map { CardRecord.Experiment(name: $0.name, shows: $0.shows.description) }
        card.programs = programs.places(of: name).map(CardRecord.Line.init)
        card.items = items(of: name)
        card.instead = StandIns.all[name]?.description
        return card
    }

    /// The items of the articles whose heading has the name, or whose program does.
    private func items(of name: String) -> [CardRecord.Item] {
        let ids = programs.items(of: name)
        return Articles.all.flatMap(\.items).filter { item in
            item.id == name || ids.contains(item.id) || name.utf8.count > 3 && words(of: item.heading[...]).contains(name)
        }.map { CardRecord.Item(id: $0.id, heading: $0.heading) }
    }

    // MARK: - Names

    /// The names of the articles for which the card has no more than what the articles use them for.
    func unresolvedNames() -> [String] {
        let known = Set(rows.map { $0.cells[0] } + rows.flatMap(\.names) + originals.map { $0[0] } + StandIns.all.keys)
        return articleNames.filter { $0.count > 3 }.map { $0[0] }.filter { name in
            !known.contains(name) && programs.places(of: name).isEmpty && places(of: name).isEmpty
        }
    }

    /// A function with its parentheses, or a message in brackets, is looked up by its name.
    func plain(_ word: String) -> String {
        var word = word[...]
        while let first = word.first, "-+[`@ ".contains(first), word.count > 1 { word.removeFirst() }
        while let last = word.last, "()]`; ".contains(last) { word.removeLast() }
        if word.hasPrefix("struct ") { word.removeFirst(7) }
        return String(word)
    }

    private func places(of name: String) -> [Place] { data.places[name] ?? [] }

    private func original(_ cells: [String]) -> String {
        let versions = zip(["CF-855", "CF-1153", Text("current", "现行版").description], cells[2...4]).filter { $0.1.hasPrefix("y") }.map(\.0)
        return "\(NameWords.kind(cells[1])) (\(versions.isEmpty ? Text("in no version", "任何版本都没有").description : versions.joined(separator: ", ")))"
    }

    /// The rows that a name has in the tables.
    private func rowsAbout(_ name: String) -> [AnnotationRow] { rows.filter { $0.isAbout(name) } }

    /// The other rows that mention it.
    private func rowsMentioning(_ name: String) -> [AnnotationRow] {
        rows.filter { $0.mentions(name) && !$0.isAbout(name) }
    }

    /// The known names that differ least from this one.
    private func spellings(near name: String) -> [String] {
        let known = Set(rows.flatMap { $0.spans + [$0.id].compactMap(\.self) } + articleNames.map { $0[0] } + originals.map { $0[0] })
        var left = known, near: [String] = []
        for _ in 0..<3 {
            let next = nearest(to: name, among: left.sorted())
            near.append(next)
            left.remove(next)
        }
        return near
    }
}
