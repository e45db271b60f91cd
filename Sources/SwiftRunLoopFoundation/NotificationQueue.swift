// NotificationQueue.swift: notifications that wait until the run loop is about to sleep, or until the current callout
// has returned.
//
// An observer of the loop posts the waiting notifications. It is in the loop only while notifications wait, one
// observer for each mode that they name, so a queue without notifications costs a pass nothing. Beside each observer
// stands a version 0 source, because a run of a mode that has observers only ends before it calls them.
//
// A loop may sleep right after its BeforeWaiting observers. If an observer or a handler enqueued a notification there,
// it would wait until something else wakes the loop. So the queue wakes the loop for each notification. This makes no
// system call in a callout of step 9, after which the loop makes another pass anyway.
//
// A host serves a loop in passes that do not wait, and so have no BeforeWaiting. There a loop is idle when a pass has
// left nothing to do: when the descriptor that the host waits for is not readable.
//
// An index finds the notifications by name, by sender, by both, and by mode and style. So the cost of a call depends on
// the number of notifications that it adds, replaces or posts, and not on the number that wait.
//
// Claims in ANNOTATIONS.md: (O2)

#if os(Linux)
internal import CRunLoop

/// Keeps notifications and posts them to a NotificationCenter, from the calling thread's run loop
/// (NSNotificationQueue).
///
/// Every thread has a `default` queue. A queue posts in the order in which the notifications came:
///
///     NotificationQueue.default.enqueue(Notification(name: saved), postingStyle: .whenIdle)
///
/// Use a queue on one thread. Its notifications are posted by that thread's loop, while it runs in one of their modes.
/// A mode in which notifications wait is not empty. If the thread ends, or the queue is deallocated, the notifications
/// that wait are never posted.
///
/// Foundation's own NotificationQueue on Linux works only with Foundation's loop, which posts nothing while this loop
/// runs. It also posts the last notification first, posts `whenIdle` before `asap`, and does not compare senders; here
/// all three are as documented for a Mac.
open class NotificationQueue: NSObject {
    /// When a notification is posted (NSPostingStyle).
    ///
    /// - `whenIdle`: when the loop is about to sleep, by an observer of BeforeWaiting. A loop that always has work does
    ///   not sleep, and does not post it. If another event loop hosts this one, it is posted when `serve(forMode:)` has
    ///   left nothing to do.
    /// - `asap`: when the current callout of the loop has returned, by an observer of the loop's next activity.
    /// - `now`: before `enqueue` returns. Other than with a notification center, those that wait are coalesced first.
    public typealias PostingStyle = Foundation.NotificationQueue.PostingStyle

    /// Which waiting notifications a new one replaces: those with the same name, the same sender, or both
    /// (NSNotificationCoalescing).
    public typealias NotificationCoalescing = Foundation.NotificationQueue.NotificationCoalescing

    /// What the index finds notifications by.
    private enum Key: Hashable {
        /// The name, or the sender, or both, which the mask says.
        case like(Notification.Name?, AnyHashable?, NotificationCoalescing.RawValue)
        case waiting(RunLoop.Mode, PostingStyle)

        /// What a notification has in common with those that match it; nil if none does.
        init?(_ notification: Notification, _ mask: NotificationCoalescing) {
            let mask = mask.intersection([.onName, .onSender])
            if mask.isEmpty { return nil }
            let sender = mask.contains(.onSender) ? notification.object.map(identity) : nil
            self = .like(mask.contains(.onName) ? notification.name : nil, sender, mask.rawValue)
        }
    }

    /// A notification that waits.
    private struct Entry {
        let notification: Notification
        let modes: Set<RunLoop.Mode>

        /// All that the index finds the notification by.
        let keys: [Key]

        init(_ notification: Notification, _ style: PostingStyle, _ modes: Set<RunLoop.Mode>) {
            (self.notification, self.modes) = (notification, modes)
            keys = [.onName, .onSender, [.onName, .onSender]].compactMap { Key(notification, $0) }
                + modes.map { .waiting($0, style) }
        }
    }

    /// What is in a mode of the loop while notifications wait for it.
    private struct Items {
        let observer: RunLoop.Observer

        /// Keeps the mode from being empty. It is signalled only in a hosted loop: see `hostHasServed`.
        let source: RunLoop.Source

