// PerformQueue.swift: the calls that one thread is to make for others, and the sources that notify it.
//
// The first request adds a version 0 source for the common modes to the thread's loop, and each other mode that a request names gets its
// own source. (It is not documented how many sources Foundation has on a Mac; published accounts find one for each named mode, too.) One
// source for several modes is not enough: if it is signalled for a mode that is not running, it either loses the signal or is called
// again and again.
//
// The thread that makes the first request also makes the loop, if the target thread has none. A thread that never asks for its loop, and
// for which there are no requests, has no loop (R3). The loop is made without a lock, because that may take down the loop of another
// thread that has ended, which calls clients. The target thread must live meanwhile. So before it ends, it closes this queue and waits
// until no other thread is making or waking its loop (`loopUsers`). It also asks for its loop then: only a thread that has asked for
// its loop takes it down.

#if os(Linux)
internal import CRunLoop
internal import FoundationEssentials
import Synchronization

/// The requests for one thread. Unless a comment says otherwise, methods may be called from any thread.
@safe final class PerformQueue: @unchecked Sendable {
    private enum Life {
        case notBegun
        case open(RunningThread)
        case closed
    }

    private let isMainThreads: Bool
    private let monitor = Monitor()                          // guards all that follows
    private var life: Life
    private var waiting = PerformRequests()
    private var beingPerformed: [PerformRequest] = []        // more than one when runs are nested
    @safe private var runLoop: CFRunLoop?                    // nil until the first request
    private var reference: Reference<RunLoop>?               // to the loop
    /// The number of other threads that are making or waking the loop, plus `isClosing` from the end on. It grows in a locked section only.
    private let loopUsers = Atomic(0)
    private static let isClosing = 1 << 62

    /// The queue of a thread that has not begun. It keeps requests until the thread begins.
    init() {
        isMainThreads = false
        life = .notBegun
    }

    /// The queue of a thread that is running.
    init(on thread: RunningThread) {
        isMainThreads = thread.isMainThread
        life = .open(thread)
    }

    /// The thread, if it is running.
    var running: RunningThread? {
        monitor.locked {
            if case .open(let thread) = life { thread } else { nil }
        }
    }

    // MARK: On the target thread

    /// Opens the queue. Call this on the target thread.
    func begin(on thread: RunningThread) {
        while !open(on: thread) {
            let runLoop = CFRunLoop.current
            monitor.locked { setRunLoop(runLoop) } // no other thread makes a loop before the queue is open
        }
    }

    /// False if there are requests but no loop yet.
    private func open(on thread: RunningThread) -> Bool {
        monitor.locked {
            if reference == nil && !waiting.isEmpty { return false }
            life = .open(thread)
            if let runLoop { // this is the loop's thread, so it is awake
                for queue in waiting.all where !queue.isEmpty { signalSource(of: queue, in: runLoop) }
            }
            return true
        }
    }

    /// Closes the queue permanently. Waiting requests are abandoned, and so are those whose calls are in progress. Call this on the target
    /// thread or, if that never began, on any thread.
    func end() {
        let (abandoned, queues) = monitor.locked {
            life = .closed
            let abandoned = waiting.takeAll() + beingPerformed
            for request in abandoned { request.outcome = .abandoned }
            loopUsers.bitwiseOr(Self.isClosing, ordering: .sequentiallyConsistent)
            while loopUsers.load(ordering: .sequentiallyConsistent) != Self.isClosing { _ = monitor.wait(until: .distantFuture) }
            beingPerformed = []
            return (abandoned, waiting.takeQueues())
        }
        for request in abandoned { // without the lock, because this may run a deinitializer
            request.block = nil
            request.end(.abandoned)
        }
        for queue in queues { queue.setSource(nil) }
        runLoop = nil
        guard let reference = reference.take() else { return } // the queue is closed, so no other thread uses it
        _ = CFRunLoop.current // so that the thread takes its loop down when it ends
        withExtendedLifetime(reference) {}
    }

    /// Makes the calls that are waiting when the source of a mode's queue is performed. Requests that arrive during these calls wait for the
    /// next pass. A run that is nested in one of the calls continues with the rest.
    fileprivate func performAll(of source: PerformSource) {
        var batch = beginBatch(of: source)
        while let request = batch.current {
            request.block?()
            request.block = nil
            takeNext(of: &batch)
            request.end(.done) // after the lock, which the woken thread needs for its next request
        }
    }

