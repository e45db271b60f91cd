// Perform.swift: calls that a loop makes later: on another thread, in an order, after a delay, or for a task that waits. On a Mac, most are
// methods of every NSObject; here they take closures, and the protocol Performing has them for methods of objects.
// A delayed call is a timer. All others wait in the queue of the loop (CallQueue.swift).
// Claims in ANNOTATIONS.md: (I1, I4, I5, L6, T5)

#if os(Linux)
internal import CRunLoop
public import FoundationEssentials
import Synchronization

/// The reason why a thread did not make a call: it has finished, or did so while the caller waited.
public enum PerformError: Error, CustomStringConvertible {
    /// The thread has finished, so it makes no more calls.
    case threadHasFinished
    /// The thread finished while the caller waited. It did not make the call, or did not complete it.
    case threadFinishedMeanwhile
    /// The main thread has ended, in `dispatchMain()`, by pthread_exit or in an async main that does not run the main loop
    /// (`RunLoop.runsInAsyncMain`), so no thread runs that loop. The call was not made, or was not completed.
    case mainThreadHasEnded

    /// The reason in a sentence.
    public var description: String {
        switch self {
        case .threadHasFinished: "the thread has finished: nothing can be performed on it any more"
        case .threadFinishedMeanwhile: "the thread finished while the caller waited, and did not complete the call"
        case .mainThreadHasEnded: """
            the main thread has ended (in dispatchMain(), by pthread_exit or in an async main without RunLoop.runsInAsyncMain), so no \
            thread runs the main loop: use a thread that runs its loop, or the main queue
            """
        }
    }
}

/// A call that a run loop is to make once, for cancelling it on any thread. If you discard this object, the call is still made.
public final class PerformRequest: @unchecked Sendable {
    typealias Completion = @Sendable ((any Error)?) -> Void

    /// The object whose method is called. It is only compared; the closure retains it.
    struct Target: Hashable {
        let object: ObjectIdentifier
        let isDelayed: Bool

        init(_ object: AnyObject, isDelayed: Bool = false) { (self.object, self.isDelayed) = (ObjectIdentifier(object), isDelayed) }
    }

    /// What the request has until its call begins or it is cancelled.
    struct Content: @unchecked Sendable {
        let block: () -> Void // only the loop's thread calls it
        /// Called once when the call has been made or has ended with an error. It must have the block released before.
        let completion: Completion?
        fileprivate var details: Details?
        fileprivate(set) var queue: CallQueue?
    }

    /// What few requests have. It would make the content of all others more expensive.
    fileprivate final class Details {
        let argument: AnyHashable?
        weak var timer: Timer?

        init(argument: AnyHashable?) { self.argument = argument }
    }

    private let content: Mutex<Content?>
    let modes: [RunLoop.Mode], order: Int, target: Target?, argumentHash: Int
    /// Whether it is a call for a thread, whose sources stay in its modes. Set before the request is queued.
    var isThreads = false
    /// The queue's lock guards these.
    var number = 0, place = 0, lines: [CallLine] = []

    init(
        modes: [RunLoop.Mode], order: Int = 0, target: Target? = nil, argument: AnyHashable? = nil, completion: Completion? = nil,
        _ block: @escaping () -> Void
    ) {
        (self.modes, self.order, self.target, argumentHash) = (modes, order, target, argument?.hashValue ?? 0)
        content = Mutex(Content(block: block, completion: completion, details: argument.map { Details(argument: $0) }))
    }

    /// Cancels the call and releases its closure. If the call has begun, this does nothing.
    public func cancel() { end(CancellationError()) }
    /// Whether the call has neither begun nor been cancelled.
    public var isPending: Bool { content.withLock { $0 != nil } }
    /// The call, which the caller is to make; nil if it has begun or been cancelled.
    func take() -> Content? { content.withLock { $0.take() } }

    /// A delayed call, which the caller is to make; nil if it has begun or been cancelled.
    fileprivate func takeFromQueue() -> Content? {
        let content = take()
        content?.queue?.remove(self)
        return content
    }

    /// Ends a call that has not begun.
    func end(_ error: any Error) {
        var content = take()
        content?.details?.timer?.invalidate()
        content?.queue?.remove(self)
        let completion = content?.completion
        content = nil // released without a lock, and before the completion
        completion?(error)
    }

    var block: (() -> Void)? { content.withLock { $0.map { TransferredCall(call: $0.block) } }?.call }

