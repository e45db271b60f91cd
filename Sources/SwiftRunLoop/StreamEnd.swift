// StreamEnd.swift: the end of an AsyncStream that an item of a loop feeds.
//
//     the loop ── the item (an observer, a port) ── its closure ── the continuation ── the stream ── the task
//
// The cancellation of the task, the end of the last reference to the stream, and the end of the loop's thread each call the stream's
// `onTermination`, which owns the item and takes it out of the loop.

#if os(Linux)
extension AsyncStream.Continuation where Element: Sendable {
    /// Ends the stream when the loop's thread ends; at once if it has ended. Call this once the item is in the loop.
    /// - Parameter removeItem: called when the stream has ended, on any thread.
    func end(with loop: RunLoop.Remote, removeItem: @escaping @Sendable () -> Void) {
        let end = loop.runLoop.addEndHandler { finish() }
        onTermination = { _ in
            end?.remove()
            removeItem()
            loop.wakeUp() // a run ends if its mode has become empty, which a sleeping loop does not notice
        }
        if !loop.runLoop.hasThread { finish() } // the handler was refused, or it was called before there was an `onTermination`
    }
}
#endif
