// LessonWords.swift: the Chinese words for what a loop does in a program to predict. The program itself is code, and stays as it is.

enum LessonWords {
    /// A line in the language that the user has chosen, as far indented.
    static func shown(_ line: String) -> String { Language.current == .chinese ? chinese(for: line) : line }

    /// Names (s0, Default, Entry, Stopped) stay as they are.
    static func chinese(for line: String) -> String {
        let text = String(line.drop { $0 == " " }), indent = String(line.prefix { $0 == " " })
        if let words = table[text] { return indent + words }
        return patterns.lazy.compactMap { pattern in pattern.match(text).map { indent + pattern.fill($0) } }.first ?? line
    }

    private static let patterns = WordPattern.patterns(of: table)

    /// By the English words. A "#" stands for a name or a number.
    static let table: [String: String] = [
        "# performs": "# 回调",
        "# fires": "# 触发",
        "# runs": "# 执行",
        "run #: #": "在 # 的运行返回 #",
    ]
}