    var argument: AnyHashable? { content.withLock { $0?.details?.argument } }

    /// Remembers the queue, from which `cancel()` must remove the request. False if it has been cancelled.
    func waits(in queue: CallQueue) -> Bool {
        content.withLock { content in
            content?.queue = queue
            return content != nil
        }
    }

    fileprivate func waits(for timer: Timer) {
        let details = Transferred(Details(argument: argument))
        details.value.timer = timer
        content.withLock { $0?.details = details.value }
    }

    static func < (left: PerformRequest, right: PerformRequest) -> Bool {
        left.order == right.order ? left.number < right.number : left.order < right.order
    }
}

// MARK: - On a thread

extension Thread {
    /// Calls a closure on a thread, from that thread's run loop (performSelector:onThread:withObject:waitUntilDone:modes:).
    ///
    /// The thread makes the calls in the order in which they were requested. They arrive through a version 0 source: when the thread
    /// performs the source, it makes all the calls that are waiting at that moment, and `run(mode:before:)` of that thread then returns
    /// true. The sources stay in the loop, so from the first call on, these modes do not count as empty.
    ///
    /// A thread that has not been started keeps the calls until its loop runs. A thread that never runs its loop keeps them until it ends.
    /// Then the closure is released. If two threads wait for each other, they wait forever. May be called from any thread.
    /// - Parameters:
    ///   - waitUntilDone: whether to return only after `block` has returned. If `thread` is the calling thread and this is true, it makes
    ///     the call at once, without its loop; if this is false, its loop makes the call in the next pass.
    ///   - modes: the modes in which the call may be made. If the array is empty, nothing happens.
    /// - Throws: `threadHasFinished` if the thread has finished, `threadFinishedMeanwhile` if it finishes while the caller waits. For the
    ///   main thread, both are `mainThreadHasEnded`.
    @available(*, noasync, message: "await run(inModes:_:) of the thread, which does not block")
    public class func perform(
        on thread: Thread, waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common], _ block: @escaping @Sendable () -> Void
    ) throws(PerformError) {
        if modes.isEmpty { return }
        guard waitUntilDone else { return try thread.calls.add(PerformRequest(modes: modes, block)) }
        if thread.isCaller { return block() }
        let wait = CallWait()
        try thread.calls.add(PerformRequest(modes: modes, completion: { wait.end($0 as? PerformError) }, block))
        if let error = wait.error { throw error }
    }

    /// Calls a closure on the main thread, from its run loop (performSelectorOnMainThread:withObject:waitUntilDone:modes:).
    ///
    /// See `perform(on:waitUntilDone:modes:_:)`. The main thread must run its loop. Under an async main it does (`RunLoop.runsInAsyncMain`).
    /// In `dispatchMain()` it ends; from then on, threads of libdispatch serve the main queue and the main actor, and no thread serves the
    /// main loop.
    @available(*, noasync, message: "await run(inModes:_:) of Thread.main, which does not block")
    public class func performOnMainThread(
        waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common], _ block: @escaping @Sendable () -> Void
    ) throws(PerformError) {
        try perform(on: mainThread, waitUntilDone: waitUntilDone, modes: modes, block)
    }
}

/// A thread that waits for a call.
private final class CallWait: @unchecked Sendable {
    private let isOver = Semaphore()
    private var result: PerformError? // written before the signal, and read after it

    func end(_ error: PerformError?) {
        result = error
        isOver.signal()
    }

    /// Waits until the call has been made or has ended with an error.
    var error: PerformError? {
        isOver.wait()
        return result
    }
}

// MARK: - For a task that waits

extension Thread {
    /// Calls a closure on this thread, from its run loop, and returns the closure's result.
    ///
    ///     let modes = try await worker.run { RunLoop.current.allModes }
    ///
    /// The calling thread is not blocked meanwhile, so you may await a call on the thread on which the task itself runs. The thread makes
    /// the calls in the order in which they were requested, together with those of `perform(on:waitUntilDone:modes:_:)`. A thread that has
    /// not been started keeps the call until its loop runs.
    ///
    /// If the task is cancelled before the call has begun, the thread does not make it. If the call has begun, it continues, and the task
    /// waits for it. May be called from any thread. An empty array of modes traps.
    ///
    /// What the closure captures is sent to the thread, and so is its result to the caller: values that are not Sendable may cross if the
    /// sender does not use them any more.
    /// - Throws: what `body` throws; `CancellationError` if the task was cancelled before the call; `PerformError.threadHasFinished` or, if
    ///   the thread ends while the task waits, `PerformError.threadFinishedMeanwhile`. For the main thread, both are
    ///   `PerformError.mainThreadHasEnded`.
    public func run<Success>(
        inModes modes: [RunLoop.Mode] = [.common], isolation: isolated (any Actor)? = #isolation,
        _ body: sending @escaping () throws -> sending Success
    ) async throws -> sending Success {
        try await awaitCall(modes, isolation, body) { request throws(PerformError) in try calls.add(request) }
    }
}

