// IdentityHashable.swift: equality and hash by identity, which Foundation's classes inherit from NSObject.

/// A class whose objects are equal only to themselves, as NSObjects are. RunLoop, Timer, Port and Thread are such classes.
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

extension IdentityHashable where Self: CustomStringConvertible {
    /// The object's `description` (debugDescription).
    public var debugDescription: String { description }
}
