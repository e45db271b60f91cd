// Expectations.swift: what an experiment can expect of its record. Each expectation is told in words, and judged by what was noted.
//
// Times are the machine's as much as the loop's: expect orders and numbers, and times only within generous bounds.

import Glibc

extension Lab {
    /// These events, and of those with these names no others, have happened in this order.
    /// - Parameters:
    ///   - claim: the expectation in words.
    ///   - names: the names of events.
    ///   - thread: count only what happened on this thread.
    ///   - start: count only from the first event of this name on.
    ///   - end: count only until the first event of this name, after `start`; that one included.
    ///   - others: further names that would count if they had happened.
    func expect(
        _ claim: String, order names: [String], on thread: String? = nil, from start: String? = nil, to end: String? = nil,
        among others: [String] = []
    ) {
        let counted = Set(names + others)
        judge(claim, sequence(names), looksAt: counted) { events in
            guard let part = part(of: events, from: start, to: end) else { return (false, unseen(start, end)) }
            let found = part.filter { counted.contains($0.name) && (thread == nil || $0.thread == thread) }.map(\.name)
            return (found == names, sequence(found))
        }
    }

    /// An event of this name has happened that often. `start` and `end` as above.
    func expect(_ claim: String, _ name: String, times: ClosedRange<Int>, from start: String? = nil, to end: String? = nil) {
        let expected = times.count == 1 ? inWords(times: times.lowerBound) : "\(times.lowerBound) to \(times.upperBound) times"
        judge(claim, "\(name) \(expected)", looksAt: [name]) { events in
            guard let part = part(of: events, from: start, to: end) else { return (false, unseen(start, end)) }
            let found = part.count { $0.name == name }
            return (times.contains(found), "\(name) \(inWords(times: found))")
        }
    }

    /// The same, for an exact number.
    func expect(_ claim: String, _ name: String, times: Int, from start: String? = nil, to end: String? = nil) {
        expect(claim, name, times: times...times, from: start, to: end)
    }

    /// All events of this name, and there is one at least, have this thread, step, mode or kind.
    func expect(_ claim: String, each name: String, _ property: KeyPath<Event, String> & Sendable, is value: String) {
        judge(claim, "\(name): \(value)", looksAt: [name]) { events in
            let found = events.filter { $0.name == name }.map { $0[keyPath: property] }
            let isSo = !found.isEmpty && found.allSatisfy { $0 == value }
            return (isSo, found.isEmpty ? unseen(name) : "\(name): \(list(Set(found).sorted()))")
        }
    }

    /// Something that was returned or counted is what it should be.
    func expect<Value: Equatable>(_ claim: String, observed: Value, is expected: Value) {
        judge(claim) { mutation in
            let found = mutation == .alter ? "not \(expected)" : "\(observed)"
            return ("\(expected)", found, found == "\(expected)")
        }
    }

    /// Something that was measured lies within bounds.
    func expect(_ claim: String, measured: Double, isIn bounds: ClosedRange<Double>, unit: String = "s") {
        judge(claim) { mutation in
            let found = mutation == .alter ? 10 * bounds.upperBound + 1 : mutation == .forget ? bounds.lowerBound - 1 : measured
            return ("\(inWords(bounds.lowerBound)) to \(inWords(bounds.upperBound)) \(unit)", "\(inWords(found)) \(unit)",
                    bounds.contains(found))
        }
    }

    // MARK: - Judging

    private func judge(_ claim: String, _ expected: String, looksAt names: Set<String>, _ look: ([Event]) -> (Bool, String)) {
        judge(claim) { mutation in
            let (holds, observed) = look(mutation?.apply(to: events, named: names) ?? events)
            return (expected, observed, holds)
        }
    }

    /// Once, on what has happened; or, in a test, on what has not.
    private func judge(_ claim: String, _ look: (Mutation?) -> (expected: String, observed: String, holds: Bool)) {
        for mutation in mutations {
            let found = look(mutation)
            let check = Check(claim: claim, expected: found.expected, observed: found.observed, holds: found.holds)
            checks.withLock { $0.append(check) }
        }
    }

    private func part(of events: [Event], from start: String?, to end: String?) -> ArraySlice<Event>? {
        var part = events[...]
        if let start {
            guard let first = part.firstIndex(where: { $0.name == start }) else { return nil }
            part = part[first...]
        }
        if let end {
            guard let last = part.firstIndex(where: { $0.name == end }) else { return nil }
            part = part[...last]
        }
        return part
    }
}

/// For the tests alone.
private let mutations: [Mutation?] = {
    guard let value = getenv("RUNLOOPLAB_MUTATE").map({ String(cString: $0) }) else { return [nil] }
    if value == "each" { return Mutation.allCases }
    guard let mutation = Mutation(rawValue: value) else { fail("RUNLOOPLAB_MUTATE: there is no mutation '\(value)'", status: 2) }
    return [mutation]
}()

private func list(_ names: [String], separator: String = ", ") -> String {
    names.isEmpty ? "nothing" : names.joined(separator: separator)
}

private func sequence(_ names: [String]) -> String { list(names, separator: " -> ") }

private func unseen(_ names: String?...) -> String {
    list(names.compactMap { $0 }) + " not seen"
}

private func inWords(times: Int) -> String {
    switch times {
    case 0: "never"
    case 1: "once"
    default: "\(times) times"
    }
}

private func inWords(_ number: Double) -> String {
    let thousandths = Int((abs(number) * 1000).rounded())
    return "\(number < 0 ? "-" : "")\(thousandths / 1000).\(String(1000 + thousandths % 1000).dropFirst())"
}
