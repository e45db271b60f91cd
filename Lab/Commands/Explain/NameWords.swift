// NameWords.swift: what names.tsv and article-names.tsv say of a name, in both languages.

/// A line of names.tsv or article-names.tsv, as words.
enum NameWords {
    /// The note of a line of article-names.tsv: its fourth column, and in Chinese the fifth.
    static func note(_ cells: [String]) -> Text { Text(cells[3], cells.count > 4 ? cells[4] : cells[3]) }

    /// The kind of a name of the original: a word, and sometimes the struct or the header that has it.
    static func kind(_ english: String) -> Text {
        for kind in kinds where english.hasPrefix(kind.english) {
            let rest = english.dropFirst(kind.english.count)
            if kind.chinese == "" { return Text(english, "\(rest) 的字段") }
            return Text(english, kind.chinese + rest.replacing("(private)", with: "（私有）").replacing("(exported)", with: "（导出）").replacing(", test", with: "，测试用"))
        }
        return Text(code: english)
    }

    /// The longer ones come first.
    private static let kinds = [
        Text("local or parameter of the run", "运行函数的局部变量或参数"), Text("function of others, used", "别处的函数，这里调用"),
        Text("breakpoint function", "供断点用的函数"), Text("static function", "static 函数"), Text("function", "函数"), Text("field of ", ""), Text("type", "类型"),
        Text("macro", "宏"), Text("constant", "常量"), Text("global", "全局变量"), Text("probe", "探针"),
    ]
}
