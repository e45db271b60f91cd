// TerminalParser.swift: turns the bytes that a terminal sends for keys and for the mouse into events.
//
// A key arrives as its character in UTF-8, or, if it has none, as a sequence that begins with ESC. A terminal that reports the mouse
// (Terminal.swift) sends ESC [ < button ; column ; row and then M for a press or a move, m for a release. The bytes come in pieces of any
// size, and may have any value.

/// Takes bytes and returns events.
struct TerminalParser {
    static let controlC: UInt8 = 3, controlD: UInt8 = 4

    private var waiting: [UInt8] = []
    private var isDown = false // the finger: the left button
    private static let escape: UInt8 = 0x1B
    /// The longest known sequence. A longer one is dropped.
    private static let longest = 32

    /// Returns the events that the bytes complete. An incomplete sequence waits for the next bytes.
    mutating func parse(_ bytes: some Sequence<UInt8>) -> [InputEvent] {
        waiting += bytes
        var events: [InputEvent] = [], rest = waiting[...]
        while let length = Self.unitLength(rest) {
            if let event = event(rest.prefix(length)) { events.append(event) }
            rest = rest.dropFirst(length)
        }
        waiting = Array(rest)
        return events
    }

    /// Like `parse`, but ends before Ctrl-C or Ctrl-D, and returns that byte as well.
    mutating func parseUntilTheEnd(_ bytes: [UInt8]) -> (events: [InputEvent], end: UInt8?) {
        let end = bytes.firstIndex { $0 == Self.controlC || $0 == Self.controlD }
        return (parse(bytes[..<(end ?? bytes.count)]), end.map { bytes[$0] })
    }

    /// Whether an incomplete sequence waits.
    var isWaiting: Bool { !waiting.isEmpty }

    /// Call this when no byte has followed for a moment: then a waiting ESC is the key itself, not the beginning of a sequence.
    mutating func pause() -> [InputEvent] {
        defer { waiting = [] }
        return waiting == [Self.escape] ? [.key("escape")] : []
    }

    // MARK: - Taking the bytes apart

    /// The number of bytes of the first key or sequence; nil if it is incomplete.
    private static func unitLength(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = bytes.first else { return nil }
        guard first == escape else { return characterLength(first) <= bytes.count ? characterLength(first) : nil }
        guard let second = bytes.dropFirst().first else { return nil }
        if second == escape { return 1 } // the key, and the beginning of something else
        guard second == UInt8(ascii: "[") || second == UInt8(ascii: "O") else { return 2 } // Alt and a key
        let body = bytes.dropFirst(2).prefix(longest)
        if let last = body.firstIndex(where: { (0x40...0x7E).contains($0) }) { return last - bytes.startIndex + 1 }
        return body.count == longest ? 2 + longest : nil
    }

    private static func characterLength(_ first: UInt8) -> Int {
        switch first {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }

    // MARK: - What they mean

    private mutating func event(_ unit: ArraySlice<UInt8>) -> InputEvent? {
        switch String(decoding: unit, as: UTF8.self) {
        case " ": .key("space")
        case "\r", "\n": .key("return")
        case "\t": .key("tab")
        case "\u{7F}", "\u{8}": .key("backspace")
        case "\u{1B}": .key("escape")
        case "\u{1B}[A", "\u{1B}OA": .key("up")
        case "\u{1B}[B", "\u{1B}OB": .key("down")
        case "\u{1B}[C", "\u{1B}OC": .key("right")
        case "\u{1B}[D", "\u{1B}OD": .key("left")
        case let text where text.hasPrefix("\u{1B}[<"): mouse(text.utf8.dropFirst(3))
        case let text: isOnePrintable(text) && text != "\u{FFFD}" ? .key(text) : nil
        }
    }

    /// The left button alone is the finger: button 0, or 32 when it moves.
    private mutating func mouse(_ text: Substring.UTF8View) -> InputEvent? {
        let parts = text.dropLast().split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        let numbers = parts.map { Int(Substring($0)) ?? -1 }
        let screen = 1...InputEvent.screenLimit
        guard numbers.count == 3, screen.contains(numbers[1]), screen.contains(numbers[2]) else { return nil }
        let isPress = text.last == UInt8(ascii: "M")
        let phase: TouchPhase
        switch (numbers[0], isPress) {
        case (0, true) where !isDown: phase = .down
        case (0, false) where isDown: phase = .up
        case (32, true) where isDown: phase = .move
        default: return nil
        }
        isDown = phase != .up
        return .touch(phase, column: numbers[1], row: numbers[2])
    }
}
