// Notifications.swift: Foundation's notifications on this run loop: those that wait in a NotificationQueue, and those that ports and threads
// post.

#if os(Linux)
internal import CRunLoopFoundationHook

/// Foundation's notifications can wait in a `NotificationQueue`, which posts them to a NotificationCenter.
extension Notification: PostableNotification {
    /// Posts the notification.
    /// - Parameter center: a NotificationCenter; nil stands for `NotificationCenter.default`. An object of another class traps.
    public func post(to center: AnyObject?) {
        guard let center else { return NotificationCenter.default.post(self) }
        guard let center = center as? NotificationCenter else {
            preconditionFailure("NotificationQueue(notificationCenter:) was given a \(type(of: center)), which is no NotificationCenter")
        }
        center.post(self)
    }
}

extension SwiftRunLoop.NotificationQueue {
    /// Makes a queue for a notification center (initWithNotificationCenter:).
    /// - Parameter notificationCenter: the center to which the queue posts.
    public convenience init(notificationCenter: NotificationCenter) {
        self.init(notificationCenter: notificationCenter as AnyObject)
    }
}

extension SwiftRunLoop.Port {
    /// Posted on the thread that invalidates a port, when the port has left all loops (NSPortDidBecomeInvalidNotification).
    ///
    /// The object is the port. A port that becomes invalid because its last reference is gone posts nothing. A subclass whose `invalidate()`
    /// does not call super must post it itself to the default center, as on a Mac; all loops then release the port.
    public static let didBecomeInvalidNotification = Notification.Name("NSPortDidBecomeInvalidNotification")
}

extension SystemNotification {
    /// Threads have Foundation's own names. As on a Mac, `NSDidBecomeSingleThreaded` is never posted.
    fileprivate var name: Notification.Name {
        switch self {
        case .portDidBecomeInvalid: SwiftRunLoop.Port.didBecomeInvalidNotification
        case .willBecomeMultiThreaded: .NSWillBecomeMultiThreaded
        case .threadWillExit: .NSThreadWillExit
        }
    }
}

/// Called before `main`, by the constructor in CRunLoopFoundationHook.
@_cdecl("_SwiftRunLoopFoundationConnect")
func connectNotifications() {
    SystemNotification.setPoster { notification, object in
        NotificationCenter.default.post(name: notification.name, object: object)
    }
    // A subclass of Port whose `invalidate()` does not call super posts this itself: for it, the notification is how a loop learns of its end.
    _ = NotificationCenter.default.addObserver(
        forName: SwiftRunLoop.Port.didBecomeInvalidNotification, object: nil, queue: nil
    ) { ($0.object as? SwiftRunLoop.Port)?.leaveLoops() }
}
#endif
