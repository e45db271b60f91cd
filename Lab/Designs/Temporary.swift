// Temporary.swift: an object to autorelease, which shows when its pool is drained. (A10, A11)

/// An object that reports its end.
final class Temporary {
    private let tell: () -> Void

    /// - Parameter tell: called once, on the thread that releases the last reference.
    init(_ tell: @escaping () -> Void) {
        self.tell = tell
    }

    deinit {
        tell()
    }
}
