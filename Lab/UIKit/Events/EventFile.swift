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
//     TIME size X Y       the screen has X columns and Y rows from then on, each 1...9999
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
        var message: Text
        var description: String { Text("line \(line): \(message)", "第 \(line) 行：\(message)").description }
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
        guard line <= EventFile.mostLines else { throw failure(Text("a recording has no more than \(EventFile.mostLines) lines", "录制文件最多 \(EventFile.mostLines) 行")) }
        guard bytes.count <= EventFile.longestLine else { throw failure(Text("a line has no more than \(EventFile.longestLine) bytes", "一行最多 \(EventFile.longestLine) 字节")) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw failure(Text("this is not UTF-8", "这不是 UTF-8")) }
        if line == 1 {
            guard text == EventFile.header else { throw failure(Text("a recording begins with '\(EventFile.header)'", "录制文件的第一行是“\(EventFile.header)”")) }
        } else if let first = bytes.first, first != UInt8(ascii: "#") {
            try readEvent(text)
        }
    }

    /// Call this after the last line.
    func end() throws(EventFile.Failure) -> [EventFile.Entry] {
        if line == 0 {
            throw EventFile.Failure(line: 1, message: Text("the file is empty; a recording begins with '\(EventFile.header)'", "文件是空的；录制文件的第一行是“\(EventFile.header)”"))
        }
        if let lineOfTouch {
            throw EventFile.Failure(line: lineOfTouch, message: Text("the finger that is put down here is never lifted", "这里按下的手指一直没有抬起"))
        }
        return entries
    }

    private mutating func readEvent(_ text: String) throws(EventFile.Failure) {
        let words = text.unicodeScalars.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count >= 2, !words.contains("") else {
            throw failure(Text("an event is TIME NAME ..., with one space between words", "事件的写法是 TIME NAME ...，词与词之间一个空格"))
        }
        let time = try time(words[0])
        if let last = entries.last, time < last.time { throw failure(Text("the time is before that of the event above", "时间早于上一个事件")) }
        entries.append(EventFile.Entry(time: time, event: try event(words[1], Array(words[2...]))))
    }

    private func time(_ word: String) throws(EventFile.Failure) -> Int {
        let parts = word.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts[1].utf8.count == 3, let seconds = number(parts[0]), let milliseconds = number(parts[1])
        else {
            throw failure(Text("the time is written in seconds with three decimals, as 0.250", "时间以秒为单位，写三位小数，如 0.250"))
        }
        let time = seconds * 1000 + milliseconds
        guard time <= EventFile.latestTime else { throw failure(Text("the time is at most 3600.000", "时间最大是 3600.000")) }
        return time
    }

    private mutating func event(_ name: String, _ words: [String]) throws(EventFile.Failure) -> InputEvent {
        if name == "key" { return try key(words) }
        let phase = TouchPhase(rawValue: name)
        guard phase != nil || name == "size" else {
            throw failure(Text("an event is key, down, move, up or size", "事件是 key、down、move、up 或 size"))
        }
        guard words.count == 2, let column = coordinate(words[0]), let row = coordinate(words[1]) else {
            throw failure(phase == nil
                ? Text("after 'size' come the numbers of columns and rows, each 1...\(InputEvent.screenLimit)", "“size”后面是列数和行数，各为 1...\(InputEvent.screenLimit)")
                : Text("after '\(name)' come a column and a row, each 1...\(InputEvent.screenLimit)", "“\(name)”后面是列和行，各为 1...\(InputEvent.screenLimit)"))
        }
        guard let phase else { return .size(columns: column, rows: row) }
        switch (phase, lineOfTouch) {
        case (.down, nil): lineOfTouch = line
        case (.down, let earlier?): throw failure(Text("the finger is down already, since line \(earlier)", "手指从第 \(earlier) 行起已经按下"))
        case (_, nil): throw failure(Text("the finger is not down", "手指没有按下"))
        case (.up, _): lineOfTouch = nil
        case (.move, _): break
        }
        return .touch(phase, column: column, row: row)
    }

    private func key(_ words: [String]) throws(EventFile.Failure) -> InputEvent {
        guard words.count == 1 else { throw failure(Text("after 'key' comes one key; the space bar is called 'space'", "“key”后面是一个按键；空格键写作“space”")) }
        let names = InputEvent.keyNames.joined(separator: ", ")
        guard InputEvent.keyNames.contains(words[0]) || isOnePrintable(words[0]) else {
            throw failure(Text("a key is one printable character or one of: \(names)", "按键是一个可打印字符，或者：\(names)"))
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

    private func failure(_ message: Text) -> EventFile.Failure {
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
