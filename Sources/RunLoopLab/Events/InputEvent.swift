// InputEvent.swift: what a user does to an application: keys, and a finger on the screen.

/// A key struck, or a finger put down, moved or lifted. (On a Mac the kernel's IOHIDEvent, before an application has made a
/// UIEvent of it.)
enum InputEvent: Equatable, Sendable {
    /// A key: one printable character, or one of `InputEvent.keyNames`.
    case key(String)
    /// The finger, which is the mouse with its button held. Columns and rows of the screen are counted from 1.
    case touch(TouchPhase, column: Int, row: Int)

    /// The keys that have no character to show.
    static let keyNames = ["space", "return", "tab", "escape", "backspace", "up", "down", "left", "right"]
    /// Columns and rows beyond this do not exist.
    static let screenLimit = 9999
}

/// What the finger does.
enum TouchPhase: String, CaseIterable, Sendable {
    case down, move, up
}

extension InputEvent: CustomStringConvertible {
    /// As in a recording: "key a", "down 10 4".
    var description: String {
        switch self {
        case .key(let name): "key \(name)"
        case .touch(let phase, let column, let row): "\(phase.rawValue) \(column) \(row)"
        }
    }

    /// An event from its description; nil if it is none.
    init?(_ description: String) {
        let words = description.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        if words.count == 2, words[0] == "key" {
            self = .key(words[1])
        } else if words.count == 3, let phase = TouchPhase(rawValue: words[0]), let column = Int(words[1]),
                  let row = Int(words[2]) {
            self = .touch(phase, column: column, row: row)
        } else {
            return nil
        }
    }
}
