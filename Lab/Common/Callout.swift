// Callout.swift: the six kinds of callout.

/// The six kinds of callback. A loop calls each kind through a function of its own.
enum Callout: String, CaseIterable {
    case observer, block
    case source0 = "Source0", source1 = "Source1"
    case timer
    case mainQueue = "main queue"
}
