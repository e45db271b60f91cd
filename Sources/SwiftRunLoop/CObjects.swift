// CObjects.swift: what Swift knows of a C object: on a Mac, too, a CFRunLoop or CFRunLoopTimer is a reference that
// Swift retains and releases.

#if os(Linux)
public import CRunLoop

/// A run loop, source, observer or timer of CRunLoop, as `getCFRunLoop()` and `cfTimer` return them.
public protocol CFObject: Hashable, CustomStringConvertible {}

extension CFObject {
    /// Whether both are one object. Unlike CFEqual, this does not call the `equal` of a source's context.
    public static func == (left: Self, right: Self) -> Bool { number(of: left) == number(of: right) }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(number(of: self)) }

    /// What the object is made of, as CFCopyDescription says it.
    public var description: String { String(descriptionOf: self) }
}

extension CFRunLoopMode {
    /// The mode for ordinary work, under the name that Swift gives it on a Mac (kCFRunLoopDefaultMode).
    public static var defaultMode: CFRunLoopMode { RunLoop.Mode.default.cfString }

    /// The placeholder for all common modes, under the name that Swift gives it on a Mac (kCFRunLoopCommonModes).
    public static var commonModes: CFRunLoopMode { RunLoop.Mode.common.cfString }
}

extension CFRunLoop: CFObject, @retroactive Equatable, @retroactive Hashable, @retroactive CustomStringConvertible {}

extension CFRunLoopSource:
    CFObject, @retroactive Equatable, @retroactive Hashable, @retroactive CustomStringConvertible {}

extension CFRunLoopObserver:
    CFObject, @retroactive Equatable, @retroactive Hashable, @retroactive CustomStringConvertible {}

extension CFRunLoopTimer:
    CFObject, @retroactive Equatable, @retroactive Hashable, @retroactive CustomStringConvertible {}
#endif
