// IdentityHashable.swift: what Foundation's classes inherit from NSObject: equality and hash by identity, and an address to print.

#if os(Linux)
/// A class whose objects are equal only to themselves unless a subclass decides otherwise, like NSObject.
///
/// RunLoop, Timer, Port and Thread are such classes.
public protocol IdentityHashable: AnyObject, Hashable {
    /// Whether the objects are equal (isEqual:).
    ///
    /// The default is whether they are the same object. `==` calls it.
    func isEqual(_ object: Any?) -> Bool

    /// The object's hash value (hash).
    ///
    /// Equal objects have equal hash values.
    var hash: Int { get }
}

extension IdentityHashable {
    /// Whether the objects are equal, as the first one's `isEqual` says.
    public static func == (left: Self, right: Self) -> Bool { left.isEqual(right) }

    /// The object's hash value (hash).
    public var hash: Int { ObjectIdentifier(self).hashValue }

    /// Whether `object` is this object (isEqual:).
    public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? Self else { return false }
        return other === self
    }

    /// Hashes the object's `hash`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}

extension IdentityHashable {
    /// The object's address as descriptions show it: 0x7f00c0ffee00.
    var address: String { "0x" + String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16) }
}

extension IdentityHashable where Self: CustomStringConvertible {
    /// The object's `description` (debugDescription).
    public var debugDescription: String { description }
}
#endif
