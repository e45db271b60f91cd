// Temporary.swift: an object to be autoreleased, so that one sees when its pool is emptied. (A10, A11)

/// An object that tells when it goes.
final class Temporary {
    private let tell: () -> Void

    /// - Parameter tell: called once, on the thread that lets the last reference go.
    init(_ tell: @escaping () -> Void) {
        self.tell = tell
    }

    deinit {
        tell()
    }
}
