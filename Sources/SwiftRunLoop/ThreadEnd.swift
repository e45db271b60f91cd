// ThreadEnd.swift: how the objects in a loop learn that its thread ends.

/// Keeps the objects of one kind that are in a loop, and takes them out when the loop's thread ends. May be used from any thread.
///
/// A keeper that has been called accepts nothing more: an object that another thread adds at that moment is refused, and the caller takes it
/// out of the C loop again.
protocol LoopKeeper: AnyObject, Sendable {
    /// Takes everything out of the loop, and releases it. The loop's thread calls this once, as it ends, after the C loop has given up its
    /// counterpart and let go of its sources.
    func threadEnds(of runLoop: RunLoop)
}
