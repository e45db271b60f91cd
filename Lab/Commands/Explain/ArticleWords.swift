// ArticleWords.swift: the names in the code of the articles' programs.

/// Which programs of the articles use a name. A program's file begins with the articles' items that it shows.
struct ArticleWords {
    private let firstUses: [String: [Place]]
    /// The ids in the first line of a program's file.
    private let ids: [String: [String]]

    init() {
        var firstUses: [String: [Place]] = [:], ids: [String: [String]] = [:]
        for path in SourceTree.files(in: "Lab/Articles", endings: [".swift", ".c"]) {
            guard let lines = SourceTree.lines(of: path), let head = lines.first, head.contains("〉") else { continue }
            ids[path] = head.split { !($0.isASCII && $0.isNumber) && $0 != "." }.map { String($0.split(separator: ".").joined(separator: ".")) }
                .filter { $0.contains(".") }
            var seen: Set<String> = []
            for (index, line) in lines.enumerated() where !line.hasPrefix("//") {
                for word in words(of: line) where seen.insert(word).inserted { firstUses[word, default: []].append(Place(path: path, line: index + 1)) }
            }
        }
        (self.firstUses, self.ids) = (firstUses, ids)
    }

    /// In each program that uses the name, its first line that does. A method of the articles is found by the first part of its name, without the colon.
    func places(of name: String) -> [Place] { firstUses[String(name.prefix { $0 != ":" })] ?? [] }

    /// The items that those programs show.
    func items(of name: String) -> Set<String> { Set(places(of: name).flatMap { ids[$0.path] ?? [] }) }
}
