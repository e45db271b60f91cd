// NotificationQueue.swift: notifications that wait until the run loop is about to sleep, or until the current callout has returned.
//
// An observer of the loop posts the waiting notifications. It is in the loop only while notifications wait, one observer for each mode that
// they name, so a queue without notifications costs a pass nothing.
//
// A loop may sleep right after its BeforeWaiting observers. If an observer or a handler enqueued a notification there, it would wait until
// something else wakes the loop. So the queue wakes the loop for each notification. This makes no system call in a callout of step 9, after
// which the loop makes another pass anyway.
//
// Claims in ANNOTATIONS.md: (O2)

#if os(Linux)
/// A notification that a `NotificationQueue` can post.
///
/// Foundation's Notification is one for a program that imports SwiftRunLoopFoundation. Without Foundation, a type of your own can be one:
///
///     struct Saved: PostableNotification {
///         var name = "saved"
///         var object: Any?
///         func post(to center: AnyObject?) { (center as! Center).saved() }
///     }
public protocol PostableNotification {
    /// The type of `name`.
    associatedtype Name: Hashable

    /// The name, for coalescing.
    var name: Name { get }

    /// The sender, for coalescing.
    ///
    /// Two objects are one sender if they are identical. Two values are one sender if they are Hashable and equal.
    var object: Any? { get }

    /// Posts the notification.
    /// - Parameter center: the center with which the queue was made; nil for the default one.
    func post(to center: AnyObject?)
}

/// Keeps notifications and posts them from the calling thread's run loop (NSNotificationQueue).
///
/// Every thread has a `default` queue. A queue posts in the order in which the notifications came:
///
///     NotificationQueue.default.enqueue(notification, postingStyle: .whenIdle)
///
/// Use a queue on one thread. Its notifications are posted by that thread's loop, while it runs in one of their modes. Waiting notifications
/// do not keep a loop running. If the thread ends, or the queue is deallocated, the notifications that wait are never posted.
///
/// Foundation's own NotificationQueue on Linux works only with Foundation's loop, which posts nothing while this loop runs. It also posts the
/// last notification first, posts `whenIdle` before `asap`, and does not compare senders; here all three are as documented for a Mac.
open class NotificationQueue {
    /// When a notification is posted (NSPostingStyle).
    public enum PostingStyle: UInt, Sendable {
        /// When the loop is about to sleep: by an observer of BeforeWaiting.
        ///
        /// A loop that always has work does not sleep, and does not post it.
        case whenIdle = 1
        /// When the current callout of the loop has returned: by an observer of the loop's next activity.
        case asap = 2
        /// At once, before `enqueue` returns.
        ///
        /// Other than with a notification center, notifications that wait are coalesced first.
        case now = 3
    }

    /// Which waiting notifications a new one replaces (NSNotificationCoalescing).
    public struct NotificationCoalescing: OptionSet, Sendable {
        /// The bits of the set.
        public let rawValue: UInt

        /// Makes a set from its bits.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// None.
        public static let none = NotificationCoalescing([])
        /// Those with the same name.
        public static let onName = NotificationCoalescing(rawValue: 1)
        /// Those with the same sender.
        ///
        /// Together with `onName`: those with the same name and the same sender.
        public static let onSender = NotificationCoalescing(rawValue: 2)
    }

    /// A notification that waits.
    fileprivate struct Entry {
        let name: AnyHashable
        let sender: AnyHashable?
        let style: PostingStyle
        let modes: Set<RunLoop.Mode>
        let post: () -> Void

        func matches(_ other: Entry, _ mask: NotificationCoalescing) -> Bool {
            !(mask.contains(.onName) && name != other.name) && !(mask.contains(.onSender) && sender != other.sender)
        }
    }

    private let center: AnyObject?
    private var entries: [Entry] = []
    private var observers: [RunLoop.Mode: RunLoop.Observer] = [:]

    /// Makes a queue for a notification center.
    /// - Parameter notificationCenter: the center, which each notification gets when it is posted. The queue retains it.
    public init(notificationCenter: AnyObject) {
        center = notificationCenter
    }

    /// Makes a queue for the default notification center.
    public init() {
        center = nil
    }

    deinit {
        for observer in observers.values { observer.invalidate() }
    }

    /// The calling thread's queue for the default notification center (defaultQueue).
    ///
    /// The first call makes it. It lives until the thread ends.
    @available(*, noasync)
    open class var `default`: NotificationQueue { NotificationQueueSlot.queue }

    /// Adds a notification for the default mode, which replaces waiting ones that have the same name and the same sender
    /// (enqueueNotification:postingStyle:).
    /// - Parameters:
    ///   - notification: the notification.
    ///   - postingStyle: when it is posted.
    @available(*, noasync)
    public func enqueue(_ notification: some PostableNotification, postingStyle: PostingStyle) {
        enqueue(notification, postingStyle: postingStyle, coalesceMask: [.onName, .onSender], forModes: nil)
    }

