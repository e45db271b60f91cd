// Observer.swift: observers, which take a closure where C takes a function and a pointer.
//
// Claims in ANNOTATIONS.md: (O1, O2, L2)

#if os(Linux)
public import CRunLoop

extension RunLoop {
    /// A closure that a loop calls at chosen points of its passes (CFRunLoopObserver; not public in Foundation).
    ///
    ///     let observer = RunLoop.Observer(activities: [.beforeWaiting, .exit]) { _, activity in … }
    ///     RunLoop.main.add(observer, forMode: .common)
    ///
    /// An observer does not keep a loop running. It can be in one loop at a time; adding it to a second loop has no effect while it is in
    /// the first. A loop retains its observers: an observer keeps working after the last Swift reference is gone, until it is removed or
    /// invalidated or the loop's thread ends. All methods may be called from any thread.
    @safe public final class Observer: IdentityHashable, CustomStringConvertible, @unchecked Sendable {
        /// The points of a pass, as a set (CFRunLoopActivity).
        ///
        /// The values are those of the C library.
        public struct Activity: OptionSet, Sendable, Hashable, CustomStringConvertible {
            /// The bits of the set.
            public let rawValue: UInt

            /// Makes a set from its bits.
            public init(rawValue: UInt) {
                self.rawValue = rawValue
            }

            /// Step 1: the run begins.
            public static let entry = Activity(rawValue: 1)
            /// Step 2: the loop is about to handle timers.
            public static let beforeTimers = Activity(rawValue: 2)
            /// Step 3: the loop is about to handle version 0 sources.
            public static let beforeSources = Activity(rawValue: 4)
            /// Step 6: the thread is about to sleep.
            public static let beforeWaiting = Activity(rawValue: 32)
            /// Step 8: the thread has woken up.
            public static let afterWaiting = Activity(rawValue: 64)
            /// Step 10: the run ends.
            public static let exit = Activity(rawValue: 128)
            /// All activities, including any that may be added later.
            public static let all = Activity(rawValue: 0x0FFF_FFFF)

            /// The names of the activities as in the C library, without the prefix: "BeforeWaiting|Exit".
            public var description: String {
                if self == .all { return "AllActivities" }
                let names: [(Activity, String)] = [
                    (.entry, "Entry"), (.beforeTimers, "BeforeTimers"), (.beforeSources, "BeforeSources"),
                    (.beforeWaiting, "BeforeWaiting"), (.afterWaiting, "AfterWaiting"), (.exit, "Exit"),
                ]
                return names.filter { contains($0.0) }.map(\.1).joined(separator: "|")
            }
        }

        /// The C observer, for calls to the C library.
        ///
        /// Swift retains it, and as long as you have it, this object lives, too.
        public var cfObserver: CFRunLoopObserver { twin.object }
        private var twin: Twin<CFRunLoopObserver>

        /// Makes an observer without adding it to a loop.
        /// - Parameters:
        ///   - activities: the points at which the closure is called.
        ///   - order: the observers of a point are called in ascending order; those with equal orders are called in the order in which they
        ///     were added.
        ///   - repeats: if false, the observer is invalidated after its first call.
        ///   - handler: called on the loop's thread, with the observer and one activity. Its captures are sent to that thread. It is released
        ///     when the observer is invalidated, or when no loop and no Swift reference is left. If the closure captures the observer, both
        ///     live until the observer is invalidated: use the argument instead.
        public init(activities: Activity = .all, order: Int = 0, repeats: Bool = true, handler: sending @escaping (Observer, Activity) -> Void) {
            twin = Twin(CFRunLoopObserver.make(
                activities.rawValue, order: order, repeats: repeats, ObserverHandler(handler), callback: callObserver))
            _ = twin.bind(to: self)
        }

        /// Removes the observer from all modes permanently, and releases its closure.
        ///
        /// If another thread is calling the closure, the closure is released when that call returns. The end of the loop's thread does not
        /// invalidate an observer, so you can add it to another loop then.
        public func invalidate() {
            CFRunLoopObserverInvalidate(cfObserver)
        }

        /// Whether the observer can still be called.
        ///
        /// False after `invalidate()`, and after the first call of an observer that does not repeat.
        public var isValid: Bool { CFRunLoopObserverIsValid(cfObserver) }

        /// The points at which the closure is called.
        public var activities: Activity { Activity(rawValue: CFRunLoopObserverGetActivities(cfObserver)) }

        /// The order given at creation.
        public var order: Int { CFRunLoopObserverGetOrder(cfObserver) }

        /// Whether the observer stays valid after its first call.
        public var repeats: Bool { CFRunLoopObserverDoesRepeat(cfObserver) }

        /// The observer as CFCopyDescription shows it.
        public var description: String { String(descriptionOf: cfObserver) }
    }
}

extension RunLoop {
    /// Adds an observer to a mode of the loop (CFRunLoopAddObserver).
    ///
    /// Nothing happens if the observer is invalid, is in the mode already, or is in another loop, or if the loop's thread has ended. May be
    /// called from any thread.
    /// - Parameters:
    ///   - observer: the observer.
    ///   - mode: the mode; `.common` stands for all common modes.
    public func add(_ observer: Observer, forMode mode: Mode) {
        cfRunLoop.add(observer.cfObserver, mode.cfString)
    }

    /// Removes an observer from a mode of the loop (CFRunLoopRemoveObserver).
    ///
    /// Nothing happens if the observer is not in the mode. May be called from any thread.
    /// - Parameters:
    ///   - observer: the observer.
    ///   - mode: the mode; `.common` stands for all common modes.
    public func remove(_ observer: Observer, forMode mode: Mode) {
        cfRunLoop.remove(observer.cfObserver, mode.cfString)
    }

    /// Returns whether an observer is in a mode of the loop (CFRunLoopContainsObserver).
    ///
    /// May be called from any thread.
    /// - Parameters:
    ///   - observer: the observer.
    ///   - mode: the mode. For `.common`, the result is whether the observer was added to the common modes.
    public func contains(_ observer: Observer, forMode mode: Mode) -> Bool {
        cfRunLoop.contains(observer.cfObserver, mode.cfString)
    }
}

/// The `info` of the C observer.
private final class ObserverHandler: CallbackInfo {
    let handle: (RunLoop.Observer, RunLoop.Observer.Activity) -> Void

    init(_ handle: @escaping (RunLoop.Observer, RunLoop.Observer.Activity) -> Void) {
        self.handle = handle
    }

    /// For the name of the closure: see makeClosureDescription.
    private struct Handle {
        let handle: (RunLoop.Observer, RunLoop.Observer.Activity) -> Void
    }

    @safe func makeDescription() -> CFString? { makeClosureDescription(Handle(handle: handle)) }
}

/// The C observer's callback: in a stack, the frame between the loop's callout and the closure. The statement after the call keeps this
/// frame in the stack.
@inline(never)
@safe private func callObserver(_ cfObserver: CFRunLoopObserver?, _ activity: CFRunLoopActivity, _ info: UnsafeMutableRawPointer?) {
    let handler = ObserverHandler.of(info)
    if let observer = twin(of: cfObserver, as: RunLoop.Observer.self) {
        handler.handle(observer, RunLoop.Observer.Activity(rawValue: activity.rawValue))
    }
    withExtendedLifetime(handler) {}
}
#endif
