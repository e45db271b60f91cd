// LessonWords.swift: the Chinese words for the lines of a program to predict.
//
// The model writes a program and its log in English, for the comparison with Foundation's loop. `predict` shows these words instead. A test compares
// the table with the lines of many programs.

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
        // The items.
        "items:": "有这些 mode item：",
        "#: Source0, order #": "#：Source0，order #",
        "#: timer, due soon (#), once": "#：Timer，稍后到期（#），一次",
        "#: timer, due long ago (#), once": "#：Timer，早已到期（#），一次",
        // What the program does.
        "program:": "程序：",
        "in call # of #:": "第 # 次回调（#）里：",
        "in #:": "# 里：",
        "add # to #": "把 # 加入 #",
        "signal #": "把 # 标记为待处理",
        "block # for #": "加入 block #，mode 是 #",
        "stop": "停止 RunLoop",
        "run #, limit #": "运行 #，超时 #",
        "run #, limit #, one source": "运行 #，超时 #，处理一个 Source 就返回",
        // What the loop does.
        "# performs": "# 回调",
        "# fires": "# 触发",
        "result #": "运行返回 #",
    ]
}