    /// The requests whose calls one performance of a source makes.
    private struct Batch {
        /// The queues from which they come.
        var queues: [PerformModeQueue]
        /// The turn of the last of them.
        var lastTurn: UInt64
        /// The one that is taken; nil if no more are left.
        var current: PerformRequest?
    }

    private func beginBatch(of source: PerformSource) -> Batch {
        monitor.locked {
            var batch = Batch(queues: source.queues, lastTurn: waiting.lastTurn)
            if waiting.hasSeveralModes, source.queues[0].mode == .common, let current = runLoop?.currentMode,
               let queue = waiting.queue(for: current) { batch.queues.append(queue) }
            take(of: &batch)
            return batch
        }
    }

    /// Marks the current request of a batch as done, and takes the next one.
    private func takeNext(of batch: inout Batch) {
        monitor.locked {
            if let request = batch.current {
                if beingPerformed.last === request { beingPerformed.removeLast() } else { beingPerformed.removeAll { $0 === request } }
                request.outcome = .done
            }
            take(of: &batch)
        }
    }

    /// Call with the monitor locked.
    private func take(of batch: inout Batch) {
        batch.current = nil
        guard let (request, left) = waiting.takeFirst(from: batch.queues, upTo: batch.lastTurn) else { return }
        beingPerformed.append(request)
        for queue in batch.queues where !queue.isEmpty { // so that a run nested in the call finds the rest
            if let source = queue.source { source.signal() }
        }
        withdrawSignals(of: left)
        batch.current = request
    }

    /// Replaces the sources that are signalled for a request that has stopped waiting, because its call is being made for another mode or
    /// has been cancelled. A signal cannot be withdrawn in another way, and it would end a run that has handled nothing. Call with the
    /// monitor locked.
    private func withdrawSignals(of queues: [PerformModeQueue]) {
        guard let runLoop else { return }
        for queue in queues where queue.isEmpty {
            guard let source = queue.source, source.isSignalled else { continue }
            addSource(for: queue, to: runLoop)
        }
    }

    // MARK: On any thread

    /// Performs `block` on the target thread in one of the modes. With no modes, nothing happens. If the target thread itself waits, it
    /// makes the call at once.
    func perform(inModes modes: [RunLoop.Mode], waitUntilDone: Bool, block: @escaping @Sendable () -> Void) throws(PerformError) {
        if modes.isEmpty { return }
        let request = PerformRequest(modes: modes, isWaitedFor: waitUntilDone, block: block)
        switch add(request) {
        case .refused: throw error(.threadHasFinished)
        case .isOwn: block()
        case .added: if waitUntilDone, request.wait() != .done { throw error(.threadFinishedMeanwhile) }
        }
    }

    /// Performs `block` on the target thread in one of the modes, and awaits the result.
    func perform<Result: Sendable>(
        inModes modes: [RunLoop.Mode], isolation: isolated (any Actor)?, block: @escaping @Sendable () -> Result
    ) async throws(PerformError) -> Result {
        precondition(!modes.isEmpty, "Thread.perform(on:modes:_:) needs at least one mode")
        let answer = OneAnswer<Swift.Result<Result, PerformError>>()
        let finished = error(.threadFinishedMeanwhile)
        let request = PerformRequest(modes: modes, isWaitedFor: false, block: { answer.give(.success(block())) }, completion: { outcome in
            if outcome != .done { answer.give(.failure(outcome == .cancelled ? .cancelled : finished)) }
        })
        if case .refused = add(request) { answer.give(.failure(error(.threadHasFinished))) }
        return try await answer.wait(isolation: isolation) { self.cancel(request) }.get()
    }

    /// Returns the error that reports the end of the target thread: the main thread's has its own.
    private func error(_ error: PerformError) -> PerformError {
        isMainThreads ? .mainThreadHasEnded : error
    }

    /// Cancels a waiting request. A call that has begun continues.
    private func cancel(_ request: PerformRequest) {
        let isCancelled = monitor.locked {
            guard request.isWaiting else { return false }
            withdrawSignals(of: waiting.take(request))
            request.outcome = .cancelled
            return true
        }
        guard isCancelled else { return }
        request.block = nil
        request.end(.cancelled)
    }

