// DescriptorFeed.swift: a descriptor in a loop that feeds an AsyncStream.
//
//     the loop ── FileDescriptorPort ── its handler ── the stream's continuation ── the task
//
// The stream ends with the first of: its descriptor's end, the cancellation or the end of the iteration, and the end of the loop's thread.
// Each calls the stream's `onTermination`, which takes the port out of the loop.

#if os(Linux)
import Synchronization

/// The port of a stream, from its entry into the loop to the end of the stream. The stream's `onTermination` retains this.
final class DescriptorFeed: Sendable {
    private struct State {
        var isOver = false
        var end: EndHandler?
    }

    let port: FileDescriptorPort
    private let loop: RunLoop.Remote
    private let state = Mutex(State())

    /// Puts a port into a loop for a stream.
    init<Element>(_ continuation: AsyncStream<Element>.Continuation, _ port: FileDescriptorPort, in loop: RunLoop.Remote, mode: RunLoop.Mode) {
        (self.port, self.loop) = (port, loop)
        continuation.onTermination = { _ in self.terminate() }
        guard let end = loop.runLoop.addEndHandler({ continuation.finish() }) else {
            continuation.finish()
            return
        }
        loop.add(port, forMode: mode)
        let isOver = state.withLock { state in
            state.end = end
            return state.isOver
        }
        if isOver { terminate() }
    }

    private func terminate() {
        let end = state.withLock { state in
            state.isOver = true
            return state.end.take()
        }
        end?.remove()
        port.invalidate()
        loop.wakeUp() // a run ends if its mode has become empty, which a sleeping loop does not notice
    }
}
#endif
