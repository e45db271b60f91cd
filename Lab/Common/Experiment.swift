// Experiment.swift: the protocol of all experiments.

/// Shows a claim of the articles on a run loop. Each experiment is in a file of its own, named after it.
///
/// `run` fills a loop, runs it, records in `lab` what happens in its callbacks, and states at the end what it expects of the record. The
/// verdict is computed from these expectations: an experiment cannot declare itself a success.
protocol Experiment: Sendable {
    /// The text before and after its transcript, and its row in the list.
    var about: About { get }

    /// Called once in a process, on the main thread.
    func run(_ lab: Lab)
}

/// The text about an experiment.
struct About: Sendable {
    /// The name on the command line.
    var name: String
    /// The ids of the claims that it shows, as in ANNOTATIONS.md.
    var claims: [String]
    var group: Group
    /// Roughly how long it takes without `--fast`.
    var seconds: Double
    /// The claim in one line.
    var shows: Text
    /// What is about to happen: the loop, its contents, and what the experiment does with it.
    var setting: Text
    /// What to look at in the transcript.
    var notice: Text
    /// What an article gets wrong or says loosely, and what is right.
    var correction: Text?

    /// After this many seconds the experiment is stuck: no machine is that slow.
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
