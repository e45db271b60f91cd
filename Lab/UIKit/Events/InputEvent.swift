// InputEvent.swift: the input of an application: keys, and a finger on the screen.

/// A key was pressed, or a finger was put down, moved or lifted. (On a Mac these are IOHIDEvents, before an application makes UIEvents of them.)
enum InputEvent: Equatable, Sendable {
    /// A key: a character, or the name of a key without one.
    case key(String)
    /// The finger. Columns and rows of the screen are counted from 1.
    case touch(TouchPhase, column: Int, row: Int)

    /// The largest column and row.
    static let screenLimit = 9999
}

/// What the finger does.
enum TouchPhase: String, CaseIterable, Sendable {
    case down, move, up
}

extension InputEvent: CustomStringConvertible {
    /// As the server sends it: "key a", "down 10 4".
    var description: String {
        switch self {
        case .key(let name): "key \(name)"
        case .touch(let phase, let column, let row): "\(phase.rawValue) \(column) \(row)"
        }
    }

    /// Creates an event from its description; nil if the description is malformed.
    init?(_ description: String) {
        let words = description.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        if words.count == 2, words[0] == "key" {
            self = .key(words[1])
        } else if words.count == 3, let phase = TouchPhase(rawValue: words[0]), let column = Int(words[1]), let row = Int(words[2]) {
            self = .touch(phase, column: column, row: row)
        } else {
            return nil
        }
    }
}
