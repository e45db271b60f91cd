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

/// An experiment that accepts a file of events with --events.
protocol ReadsEvents: Experiment {
    /// The same experiment, with the events of a file.
    func reading(_ file: String) -> Self
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
    var shows: String
    /// What is about to happen: the loop, its contents, and what the experiment does with it.
    var setting: String
    /// What to look at in the transcript.
    var notice: String
    /// What an article gets wrong or says loosely, and what is right.
    var correction: String?
    /// Why rows differ when the experiment runs on the loop of the toolchain's Foundation.
    var differences: [Difference] = []
    /// Why rows that are the same on both loops come sooner or later on one of them.
    var differencesOfTime: [DifferenceOfTime] = []

    /// After this many seconds the experiment is stuck: no machine is that slow.
    var longest: Double { 30 + 10 * seconds }

    /// Rows that differ between the loops, and why.
    struct Difference: Sendable {
        /// A part of the text of these rows.
        var row: String
        /// Why they differ, with the id from ANNOTATIONS.md, section 4, if there is one.
        var reason: String
    }

    /// A time that is long on one loop and short on the other, and why.
    struct DifferenceOfTime: Sendable {
        /// The names of two events. The time runs from the first event `from` to the first event `to` after it.
        var from: String, to: String
        /// The number of seconds from which the time counts as long, with `--fast` and without. It is at most half the expected time, so that a
        /// busy machine makes no difference.
        var long: Double
        var reason: String
    }
}

/// The subject of an experiment. The list is in this order.
enum Group: String, CaseIterable, Sendable {
    case threads = "Threads and their loops"
    case structure = "Modes and their items"
    case leaving = "Staying and leaving"
    case sources = "Sources"
    case timers = "Timers"
    case observers = "Observers"
    case run = "The run"
    case building = "Built on a run loop"
}
