// Explain.swift: what a name is: here, in the original, and in the articles.

/// `RunLoopLab explain NAME`: a card for a function, a field, a type, an id (L7, D36), an item of an article (0.15) or any name in the articles.
struct Explain {
    private let annotations = Language.current == .chinese ? "ANNOTATIONS.zh.md" : "ANNOTATIONS.md"
    private let rows: [AnnotationRow]
    private let originals: [[String]], articleNames: [[String]]
    private let sources = Definitions(in: ["Sources/CRunLoop", "Sources/SwiftRunLoop", "Sources/RunLoopLab/Components"])
    private let tests = Definitions(in: ["Tests/SwiftTests"])

    init() {
        rows = AnnotationRow.all(of: annotations)
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
                      "没有关于“\(name)”的内容；相近的写法：\(near.joined(separator: "、"))").description, status: 1)
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
        if let item = Articles.item(name) ?? Articles.program(named: name).map({ ArticleItem(name, $0.about.heading, .program($0.about.name)) }) {
            add(Text("item", "条目"), ["〈\(item.heading)〉"])
            add(Text("try", "运行"), ["swift run RunLoopLab article \(name)"])
        }
        let about = articleNames.filter { $0[0] == name && $0.count > 3 }
        add(Text("in the articles", "文章里"), about.map { "\($0[3]) (\(Text("articles", "文章")) \($0[1]))" })
        add(Text("here", "这里"), sources.places(of: name).map(\.words))
        add(Text("in the original", "原版"), originals.filter { $0[0] == name && $0.count > 4 }.map(original))
        let own = rows.filter { $0.subjects.contains(name) }
        for row in own.prefix(4) {
            add(Text("annotated", "注解"), ["\(annotations):\(row.line), \(row.section)"])
            add(Text("", ""), row.words.map { $0.head == "" ? $0.text : "\($0.head): \($0.text)" })
        }
        let mentions = rows.filter { row in row.names.contains { $0 == name || $0 == name + "()" } && !own.contains { $0.line == row.line } }
        let ids = mentions.filter { $0.id != nil }
        add(Text("claims", "相关说法"), ids.prefix(6).map { "\($0.id!)  \($0.words[0].text)" })
        if own.isEmpty {
            add(Text("mentioned", "提到它的地方"), mentions.filter { $0.id == nil }.prefix(6).map { "\(annotations):\($0.line), \($0.section)" })
        }
        let shown = Set((own + ids.prefix(6)).flatMap(\.names))
        add(Text("tests", "测试"), testPlaces(named: shown).prefix(6).map { "\($0.place.words)  \($0.name)" })
        add(Text("experiments", "实验"), Catalog.all.map(\.about.name).filter(shown.contains).map { "swift run RunLoopLab \($0)" })
        add(Text("in programs", "文章程序"), programs(with: name))
        if let instead = StandIns.all[name] { add(Text("in its place", "对应"), [instead.description]) }
        return parts
    }

    /// The names of the articles for which the card has no more than what the articles use them for.
    /// - Parameter kinds: leaves out names of these kinds, as in article-names.tsv.
    func unresolvedNames(except kinds: Set<String> = []) -> [String] {
        let known = Set(rows.flatMap(\.subjects) + rows.flatMap(\.names) + originals.map { $0[0] } + StandIns.all.keys)
        return articleNames.filter { $0.count > 3 && !kinds.contains($0[2]) }.map { $0[0] }.filter { name in
            !known.contains(name) && programs(with: name).isEmpty && sources.places(of: name).isEmpty
        }
    }

    /// A function with its parentheses, or a message in brackets, is looked up by its name.
    private func plain(_ word: String) -> String {
        var word = word[...]
        while let first = word.first, "-+[`@ ".contains(first), word.count > 1 { word.removeFirst() }
        while let last = word.last, "()]`; ".contains(last) { word.removeLast() }
        return String(word)
    }

    private func original(_ cells: [String]) -> String {
        let versions = zip(["CF-855", "CF-1153", Text("current", "现行版").description], cells[2...4]).filter { $0.1.hasPrefix("y") }.map(\.0)
        return "\(cells[1]) (\(versions.isEmpty ? Text("in no version", "任何版本都没有").description : versions.joined(separator: ", ")))"
    }

    /// Where the tests with these names are.
    private func testPlaces(named names: Set<String>) -> [(name: String, place: Place)] {
        let wanted = names.filter { $0.contains("_") || $0.hasPrefix("test") }
        guard !wanted.isEmpty else { return [] }
        var found: [(String, Place)] = []
        for path in SourceTree.files(in: "Tests/CTests", endings: [".c"]) + SourceTree.files(in: "Tests/SwiftTests", endings: [".swift"]) {
            for (index, line) in (SourceTree.lines(of: path) ?? []).enumerated() {
                let code = line.drop { $0 == " " }
                guard let start = ["TEST(", "SCENARIO(", "func "].first(where: code.hasPrefix) else { continue }
                let name = String(code.dropFirst(start.count).prefix { $0.isLetter || $0.isNumber || $0 == "_" })
                if wanted.contains(name) { found.append((name, Place(path: path, line: index + 1))) }
            }
        }
        return found
    }

    /// The programs of the articles whose source has the name.
    private func programs(with name: String) -> [String] {
        SourceTree.files(in: "Sources/RunLoopLab/Articles", endings: [".swift", ".c"]).compactMap { path in
            guard let lines = SourceTree.lines(of: path), let head = lines.first, let index = lines.firstIndex(where: { line in
                !line.hasPrefix("//") && line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains { $0 == name }
            }), head.contains("〉") else { return nil }
            return "\(path):\(index + 1)"
        }
    }

    /// The known names that differ least from this one.
    private func spellings(near name: String) -> [String] {
        let known = Set(rows.flatMap(\.subjects).filter { !$0.contains(" ") && !$0.contains("`") } + articleNames.map { $0[0] } + originals.map { $0[0] })
        var left = known, near: [String] = []
        for _ in 0..<3 {
            let next = nearest(to: name, among: left.sorted())
            near.append(next)
            left.remove(next)
        }
        return near
    }
}
