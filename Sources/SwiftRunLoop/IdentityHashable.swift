// IdentityHashable.swift: what Foundation's classes get from NSObject, which does not exist here: equality and hash by identity.

/// A class each of whose objects is equal to itself alone, as an NSObject is. RunLoop, Timer, Port and Thread are such classes.
public protocol IdentityHashable: AnyObject, Hashable {}

extension IdentityHashable {
    /// Whether both are one object.
    public static func == (left: Self, right: Self) -> Bool { left === right }

    /// The object's hash value (hash).
    public var hash: Int { ObjectIdentifier(self).hashValue }

    /// Whether `object` is this very object (isEqual:).
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
    /// The same as `description` (debugDescription).
    public var debugDescription: String { description }
}
