// CObjects.swift: what Swift knows of a C object: on a Mac, too, a CFRunLoop or CFRunLoopTimer is a reference that Swift retains and releases,
// equal to itself alone, and printed as CFCopyDescription describes it.

#if os(Linux)
public import CRunLoop

extension CFRunLoop: @retroactive Equatable, @retroactive Hashable, @retroactive CustomStringConvertible {
    /// Whether both are one run loop (CFEqual).
    public static func == (left: CFRunLoop, right: CFRunLoop) -> Bool { number(of: left) == number(of: right) }
    /// Hashes the identity of the run loop (CFHash).
    public func hash(into hasher: inout Hasher) { hasher.combine(number(of: self)) }
    /// The run loop with its modes and items (CFCopyDescription).
    public var description: String { String(descriptionOf: self) }
}

extension CFRunLoopSource: @retroactive Equatable, @retroactive Hashable, @retroactive CustomStringConvertible {
    /// Whether both are one source. Unlike CFEqual, this does not call the `equal` of their contexts.
    public static func == (left: CFRunLoopSource, right: CFRunLoopSource) -> Bool { number(of: left) == number(of: right) }
    /// Hashes the identity of the source.
    public func hash(into hasher: inout Hasher) { hasher.combine(number(of: self)) }
    /// The source's version, order, validity and context (CFCopyDescription).
    public var description: String { String(descriptionOf: self) }
}

extension CFRunLoopObserver: @retroactive Equatable, @retroactive Hashable, @retroactive CustomStringConvertible {
    /// Whether both are one observer (CFEqual).
    public static func == (left: CFRunLoopObserver, right: CFRunLoopObserver) -> Bool { number(of: left) == number(of: right) }
    /// Hashes the identity of the observer (CFHash).
    public func hash(into hasher: inout Hasher) { hasher.combine(number(of: self)) }
    /// The observer's activities, order and validity (CFCopyDescription).
    public var description: String { String(descriptionOf: self) }
}

extension CFRunLoopTimer: @retroactive Equatable, @retroactive Hashable, @retroactive CustomStringConvertible {
    /// Whether both are one timer (CFEqual).
    public static func == (left: CFRunLoopTimer, right: CFRunLoopTimer) -> Bool { number(of: left) == number(of: right) }
    /// Hashes the identity of the timer (CFHash).
    public func hash(into hasher: inout Hasher) { hasher.combine(number(of: self)) }
    /// The timer's fire date, interval and validity (CFCopyDescription).
    public var description: String { String(descriptionOf: self) }
}
#endif
