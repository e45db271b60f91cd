// Notifications.swift: Foundation's notifications on this run loop.

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
