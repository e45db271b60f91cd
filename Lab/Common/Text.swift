// Text.swift: words in English and in Chinese.

import Glibc

/// A text in both languages. Shows as the one that the user has chosen.
struct Text: Equatable, Sendable, CustomStringConvertible, Encodable {
    let english: String, chinese: String

    private enum CodingKeys: String, CodingKey { case english = "en", chinese = "zh" }

    init(_ english: String, _ chinese: String) {
        (self.english, self.chinese) = (english, chinese)
    }

    /// A text that nobody has translated yet: it shows in English. The tests name it.
    init(_ english: String) { self.init(english, english) }

    /// A name in code, or what the user has typed: the same in both.
    init(code: String) { self.init(code, code) }

    var description: String { Language.current == .chinese ? chinese : english }
}

extension Text {
    /// No words at all.
    static let none = Text("", "")
    static let seconds = Text("s", "秒")

    /// A unit in the plural, for one of them: "line" for "lines".
    var one: Text { english.count > 1 && english.hasSuffix("s") ? Text(String(english.dropLast()), chinese) : self }
}

/// The language of what RunLoopLab says.
enum Language: String, CaseIterable, Sendable {
    case english = "en", chinese = "zh"

    /// `--lang` sets it. Without that, the environment decides: LC_ALL, LC_MESSAGES or LANG, whichever is set first.
    nonisolated(unsafe) static var current = fromEnvironment() // set once, before anything is printed

    /// The option that gives another process this language.
    static var option: [String] { ["--lang", current.rawValue] }

    private static func fromEnvironment() -> Language {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { (name: String) in getenv(name) }.map { String(cString: $0) }.first { $0 != "" }
        return locale?.hasPrefix("zh") == true ? .chinese : .english
    }
}
