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
/// applies its checks to a record falsified that way; if it is "each", to all five in turn. The tests require every check to fail with
/// `forget` or `invent`, because a check that holds whatever happens says nothing.
enum Mutation: String, CaseIterable {
    /// The events that the check asks for are removed.
    case forget
    /// These events also follow every other event.
    case invent
    /// These events have happened twice.
    case `repeat`
    /// All events have happened in the opposite order.
    case reverse
    /// These events have other values and details, and happened on another thread, in another step and mode.
    case alter

    /// The events as the check sees them.
    func apply(to events: [Event], named names: Set<String>) -> [Event] {
        switch self {
        case .forget: events.filter { !names.contains($0.name) }
        case .invent: events.flatMap { event in
            [event] + names.sorted().map { Event(time: event.time, thread: event.thread, name: $0) }
        }
        case .repeat: events.flatMap { names.contains($0.name) ? [$0, $0] : [$0] }
        case .reverse: events.reversed()
        case .alter: events.map { event in
            guard names.contains(event.name) else { return event }
            var event = event
            (event.thread, event.step, event.mode, event.kind, event.detail) = ("nowhere", "0", "none", "nothing", "nothing")
            event.value = event.value.map { -1_000_000.5 / (1 + abs($0)) } // neither its size, its fraction nor its ratios remain
            return event
        }
        }
    }
}
