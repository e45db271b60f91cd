// Transferred.swift: values that cross to another thread although their types are not Sendable.

#if os(Linux)
/// A value that another thread may take. That is safe under one condition, which a comment at each use explains: one thread at a time uses
/// the value. Either its first owner has given it away, or it is only used in ways that any thread may use it.
struct Transferred<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// The same for a closure. A closure in a generic structure would be called through functions that the compiler makes, which a stack shows.
struct TransferredCall: @unchecked Sendable {
    let call: () -> Void
}
#endif
