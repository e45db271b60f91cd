// OrderedPerform.swift: calls that a run loop makes at the beginning of its next pass, sorted by their order. On a Mac they are NSRunLoop's
// performSelector:target:argument:order:modes: and its cancel methods.
//
// The calls arrive as a Source0, one for each mode that they name, as those for other threads do (PerformQueue). A source whose calls have all
// been made or cancelled is taken out, because a source without work would keep its mode from being empty.
//
// Claims in ANNOTATIONS.md: (I1, T5)

#if os(Linux)
internal import CRunLoop
import Synchronization

/// A call that a run loop is to make at the beginning of its next pass, for cancelling it.
///
/// `RunLoop.perform(_:target:argument:order:modes:)` returns it. If you discard this object, the call is still made.
public final class OrderedPerform: IdentityHashable, @unchecked Sendable {
    /// The order given at creation: calls are made in ascending order.
    public let order: Int
    fileprivate let number: Int
    fileprivate let modes: Set<RunLoop.Mode>
    fileprivate let target: ObjectIdentifier
    fileprivate let argument: AnyHashable?
    private let call: Mutex<TransferredCall?> // only the loop's thread makes the call
    private weak var queue: OrderedPerforms?

    fileprivate init(
        _ queue: OrderedPerforms, _ number: Int, _ order: Int, _ modes: Set<RunLoop.Mode>, _ target: AnyObject, _ argument: AnyHashable?,
        _ block: @escaping () -> Void
    ) {
        (self.queue, self.number, self.order, self.modes, self.argument) = (queue, number, order, modes, argument)
        self.target = ObjectIdentifier(target)
        call = Mutex(TransferredCall(call: block))
    }

    /// Cancels the call and releases its target and argument.
    ///
    /// If the call has begun, this does nothing.
    public func cancel() {
        queue?.cancel { $0 === self }
    }

    /// Whether the call has neither begun nor been cancelled.
    public var isPending: Bool { call.withLock { $0 != nil } }

    /// Returns the call, once.
    fileprivate func takeBlock() -> (() -> Void)? {
        call.withLock { $0.take() }?.call
    }
}

/// The ordered calls of one loop.
final class OrderedPerforms: LoopKeeper, @unchecked Sendable {
    private struct State {
        var waiting: [OrderedPerform] = []                    // by order, and those of one order as they came
        var sources: [RunLoop.Mode: RunLoop.Source] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Adds a call to a loop and wakes the loop.
    func add(
        to runLoop: RunLoop, _ order: Int, _ modes: Set<RunLoop.Mode>, _ target: AnyObject, _ argument: AnyHashable?,
        _ block: @escaping () -> Void
    ) -> OrderedPerform {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let request = OrderedPerform(self, number, order, modes, target, argument, block)
        let made = modes.map { mode in
            (mode, RunLoop.Source(order: mode == .common ? 0 : 1) { [weak self] in self?.performAll(for: mode) })
        }
        let sources = state.withLock { state in
            let place = state.waiting.firstIndex { ($0.order, $0.number) > (order, number) } ?? state.waiting.count
            state.waiting.insert(request, at: place)
            return made.map { mode, new in
                let source = state.sources[mode] ?? new
                state.sources[mode] = source
                return (mode, source)
            }
        }
        for (mode, source) in sources {
            runLoop.add(source, forMode: mode)
            source.signal()
        }
        runLoop.wakeUp()
        return request
    }

    /// Cancels the waiting calls that match.
    func cancel(where matches: (OrderedPerform) -> Bool) {
        let cancelled = state.withLock { state in
            let cancelled = state.waiting.filter(matches)
            state.waiting.removeAll(where: matches)
            return cancelled
        }
        for request in cancelled { withExtendedLifetime(request.takeBlock()) {} } // released without the lock
        removeIdleSources()
    }

    func threadEnds(of runLoop: RunLoop) {
        cancel { _ in true }
    }

