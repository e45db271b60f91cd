// Objects.swift: what Foundation's classes inherit from NSObject, and what Swift knows of a C object: on a Mac, too, a
// CFRunLoop or CFRunLoopTimer is a reference that Swift retains and releases.

#if os(Linux)
public import CRunLoop

/// A RunLoop, Thread or item, or one of CRunLoop's objects, as `getCFRunLoop()` and `cfTimer` return them: an object
/// that is equal to itself alone.
public protocol RunLoopObject: Hashable, CustomStringConvertible {}

extension RunLoopObject {
    /// Whether both are one object. Unlike CFEqual, this does not call the `equal` of a source's context.
    public static func == (left: Self, right: Self) -> Bool { number(of: left) == number(of: right) }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(number(of: self)) }

    /// The object as CFCopyDescription shows it; the class and the address of an object that is not the C library's.
    public var description: String {
        type(of: self) is AnyClass ? "<\(type(of: self)) \(address)>" : String(descriptionOf: self)
    }

    /// The object's address as descriptions show it: 0x7f00c0ffee00.
    var address: String { "0x" + String(number(of: self), radix: 16) }
}

extension CFRunLoopMode {
    /// The mode for ordinary work, under the name that Swift gives it on a Mac (kCFRunLoopDefaultMode).
    public static var defaultMode: CFRunLoopMode { RunLoop.Mode.default.cfString }

    /// The placeholder for all common modes, under the name that Swift gives it on a Mac (kCFRunLoopCommonModes).
    public static var commonModes: CFRunLoopMode { RunLoop.Mode.common.cfString }
}

extension CFRunLoop:
    RunLoopObject, @retroactive Equatable, @retroactive Hashable, @retroactive CustomStringConvertible {}

extension CFRunLoopSource:
    RunLoopObject, @retroactive Equatable, @retroactive Hashable, @retroactive CustomStringConvertible {}

extension CFRunLoopObserver:
    RunLoopObject, @retroactive Equatable, @retroactive Hashable, @retroactive CustomStringConvertible {}

extension CFRunLoopTimer:
    RunLoopObject, @retroactive Equatable, @retroactive Hashable, @retroactive CustomStringConvertible {}
#endif
