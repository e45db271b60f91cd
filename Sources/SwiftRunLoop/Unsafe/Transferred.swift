// Transferred.swift: values that cross to another thread although their types are not Sendable.

#if os(Linux)
/// A value that another thread may take. That is safe under one condition, which a comment at each use explains: one
/// thread at a time uses the value. Either its first owner has given it away, or it is only used in ways that any
/// thread may use it.
package struct Transferred<Value>: @unchecked Sendable {
    package let value: Value
    package init(_ value: Value) { self.value = value }
}

/// A weak reference to an object, of which any thread uses only what any thread may use.
package struct Weak<Object: AnyObject>: @unchecked Sendable {
    package weak var object: Object?
    package init(object: Object?) { self.object = object }
}
#endif
