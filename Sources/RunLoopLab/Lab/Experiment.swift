// Experiment.swift: what an experiment is.

/// Something that the articles claim of run loops, shown on one. Each experiment is in a file of its own, named after it.
///
/// `run` fills a loop, runs it, has `lab` note what happens in its callbacks, and says at the end what was expected of that. The verdict
/// is what becomes of these expectations: an experiment cannot say of itself that it has succeeded.
protocol Experiment: Sendable {
    /// What is said before and after it, and where experiments are listed.
    var about: About { get }

    /// Called once in a process, on the main thread.
    func run(_ lab: Lab)
}

/// An experiment that a file of events can be given to, by --events.
protocol ReadsEvents: Experiment {
    /// The same experiment, on the events of a file.
    func reading(_ file: String) -> Self
}

/// What there is to say about an experiment.
struct About: Sendable {
    /// The name on the command line.
    var name: String
    /// The claims that it shows, by the ids that ANNOTATIONS.md has.
    var claims: [String]
    var group: Group
    /// About how long it takes; with `--fast`, less.
    var seconds: Double
    /// One line: the claim, in short.
    var shows: String
    /// What is about to happen: the loop, what is in it, what is done to it.
    var setting: String
    /// What to look at in the transcript.
    var notice: String
    /// Where an article says it wrongly or loosely, and what is right.
    var correction: String?
    /// Why rows differ when the same runs on the loop of the toolchain's Foundation.
    var differences: [Difference] = []
    /// Why rows that are the same on both come sooner or later on one of them.
    var differencesOfTime: [DifferenceOfTime] = []

    /// After so many seconds it will not come to its end any more; nobody's machine is that slow.
    var longest: Double { 30 + 10 * seconds }

    /// Rows that are not the same on both loops, and why.
    struct Difference: Sendable {
        /// Found in the rows that it is about.
        var row: String
        /// Why they differ; with an id of ANNOTATIONS.md, section 4, where there is one.
        var reason: String
    }

    /// A time that is long on one loop and short on the other, and why.
    struct DifferenceOfTime: Sendable {
        /// The names of two events: it is the time from the first of the one to the first of the other after it.
        var from: String, to: String
        /// In seconds, with `--fast` and without: so much or more is long. No more than half of what is expected, so that a busy machine
        /// makes no difference.
        var long: Double
        var reason: String
    }
}

/// What an experiment is about; the list is in this order.
enum Group: String, CaseIterable, Sendable {
    case threads = "Threads and their loops"
    case structure = "Modes, and what is in them"
    case leaving = "Staying and leaving"
    case sources = "Sources"
    case timers = "Timers"
    case observers = "Observers"
    case run = "The run"
    case building = "What people build on it"
}
