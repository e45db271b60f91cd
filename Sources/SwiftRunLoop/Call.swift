// Call.swift: a closure that a thread's loop is to call once, for another thread or for a task.

#if os(Linux)
import Synchronization

/// A call that a loop is to make once. It can be ended on any thread until it begins.
final class Call: Sendable {
    typealias Completion = @Sendable ((any Error)?) -> Void

    /// What the call has until it begins or ends with an error.
    struct Content: @unchecked Sendable {
        let block: () -> Void // only the loop's thread calls it

        /// Called once when the call has been made or has ended with an error. It must have the block released before.
        fileprivate(set) var completion: Completion?

        fileprivate var queue: CallQueue?
    }

    let modes: [RunLoop.Mode]
    private let content: Mutex<Content?>

    init(modes: [RunLoop.Mode], completion: Completion? = nil, _ block: sending @escaping () -> Void) {
        self.modes = modes
        let new = Content(block: block, completion: completion)
        content = Mutex(new)
    }

    /// Sets a completion that was not given, before the call is added to a queue. False if the call has ended.
    func complete(with completion: @escaping Completion) -> Bool {
        content.withLock { content in
            content?.completion = completion
            return content != nil
        }
    }

    /// The call's content, which the caller is to use; nil if the call has begun or ended.
    func take() -> Content? { content.withLock { $0.take() } }

    /// Ends a call that has not begun. Its closure is released without a lock, and before the completion is called.
    func end(_ error: any Error) {
        var content = take()
        content?.queue?.remove(self)
        let completion = content?.completion
        content = nil
        completion?(error)
    }

    /// Remembers the queue, from which `end` must remove the call. False if the call has ended.
    func waits(in queue: CallQueue) -> Bool {
        content.withLock { content in
            content?.queue = queue
            return content != nil
        }
    }
}
#endif
