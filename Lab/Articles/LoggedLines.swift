// LoggedLines.swift: what a program of the articles can expect of its record: of the lines that it logged, above all.

extension Claimant {
    /// Expects that these lines were logged, in this order, and no others.
    /// - Parameter text: counts only lines that contain this.
    func expect(_ claim: Text, lines: [String], with text: String = "") {
        judge(claim, lines.joined(separator: " | "), looksAt: [linesLogged]) { events in
            let found = events.filter { $0.name == linesLogged && (text == "" || $0.detail.contains(text)) }.map(\.detail)
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

    /// Expects that this line, and not one that only contains it, was logged once.
    func expect(_ claim: Text, oneLine line: String) {
        expectCount(claim, of: linesLogged, isIn: 1...1, unit: Text("lines", "行")) { $0.count { $0.detail == line } }
    }

    /// Expects at least one line that contains this text, and this thread, step, mode or kind of callout for all of them.
    func expect(_ claim: Text, eachLine text: String, _ property: KeyPath<Event, String> & Sendable, is value: String) {
        judge(claim, value, looksAt: [linesLogged]) { events in
            let found = events.filter { $0.name == linesLogged && $0.detail.contains(text) }.map { $0[keyPath: property] }
            return (!found.isEmpty && found.allSatisfy { $0 == value }, Set(found).sorted().joined(separator: ", "))
        }
    }

    /// Expects at least `least` logged lines that begin with this text and end with a number: 1, 2, 3 and so on.
    func expect(_ claim: Text, countIn text: String, least: Int) {
        judge(claim, "1, 2, 3, …", looksAt: [linesLogged]) { events in
            let lines = events.filter { $0.name == linesLogged && $0.detail.hasPrefix(text) }
            let numbers = lines.map { Int($0.detail.dropFirst(text.count)) ?? -1 }
            return (numbers.count >= least && numbers == Array(1...numbers.count), numbers.map(String.init).joined(separator: ", "))
        }
    }

    /// Expects these lines, each up to the thread that it prints, which is the same in all of them; and no others, up to the event with that name.
    func expect(_ claim: Text, linesOfOneThread lines: [String], to end: String? = nil) {
        judge(claim, lines.joined(separator: " | "), looksAt: [linesLogged]) { events in
            let found = (events.part(from: nil, to: end) ?? []).filter { $0.name == linesLogged }.map(\.detail)
            let threads = Set(found.filter { $0.contains("<") }.map { $0.drop { $0 != "<" } })
            return (found.map { String($0.prefix { $0 != "<" }) } == lines && threads.count == 1, found.joined(separator: " | "))
        }
    }

    /// Expects the details of the events with this name, in their order.
    func expectFound(_ claim: Text, of name: String, _ details: [String]) { expect(claim, of: name, is: details) { $0.map(\.detail) } }

    /// Expects a count that `look` finds in the events with this name.
    func expectCount(_ claim: Text, of name: String, isIn bounds: ClosedRange<Int>, unit: Text, _ look: ([Event]) -> Int) {
        expect(claim, of: name, isIn: Double(bounds.lowerBound)...Double(bounds.upperBound), unit: unit, places: 0) {
            Double(look($0))
        }
    }

}

extension Lab {
    /// The lines that contain this text, in their order.
    func lines(with text: String) -> [Event] { events.filter { $0.name == linesLogged && $0.detail.contains(text) } }

    /// The lines that contain this text, since the first event with that name.
    func lines(with text: String, since name: String) -> [Event] {
        events.drop { $0.name != name }.filter { $0.name == linesLogged && $0.detail.contains(text) }
    }

    /// Returns when that many lines with this text have been logged, or after half a minute.
    @discardableResult
    func waitForLine(_ text: String, times: Int = 1) -> Bool { waitUntil { lines(with: text).count >= times } }
}

private func inLines(_ number: Int) -> String { Text(count(number, "line"), "\(number) 行").description }

/// The name of the events that `NSLog` records. Their `detail` is the line.
let linesLogged = "line"
