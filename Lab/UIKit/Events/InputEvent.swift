// InputEvent.swift: the input of an application: a finger on the screen.

/// A finger was put down, moved or lifted. (On a Mac this is an IOHIDEvent, before an application makes a UIEvent of it.)
struct InputEvent: Sendable {
    var phase: TouchPhase
    /// The place on the screen, from 1.
    var column: Int, row: Int

    /// The largest column and row.
    static let screenLimit = 9999

    init(_ phase: TouchPhase, column: Int, row: Int) {
        (self.phase, self.column, self.row) = (phase, column, row)
    }
}

/// What the finger does.
enum TouchPhase: String, Sendable {
    case down, move, up
}

extension InputEvent: CustomStringConvertible {
    /// As the server sends it: "down 10 4".
    var description: String { "\(phase.rawValue) \(column) \(row)" }

    /// Creates an event from its description; nil if the description is malformed.
    init?(_ description: String) {
        let words = description.split(separator: " ").map(String.init)
        guard words.count == 3, let phase = TouchPhase(rawValue: words[0]), let column = Int(words[1]), let row = Int(words[2]) else { return nil }
        self.init(phase, column: column, row: row)
    }
}
