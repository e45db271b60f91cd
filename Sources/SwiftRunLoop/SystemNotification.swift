// SystemNotification.swift: what this module tells SwiftRunLoopFoundation. FoundationEssentials has no Notification, so
// this module posts nothing itself. SwiftRunLoopFoundation, if the program has it, sets the function that posts to
// Foundation's center.

#if os(Linux)
import Synchronization

/// A notification that ports and threads post on a Mac, or an event that is SwiftRunLoopFoundation's own concern.
package enum SystemNotification: Sendable {
    /// NSPortDidBecomeInvalidNotification: a port has become invalid.
    case portDidBecomeInvalid

    /// NSWillBecomeMultiThreadedNotification: the first `Thread` is about to be started.
    case willBecomeMultiThreaded

    /// NSThreadWillExitNotification: a thread is about to end.
    case threadWillExit

    /// A host has served a mode of the calling thread's loop, and may sleep now. Nobody is notified: its notification
    /// queues are asked.
    case hostHasServed(RunLoop.Mode)

    /// A struct, because a closure that goes through the generic Mutex gets a longer chain of thunks each time.
    private struct Poster: Sendable {
        let post: @Sendable (SystemNotification, AnyObject?) -> Void
    }

    private static let poster = Mutex<Poster?>(nil)

    /// Sets the function that posts, on the thread that causes the notification.
    package static func setPoster(_ post: @escaping @Sendable (SystemNotification, AnyObject?) -> Void) {
        poster.withLock { $0 = Poster(post: post) }
    }

    /// Posts the notification. DOES CALLOUT: call this without a lock.
    func post(_ object: AnyObject?) { Self.poster.withLock { $0 }?.post(self, object) }
}
#endif
