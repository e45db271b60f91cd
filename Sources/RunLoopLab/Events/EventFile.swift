// EventFile.swift: a recording of a user's input, as a text file.
//
//     RunLoopLab events 1
//     # a tap
//     0.000 down 10 4
//     0.080 up 10 4
//     1.500 key q
//
// The first line is this header. Each further line is an event, a comment or empty. An event is a time, a name and arguments, with one space
// between them, and none before or after:
//
//     TIME key KEY        KEY is one printable character, or space, return, tab, escape, backspace, up, down, left, right
//     TIME down X Y       the finger is put down in column X, row Y, each 1...9999
//     TIME move X Y       it moves there
//     TIME up X Y         it is lifted there
//
// TIME is in seconds from the start, with exactly three decimals, up to 3600.000, and never less than in the event before.
// There is one finger: it is put down before it moves and is lifted, and at the end of the file it is up. A comment begins with
// #, in the first column. The text is UTF-8, a line ends with a newline (the last one may lack it), and has no more than 200
// bytes; there are no more than 100,000 lines. For all other bytes, reading ends with an error that names the
// line.

/// A recording.
struct EventFile: Equatable, Sendable {
    /// An event and its time.
    struct Entry: Equatable, Sendable {
        /// Milliseconds from the start.
        var time: Int
        var event: InputEvent
    }

    /// An error in a file, and its line.
    struct Failure: Error, Equatable, CustomStringConvertible {
        /// Counted from 1.
        var line: Int
        var message: String
        var description: String { "line \(line): \(message)" }
    }

    static let header = "RunLoopLab events 1"
    static let longestLine = 200, mostLines = 100_000, latestTime = 3_600_000

    var entries: [Entry]

    init(entries: [Entry]) {
        self.entries = entries
    }

    /// Reads a file's bytes, which may have any value.
    init(bytes: [UInt8]) throws(Failure) {
        var reader = Reader()
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() } // there is no line after the last newline
        for line in lines { try reader.read(line) }
        entries = try reader.end()
    }

    /// The text of the file.
    var text: String {
        let lines = entries.map { "\(seconds(Double($0.time) / 1000, unit: "")) \($0.event)" }
        return ([Self.header] + lines).joined(separator: "\n") + "\n"
    }
}

/// Reads a file line by line.
private struct Reader {
    private var line = 0
    private var entries: [EventFile.Entry] = []
    private var lineOfTouch: Int? // the line that put the finger down, while it is down

    mutating func read(_ bytes: ArraySlice<UInt8>) throws(EventFile.Failure) {
        line += 1
        guard line <= EventFile.mostLines else { throw failure("a recording has no more than \(EventFile.mostLines) lines") }
        guard bytes.count <= EventFile.longestLine else { throw failure("a line has no more than \(EventFile.longestLine) bytes") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw failure("this is not UTF-8") }
        if line == 1 {
            guard text == EventFile.header else { throw failure("a recording begins with '\(EventFile.header)'") }
        } else if let first = bytes.first, first != UInt8(ascii: "#") {
            try readEvent(text)
        }
    }

    /// Call this after the last line.
    func end() throws(EventFile.Failure) -> [EventFile.Entry] {
        if line == 0 {
            throw EventFile.Failure(line: 1, message: "the file is empty; a recording begins with '\(EventFile.header)'")
        }
        if let lineOfTouch {
            throw EventFile.Failure(line: lineOfTouch, message: "the finger that is put down here is never lifted")
        }
        return entries
    }

    private mutating func readEvent(_ text: String) throws(EventFile.Failure) {
        let words = text.unicodeScalars.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count >= 2, !words.contains("") else {
            throw failure("an event is TIME NAME ..., with one space between words")
        }
        let time = try time(words[0])
        if let last = entries.last, time < last.time { throw failure("the time is before that of the event above") }
        entries.append(EventFile.Entry(time: time, event: try event(words[1], Array(words[2...]))))
    }

    private func time(_ word: String) throws(EventFile.Failure) -> Int {
        let parts = word.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts[1].utf8.count == 3, let seconds = number(parts[0]), let milliseconds = number(parts[1])
        else {
            throw failure("the time is written in seconds with three decimals, as 0.250")
        }
        let time = seconds * 1000 + milliseconds
        guard time <= EventFile.latestTime else { throw failure("the time is at most 3600.000") }
        return time
    }

    private mutating func event(_ name: String, _ words: [String]) throws(EventFile.Failure) -> InputEvent {
        if name == "key" { return try key(words) }
        guard let phase = TouchPhase(rawValue: name) else { throw failure("an event is key, down, move or up") }
        guard words.count == 2, let column = coordinate(words[0]), let row = coordinate(words[1]) else {
            throw failure("after '\(name)' come a column and a row, each 1...\(InputEvent.screenLimit)")
        }
        switch (phase, lineOfTouch) {
        case (.down, nil): lineOfTouch = line
        case (.down, let earlier?): throw failure("the finger is down already, since line \(earlier)")
        case (_, nil): throw failure("the finger is not down")
        case (.up, _): lineOfTouch = nil
        case (.move, _): break
        }
        return .touch(phase, column: column, row: row)
    }

    private func key(_ words: [String]) throws(EventFile.Failure) -> InputEvent {
        guard words.count == 1 else { throw failure("after 'key' comes one key; the space bar is called 'space'") }
        guard InputEvent.keyNames.contains(words[0]) || isOnePrintable(words[0]) else {
            throw failure("a key is one printable character or one of: \(InputEvent.keyNames.joined(separator: ", "))")
        }
        return .key(words[0])
    }

    private func coordinate(_ word: String) -> Int? {
        guard let number = number(word), (1...InputEvent.screenLimit).contains(number) else { return nil }
        return number
    }

    /// Up to six digits and nothing else.
    private func number(_ word: String) -> Int? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return (1...6).contains(word.utf8.count) && word.utf8.allSatisfy(digits.contains) ? Int(word) : nil
    }

    private func failure(_ message: String) -> EventFile.Failure {
        EventFile.Failure(line: line, message: message)
    }
}

/// Whether the text is one printable character.
func isOnePrintable(_ text: String) -> Bool {
    guard text.unicodeScalars.count == 1, let scalar = text.unicodeScalars.first else { return false }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator, .lineSeparator, .paragraphSeparator,
         .nonspacingMark, .spacingMark, .enclosingMark: return false
    default: return true
    }
}
