// Callout.swift: the six kinds of callout.

/// The six kinds of callback. A loop calls each kind through a function of its own.
enum Callout: String, CaseIterable {
    case observer, block
    case source0 = "Source0", source1 = "Source1"
    case timer
    case mainQueue = "main queue"

    /// The step in which a loop makes calls of this kind. Blocks and observers are called in several.
    var step: String? {
        switch self {
        case .source0: "4"
        case .timer: "9.1"
        case .mainQueue: "9.2"
        case .source1: "9.3"
        case .block, .observer: nil
        }
    }
}
