// Notifications.swift: the notifications that ports and threads post.

#if os(Linux)
internal import CRunLoopFoundationHook

extension SwiftRunLoop.Port {
    /// Posted on the thread that invalidates a port, when the port has left all loops
    /// (NSPortDidBecomeInvalidNotification).
    ///
    /// The object is the port. A port that becomes invalid because its last reference is gone posts nothing. A subclass
    /// whose `invalidate()` does not call super must post it itself to the default center, as on a Mac; all loops then
    /// release the port.
    public static let didBecomeInvalidNotification = Notification.Name("NSPortDidBecomeInvalidNotification")
}

/// Called before `main`, by the constructor in CRunLoopFoundationHook. Threads have Foundation's own names. As on a
/// Mac, `NSDidBecomeSingleThreaded` is never posted.
@_cdecl("_SwiftRunLoopFoundationConnect")
func connectNotifications() {
    SystemNotification.setPoster { notification, object in
        func post(_ name: Notification.Name) { NotificationCenter.default.post(name: name, object: object) }
        switch notification {
        case .portDidBecomeInvalid: post(SwiftRunLoop.Port.didBecomeInvalidNotification)
        case .willBecomeMultiThreaded: post(.NSWillBecomeMultiThreaded)
        case .threadWillExit: post(.NSThreadWillExit)
        case .hostHasServed(let mode): NotificationQueue.hostHasServed(mode)
        }
    }
    // A subclass of Port whose `invalidate()` does not call super posts this itself: for it, the notification is how a
    // loop learns of its end.
    _ = NotificationCenter.default.addObserver(
        forName: SwiftRunLoop.Port.didBecomeInvalidNotification, object: nil, queue: nil
    ) { ($0.object as? SwiftRunLoop.Port)?.leaveLoops() }
}
#endif
