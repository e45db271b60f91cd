// Observer.swift: observers, with a closure where C has a function and a pointer.

internal import CRunLoop

/// A closure that a loop calls at chosen points of its passes (CFRunLoopObserver; not public in Foundation). (O1, O2)
///
///     let observer = Observer(activities: [.beforeWaiting, .exit]) { _, activity in … }
///     observer.add(to: .main, forMode: .common)
///
/// An observer does not keep a loop running (L2), and is in one loop at a time: adding it to a second does nothing as long as it is in the
/// first. A loop keeps its observers: one that has been added goes on working after the last Swift reference is gone, until it is removed
/// or invalidated or the loop's thread ends. All methods may be called from any thread.
public final class Observer: Hashable, CustomStringConvertible, @unchecked Sendable {
    /// The points of a pass (CFRunLoopActivity); a mask where several are meant. The values are the C library's.
    public struct Activity: OptionSet, Sendable, Hashable, CustomStringConvertible {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// Step 1: the run begins.
        public static let entry = Activity(rawValue: 1)
        /// Step 2: a pass begins.
        public static let beforeTimers = Activity(rawValue: 2)
        /// Step 3: sources 0 are about to be looked at.
        public static let beforeSources = Activity(rawValue: 4)
        /// Step 6: the thread is about to sleep.
        public static let beforeWaiting = Activity(rawValue: 32)
        /// Step 8: the thread has woken up.
        public static let afterWaiting = Activity(rawValue: 64)
        /// Step 10: the run ends.
        public static let exit = Activity(rawValue: 128)
        /// All of them, and whatever may be added to them.
        public static let all = Activity(rawValue: 0x0FFF_FFFF)

        /// The names, as in the C library without their prefix: "BeforeWaiting|Exit".
        public var description: String {
            if self == .all { return "AllActivities" }
            let names: [(Activity, String)] = [
                (.entry, "Entry"), (.beforeTimers, "BeforeTimers"), (.beforeSources, "BeforeSources"),
                (.beforeWaiting, "BeforeWaiting"), (.afterWaiting, "AfterWaiting"), (.exit, "Exit"),
            ]
            return names.filter { contains($0.0) }.map(\.1).joined(separator: "|")
        }
    }

    /// The C observer, for functions of the C library that have no face here. Not retained for the caller.
    public let cfObserver: OpaquePointer

    /// Makes an observer that no loop has yet.
    /// - Parameters:
    ///   - activities: the points at which it is called.
    ///   - order: among the observers of a point, a lower order is called first; equal orders in the order of their adding.
    ///   - repeats: if false, the observer is invalidated after its first call.
    ///   - handler: called on the thread of the loop in which the observer is, with the observer and a single activity. The maker gives away
    ///     what it captures, since the loop may be another thread's. It is released when the
    ///     observer is invalidated, or is gone from its loop and from Swift. To have it hold the observer would keep the observer
    ///     until it is invalidated: use the argument.
    public init(activities: Activity = .all, order: Int = 0, repeats: Bool = true, handler: sending @escaping (Observer, Activity) -> Void) {
        let info = ObserverHandler(handler)
        var context = CFRunLoopObserverContext()
        context.info = Unmanaged.passRetained(info).toOpaque()
        context.release = releaseObserver
        context.copyDescription = describeObserver
        cfObserver = CFRunLoopObserverCreate(nil, activities.rawValue, repeats, order, callObserver, &context)
        info.observer = self
    }

    /// Another face on the same C observer, for a callback that comes after the last Swift reference is gone.
    fileprivate init(face cfObserver: OpaquePointer) {
        self.cfObserver = OpaquePointer(CFRetain(UnsafeRawPointer(cfObserver))!)
    }

    deinit {
        CFRelease(UnsafeRawPointer(cfObserver))
    }