extension RunLoop {
    /// Calls a closure on the loop's thread, from the loop, and returns the closure's result.
    ///
    /// This is `run(inModes:_:)` of the loop's thread: see there for the order of calls, cancellation and the end of the thread.
    public func run<Success>(
        inModes modes: [RunLoop.Mode] = [.common], isolation: isolated (any Actor)? = #isolation,
        _ body: sending @escaping () throws -> sending Success
    ) async throws -> sending Success {
        try await awaitCall(modes, isolation, body) { request throws(PerformError) in try calls.add(request, to: self) }
    }
}

/// Awaits a call. A task that is cancelled already requests none. One that is cancelled later takes back a call that has not begun.
private func awaitCall<Success>(
    _ modes: [RunLoop.Mode], _ isolation: isolated (any Actor)?, _ body: sending @escaping () throws -> sending Success,
    add: (PerformRequest) throws(PerformError) -> Void
) async throws -> sending Success {
    precondition(!modes.isEmpty, "run(inModes:_:) needs at least one mode")
    try Task.checkCancellation()
    typealias Outcome = Result<Transferred<Success>, any Error>
    let answer = OneAnswer<Outcome>(), outcome = Mutex<Outcome?>(nil), body = Transferred(body) // one thread at a time uses the closure and its result
    let request = PerformRequest(modes: modes, completion: { error in
        answer.give(error.map(Outcome.failure) ?? outcome.withLock { $0.take() }!)
    }) {
        let made = Outcome { Transferred(try body.value()) }
        outcome.withLock { $0 = made }
    }
    try add(request)
    return try await answer.wait(isolation: isolation) { request.cancel() }.get().value
}

// MARK: - In an order

extension RunLoop {
    /// Calls a method of an object at the beginning of the loop's next pass in one of the modes (performSelector:target:argument:order:modes:).
    ///
    /// The calls that wait at that moment are made in ascending order, and those of one order in the order in which they were requested; the
    /// order of calls that other threads have requested is 0. The loop's thread makes them in step 4, from the callout of a version 0 source.
    /// Call this on the loop's thread: on a Mac, too, a run loop's methods are for its own thread.
    /// - Parameters:
    ///   - action: a method of the target's class: `Window.draw` for `func draw(_ view: View)`.
    ///   - target: the object, retained until the method has returned or the call is cancelled.
    ///   - argument: the method's argument, retained for as long.
    ///   - modes: the modes in which the call may be made. If the array is empty, nothing happens.
    /// - Returns: an object that can cancel this call.
    @discardableResult
    public func perform<Target: AnyObject, Argument>(
        _ action: @escaping (Target) -> (Argument) -> Void, target: Target, argument: Argument, order: Int, modes: [RunLoop.Mode]
    ) -> PerformRequest {
        add(PerformRequest(modes: modes, order: order, target: .init(target), argument: identity(of: argument)) { action(target)(argument) })
    }

    /// Calls a method without an argument at the beginning of the loop's next pass: see `perform(_:target:argument:order:modes:)`.
    @discardableResult
    public func perform<Target: AnyObject>(
        _ action: @escaping (Target) -> () -> Void, target: Target, order: Int, modes: [RunLoop.Mode]
    ) -> PerformRequest {
        add(PerformRequest(modes: modes, order: order, target: .init(target)) { action(target)() })
    }

    private func add(_ request: PerformRequest) -> PerformRequest {
        if request.modes.isEmpty { return request }
        do { try calls.add(request, to: self) } catch { request.cancel() } // the loop's thread has ended
        return request
    }

    /// Cancels the ordered calls of an object's methods with an argument (cancelPerformSelector:target:argument:).
    ///
    /// Swift cannot compare methods, so this cancels the calls of all methods with that argument: an object matches if it is the same, and a
    /// Hashable value if it is equal. To cancel one call, use the object that `perform(_:target:argument:order:modes:)` has returned.
    public func cancelPerform<Argument>(target: AnyObject, argument: Argument) {
        calls.cancel(.init(target), argument: identity(of: argument))
    }

