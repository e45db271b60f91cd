// LoggedLines.swift: what a program of the articles can expect of its record: of the lines that it logged, above all.

import Glibc

extension Lab {
    /// The expectations that `statements` adds are the article's statements, which may turn out false. All others must hold.
    func theArticleSays(_ statements: () -> Void) {
        isArticles.withLock { $0 = true }
        statements()
        isArticles.withLock { $0 = false }
    }

    /// Expects that these lines were logged, in this order, and no others.
    /// - Parameter thread: only the lines that this thread logged.
    func expect(_ claim: Text, lines: [String], on thread: String? = nil) {
        judge(claim, lines.joined(separator: " | "), looksAt: [linesLogged]) { events in
            let found = events.filter { $0.name == linesLogged && (thread == nil || $0.thread == thread) }.map(\.detail)
            let words = Text(lines.count == 1 ? "this line" : "these \(lines.count) lines", "就是这 \(lines.count) 行").description
            return (found == lines, found == lines ? words : found.joined(separator: " | "))
        }
    }

    /// Expects that as many logged lines contain this text as the bounds say, between two events if you name them.
    func expect(_ claim: Text, line text: String, times: ClosedRange<Int>, from start: String? = nil, to end: String? = nil) {
        let (low, high) = (times.lowerBound, times.upperBound)
        let expected = low == high ? inLines(low) : Text("\(low) to \(count(high, "line"))", "\(low) 到 \(high) 行").description
        judge(claim, expected, looksAt: Set([linesLogged, start, end].compactMap { $0 })) { events in
            guard let part = events.part(from: start, to: end) else { return (false, "-") }
            let found = part.map { $0.name == linesLogged ? $0.detail : "" }.filter { $0.contains(text) }
            return (times.contains(found.count), found.count == 1 && columns(of: found[0]) <= 80 ? "“\(found[0])”" : inLines(found.count))
        }
    }

    /// Expects at least one line that contains this text, and this thread, step, mode or kind of callout for all of them.
    func expect(_ claim: Text, eachLine text: String, _ property: KeyPath<Event, String> & Sendable, is value: String) {
        judge(claim, value, looksAt: [linesLogged]) { events in
            let found = events.filter { $0.name == linesLogged && $0.detail.contains(text) }.map { $0[keyPath: property] }
            return (!found.isEmpty && found.allSatisfy { $0 == value }, Set(found).sorted().joined(separator: ", "))
        }
    }

    /// Expects the details of the events with this name, in their order.
    func expectFound(_ claim: Text, of name: String, _ details: [String], or others: [String]...) {
        judge(claim, details.joined(separator: " | "), looksAt: [name]) { events in
            let found = events.filter { $0.name == name }.map(\.detail)
            return (found == details || others.contains(found), found.joined(separator: " | "))
        }
    }

    /// Expects a count that `look` finds in the events with this name.
    func expectCount(_ claim: Text, of name: String, isIn bounds: ClosedRange<Int>, unit: Text, _ look: ([Event]) -> Int) {
        expect(claim, of: name, isIn: Double(bounds.lowerBound)...Double(bounds.upperBound), unit: unit, places: 0) {
            Double(look($0))
        }
    }

    /// The lines that contain this text, in their order.
    func lines(with text: String) -> [Event] { events.filter { $0.name == linesLogged && $0.detail.contains(text) } }

    /// The lines that contain this text, since the first event with that name.
    func lines(with text: String, since name: String) -> [Event] {
        events.drop { $0.name != name }.filter { $0.name == linesLogged && $0.detail.contains(text) }
    }

    /// Returns when that many lines with this text have been logged, or after half a minute.
    @discardableResult
    func waitForLine(_ text: String, times: Int = 1) -> Bool {
        let end = now() + 30
        while lines(with: text).count < times {
            if now() > end { return false }
            usleep(1000)
        }
        return true
    }
}

private func inLines(_ number: Int) -> String { Text(count(number, "line"), "\(number) 行").description }

/// The name of the events that `NSLog` records. Their `detail` is the line.
let linesLogged = "line"
