// Check.swift: an expectation and its outcome.

/// A claim, what was observed, and whether the two agree.
struct Check: Sendable {
    /// The claim in words.
    var claim: String
    /// What the record would show if the claim held.
    var expected = ""
    /// What the record shows.
    var observed: String
    var holds: Bool
    /// Whether this is a statement of an article, which may turn out false.
    var isArticles = false
}

/// Ways to falsify a record, which test the checks themselves. If the environment variable RUNLOOPLAB_MUTATE names one of them, a program
/// applies its checks to a record falsified that way; if it is "each", to both in turn. The tests require every check to fail with one of them,
/// because a check that holds whatever happens says nothing.
enum Mutation: String, CaseIterable {
    /// The events that the check asks for are removed.
    case forget
    /// These events also follow every other event.
    case invent

    /// The events as the check sees them.
    func apply(to events: [Event], named names: Set<String>) -> [Event] {
        switch self {
        case .forget: events.filter { !names.contains($0.name) }
        case .invent: events.flatMap { event in
            [event] + names.sorted().map { Event(time: event.time, thread: event.thread, name: $0) }
        }
        }
    }
}
