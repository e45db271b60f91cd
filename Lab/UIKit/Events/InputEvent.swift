// InputEvent.swift: the input of an application: keys, and a finger on the screen.

/// A key was pressed, a finger was put down, moved or lifted, or the screen has another size. (On a Mac the first two are IOHIDEvents, before an
/// application makes UIEvents of them.)
enum InputEvent: Equatable, Sendable {
    /// A key: one printable character, or one of `InputEvent.keyNames`.
    case key(String)
    /// The finger, which is the mouse with its button held. Columns and rows of the screen are counted from 1.
    case touch(TouchPhase, column: Int, row: Int)
    /// The screen has so many columns and rows from now on: the user has resized the terminal.
    case size(columns: Int, rows: Int)

    /// The keys without a printable character.
    static let keyNames = ["space", "return", "tab", "escape", "backspace", "up", "down", "left", "right"]
    /// The largest column and row.
    static let screenLimit = 9999
}

/// What the finger does.
enum TouchPhase: String, CaseIterable, Sendable {
    case down, move, up
}

extension InputEvent: CustomStringConvertible {
    /// As in a recording: "key a", "down 10 4", "size 80 24".
    var description: String {
        switch self {
        case .key(let name): "key \(name)"
        case .touch(let phase, let column, let row): "\(phase.rawValue) \(column) \(row)"
        case .size(let columns, let rows): "size \(columns) \(rows)"
        }
    }

    /// Creates an event from its description; nil if the description is malformed.
    init?(_ description: String) {
        let words = description.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        if words.count == 2, words[0] == "key" {
            self = .key(words[1])
        } else if words.count == 3, words[0] == "size", let columns = Int(words[1]), let rows = Int(words[2]) {
            self = .size(columns: columns, rows: rows)
        } else if words.count == 3, let phase = TouchPhase(rawValue: words[0]), let column = Int(words[1]),
                  let row = Int(words[2]) {
            self = .touch(phase, column: column, row: row)
        } else {
            return nil
        }
    }
}
