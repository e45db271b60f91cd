// Callout.swift: the six ways in which a loop calls out.

/// The six kinds of function that a loop calls, each through a function of its own.
enum Callout: String, CaseIterable {
    case observer, block
    case source0 = "source 0", source1 = "source 1"
    case timer
    case mainQueue = "main queue"
}
