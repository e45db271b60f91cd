// Explain.swift: what a name is, or what answers a question: here, in the original, and in the articles.

/// `RunLoopLab explain PHRASE`: the card of a function, a field, a type, an id (L7, D36), an item of an article (0.15), a step (9.2), a call, a word, or a question.
struct Explain {
    private let index = Index()
    /// How many further cards an answer names.
    private static let mostOthers = 4

    /// Prints the card that answers. Returns 1 if nothing is known of the phrase.
    func run(_ phrase: String) -> Int32 {
        if phrase.unicodeScalars.contains(where: { ("\u{4e00}"..."\u{9fff}").contains($0) }) { Language.current = .chinese }
        let found = index.find(phrase)
        guard let first = found.first else {
            let near = index.near(phrase).prefix(5)
            let others = near.isEmpty ? Text("try one of its names or words alone; 'article' lists the items of the articles, 'list' the experiments",
                                             "请只写其中一个名字或词；article 列出文章里的条目，list 列出实验")
                : Text("close spellings: \(near.joined(separator: ", "))", "相近的写法：\(near.joined(separator: "、"))")
            fail(Text("nothing is known of '\(phrase)'; \(others)", "没有关于“\(phrase)”的内容；\(others)"), status: 1)
        }
        let output = Output()
        for line in wrapped(answer(of: first), to: 98) { output.line(line) }
        for (head, texts) in card(of: first) + others(Array(found.dropFirst())) {
            for (index, text) in texts.enumerated() { hanging("  \(padded(index == 0 ? head : "", to: 14))", text).forEach(output.line) }
        }
        output.flush()
        return 0
    }

    /// The cells of a card, by the names of their columns.
    private func cells(of name: String) -> [String: String] {
        let columns = ["sentence", "sentence in Chinese", "more", "more in Chinese", "here", "original", "original in Chinese", "versions", "verdict", "step", "articles", "claims",
                       "tests", "programs"]
        return Dictionary(uniqueKeysWithValues: zip(columns, index.row(name)!.dropFirst()))
    }

    /// What answers, in a sentence.
    func answer(of name: String) -> String {
        let cells = cells(of: name), sentence = Text(cells["sentence"]!, cells["sentence in Chinese"]!).description
        if name.hasPrefix("term ") { return sentence }
        return title(of: name) + (name.hasSuffix(":") ? " " : Text(": ", "：").description) + sentence
    }

    private func title(of name: String) -> String {
        if name.wholeMatch(of: /\d+|9\.\d/) != nil { return Text("step \(name)", "第 \(name) 步").description }
        return name.replacing("correction ", with: Text("correction ", "更正 ").description).replacing("experiment ", with: Text("experiment ", "实验 ").description)
    }

    /// What the card says below that, part by part: a head and its lines.
    func card(of name: String) -> [(head: String, texts: [String])] {
        let cells = cells(of: name)
        func list(_ column: String, _ mark: Character = ",") -> [String] { cells[column]!.split(separator: mark).map { String($0).trimming(" ") } }
        let kind = Text(cells["original"]!, cells["original in Chinese"]!).description
        let versions = cells["versions"]!.replacing("current", with: Text("current", "现行版").description).replacing("Linux build", with: Text("Linux build", "Linux 构建").description)
        let parts: [(Text, [String])] = [
            (Text("here", "这里"), list("here", "¦").map(place)),
            (Text("original", "原版"), kind == "" ? [] : [kind + (versions == "" ? "" : Text(": ", "：").description + versions)]),
            (Text("verdict", "判断"), list("verdict").map(verdict)),
            (Text("more", "说明"), [Text(cells["more"]!, cells["more in Chinese"]!).description].filter { $0 != "" }),
            (Text("step", "步骤"), list("step", "\n").map(step)),
            (Text("articles", "文章"), list("articles")),
            (Text("claims", "论断"), list("claims", " ").map(answer)),
            (Text("tests", "测试"), list("tests").map { "\(place($0))  \($0.split(separator: "#").last!)" }),
            (Text("run it", "运行"), list("programs").map { "swift run RunLoopLab " + $0.replacing("experiment ", with: "") }),
        ]
        return parts.filter { !$0.1.isEmpty }.map { ($0.description, $1) }
    }

    private func verdict(_ word: String) -> String {
        switch word {
        case "same": Text("same", "相同").description
        case "adapted": Text("adapted", "有改动").description
        case "absent": Text("absent", "没有").description
        case "ours": Text("ours", "自有").description
        default: word
        }
    }

    /// `before 1` and `after 10` in the language that the user has chosen, and numbers as they are.
    private func step(_ words: String) -> String {
        let parts = words.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return words }
        let steps = parts[1].replacing(", ", with: "、")
        switch parts[0] {
        case "before": return Text(words, "第 \(steps) 步之前").description
        case "after": return Text(words, "第 \(steps) 步之后").description
        case "around": return Text(words, "包含第 \(steps) 步").description
        case "any": return Text(words, "任意线程").description
        default: return words
        }
    }

    /// The other cards that answer, each in a line.
    private func others(_ found: [String]) -> [(head: String, texts: [String])] {
        found.isEmpty ? [] : [(Text("see also", "另见").description, found.prefix(Self.mostOthers).map(answer))]
    }

    /// `path#2#text` as a path and the number of the second line with the text.
    private func place(_ words: String) -> String {
        let parts = words.split(separator: "#", maxSplits: 2)
        let path = SourceTree.inLanguage(String(parts[0]))
        guard parts.count == 3, let number = SourceTree.number(ofLineWith: String(parts[2]), count: Int(parts[1])!, in: path) else { return path }
        return "\(path):\(number)"
    }
}
