// MacSpellings.swift: Foundation's own names of what a FileHandle does with a run loop, for the calling thread's loop
// of this library. Foundation's methods have these names, too, and work with Foundation's loop, which no thread of
// such a program runs.
//
// A method with the signature of one of another module hides that one in a file that sees the other module only through
// this one. Without @_disfavoredOverload, a file that also imports Foundation would find two; there, Foundation's is
// chosen.

#if os(Linux)
extension FileHandle {
    /// Reads what is there as soon as there is something, and posts `FileHandle.readCompletionNotification`
    /// (readInBackgroundAndNotify).
    ///
    /// The calling thread's loop does this, in the default mode: see `readInBackgroundAndNotify(in:forModes:)`.
    @_disfavoredOverload
    public func readInBackgroundAndNotify() { readInBackgroundAndNotify(in: .current) }

    /// Reads to the end of the file, and posts `.NSFileHandleReadToEndOfFileCompletion`
    /// (readToEndOfFileInBackgroundAndNotify).
    ///
    /// The calling thread's loop does this, in the default mode: see
    /// `readToEndOfFileInBackgroundAndNotify(in:forModes:)`.
    @_disfavoredOverload
    public func readToEndOfFileInBackgroundAndNotify() { readToEndOfFileInBackgroundAndNotify(in: .current) }

    /// Posts `.NSFileHandleDataAvailable` as soon as there is something to read, without reading
    /// (waitForDataInBackgroundAndNotify).
    ///
    /// The calling thread's loop does this, in the default mode: see `waitForDataInBackgroundAndNotify(in:forModes:)`.
    @_disfavoredOverload
    public func waitForDataInBackgroundAndNotify() { waitForDataInBackgroundAndNotify(in: .current) }

    /// Accepts a connection as soon as there is one, and posts `.NSFileHandleConnectionAccepted`
    /// (acceptConnectionInBackgroundAndNotify).
    ///
    /// The calling thread's loop does this, in the default mode: see
    /// `acceptConnectionInBackgroundAndNotify(in:forModes:)`.
    @_disfavoredOverload
    public func acceptConnectionInBackgroundAndNotify() { acceptConnectionInBackgroundAndNotify(in: .current) }
}
#endif
