// Steps.swift: the steps of a run. Scripts/annotations makes this file from Documentation/Data/steps.tsv.

/// A step of a run.
struct Step {
    /// Its number in the source and in articles 0 to 2: "7", "9.1".
    let number: String
    /// The numbers that article 3 (3.18) and article 4 (4.7) give it.
    let inArticle3: String, inArticle4: String
    let words: Text

    /// One of the ten.
    static func numbered(_ number: Int) -> Step { all.first { $0.number == "\(number)" }! }

    /// The ten steps in a line.
    static func ten(_ language: KeyPath<Text, String>, _ separator: String) -> String {
        (1...10).map { "\($0) \(numbered($0).words[keyPath: language])" }.joined(separator: separator)
    }

    static let all = [
        Step(number: "1", inArticle3: "1.1", inArticle4: "1", words: Text("Observers: Entry", "通知 Observer：Entry")),
        Step(number: "2", inArticle3: "2.1", inArticle4: "a", words: Text("Observers: BeforeTimers", "通知 Observer：BeforeTimers")),
        Step(number: "3", inArticle3: "2.2", inArticle4: "b, c", words: Text("Observers: BeforeSources; blocks", "通知 Observer：BeforeSources；block")),
        Step(number: "4", inArticle3: "2.3", inArticle4: "d, e", words: Text("signalled Source0s; blocks", "已标记的 Source0；执行 block")),
        Step(number: "5", inArticle3: "2.4", inArticle4: "-", words: Text("is the main queue's port ready?", "主队列的端口就绪了吗？")),
        Step(number: "6", inArticle3: "3.1", inArticle4: "f", words: Text("Observers: BeforeWaiting", "通知 Observer：BeforeWaiting")),
        Step(number: "7", inArticle3: "3.2", inArticle4: "g", words: Text("the thread sleeps", "线程休眠")),
        Step(number: "8", inArticle3: "3.3", inArticle4: "i", words: Text("Observers: AfterWaiting", "通知 Observer：AfterWaiting")),
        Step(number: "9", inArticle3: "4, 5", inArticle4: "h, j, k", words: Text("handles what woke it; blocks", "处理唤醒它的事件；执行 block")),
        Step(number: "9.1", inArticle3: "4, 5", inArticle4: "h", words: Text("the timers that are due", "到期的 Timer")),
        Step(number: "9.2", inArticle3: "4, 5", inArticle4: "j", words: Text("the main dispatch queue", "主队列")),
        Step(number: "9.3", inArticle3: "4, 5", inArticle4: "k", words: Text("a Source1", "Source1")),
        Step(number: "10", inArticle3: "6", inArticle4: "3", words: Text("Observers: Exit", "通知 Observer：Exit")),
    ]
}