        func invalidate() {
            observer.invalidate()
            source.invalidate()
        }
    }

    private let center: NotificationCenter

    /// The waiting notifications by their numbers, which grow.
    private var entries: [Int: Entry] = [:]
    private var index: [Key: Set<Int>] = [:]
    private var lastNumber = 0
    private var items: [RunLoop.Mode: Items] = [:]

    /// Makes a queue for a notification center (initWithNotificationCenter:).
    /// - Parameter notificationCenter: the center to which the queue posts. The queue retains it.
    public init(notificationCenter: NotificationCenter = .default) {
        center = notificationCenter
        super.init()
    }

    deinit {
        for items in items.values { items.invalidate() }
    }

    /// The calling thread's queue for the default notification center (defaultQueue).
    ///
    /// The first call makes it. It lives until the thread ends.
    @available(*, noasync)
    open class var `default`: NotificationQueue { ThreadQueues.current.default }

    /// Adds a notification (enqueueNotification:postingStyle:coalesceMask:forModes:,
    /// enqueueNotification:postingStyle:).
    /// - Parameters:
    ///   - notification: the notification. It is released when it has been posted or replaced.
    ///   - postingStyle: when it is posted.
    ///   - coalesceMask: which waiting notifications of this queue it replaces. The new one takes its place at the end
    ///     of the queue.
    ///   - modes: the modes in which it may be posted; `.common` stands for all common modes. Nil or an empty array is
    ///     the default mode. With `now`, it is posted only if the loop runs in one of them or does not run, and
    ///     `.common` stands for no mode, as in Foundation on Linux.
    @available(*, noasync)
    open func enqueue(
        _ notification: Notification, postingStyle: PostingStyle,
        coalesceMask: NotificationCoalescing = [.onName, .onSender], forModes modes: [RunLoop.Mode]? = nil
    ) {
        let modes = modes.flatMap { $0.isEmpty ? nil : Set($0) } ?? [.default]
        let replaced = Key(notification, coalesceMask)
        if postingStyle != .now {
            replace(replaced, with: Entry(notification, postingStyle, modes))
            return RunLoop.current.wakeUp()
        }
        replace(replaced, with: nil)
        if RunLoop.current.currentMode.map(modes.contains) ?? true { center.post(notification) }
    }

    /// Removes waiting notifications without posting them (dequeueNotificationsMatching:coalesceMask:).
    /// - Parameters:
    ///   - notification: the notification to compare with. It need not be in the queue.
    ///   - coalesceMask: what is compared. With `none`, nothing is removed.
    @available(*, noasync)
    open func dequeueNotifications(matching notification: Notification, coalesceMask: NotificationCoalescing) {
        replace(Key(notification, coalesceMask), with: nil)
    }

    // MARK: - Posting

    /// Called by the observer of a mode. Notifications that are enqueued meanwhile wait for the next activity.
    private func post(for mode: RunLoop.Mode, at activity: RunLoop.Observer.Activity) {
        var modes: Set = [mode]
        if let current = RunLoop.current.currentMode { modes.insert(current) }
        post(waitingFor: modes, activity == .beforeWaiting ? [.asap, .whenIdle] : [.asap])
    }

    /// Posts the notifications of the first style, in their order, then those of the next.
    private func post(waitingFor modes: Set<RunLoop.Mode>, _ styles: [PostingStyle]) {
        let due = styles.flatMap { style in
            take(modes.reduce(into: Set<Int>()) { $0.formUnion(index[.waiting($1, style)] ?? []) })
        }
        for entry in due { center.post(entry.notification) }
        updateItems(for: due.reduce(into: modes) { $0.formUnion($1.modes) })
    }

    // MARK: - Waiting notifications

    /// Removes the notifications that a key finds, and adds another one.
    private func replace(_ key: Key?, with entry: Entry?) {
        let replaced = take(key.flatMap { index[$0] } ?? [])
        if let entry {
            lastNumber += 1
            entries[lastNumber] = entry
            for key in entry.keys { index[key, default: []].insert(lastNumber) }
        }
        updateItems(for: replaced.reduce(into: entry?.modes ?? []) { $0.formUnion($1.modes) })
        withExtendedLifetime(replaced) {} // released after the change, because a deinitializer may use the queue
    }

