// RunLoopObject.swift: what Foundation's classes inherit from NSObject: equality and hash by identity, and a
// description.

#if os(Linux)
/// A RunLoop, Thread, Timer, Port, source or observer: an object that is equal to itself alone.
///
/// On a Mac these classes inherit this from NSObject.
public protocol RunLoopObject: AnyObject, Hashable, CustomStringConvertible {}

extension RunLoopObject {
    /// Whether both are the same object.
    public static func == (left: Self, right: Self) -> Bool { left === right }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// The object's address as descriptions show it: 0x7f00c0ffee00.
    var address: String { "0x" + String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16) }
}
#endif
