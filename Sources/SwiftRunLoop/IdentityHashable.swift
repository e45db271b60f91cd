// IdentityHashable.swift: what Foundation's classes get from NSObject, which does not exist here: equality and hash by identity.

/// A class each of whose objects is equal to itself alone, as an NSObject is. RunLoop, Timer, Port and Thread are such classes.
public protocol IdentityHashable: AnyObject, Hashable {}

extension IdentityHashable {
    /// Whether both are one object.
    public static func == (left: Self, right: Self) -> Bool { left === right }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