    /// Removes notifications, and returns them in their order.
    private func take(_ numbers: Set<Int>) -> [Entry] {
        numbers.sorted().map { number in
            let entry = entries.removeValue(forKey: number)!
            for key in entry.keys {
                index[key]!.remove(number)
                if index[key]!.isEmpty { index[key] = nil }
            }
            return entry
        }
    }

    // MARK: - In the loop

    private func isNeeded(_ mode: RunLoop.Mode) -> Bool {
        index[.waiting(mode, .asap)] != nil || index[.waiting(mode, .whenIdle)] != nil
    }

    /// Adds an observer and a source for each of the modes for which notifications wait now, and takes them out of the
    /// others.
    private func updateItems(for modes: Set<RunLoop.Mode>) {
        let loop = RunLoop.current, hadNone = items.isEmpty
        for mode in modes where isNeeded(mode) != (items[mode] != nil) {
            if let old = items.removeValue(forKey: mode) {
                old.invalidate()
            } else {
                items[mode] = makeItems(for: mode, in: loop)
            }
        }
        if hadNone, !items.isEmpty { ThreadQueues.current.waiting.append(Weak(object: self)) }
        if !hadNone, items.isEmpty { ThreadQueues.current.waiting.removeAll { $0.object == nil || $0.object === self } }
        // A run ends if its mode has become empty, which a sleeping loop does not notice.
        if let current = loop.currentMode, loop.isFinished(inMode: current) { loop.wakeUp() }
    }

    /// The observer for the common modes is called first and also posts what is for the current mode, so that the
    /// notifications of both are posted in their order.
    private func makeItems(for mode: RunLoop.Mode, in loop: RunLoop) -> Items {
        let this = Weak(object: self)
        let observer = RunLoop.Observer(
            activities: [.beforeTimers, .beforeSources, .beforeWaiting, .afterWaiting, .exit],
            order: mode == .common ? 0 : 1
        ) { _, activity in
            if let queue = this.object { postQueueNotifications(queue) { queue.post(for: mode, at: activity) } }
        }
        let source = RunLoop.Source {}
        loop.add(observer, forMode: mode)
        loop.add(source, forMode: mode)
        return Items(observer: observer, source: source)
    }

    /// Called when a host has served a mode of the calling thread's loop. If nothing is left to do, the host will
    /// sleep, so this posts as BeforeWaiting does.
    ///
    /// The pass may have received a wake-up that was meant for notifications of another mode. A signalled source makes
    /// the descriptor of that mode readable until its host serves it.
    static func hostHasServed(_ mode: RunLoop.Mode) {
        let loop = RunLoop.current, queues = ThreadQueues.key.object?.waiting.compactMap(\.object) ?? []
        if queues.isEmpty || CFWatchGetEvents(loop.descriptor(forMode: mode), .readable).contains(.readable) { return }
        for queue in queues {
            var modes: Set = [mode]
            if let common = queue.items[.common], loop.contains(common.observer, forMode: mode) {
                modes.insert(.common)
            }
            queue.post(waitingFor: modes, [.asap, .whenIdle])
            for (other, items) in queue.items where !modes.contains(other) && !items.source.isSignalled {
                items.source.signal()
                loop.wakeUp()
            }
        }
    }
}

/// What two senders are compared by.
private func identity(of value: Any) -> AnyHashable {
    if type(of: value) is AnyClass { return ObjectIdentifier(value as AnyObject) }
    return value as? AnyHashable ?? AnyHashable(ObjectIdentifier(value as AnyObject)) // a box, which equals no other
}

/// The frame between the observer callout and the handlers of a notification. A stack on a Mac has a function of this
/// name there. The statement after the call keeps this frame in the stack.
@inline(never)
private func postQueueNotifications(_ queue: NotificationQueue, _ post: () -> Void) {
    post()
    withExtendedLifetime(queue) {}
}

/// The calling thread's default queue, and its queues in which notifications wait.
private final class ThreadQueues {
    static let key: ThreadKey<ThreadQueues> = ThreadKey { key.threadEnds($0) { _ in true } }

    static var current: ThreadQueues { key.object { ThreadQueues() } }

    lazy var `default` = NotificationQueue()
    var waiting: [Weak<NotificationQueue>] = []
}

@available(*, unavailable)
extension NotificationQueue: @unchecked Sendable {}
#endif
