// Expectations.swift: what an experiment can expect of its record. Each expectation has a sentence, and is checked against the record.
//
// Times depend on the machine as well as on the loop. Expect orders and counts; expect times only within generous bounds.

import Glibc

extension Lab {
    /// Expects these events in this order, and no other events with these names.
    /// - Parameters:
    ///   - claim: the expectation as a sentence.
    ///   - names: the names of events.
    ///   - thread: counts only events on this thread.
    ///   - start: counts only from the first event with this name on.
    ///   - end: counts only up to and including the first event with this name after `start`.
    ///   - others: further names of events that must not happen.
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

    /// Expects an event with this name that many times, between `start` and `end` (see `expect(_:order:on:from:to:among:)`).
    func expect(_ claim: String, _ name: String, times: ClosedRange<Int>, from start: String? = nil, to end: String? = nil) {
        let expected = times.count == 1 ? inWords(times: times.lowerBound) : "\(times.lowerBound) to \(times.upperBound) times"
        judge(claim, "\(name) \(expected)", looksAt: [name]) { events in
            guard let part = part(of: events, from: start, to: end) else { return (false, unseen(start, end)) }
            let found = part.count { $0.name == name }
            return (times.contains(found), "\(name) \(inWords(times: found))")
        }
    }

    /// Expects an event with this name exactly that many times.
    func expect(_ claim: String, _ name: String, times: Int, from start: String? = nil, to end: String? = nil) {
        expect(claim, name, times: times...times, from: start, to: end)
    }

    /// Expects at least one event with this name, and this thread, step, mode or kind for all of them.
    func expect(_ claim: String, each name: String, _ property: KeyPath<Event, String> & Sendable, is value: String) {
        judge(claim, "\(name): \(value)", looksAt: [name]) { events in
            let found = events.filter { $0.name == name }.map { $0[keyPath: property] }
            let isSo = !found.isEmpty && found.allSatisfy { $0 == value }
            return (isSo, found.isEmpty ? unseen(name) : "\(name): \(list(Set(found).sorted()))")
        }
    }

    /// Expects a value that `look` finds in the events with these names.
    func expect<Value: Equatable>(_ claim: String, of names: String..., is expected: Value, _ look: ([Event]) -> Value) {
        judge(claim, "\(expected)", looksAt: Set(names)) { events in
            let found = look(events.filter { names.contains($0.name) })
            return (found == expected, "\(found)")
        }
    }

    /// Expects that a value lies within bounds. `look` computes it from the events with these names, or returns nil if there are too few.
    func expect(
        _ claim: String, of names: String..., isIn bounds: ClosedRange<Double>, unit: String = "s", places: Int = 3, _ look: ([Event]) -> Double?
    ) {
        judge(claim, "\(decimals(bounds.lowerBound, places)) to \(decimals(bounds.upperBound, places)) \(unit)", looksAt: Set(names)) { events in
            guard let found = look(events.filter { names.contains($0.name) }) else { return (false, "\(list(names)) not measured") }
            return (bounds.contains(found), "\(decimals(found, places)) \(unit)")
        }
    }

    // MARK: - Judging

    /// Adds a check of the record; in a test, one for each falsified copy of the record (see `Mutation`).
    func judge(_ claim: String, _ expected: String, looksAt names: Set<String>, _ look: ([Event]) -> (Bool, String)) {
        for mutation in mutations {
            let (holds, observed) = look(mutation?.apply(to: events, named: names) ?? events)
            let check = Check(claim: claim, expected: expected, observed: observed, holds: holds, isArticles: isArticles.withLock { $0 })
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

extension [Event] {
    /// The measurements taken with these events.
    var values: [Double] { compactMap(\.value) }

    /// The measurements taken with the events of one name.
    func values(of name: String) -> [Double] { filter { $0.name == name }.values }
}

/// Used only by the tests.
private let mutations: [Mutation?] = {
    guard let value = getenv("RUNLOOPLAB_MUTATE").map({ String(cString: $0) }) else { return [nil] }
    if value == "each" { return Mutation.allCases }
    guard let mutation = Mutation(rawValue: value) else { fail("RUNLOOPLAB_MUTATE: unknown mutation '\(value)'", status: 2) }
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
