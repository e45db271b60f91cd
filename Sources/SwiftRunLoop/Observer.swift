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
    /// An observer does not keep a loop running, and is in one loop at a time. All members may be used from any thread.
    @safe public final class Observer: Item, @unchecked Sendable {
        /// The points of a pass, as a set: `.entry`, `.beforeTimers`, `.beforeSources`, `.beforeWaiting`,
        /// `.afterWaiting`, `.exit` and `.allActivities`.
        public typealias Activity = CFRunLoopActivity

        /// The C observer, for calls to the C library.
        public var cfObserver: CFRunLoopObserver { object() }

        /// Makes an observer without adding it to a loop.
        /// - Parameters:
        ///   - order: the observers of a point are called in ascending order, and those of one order as they were
        ///     added.
        ///   - repeats: if false, the observer is invalidated after its first call.
        ///   - handler: called on the loop's thread, with the observer and one activity. Its captures are sent to that
        ///     thread. It is released when the observer is invalidated, or when no reference to it is left: do not
        ///     capture the observer, but use the argument.
        public init(
            activities: Activity = .allActivities, order: Int = 0, repeats: Bool = true,
            handler: sending @escaping @isolated(any) (Observer, Activity) -> Void
        ) {
            let given = Given(call: handler), handler = Handler(given, given.call.isolation)
            super.init(.observer, CFRunLoopObserver.make(
                activities.rawValue, order: order, repeats: repeats, handler, callback: callObserver))
        }
    }
}

extension CFRunLoopActivity: @retroactive Hashable, @retroactive CustomStringConvertible {
    /// The names of the activities as in the C library, without the prefix: "BeforeWaiting|Exit".
    public var description: String {
        if self == .allActivities { return "AllActivities" }
        let names: [(CFRunLoopActivity, String)] = [
            (.entry, "Entry"), (.beforeTimers, "BeforeTimers"), (.beforeSources, "BeforeSources"),
            (.beforeWaiting, "BeforeWaiting"), (.afterWaiting, "AfterWaiting"), (.exit, "Exit"),
        ]
        var text = ""
        for (activity, name) in names where contains(activity) { text += text.isEmpty ? name : "|" + name }
        return text
    }
}

private struct Given { let call: @isolated(any) (RunLoop.Observer, RunLoop.Observer.Activity) -> Void }
private struct Block { let call: (RunLoop.Observer, RunLoop.Observer.Activity) -> Void }
private typealias Handler = ClosureInfo<Block>

/// The C observer's callback: in a stack, the frame between the loop's callout and the closure. The statement after the
/// call keeps this frame in the stack.
@inline(never)
@safe private func callObserver(
    _ cfObserver: CFRunLoopObserver?, _ activity: CFRunLoopActivity, _ info: UnsafeMutableRawPointer?
) {
    let handler = Handler.of(info)
    if let observer = twin(of: cfObserver, as: RunLoop.Observer.self) {
        handler.check(of: observer)
        handler.block.call(observer, activity)
    }
    withExtendedLifetime(handler) {}
}
#endif
