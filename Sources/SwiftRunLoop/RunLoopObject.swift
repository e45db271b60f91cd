// RunLoopObject.swift: what Foundation's classes inherit from NSObject: equality and hash by identity, and a description.

#if os(Linux)
/// The base class of RunLoop, Timer, Port, PortMessage and Thread, which inherit this from NSObject on a Mac.
///
/// An object is equal to itself alone, unless a subclass decides otherwise.
open class RunLoopObject: Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    package init() {}

    /// Whether `object` is this object (isEqual:).
    ///
    /// `==` calls it. A subclass that overrides it overrides `hash`, too. A loop tells its items apart by identity.
    open func isEqual(_ object: Any?) -> Bool { object as? RunLoopObject === self }

    /// The object's hash value (hash).
    ///
    /// Equal objects have equal hash values.
    open var hash: Int { ObjectIdentifier(self).hashValue }

    /// The object in words; by default its class and address (description).
    open var description: String { "<\(type(of: self)): \(address)>" }
    /// The object's `description` (debugDescription).
    open var debugDescription: String { description }
    /// Whether the objects are equal, as the first one's `isEqual` says.
    public static func == (left: RunLoopObject, right: RunLoopObject) -> Bool { left.isEqual(right) }
    /// Hashes the object's `hash`.
    public final func hash(into hasher: inout Hasher) { hasher.combine(hash) }
    /// The object's address as descriptions show it: 0x7f00c0ffee00.
    final var address: String { "0x" + String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16) }
}
#endif
