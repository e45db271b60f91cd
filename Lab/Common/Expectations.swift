// Expectations.swift: what an experiment can expect of its record. Each expectation has a sentence, and is checked against the record.
//
// Times depend on the machine as well as on the loop. Expect orders and counts; expect times only within generous bounds.

import Glibc

/// Whoever says what the record shows. `lab.expect` is for what must hold; `lab.article.expect` for a statement of an article, which may turn out false.
protocol Claimant {
    var lab: Lab { get }
    var isArticle: Bool { get }
}

extension Lab: Claimant {
    var lab: Lab { self }
    var isArticle: Bool { false }
    var article: TheArticle { TheArticle(lab: self) }
}

struct TheArticle: Claimant {
    let lab: Lab
    let isArticle = true
}

extension Claimant {
    /// Expects these events in this order, and no other events with these names.
    /// - Parameters:
    ///   - claim: the expectation as a sentence.
    ///   - names: the names of events.
    ///   - thread: counts only events on this thread.
    ///   - start: counts only from the first event with this name on.
    ///   - end: counts only up to and including the first event with this name after `start`.
    ///   - others: further names of events that must not happen.
    func expect(
        _ claim: Text, order names: [String], on thread: String? = nil, from start: String? = nil, to end: String? = nil,
        among others: [String] = []
    ) {
        let counted = Set(names + others)
        judge(claim, sequence(names), looksAt: counted) { events in
            guard let part = events.part(from: start, to: end) else { return (false, unseen(start, end)) }
            let found = part.filter { counted.contains($0.name) && (thread == nil || $0.thread == thread) }.map(\.name)
            return (found == names, sequence(found))
        }
    }

    /// Expects an event with this name that many times, between `start` and `end` (see `expect(_:order:on:from:to:among:)`).
    func expect(_ claim: Text, _ name: String, times: ClosedRange<Int>, from start: String? = nil, to end: String? = nil) {
        let (low, high) = (times.lowerBound, times.upperBound)
        let expected = times.count == 1 ? inWords(times: low) : Text("\(low) to \(high) times", "\(low) 到 \(high) 次")
        judge(claim, happens(name, expected), looksAt: [name]) { events in
            guard let part = events.part(from: start, to: end) else { return (false, unseen(start, end)) }
            let found = part.count { $0.name == name }
            return (times.contains(found), happens(name, inWords(times: found)))
        }
    }

    /// Expects an event with this name exactly that many times.
    func expect(_ claim: Text, _ name: String, times: Int, from start: String? = nil, to end: String? = nil) {
        expect(claim, name, times: times...times, from: start, to: end)
    }

    /// Expects at least one event with this name, and this thread, step, mode or kind for all of them.
    func expect(_ claim: Text, each name: String, _ property: KeyPath<Event, String> & Sendable, is value: String) {
        let isMode = property == \Event.mode // its name is in code: a mode "busy" is not a busy thread
        judge(claim, has(name, isMode ? value : shown(value)), looksAt: [name]) { events in
            let found = events.filter { $0.name == name }.map { $0[keyPath: property] }
            let isSo = !found.isEmpty && found.allSatisfy { $0 == value }, values = Set(found).sorted()
            return (isSo, found.isEmpty ? unseen(name) : has(name, isMode ? values.joined(separator: ", ") : list(values)))
        }
    }

    /// Expects a value that `look` finds in the events with these names.
    func expect<Value: Equatable>(_ claim: Text, of names: String..., is expected: Value, _ look: ([Event]) -> Value) {
        judge(claim, words(for: expected), looksAt: Set(names)) { events in
            let found = look(events.filter { names.contains($0.name) })
            return (found == expected, words(for: found))
        }
    }

    /// Expects that a value lies within bounds. `look` computes it from the events with these names, or returns nil if there are too few.
    func expect(
        _ claim: Text, of names: String..., isIn bounds: ClosedRange<Double>, unit: Text = .seconds, places: Int = 3, _ look: ([Event]) -> Double?
    ) {
        let (low, high) = (decimals(bounds.lowerBound, places), decimals(bounds.upperBound, places))
        let expected = low == high ? Text(code: "\(low) \(unit)") : Text("\(low) to \(high) \(unit)", "\(low) 到 \(high) \(unit)")
        judge(claim, expected.description, looksAt: Set(names)) { events in
            guard let found = look(events.filter { names.contains($0.name) }) else {
                return (false, Text("\(list(names)) not measured", "没有测到：\(list(names))").description)
            }
            return (bounds.contains(found), "\(decimals(found, places)) \(places == 0 && found == 1 ? unit.one : unit)")
        }
    }

