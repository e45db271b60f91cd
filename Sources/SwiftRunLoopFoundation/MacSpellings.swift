// MacSpellings.swift: Foundation's own names of what FileHandle and Process do with a run loop, for the calling thread's loop of this library.
// Foundation's methods have these names, too, and work with Foundation's loop, which no thread of such a program runs.
//
// A method with the signature of one of another module hides that one in a file that sees the other module only through this one. Without
// @_disfavoredOverload, a file that also imports Foundation would find two; there, Foundation's is chosen.
//
// Each method exists for modes of both kinds: that for Foundation's hides the original, and that for ours is the better match of `[.default]`.

#if os(Linux)
extension FileHandle {
    /// Reads what is there as soon as there is something, and posts `FileHandle.readCompletionNotification`
    /// (readInBackgroundAndNotify).
    ///
    /// The calling thread's loop does this, in the default mode: see `readInBackgroundAndNotify(in:forModes:)`.
    @_disfavoredOverload
    public func readInBackgroundAndNotify() { readInBackgroundAndNotify(in: .current) }

    /// Reads what is there as soon as there is something, and posts `FileHandle.readCompletionNotification`
    /// (readInBackgroundAndNotifyForModes:).
    ///
    /// The calling thread's loop does this: see `readInBackgroundAndNotify(in:forModes:)`.
    /// - Parameter modes: the modes in which the notification may be posted.
    @_disfavoredOverload
    public func readInBackgroundAndNotify(forModes modes: [SwiftRunLoop.RunLoop.Mode]) {
        readInBackgroundAndNotify(in: .current, forModes: modes)
    }

    /// Reads what is there as soon as there is something, and posts `FileHandle.readCompletionNotification`
    /// (readInBackgroundAndNotifyForModes:).
    ///
    /// The calling thread's loop does this: see `readInBackgroundAndNotify(in:forModes:)`.
    /// - Parameter modes: the modes in which the notification may be posted, as Foundation's type; nil is the default mode.
    @_disfavoredOverload
    public func readInBackgroundAndNotify(forModes modes: [Foundation.RunLoop.Mode]?) {
        readInBackgroundAndNotify(in: .current, forModes: ours(modes))
    }

    /// Reads to the end of the file, and posts `.NSFileHandleReadToEndOfFileCompletion`
    /// (readToEndOfFileInBackgroundAndNotify).
    ///
    /// The calling thread's loop does this, in the default mode: see `readToEndOfFileInBackgroundAndNotify(in:forModes:)`.
    @_disfavoredOverload
    public func readToEndOfFileInBackgroundAndNotify() { readToEndOfFileInBackgroundAndNotify(in: .current) }

    /// Reads to the end of the file, and posts `.NSFileHandleReadToEndOfFileCompletion`
    /// (readToEndOfFileInBackgroundAndNotifyForModes:).
    ///
    /// The calling thread's loop does this: see `readToEndOfFileInBackgroundAndNotify(in:forModes:)`.
    /// - Parameter modes: the modes in which the notification may be posted.
    @_disfavoredOverload
    public func readToEndOfFileInBackgroundAndNotify(forModes modes: [SwiftRunLoop.RunLoop.Mode]) {
        readToEndOfFileInBackgroundAndNotify(in: .current, forModes: modes)
    }

    /// Reads to the end of the file, and posts `.NSFileHandleReadToEndOfFileCompletion`
    /// (readToEndOfFileInBackgroundAndNotifyForModes:).
    ///
    /// The calling thread's loop does this: see `readToEndOfFileInBackgroundAndNotify(in:forModes:)`.
    /// - Parameter modes: the modes in which the notification may be posted, as Foundation's type; nil is the default mode.
    @_disfavoredOverload
    public func readToEndOfFileInBackgroundAndNotify(forModes modes: [Foundation.RunLoop.Mode]?) {
        readToEndOfFileInBackgroundAndNotify(in: .current, forModes: ours(modes))
    }