    /// Makes the calls that wait for a mode at this moment. Those that are added meanwhile wait for the next pass. The source of the common
    /// modes comes first and also makes the calls that name the current mode, so that all are made in their order.
    private func performAll(for mode: RunLoop.Mode) {
        var modes: Set = [mode]
        if mode == .common, let current = RunLoop.current.currentMode { modes.insert(current) }
        let due = state.withLock { [modes] in $0.waiting.filter { !$0.modes.isDisjoint(with: modes) } }
        for request in due {
            guard let block = request.takeBlock() else { continue } // cancelled or made in one of the calls before
            state.withLock { state in state.waiting.removeAll { $0 === request } }
            block()
        }
        removeIdleSources()
    }

    /// Invalidates the sources of the modes for which no call waits.
    private func removeIdleSources() {
        let idle = state.withLock { state in
            let modes = state.waiting.reduce(into: Set<RunLoop.Mode>()) { $0.formUnion($1.modes) }
            let idle = state.sources.filter { !modes.contains($0.key) }
            for mode in idle.keys { state.sources[mode] = nil }
            return idle
        }
        for source in idle.values { source.invalidate() }
    }
}

extension RunLoop {
    /// Calls a method of an object at the beginning of the loop's next pass in one of the modes (performSelector:target:argument:order:modes:).
    ///
    /// The calls that wait at that moment are made in ascending order, and those of one order in the order in which they were requested. The
    /// loop's thread makes them in step 4, from the callout of a version 0 source. Call this on the loop's thread: on a Mac, too, a run loop's
    /// methods are for its own thread.
    /// - Parameters:
    ///   - action: a method of the target's class: `Window.draw` for `func draw(_ view: View)`.
    ///   - target: the object, retained until the method has returned or the call is cancelled.
    ///   - argument: the method's argument, retained for as long.
    ///   - order: calls with lower numbers are made first.
    ///   - modes: the modes in which the call may be made; `.common` stands for all common modes. If the array is empty, nothing happens.
    /// - Returns: an object that can cancel this call.
    @discardableResult
    public func perform<Target: AnyObject, Argument>(
        _ action: @escaping (Target) -> (Argument) -> Void, target: Target, argument: Argument, order: Int, modes: [RunLoop.Mode]
    ) -> OrderedPerform {
        orderedPerforms.add(to: self, order, Set(modes), target, identity(of: argument)) { action(target)(argument) }
    }

    /// Calls a method of an object at the beginning of the loop's next pass in one of the modes (performSelector:target:argument:order:modes:).
    ///
    /// See `perform(_:target:argument:order:modes:)`.
    @discardableResult
    public func perform<Target: AnyObject>(
        _ action: @escaping (Target) -> () -> Void, target: Target, order: Int, modes: [RunLoop.Mode]
    ) -> OrderedPerform {
        orderedPerforms.add(to: self, order, Set(modes), target, nil) { action(target)() }
    }

    /// Cancels the ordered calls of an object's methods with an argument (cancelPerformSelector:target:argument:).
    ///
    /// Swift cannot compare methods, so this cancels the calls of all methods with that argument. To cancel one call, use the object that
    /// `perform(_:target:argument:order:modes:)` has returned.
    /// - Parameters:
    ///   - target: the object.
    ///   - argument: an object matches if it is the same, and a Hashable value if it is equal.
    public func cancelPerform<Argument>(target: AnyObject, argument: Argument) {
        let target = ObjectIdentifier(target), argument = identity(of: argument)
        orderedPerforms.cancel { $0.target == target && $0.argument == argument }
    }

    /// Cancels all ordered calls of an object's methods in this loop (cancelPerformSelectorsWithTarget:).
    public func cancelPerformSelectors(withTarget target: AnyObject) {
        let target = ObjectIdentifier(target)
        orderedPerforms.cancel { $0.target == target }
    }
}

/// What two arguments or senders are compared by.
func identity(of value: Any) -> AnyHashable {
    if type(of: value) is AnyClass { return ObjectIdentifier(value as AnyObject) }
    return value as? AnyHashable ?? AnyHashable(ObjectIdentifier(value as AnyObject)) // a box, which equals no other
}
#endif
