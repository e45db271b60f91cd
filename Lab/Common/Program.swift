// Program.swift: what all programs have: the experiments, and those of the articles.

/// An experiment, or a listing, a demo or an exercise of an article, as a program that runs. Each program is in a file of its own.
///
/// `run` is the code: it fills a loop and runs it. What its callbacks do, and what it logs with `NSLog`, is recorded in `lab`. `judge` then
/// states what the record must show. The verdict is computed from that: a program cannot declare itself a success.
///
/// A program of an article keeps the article's names, the order of its statements and its Chinese log lines; Swift stands for Objective-C.
protocol Program: Sendable {
    /// The text before and after its transcript, and its row in the list.
    var about: About { get }

    /// Called once in a process, on the main thread. It may run for ever if `about.limits` says when the harness ends it.
    func run()

    /// Called when `run` has returned, or from another thread when the harness ends the program.
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
struct About: Sendable {
    /// The name on the command line. That of an article's program is the id of its item.
    var name: String
    /// The ids of the claims that it shows, as in ANNOTATIONS.md.
    var claims: [String] = []
    /// The subject of an experiment; nil for a program of an article.
    var group: Group?
    /// What the program does or shows, in a line.
    var title: Text
    /// What is about to happen in an experiment: the loop, its contents, and what is done with it.
    var setting: Text?
    /// What the article says about it.
    var says: Text?
    /// What to look at; what really happens where the article is wrong or silent, and why.
    var notice: Text
    /// What an article gets wrong or says loosely about an experiment's claim, and what is right.
    var correction: Text?
    /// Whether the article is right. The checks must agree: those of the article's statements hold if it is `asTheArticleSays` or `roughly`.
    var verdict: ArticleVerdict?
    /// Roughly how long it takes without `--fast`, in seconds.
    var seconds: Double
    /// The program has a fault: it exists as the article has it, and cured.
    var isPair = false
    /// It records what loops do itself, and there can be one recorder at a time.
    var tracesItself = false
    /// After so many seconds the harness ends the program in this form, because it does not end by itself.
    var limits: [Form: Double] = [:]

    var forms: [Form] { isPair ? Form.allCases : [.asWritten] }
    /// The words that run it: "ten-steps", "article 0.15".
    var command: String { group == nil ? "article \(name)" : name }
    /// After this many seconds the program is stuck: no machine is that slow.
    var longest: Double { 30 + 10 * seconds }
}

/// The subject of an experiment. The list is in this order.
enum Group: CaseIterable, Sendable {
    case threads, structure, leaving, sources, timers, run, building

    var title: Text {
        switch self {
        case .threads: Text("Threads and their loops", "线程与 RunLoop")
        case .structure: Text("Modes and their items", "mode 与 mode item")
        case .leaving: Text("Staying and leaving", "不退出与退出")
        case .sources: Text("Sources", "Source")
        case .timers: Text("Timers", "Timer")
        case .run: Text("The run", "一次运行")
        case .building: Text("Built on a run loop", "用 RunLoop 搭建")
        }
    }
}
