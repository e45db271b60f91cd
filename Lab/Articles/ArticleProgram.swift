// ArticleProgram.swift: what all programs of the articles have.

import Glibc

/// A listing, a demo or an exercise of an article, as a program that runs.
///
/// Each program is in a file of its own. It keeps the article's names, the order of its statements and its Chinese log lines; Swift stands for
/// Objective-C. `run` is the article's code: what it logs with `NSLog` is printed and recorded. `judge` then compares the record with what the
/// article says and with what really happens.
protocol ArticleProgram: Sendable {
    var about: ArticleAbout { get }

    /// The article's code, in this form. Called once in a process, on the main thread. It may run for ever if `about.limits` says when the
    /// harness ends it.
    func run()

    /// States what the record must show. Called when `run` has returned, or from another thread when the harness ends the program.
    func judge()
}

/// A listing with a fault exists twice.
enum Form: String, CaseIterable, Sendable {
    case asWritten = "as-written", cured

    var words: Text {
        switch self {
        case .asWritten: Text("as the article has it", "按文章的写法")
        case .cured: Text("cured", "改正后")
        }
    }
}

/// The text about a program.
struct ArticleAbout: Sendable {
    /// The id of its item, which is its name on the command line.
    var name: String
    /// The ids of the claims that it shows, as in ANNOTATIONS.md.
    var claims: [String] = []
    /// What the program does, in a line.
    var title: Text
    /// What the article says about it.
    var says: Text
    /// What really happens where the article is wrong or silent, and why; what to look at.
    var notice: Text
    /// Whether the article is right. The checks must agree: those of the article's statements hold if it is `asTheArticleSays` or `roughly`.
    var verdict: ArticleVerdict
    /// Roughly how long it takes without `--fast`, in seconds.
    var seconds: Double
    /// The program has a fault: it exists as the article has it, and cured.
    var isPair = false
    /// It records what loops do itself, and there can be one recorder at a time.
    var tracesItself = false
    /// After so many seconds the harness ends the program in this form, because it does not end by itself.
    var limits: [Form: Double] = [:]

    var article: Int { Int(name.prefix { $0 != "." })! }
    /// The heading in the article.
    var heading: String { Articles.item(name)!.heading }
    /// The items of its article that it shows: its own, and others.
    var items: [String] {
        [name] + Articles.all[article].items.filter { if case .programOf(name) = $0.place { true } else { false } }.map(\.id)
    }
    var forms: [Form] { isPair ? [.asWritten, .cured] : [.asWritten] }
    /// After this many seconds the program is stuck.
    var longest: Double { 30 + 10 * seconds }
}

/// What became of an article's statements.
enum ArticleVerdict: String, Sendable, CaseIterable {
    case asTheArticleSays
    /// What was measured is as the article says, but a sentence of it is loose; the text beside the verdict says which.
    case roughly
    case otherwise
    /// The article asks, and states nothing.
    case question

    var words: Text {
        switch self {
        case .asTheArticleSays: Text("As the article says.", "与文章所说一致。")
        case .roughly: Text("Roughly as the article says.", "大体如文章所说，但说法不够准确。")
        case .otherwise: Text("Otherwise than the article says.", "与文章所说不同。")
        case .question: Text("A question of the article, answered.", "文章提出的问题，已有答案。")
        }
    }
}

extension Lab {
    /// The expectations that `statements` adds are the article's statements, which may turn out false. All others must hold.
    func theArticleSays(_ statements: () -> Void) {
        isArticles.withLock { $0 = true }
        statements()
        isArticles.withLock { $0 = false }
    }

    /// Expects that these lines were logged, in this order, and no others.
    /// - Parameter thread: only the lines that this thread logged.
    func expect(_ claim: Text, lines: [String], on thread: String? = nil) {
        judge(claim, lines.joined(separator: " | "), looksAt: [linesLogged]) { events in
            let found = events.filter { $0.name == linesLogged && (thread == nil || $0.thread == thread) }.map(\.detail)
            let words = Text(lines.count == 1 ? "this line" : "these \(lines.count) lines", "就是这 \(lines.count) 行").description
            return (found == lines, found == lines ? words : found.joined(separator: " | "))
        }
    }

    /// Expects that as many logged lines contain this text as the bounds say, between two events if you name them.
    func expect(_ claim: Text, line text: String, times: ClosedRange<Int>, from start: String? = nil, to end: String? = nil) {
        let (low, high) = (times.lowerBound, times.upperBound)
        let expected = low == high ? inLines(low) : Text("\(low) to \(count(high, "line"))", "\(low) 到 \(high) 行").description
        judge(claim, expected, looksAt: Set([linesLogged, start, end].compactMap { $0 })) { events in
            guard let part = events.part(from: start, to: end) else { return (false, "-") }
            let found = part.map { $0.name == linesLogged ? $0.detail : "" }.filter { $0.contains(text) }
            return (times.contains(found.count), found.count == 1 && columns(of: found[0]) <= 80 ? "“\(found[0])”" : inLines(found.count))
        }
    }

    /// Expects at least one line that contains this text, and this thread, step, mode or kind of callout for all of them.
    func expect(_ claim: Text, eachLine text: String, _ property: KeyPath<Event, String> & Sendable, is value: String) {
        judge(claim, value, looksAt: [linesLogged]) { events in
            let found = events.filter { $0.name == linesLogged && $0.detail.contains(text) }.map { $0[keyPath: property] }
            return (!found.isEmpty && found.allSatisfy { $0 == value }, Set(found).sorted().joined(separator: ", "))
        }
    }

    /// Expects the details of the events with this name, in their order.
    func expectFound(_ claim: Text, of name: String, _ details: [String], or others: [String]...) {
        judge(claim, details.joined(separator: " | "), looksAt: [name]) { events in
            let found = events.filter { $0.name == name }.map(\.detail)
            return (found == details || others.contains(found), found.joined(separator: " | "))
        }
    }

    /// Expects a count that `look` finds in the events with this name.
    func expectCount(_ claim: Text, of name: String, isIn bounds: ClosedRange<Int>, unit: Text, _ look: ([Event]) -> Int) {
        expect(claim, of: name, isIn: Double(bounds.lowerBound)...Double(bounds.upperBound), unit: unit, places: 0) {
            Double(look($0))
        }
    }

    /// The lines that contain this text, in their order.
    func lines(with text: String) -> [Event] { events.filter { $0.name == linesLogged && $0.detail.contains(text) } }

    /// The lines that contain this text, since the first event with that name.
    func lines(with text: String, since name: String) -> [Event] {
        events.drop { $0.name != name }.filter { $0.name == linesLogged && $0.detail.contains(text) }
    }

    /// Returns when that many lines with this text have been logged, or after half a minute.
    @discardableResult
    func waitForLine(_ text: String, times: Int = 1) -> Bool {
        let end = now() + 30
        while lines(with: text).count < times {
            if now() > end { return false }
            usleep(1000)
        }
        return true
    }
}

private func inLines(_ number: Int) -> String { Text(count(number, "line"), "\(number) 行").description }

/// The name of the events that `NSLog` records. Their `detail` is the line.
let linesLogged = "line"
