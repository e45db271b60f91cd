// Check.swift: an expectation, and what has become of it.

/// What was claimed, what was observed, and whether that is the same.
struct Check: Sendable {
    /// The claim in words.
    var claim: String
    /// What the record would show if the claim held.
    var expected: String
    /// What the record shows.
    var observed: String
    var holds: Bool
}

/// What becomes of an experiment.
enum Verdict {
    case asClaimed(Int)
    case notAsClaimed(failed: Int, of: Int)

    /// An experiment that expects nothing shows nothing.
    init(_ checks: [Check]) {
        let failed = checks.count { !$0.holds }
        self = failed == 0 && !checks.isEmpty ? .asClaimed(checks.count) : .notAsClaimed(failed: failed, of: checks.count)
    }

    var words: String {
        switch self {
        case .asClaimed(let count): count == 1 ? "As claimed: the check holds." : "As claimed: all \(count) checks hold."
        case .notAsClaimed(let failed, let count): "NOT as claimed: \(failed) of \(checks(count)) failed."
        }
    }

    private func checks(_ number: Int) -> String { count(number, "check") }

    /// The program's exit status.
    var status: Int32 {
        switch self {
        case .asClaimed: 0
        case .notAsClaimed: 1
        }
    }
}

/// A falsified record, to see that the checks would notice. With the environment variable RUNLOOPLAB_MUTATE, an experiment holds its checks
/// against a record that has been falsified so; with the value "each", against each of the five in turn. The tests want every check to fail
/// with `forget` or `invent`: a check that holds whatever has happened would say nothing.
enum Mutation: String, CaseIterable {
    /// Nothing that the check asks for has happened.
    case forget
    /// All of it has happened at every other moment, too.
    case invent
    /// Everything has happened twice.
    case `repeat`
    /// It has happened in the opposite order.
    case reverse
    /// What was measured or returned was something else; where it happened, it was somewhere else.
    case alter

    /// The events as the check is to see them.
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
