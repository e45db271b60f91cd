// Steps.swift: the steps of a run. Facts/annotations makes this file from Facts/steps.tsv.

/// A step of a run.
struct Step {
    /// Its number in the source and in articles 0 to 2: "7", "9.1".
    let number: String
    /// The numbers that article 3 (3.18) and article 4 (4.7) give it.
    let inArticle3: String, inArticle4: String
    let words: Text

    private init(_ number: String, _ inArticle3: String, _ inArticle4: String, _ words: Text) {
        (self.number, self.inArticle3, self.inArticle4, self.words) = (number, inArticle3, inArticle4, words)
    }

    /// One of the ten.
    static func numbered(_ number: Int) -> Step { all.first { $0.number == "\(number)" }! }

    /// The ten steps in a line.
    static func ten(_ language: KeyPath<Text, String>, _ separator: String) -> String {
        (1...10).map { "\($0) \(numbered($0).words[keyPath: language])" }.joined(separator: separator)
    }

    static let all = [
        Step("1", "1.1", "1", Text("Observers: Entry", "通知 Observer：Entry")),
        Step("2", "2.1", "a", Text("Observers: BeforeTimers", "通知 Observer：BeforeTimers")),
        Step("3", "2.2", "b, c", Text("Observers: BeforeSources; blocks", "通知 Observer：BeforeSources；block")),
        Step("4", "2.3", "d, e", Text("signalled Source0s; blocks", "已标记的 Source0；执行 block")),
        Step("5", "2.4", "-", Text("is the main queue's port ready?", "主队列的端口就绪了吗？")),
        Step("6", "3.1", "f", Text("Observers: BeforeWaiting", "通知 Observer：BeforeWaiting")),
        Step("7", "3.2", "g", Text("the thread sleeps", "线程休眠")),
        Step("8", "3.3", "i", Text("Observers: AfterWaiting", "通知 Observer：AfterWaiting")),
        Step("9", "4, 5", "h, j, k", Text("handles what woke it; blocks", "处理唤醒它的事件；执行 block")),
        Step("9.1", "4, 5", "h", Text("the timers that are due", "到期的 Timer")),
        Step("9.2", "4, 5", "j", Text("the main dispatch queue", "主队列")),
        Step("9.3", "4, 5", "k", Text("a Source1", "Source1")),
        Step("10", "6", "3", Text("Observers: Exit", "通知 Observer：Exit")),
    ]
}