    /// Adds the observer to a mode of a loop, or with `.common` to all common modes. Adding it twice does nothing, and neither does adding an
    /// invalid observer, or one that is in another loop, or adding to a loop whose thread has ended.
    public func add(to runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        guard runLoop.isAlive else { return }
        let cfRunLoop = runLoop.cfRunLoop, name = mode.cfString
        CFRunLoopAddObserver(cfRunLoop, cfObserver, name)
        guard CFRunLoopContainsObserver(cfRunLoop, cfObserver, name) else { return }
        if !runLoop.observers.keep(cfObserver, mode) { CFRunLoopRemoveObserver(cfRunLoop, cfObserver, name) } // its thread has ended
    }

    /// Takes the observer out of a mode of a loop; if it is not there, nothing happens.
    public func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        CFRunLoopRemoveObserver(runLoop.cfRunLoop, cfObserver, mode.cfString)
        runLoop.observers.drop(cfObserver, mode)
    }

    /// Whether the observer is in the mode; for `.common`: whether it was added to the common modes.
    public func isIn(_ runLoop: RunLoop, forMode mode: RunLoop.Mode) -> Bool {
        CFRunLoopContainsObserver(runLoop.cfRunLoop, cfObserver, mode.cfString)
    }

    /// Takes the observer out of all modes, for good, and releases the handler; not while that runs on another thread. The end of the loop's
    /// thread leaves the observer valid, so that it may be added to another loop; one whose handler captures it then stays until this is called.
    public func invalidate() {
        CFRunLoopObserverInvalidate(cfObserver)
    }

    /// False after `invalidate()`, and after the first call of an observer that does not repeat.
    public var isValid: Bool { CFRunLoopObserverIsValid(cfObserver) }

    /// The points at which it is called.
    public var activities: Activity { Activity(rawValue: CFRunLoopObserverGetActivities(cfObserver)) }

    /// The order given at creation.
    public var order: Int { CFRunLoopObserverGetOrder(cfObserver) }

    /// Whether it stays valid after its first call.
    public var repeats: Bool { CFRunLoopObserverDoesRepeat(cfObserver) }

    /// Two are equal if they are faces on the same C observer.
    public static func == (one: Observer, other: Observer) -> Bool { one.cfObserver == other.cfObserver }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(cfObserver)
    }

    /// The observer in words, as CFCopyDescription has them.
    public var description: String { String(describing: cfObserver) }
}

/// What the C observer has as its `info`. It does not hold the observer, which holds the C observer.
private final class ObserverHandler {
    let handle: (Observer, Observer.Activity) -> Void
    weak var observer: Observer?

    init(_ handle: @escaping (Observer, Observer.Activity) -> Void) {
        self.handle = handle
    }

    /// What the closure stands in to be described: see makeClosureDescription.
    struct Handle {
        let handle: (Observer, Observer.Activity) -> Void
    }
}

/// A context's `release`: the C observer is invalid.
private func releaseObserver(_ info: UnsafeRawPointer?) {
    Unmanaged<ObserverHandler>.fromOpaque(info!).release()
}

/// A context's `copyDescription`.
private func describeObserver(_ info: UnsafeRawPointer?) -> OpaquePointer? {
    guard let info else { return nil } // the observer has been invalidated
    let handler = Unmanaged<ObserverHandler>.fromOpaque(info).takeUnretainedValue()
    return makeClosureDescription(ObserverHandler.Handle(handle: handler.handle))
}

/// The C observer's callback; in a stack, the frame between the loop's callout and the closure. Something must follow the call, or this frame
/// would be gone by then.
@inline(never)
private func callObserver(_ cfObserver: OpaquePointer?, _ activity: CFRunLoopActivity, _ info: UnsafeMutableRawPointer?) {
    let handler = Unmanaged<ObserverHandler>.fromOpaque(info!).takeUnretainedValue()
    let observer = handler.observer ?? Observer(face: cfObserver!)
    handler.handle(observer, Observer.Activity(rawValue: activity))
    withExtendedLifetime((handler, observer)) {}
}