    private enum Added {
        /// The thread has finished.
        case refused
        /// Nothing was done, because the thread itself would wait for the call.
        case isOwn
        case added
    }

    private func add(_ request: PerformRequest) -> Added {
        while true {
            switch append(request) {
            case .refused: return .refused
            case .isOwn: return .isOwn
            case .kept: return .added
            case .needsLoop(let thread): makeRunLoop(of: thread)
            case .signalled:
                runLoop?.wakeUp() // after the lock, which the thread needs as soon as it is awake
                endUseOfLoop()
                return .added
            }
        }
    }

    private enum Appended {
        /// The thread has finished.
        case refused
        /// Nothing was done, because the thread itself would wait for the call.
        case isOwn
        /// The thread has not begun.
        case kept
        /// Nothing was done, because the loop must be made first. The calling thread counts as a user of the loop.
        case needsLoop(of: RunningThread)
        /// The sources are signalled, and the loop must be woken. The calling thread counts as a user of the loop.
        case signalled
    }

    private func append(_ request: PerformRequest) -> Appended {
        monitor.locked {
            switch life {
            case .closed: return .refused
            case .notBegun:
                waiting.append(request)
                return .kept
            case .open(let thread):
                if request.isWaitedFor, thread.isCaller { return .isOwn }
                loopUsers.add(1, ordering: .sequentiallyConsistent)
                guard let runLoop else { return .needsLoop(of: thread) }
                waiting.append(request)
                for queue in request.queues { signalSource(of: queue, in: runLoop) }
                return .signalled
            }
        }
    }

    /// Makes the target thread's loop, and ends the use of it. Two threads may do so at a time; they get the same loop. DOES CALLOUT, so
    /// call this without a lock.
    private func makeRunLoop(of thread: RunningThread) {
        let made = CFRunLoop.ofThread(thread.pthread)
        monitor.locked {
            if reference == nil { setRunLoop(made) }
        }
        endUseOfLoop()
    }

    /// Call with the monitor locked.
    @safe private func setRunLoop(_ runLoop: CFRunLoop) {
        reference = Reference(retaining: runLoop)
        self.runLoop = reference?.object
    }

    /// Call without the lock. The thread that waits in `end` checks the count with the lock, so it misses no change.
    private func endUseOfLoop() {
        let users = loopUsers.subtract(1, ordering: .sequentiallyConsistent).newValue
        if users == Self.isClosing { monitor.locked { monitor.wakeAll() } }
    }

    // MARK: Sources

    /// Signals the source of a mode's queue, and first makes and adds it if there is none. Call with the monitor locked.
    ///
    /// A mode that is common and has also been named has two sources. The common one is performed first, because of its order, and makes
    /// the calls of both, so that all calls are made in the order of the requests.
    @safe private func signalSource(of queue: PerformModeQueue, in runLoop: CFRunLoop) {
        if let source = queue.source { return source.signal() }
        addSource(for: queue, to: runLoop)
        queue.source?.signal()
    }

    /// Makes a source for a queue, and adds it before the previous one is removed, so that the mode is never empty. Call with the monitor
    /// locked.
    @safe private func addSource(for queue: PerformModeQueue, to runLoop: CFRunLoop) {
        let order = queue.mode == .common ? 0 : 1, info = PerformSource(performs: self, queue: queue)
        let source = CFRunLoopSource.make(order: order, info, perform: __NSThreadPerformPerform)
        runLoop.add(source.object, queue.mode.cfString)
        queue.setSource(source)
    }
}

/// The `info` of a source.
private final class PerformSource: CallbackInfo {
    let performs: PerformQueue
    let queues: [PerformModeQueue] // the queue of the source's mode

    init(performs: PerformQueue, queue: PerformModeQueue) {
        self.performs = performs
        queues = [queue]
    }
}

/// The `perform` callback of the sources: in a stack, the frame between the Source0 callout and the call, under its name on a Mac. The
/// statement after the call keeps this frame in the stack.
@_cdecl("__NSThreadPerformPerform")
@safe private func __NSThreadPerformPerform(_ info: UnsafeMutableRawPointer?) {
    let source = PerformSource.of(info)
    source.performs.performAll(of: source)
    withExtendedLifetime(source) {}
}
#endif