    /// Cancels all ordered calls of an object's methods in this loop (cancelPerformSelectorsWithTarget:).
    public func cancelPerformSelectors(withTarget target: AnyObject) { calls.cancel(.init(target)) }
}

/// What two arguments or senders are compared by.
package func identity(of value: Any) -> AnyHashable {
    if type(of: value) is AnyClass { return ObjectIdentifier(value as AnyObject) }
    return value as? AnyHashable ?? AnyHashable(ObjectIdentifier(value as AnyObject)) // a box, which equals no other
}

// MARK: - After a delay

extension RunLoop {
    /// Calls a closure after a delay, from this loop (performSelector:withObject:afterDelay:inModes:).
    ///
    /// The call is a one-shot timer of the loop. It is made only while the loop runs in one of the modes, and in the next pass at the
    /// earliest, even if the delay is 0. May be called from any thread.
    /// - Parameters:
    ///   - delay: the delay in seconds. A negative delay, or one that is not a number, counts as 0.
    ///   - modes: the modes in which the call may be made. If the array is empty, the call is never made.
    ///   - block: the closure, called once. It is released after the call, when the call is cancelled, or when the thread ends.
    @discardableResult
    public func perform(
        afterDelay delay: TimeInterval, inModes modes: [RunLoop.Mode] = [.default], _ block: @escaping @Sendable () -> Void
    ) -> PerformRequest {
        perform(afterDelay: delay, modes, for: nil, block)
    }

    /// `block` retains the target, by which `cancelPreviousPerformRequests(withTarget:)` finds the call.
    func perform(
        afterDelay delay: TimeInterval, _ modes: [RunLoop.Mode], for target: AnyObject?, argument: AnyHashable? = nil, _ block: @escaping () -> Void
    ) -> PerformRequest {
        let request = PerformRequest(modes: modes, target: target.map { .init($0, isDelayed: true) }, argument: argument, block)
        if modes.isEmpty { return request }
        let timer = Timer(Date(timeIntervalSinceNow: max(0, delay)), 0, DelayedCall(request), callback: __NSFireDelayedPerform)
        request.waits(for: timer)
        if target != nil { calls.file(request) }
        for mode in modes { add(timer, forMode: mode) } // if the loop's thread has ended, the timer goes here, and the call with it
        return request
    }
}

/// The action of a delayed call's timer. When the timer is gone, so is the call.
private final class DelayedCall: TimerAction {
    private struct Block { let block: () -> Void }

    let request: PerformRequest

    init(_ request: PerformRequest) {
        self.request = request
        super.init { _ in request.takeFromQueue()?.block() }
    }

    deinit { request.cancel() }

    @safe override func makeDescription() -> CFString? {
        guard let block = request.block else { return nil }
        return makeClosureDescription(Block(block: block))
    }
}

/// The C timer's callback, under the name that a stack shows on a Mac. The statement after the call keeps this frame in the stack.
@_cdecl("__NSFireDelayedPerform")
@safe private func __NSFireDelayedPerform(_ timer: CFRunLoopTimer?, _ info: UnsafeMutableRawPointer?) {
    let action = DelayedCall.of(info)
    action.request.takeFromQueue()?.block()
    withExtendedLifetime(action) {}
}

// MARK: - Methods of objects

/// An object whose methods can be called on other threads and after delays, as those of every NSObject on a Mac.
///
/// Conformance needs only the declaration:
///
///     final class Worker: Performing, Sendable {
///         func load(_ name: String) { … }
///     }
///     let worker = Worker()
///     try worker.perform(Worker.load, with: "a", on: thread, waitUntilDone: false)
///     worker.perform(Worker.load, with: "b", afterDelay: 0.5)
///
/// The object and the argument are retained until the method has returned, the call is cancelled, or the thread finishes. On a Mac the compiler does not check what crosses to another thread. Here it does: an object whose methods are called on other threads
/// must be Sendable, and you give away an argument that is not. A call after a delay stays on its thread and requires neither.
public protocol Performing: AnyObject {}

