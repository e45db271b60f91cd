// RunLoopUnderscored.swift: the members of Foundation's RunLoop on Linux that are public and begin with an underscore. XCTest and Nimble use
// them, because Foundation has no other way to stop a loop or to observe it. On a Mac these libraries use CFRunLoop.
//
// The types are wrappers of RunLoop.Observer and RunLoop.Source. Unlike Foundation's, their activities have the values of CFRunLoop.h.

public import CRunLoop
import Synchronization

extension RunLoop {
    /// Ends the innermost run of the loop; see `stop()`.
    public func _stop() { stop() }

    /// The calling thread's CFRunLoop; see `getCFRunLoop()`.
    ///
    /// In Foundation on Linux this is the current thread's loop, whatever object it is asked of.
    @available(*, noasync)
    public var currentCFRunLoop: CFRunLoop { RunLoop.current.cfRunLoop }

    /// One point of a pass, as an enumeration; see `RunLoop.Observer.Activity`.
    public enum _Activity: UInt, CaseIterable, Sendable {
        /// Step 1: the run begins.
        case entry = 1
        /// Step 2: the loop is about to handle timers.
        case beforeTimers = 2
        /// Step 3: the loop is about to handle version 0 sources.
        case beforeSources = 4
        /// Step 6: the thread is about to sleep.
        case beforeWaiting = 32
        /// Step 8: the thread has woken up.
        case afterWaiting = 64
        /// Step 10: the run ends.
        case exit = 128
    }

    /// The points of a pass, as a set; see `RunLoop.Observer.Activity`.
    public struct _Activities: OptionSet, Sendable {
        /// The bits of the set.
        public var rawValue: UInt

        /// Makes a set from its bits.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// Makes the set of one point.
        public init(_ activity: _Activity) {
            rawValue = activity.rawValue
        }

        /// Step 1: the run begins.
        public static let entry = _Activities(.entry)
        /// Step 2: the loop is about to handle timers.
        public static let beforeTimers = _Activities(.beforeTimers)
        /// Step 3: the loop is about to handle version 0 sources.
        public static let beforeSources = _Activities(.beforeSources)
        /// Step 6: the thread is about to sleep.
        public static let beforeWaiting = _Activities(.beforeWaiting)
        /// Step 8: the thread has woken up.
        public static let afterWaiting = _Activities(.afterWaiting)
        /// Step 10: the run ends.
        public static let exit = _Activities(.exit)
        /// All activities.
        public static let allActivities = _Activities(rawValue: RunLoop.Observer.Activity.all.rawValue)
    }

    /// An observer that `_observe` has added.
    public final class _Observer: IdentityHashable {
        private let observer: RunLoop.Observer

        fileprivate init(_ observer: RunLoop.Observer) {
            self.observer = observer
        }

        /// Takes the observer out of its loop, and releases its handler.
        public func invalidate() { observer.invalidate() }

        /// Whether the handler can still be called.
        public var isValid: Bool { observer.isValid }

        /// The order given to `_observe`.
        public var order: Int { observer.order }
    }

    /// Calls a closure at chosen points of the passes of a mode.
    ///
    /// The loop retains the observer until it is invalidated or the thread ends.
    /// - Parameters:
    ///   - activities: the points.
    ///   - mode: the mode; `.common` stands for all common modes.
    ///   - repeats: if false, the closure is called once.
    ///   - order: observers are called in ascending order.
    ///   - handler: called on the loop's thread.
    @discardableResult
    public func _observe(
        _ activities: _Activities, in mode: RunLoop.Mode, repeats: Bool = true, order: Int = 0,
        handler: sending @escaping (_Activity) -> Void
    ) -> _Observer {
        let points = RunLoop.Observer.Activity(rawValue: activities.rawValue)
        let observer = RunLoop.Observer(activities: points, order: order, repeats: repeats) { _, activity in
            if let activity = _Activity(rawValue: activity.rawValue) { handler(activity) }
        }
        add(observer, forMode: mode)
        return _Observer(observer)
    }

    /// Calls a closure at one point of the passes of a mode.
    ///
    /// The loop retains the observer until it is invalidated or the thread ends.
    @discardableResult
    public func _observe(
        _ activity: _Activity, in mode: RunLoop.Mode, repeats: Bool = true, order: Int = 0,
        handler: sending @escaping (_Activity) -> Void
    ) -> _Observer {
        _observe(_Activities(activity), in: mode, repeats: repeats, order: order, handler: handler)
    }

    /// A version 0 source that a subclass implements; see `RunLoop.Source`, which takes closures.
    open class _Source: IdentityHashable {
        /// The order given at creation: the signalled sources of a pass are performed in ascending order.
        public let order: Int
        /// Made when the source is first used. It does not retain this object; each loop that the source is in does.
        fileprivate private(set) lazy var source: Source = {
            let weak = WeakSource(source: self)
            return RunLoop.Source(
                order: order,
                schedule: { _, mode in
                    weak.source?.countModes(by: 1)
                    weak.source?.didSchedule(in: mode)
                },
                cancel: { _, mode in
                    weak.source?.didCancel(in: mode)
                    weak.source?.countModes(by: -1)
                },
                perform: { weak.source?.perform() })
        }()
        /// The number of modes that the source is in, and a reference to this object as long as it is in any.
        private let uses = Mutex((count: 0, this: Transferred<_Source>?.none))

        /// Makes a source without adding it to a loop.
        public init(order: Int = 0) {
            self.order = order
        }

        deinit {
            source.invalidate()
        }

        /// Called when the source has been added to a mode.
        open func didSchedule(in mode: RunLoop.Mode) {}

        /// Called when the source has left a mode.
        open func didCancel(in mode: RunLoop.Mode) {}

        /// Called on the loop's thread after `signal()`.
        open func perform() {}

        /// Takes the source out of its loop permanently.
        open func invalidate() {
            source.invalidate()
        }

        /// Retains this object with the first mode, and releases it with the last one.
        private func countModes(by change: Int) {
            let this = Transferred(self)
            uses.withLock { uses in
                uses.count += change
                uses.this = uses.count > 0 ? this : nil
            }
        }

        /// Whether the source can still be performed.
        open var isValid: Bool { source.isValid }

        /// Marks the source, so that its loop calls `perform` in the next pass.
        ///
        /// This does not wake the loop.
        open func signal() { source.signal() }
    }

    /// Adds a source to a mode. The loop retains it until it is removed or invalidated, or the thread ends.
    public func _add(_ source: _Source, forMode mode: RunLoop.Mode) {
        add(source.source, forMode: mode)
    }

    /// Removes a source from a mode.
    public func _remove(_ source: _Source, for mode: RunLoop.Mode) {
        remove(source.source, forMode: mode)
    }
}

/// A weak reference to a source, for its closures, which are called on the threads of the loops that it is in.
private struct WeakSource: @unchecked Sendable {
    weak var source: RunLoop._Source?
}