    /// Posts `.NSFileHandleDataAvailable` as soon as there is something to read, without reading
    /// (waitForDataInBackgroundAndNotify).
    ///
    /// The calling thread's loop does this, in the default mode: see `waitForDataInBackgroundAndNotify(in:forModes:)`.
    @_disfavoredOverload
    public func waitForDataInBackgroundAndNotify() { waitForDataInBackgroundAndNotify(in: .current) }

    /// Posts `.NSFileHandleDataAvailable` as soon as there is something to read, without reading
    /// (waitForDataInBackgroundAndNotifyForModes:).
    ///
    /// The calling thread's loop does this: see `waitForDataInBackgroundAndNotify(in:forModes:)`.
    /// - Parameter modes: the modes in which the notification may be posted.
    @_disfavoredOverload
    public func waitForDataInBackgroundAndNotify(forModes modes: [SwiftRunLoop.RunLoop.Mode]) {
        waitForDataInBackgroundAndNotify(in: .current, forModes: modes)
    }

    /// Posts `.NSFileHandleDataAvailable` as soon as there is something to read, without reading
    /// (waitForDataInBackgroundAndNotifyForModes:).
    ///
    /// The calling thread's loop does this: see `waitForDataInBackgroundAndNotify(in:forModes:)`.
    /// - Parameter modes: the modes in which the notification may be posted, as Foundation's type; nil is the default mode.
    @_disfavoredOverload
    public func waitForDataInBackgroundAndNotify(forModes modes: [Foundation.RunLoop.Mode]?) {
        waitForDataInBackgroundAndNotify(in: .current, forModes: ours(modes))
    }

    /// Accepts a connection as soon as there is one, and posts `.NSFileHandleConnectionAccepted`
    /// (acceptConnectionInBackgroundAndNotify).
    ///
    /// The calling thread's loop does this, in the default mode: see `acceptConnectionInBackgroundAndNotify(in:forModes:)`.
    @_disfavoredOverload
    public func acceptConnectionInBackgroundAndNotify() { acceptConnectionInBackgroundAndNotify(in: .current) }

    /// Accepts a connection as soon as there is one, and posts `.NSFileHandleConnectionAccepted`
    /// (acceptConnectionInBackgroundAndNotifyForModes:).
    ///
    /// The calling thread's loop does this: see `acceptConnectionInBackgroundAndNotify(in:forModes:)`.
    /// - Parameter modes: the modes in which the notification may be posted.
    @_disfavoredOverload
    public func acceptConnectionInBackgroundAndNotify(forModes modes: [SwiftRunLoop.RunLoop.Mode]) {
        acceptConnectionInBackgroundAndNotify(in: .current, forModes: modes)
    }

    /// Accepts a connection as soon as there is one, and posts `.NSFileHandleConnectionAccepted`
    /// (acceptConnectionInBackgroundAndNotifyForModes:).
    ///
    /// The calling thread's loop does this: see `acceptConnectionInBackgroundAndNotify(in:forModes:)`.
    /// - Parameter modes: the modes in which the notification may be posted, as Foundation's type; nil is the default mode.
    @_disfavoredOverload
    public func acceptConnectionInBackgroundAndNotify(forModes modes: [Foundation.RunLoop.Mode]?) {
        acceptConnectionInBackgroundAndNotify(in: .current, forModes: ours(modes))
    }

    private func ours(_ modes: [Foundation.RunLoop.Mode]?) -> [SwiftRunLoop.RunLoop.Mode] {
        modes.map { $0.map { SwiftRunLoop.RunLoop.Mode($0.rawValue) } } ?? [.default]
    }
}

extension Process {
    /// Runs the calling thread's loop in the default mode until the process has ended (waitUntilExit).
    ///
    /// See `waitUntilExit(running:)`.
    @_disfavoredOverload
    public func waitUntilExit() { waitUntilExit(running: .current) }
}
#endif