extension Performing where Self: Sendable {
    /// Calls a method of this object with an argument on a thread, from that thread's run loop
    /// (performSelector:onThread:withObject:waitUntilDone:modes:).
    ///
    /// See `Thread.perform(on:waitUntilDone:modes:_:)` for the order of calls and for the errors.
    @available(*, noasync, message: "await run(inModes:_:) of the thread, which does not block")
    public func perform<Argument>(
        _ method: @escaping @Sendable (Self) -> (Argument) -> Void, with argument: sending Argument,
        on thread: Thread, waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common]
    ) throws(PerformError) {
        let argument = Transferred(argument) // the caller has given it away, and only the call uses it, once
        try Thread.perform(on: thread, waitUntilDone: waitUntilDone, modes: modes) { method(self)(argument.value) }
    }

    /// Calls a method without an argument on a thread: see `perform(_:with:on:waitUntilDone:modes:)`.
    @available(*, noasync, message: "await run(inModes:_:) of the thread, which does not block")
    public func perform(
        _ method: @escaping @Sendable (Self) -> () -> Void, on thread: Thread, waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common]
    ) throws(PerformError) {
        try Thread.perform(on: thread, waitUntilDone: waitUntilDone, modes: modes) { method(self)() }
    }

    /// Calls a method of this object with an argument on the main thread, from its run loop
    /// (performSelectorOnMainThread:withObject:waitUntilDone:modes:).
    ///
    /// See `perform(_:with:on:waitUntilDone:modes:)`. The main thread must run its loop; under an async main it does.
    @available(*, noasync, message: "await run(inModes:_:) of Thread.main, which does not block")
    public func performOnMainThread<Argument>(
        _ method: @escaping @Sendable (Self) -> (Argument) -> Void, with argument: sending Argument,
        waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common]
    ) throws(PerformError) {
        try perform(method, with: argument, on: .mainThread, waitUntilDone: waitUntilDone, modes: modes)
    }

    /// Calls a method without an argument on the main thread: see `performOnMainThread(_:with:waitUntilDone:modes:)`.
    @available(*, noasync, message: "await run(inModes:_:) of Thread.main, which does not block")
    public func performOnMainThread(
        _ method: @escaping @Sendable (Self) -> () -> Void, waitUntilDone: Bool, modes: [RunLoop.Mode] = [.common]
    ) throws(PerformError) {
        try perform(method, on: .mainThread, waitUntilDone: waitUntilDone, modes: modes)
    }
}

extension Performing {
    /// Calls a method of this object with an argument after a delay, from the calling thread's run loop
    /// (performSelector:withObject:afterDelay:inModes:).
    ///
    /// See `RunLoop.perform(afterDelay:inModes:_:)` for the delay and the modes.
    /// - Returns: an object that can cancel this call. `cancelPreviousPerformRequests(withTarget:)` cancels all calls for an object.
    @available(*, noasync) @discardableResult
    public func perform<Argument>(
        _ method: @escaping (Self) -> (Argument) -> Void, with argument: Argument,
        afterDelay delay: TimeInterval, inModes modes: [RunLoop.Mode] = [.default]
    ) -> PerformRequest {
        RunLoop.current.perform(afterDelay: delay, modes, for: self, argument: identity(of: argument)) { method(self)(argument) }
    }

    /// Calls a method without an argument after a delay: see `perform(_:with:afterDelay:inModes:)`.
    @available(*, noasync) @discardableResult
    public func perform(
        _ method: @escaping (Self) -> () -> Void, afterDelay delay: TimeInterval, inModes modes: [RunLoop.Mode] = [.default]
    ) -> PerformRequest {
        RunLoop.current.perform(afterDelay: delay, modes, for: self) { method(self)() }
    }

    /// Cancels the delayed calls of an object's methods that are pending in the calling thread's run loop
    /// (cancelPreviousPerformRequestsWithTarget:).
    ///
    /// This does not affect other loops, nor calls that were requested without a delay.
    @available(*, noasync)
    public static func cancelPreviousPerformRequests(withTarget target: AnyObject) {
        RunLoop.current.calls.cancel(.init(target, isDelayed: true))
    }

    /// Cancels the delayed calls of all methods of an object with an argument, as `RunLoop.cancelPerform(target:argument:)` does with ordered
    /// calls (cancelPreviousPerformRequestsWithTarget:selector:object:).
    @available(*, noasync)
    public static func cancelPreviousPerformRequests<Argument>(withTarget target: AnyObject, argument: Argument) {
        RunLoop.current.calls.cancel(.init(target, isDelayed: true), argument: identity(of: argument))
    }
}
#endif