    // MARK: - Judging

    /// Adds a check of the record; in a test, one for each falsified copy of the record (see `Mutation`).
    func judge(_ claim: Text, _ expected: String, looksAt names: Set<String>, _ look: ([Event]) -> (Bool, String)) {
        for mutation in mutations {
            let (holds, observed) = look(mutation?.apply(to: lab.events, named: names) ?? lab.events)
            func inOneLine(_ words: String) -> String { words.replacing(/\n */, with: " / ") }
            let check = Check(claim: claim.description, expected: inOneLine(shown(expected)), observed: inOneLine(shown(observed)), holds: holds, isArticles: isArticle)
            lab.checks.withLock { $0.append(check) }
        }
    }
}

extension [Event] {
    /// The events from the first one with a name to the next one with another name; nil if there are no such events.
    func part(from start: String?, to end: String? = nil) -> ArraySlice<Event>? {
        guard let first = start == nil ? startIndex : firstIndex(where: { $0.name == start }) else { return nil }
        guard let last = end == nil ? endIndex - 1 : self[first...].firstIndex(where: { $0.name == end }) else { return nil }
        return self[first..<last + 1]
    }

    /// The measurements taken with these events.
    var values: [Double] { compactMap(\.value) }

    /// The measurements taken with the events of one name.
    func values(of name: String) -> [Double] { filter { $0.name == name }.values }
}

/// Used only by the tests.
private let mutations: [Mutation?] = {
    guard let value = getenv("RUNLOOPLAB_MUTATE").map({ String(cString: $0) }) else { return [nil] }
    if value == "each" { return Mutation.allCases }
    guard let mutation = Mutation(rawValue: value) else { fail(Text("RUNLOOPLAB_MUTATE: unknown mutation '\(value)'", "RUNLOOPLAB_MUTATE：没有“\(value)”这种改法"), status: 2) }
    return [mutation]
}()

private func list(_ names: [String], separator: String = ", ") -> String {
    names.isEmpty ? Text("nothing", "什么也没有").description : names.map(shown).joined(separator: separator)
}

private func sequence(_ names: [String]) -> String { list(names, separator: " -> ") }

private func unseen(_ names: String?...) -> String {
    let names = list(names.compactMap { $0 })
    return Text("\(names) not seen", "没有出现：\(names)").description
}

private func inWords(times: Int) -> Text {
    switch times {
    case 0: Text("never", "一次也没有")
    case 1: Text("once", "1 次")
    default: Text("\(times) times", "\(times) 次")
    }
}

private func happens(_ name: String, _ times: Text) -> String { Text("\(name) \(times)", "\(shown(name))：\(times)").description }

private func has(_ name: String, _ value: String) -> String { Text("\(name): \(value)", "\(shown(name))：\(value)").description }

/// A value that an expectation compares.
private func words<Value>(for value: Value) -> String {
    switch value {
    case let value as String: shown(value)
    case let values as [String]: values.isEmpty ? list([]) : inRuns(values).joined(separator: " | ")
    case let value as Double: number(value)
    case let values as [Double]: values.map(number).joined(separator: ", ")
    case let values as [Int]: values.map(String.init).joined(separator: ", ")
    default: "\(value)"
    }
}

/// Whole numbers without decimals.
private func number(_ value: Double) -> String { value == value.rounded() && abs(value) < 1e15 ? decimals(value, 0) : "\(value)" }

/// Equal values in a row stand once, with how many there are.
private func inRuns(_ values: [String]) -> [String] {
    var runs: [(value: String, count: Int)] = []
    for value in values {
        if runs.last?.value == value { runs[runs.count - 1].count += 1 } else { runs.append((value, 1)) }
    }
    return runs.map { $0.count == 1 ? shown($0.value) : "\(shown($0.value)) × \($0.count)" }
}
