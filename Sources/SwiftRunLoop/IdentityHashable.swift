// IdentityHashable.swift: what Foundation's classes inherit from NSObject: equality and hash by identity, and an address to print.

/// A class whose objects are equal only to themselves, like NSObject.
///
/// RunLoop, Timer, Port and Thread are such classes.
public protocol IdentityHashable: AnyObject, Hashable {}

extension IdentityHashable {
    /// Whether both are the same object.
    public static func == (left: Self, right: Self) -> Bool { left === right }

    /// The object's hash value (hash).
    public var hash: Int { ObjectIdentifier(self).hashValue }

    /// Whether `object` is this object (isEqual:).
    public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? Self else { return false }
        return other === self
    }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
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