    /// Adds a notification (enqueueNotification:postingStyle:coalesceMask:forModes:).
    /// - Parameters:
    ///   - notification: the notification. It is released when it has been posted or replaced.
    ///   - postingStyle: when it is posted.
    ///   - coalesceMask: which waiting notifications of this queue it replaces. The new one takes its place at the end of the queue.
    ///   - modes: the modes in which it may be posted; `.common` stands for all common modes. Nil or an empty array is the default mode. With
    ///     `now`, it is posted only if the loop runs in one of them or does not run, and `.common` stands for no mode, as in Foundation on Linux.
    @available(*, noasync)
    public func enqueue(
        _ notification: some PostableNotification, postingStyle: PostingStyle, coalesceMask: NotificationCoalescing,
        forModes modes: [RunLoop.Mode]?
    ) {
        let modes = modes.flatMap { $0.isEmpty ? nil : Set($0) } ?? [.default]
        let entry = Entry(notification, postingStyle, modes) { [center] in notification.post(to: center) }
        if !coalesceMask.isEmpty { remove { $0.matches(entry, coalesceMask) } }
        if postingStyle == .now { return postNow(entry) }
        entries.append(entry)
        updateObservers()
        RunLoop.current.wakeUp()
    }

    /// Removes waiting notifications without posting them (dequeueNotificationsMatching:coalesceMask:).
    /// - Parameters:
    ///   - notification: the notification to compare with. It need not be in the queue.
    ///   - coalesceMask: what is compared. With `none`, nothing is removed.
    @available(*, noasync)
    public func dequeueNotifications(matching notification: some PostableNotification, coalesceMask: NotificationCoalescing) {
        if coalesceMask.isEmpty { return }
        let pattern = Entry(notification, .now, []) {}
        remove { $0.matches(pattern, coalesceMask) }
    }

    // MARK: - Posting

    private func postNow(_ entry: Entry) {
        guard let mode = RunLoop.current.currentMode else { return entry.post() }
        if entry.modes.contains(mode) { entry.post() }
    }

    /// Called by the observer of a mode. Notifications that are enqueued meanwhile wait for the next activity.
    private func post(for mode: RunLoop.Mode, at activity: RunLoop.Observer.Activity) {
        var modes: Set = [mode]
        if let current = RunLoop.current.currentMode { modes.insert(current) }
        let styles: [PostingStyle] = activity == .beforeWaiting ? [.asap, .whenIdle] : [.asap]
        let due = styles.flatMap { style in entries.filter { $0.style == style && !$0.modes.isDisjoint(with: modes) } }
        if !due.isEmpty {
            entries.removeAll { styles.contains($0.style) && !$0.modes.isDisjoint(with: modes) }
            for entry in due { entry.post() }
        }
        updateObservers()
    }

    private func remove(where matches: (Entry) -> Bool) {
        let removed = entries.filter(matches)
        if removed.isEmpty { return }
        entries.removeAll(where: matches)
        updateObservers()
        withExtendedLifetime(removed) {} // released after the change, because a deinitializer may use the queue
    }

    // MARK: - Observers

    /// Adds an observer for each mode of the waiting notifications, and takes out the others. The one for the common modes is called first
    /// and also posts what is for the current mode, so that the notifications of both are posted in their order.
    private func updateObservers() {
        let needed = entries.reduce(into: Set<RunLoop.Mode>()) { $0.formUnion($1.modes) }
        for (mode, observer) in observers where !needed.contains(mode) {
            observer.invalidate()
            observers[mode] = nil
        }
        for mode in needed where observers[mode] == nil {
            let this = WeakQueue(queue: self)
            let observer = RunLoop.Observer(
                activities: [.beforeTimers, .beforeSources, .beforeWaiting, .afterWaiting, .exit], order: mode == .common ? 0 : 1
            ) { _, activity in
                if let queue = this.queue { postQueueNotifications(queue) { queue.post(for: mode, at: activity) } }
            }
            observers[mode] = observer
            RunLoop.current.add(observer, forMode: mode)
        }
    }
}

extension NotificationQueue.Entry {
    fileprivate init(
        _ notification: some PostableNotification, _ style: NotificationQueue.PostingStyle, _ modes: Set<RunLoop.Mode>,
        post: @escaping () -> Void
    ) {
        self.init(name: AnyHashable(notification.name), sender: notification.object.map(identity),
                  style: style, modes: modes, post: post)
    }
}

/// The frame between the observer callout and the handlers of a notification. A stack on a Mac has a function of this name there. The statement
/// after the call keeps this frame in the stack.
@inline(never)
private func postQueueNotifications(_ queue: NotificationQueue, _ post: () -> Void) {
    post()
    withExtendedLifetime(queue) {}
}

/// A weak reference to a queue, for its observers, which are called on the thread that uses the queue.
private struct WeakQueue: @unchecked Sendable {
    weak var queue: NotificationQueue?
}

/// The thread-specific slot that retains the default queue of a thread.
private enum NotificationQueueSlot {
    private static let key: ThreadKey<NotificationQueue> = ThreadKey { key.threadEnds($0) { _ in true } }

    static var queue: NotificationQueue {
        key.object { NotificationQueue() }
    }
}

@available(*, unavailable)
extension NotificationQueue: @unchecked Sendable {}
#endif
