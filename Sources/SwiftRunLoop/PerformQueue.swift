// PerformQueue.swift: the calls that one thread is to make for others, and the sources that notify it.
//
// A thread has one version 0 source for the common modes, made at the first request, and one more for each mode that a request has named.
// (It is not documented how many Foundation has on a Mac; published accounts find one for each named mode, too.) One source for several
// modes would not do: signalled for a mode that does not run now, it would either lose the signal or be called again and again.
//
// Which thread makes the loop? A thread that never asks for its loop, and for which there are no requests, has no loop (R3). The first
// request makes the loop, on the requesting thread. It does so without a lock, because making a loop may take down the loop of another
// thread that has ended, and that calls clients. This is safe as long as the thread lives: before it ends, it closes this queue and waits
// for the visitors, the threads that are making or waking its loop. A thread does not know of a loop that another thread made for it, so
// the loop would stay behind; therefore the thread asks for its loop when it closes the queue.

internal import CRunLoop
internal import FoundationEssentials
internal import Glibc

/// A thread that has begun and has not ended.
enum RunningThread {
    case main
    case thread(pthread_t)

    var isMainThread: Bool {
        if case .main = self { true } else { false }
    }

    var isCaller: Bool {
        switch self {
        case .main: _CFIsMainThread()
        case .thread(let thread): pthread_equal(thread, pthread_self()) != 0
        }
    }

    var pthread: pthread_t {
        switch self {
        case .main: pthread_main_thread_np()
        case .thread(let thread): thread
        }
    }
}

/// The requests for one thread. Unless a comment says otherwise, methods may be called from any thread.
final class PerformQueue: @unchecked Sendable {
    private enum Life {
        case notBegun
        case open(RunningThread)
        case closed
    }

    private let isMainThreads: Bool
    private let monitor = Monitor()                          // guards all that follows
    private var life: Life
    private var waiting = PerformLines()
    private var beingPerformed: [PerformRequest] = []        // more than one when runs are nested
    private var visitors = 0                                 // threads that are making or waking the loop, which must not end meanwhile
    private var runLoop: OpaquePointer?                      // retained; nil until the first request
    private var sources: [RunLoop.Mode: OpaquePointer] = [:] // retained, in that loop and mode

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

    var running: RunningThread? {
        monitor.locked {
            if case .open(let thread) = life { thread } else { nil }
        }
    }

    var runLoopIfAny: OpaquePointer? {
        monitor.locked {
            guard case .open(let thread) = life else { return nil }
            return _CFRunLoopGet0b(thread.pthread)
        }
    }

    // MARK: The thread's part

    /// Opens the queue. Call this on the thread.
    func begin(on thread: RunningThread) {
        while !open(on: thread) {
            let runLoop = OpaquePointer(CFRetain(UnsafeRawPointer(CFRunLoopGetCurrent()!))!)
            monitor.locked { self.runLoop = runLoop } // no other thread makes a loop before the queue is open
        }
    }

    /// False if there are requests but no loop yet.
    private func open(on thread: RunningThread) -> Bool {
        monitor.locked {
            if runLoop == nil && !waiting.isEmpty { return false }
            life = .open(thread)
            if let runLoop { // this is the loop's thread, so it is awake
                for mode in waiting.modes { CFRunLoopSourceSignal(source(for: mode, in: runLoop)) }
            }
            return true
        }
    }

    /// Closes the queue permanently. Waiting requests are abandoned, and so are those whose calls are in progress. Call this on the thread,
    /// or for a thread that never began.
    func end() {
        let (abandoned, sources, runLoop) = monitor.locked {
            life = .closed
            let forgotten = waiting.takeAll(), abandoned = forgotten + beingPerformed
            for request in abandoned { request.outcome = .abandoned }
            monitor.wakeAll()
            while visitors > 0 { _ = monitor.wait(until: .distantFuture) }
            defer { (beingPerformed, self.sources, self.runLoop) = ([], [:], nil) }
            return (abandoned, Array(self.sources.values), self.runLoop)
        }
        for request in abandoned { // without the lock, because this may run a deinitializer
            request.block = nil
            request.completion?(.abandoned)
        }
        for source in sources { discard(source) }
        guard let runLoop else { return }
        _ = CFRunLoopGetCurrent() // now the thread knows its loop, and takes it down when it ends
        CFRelease(UnsafeRawPointer(runLoop))
    }

    /// The source of `mode` has been called: makes the calls that are waiting. Requests that come in meanwhile wait for the next pass. A
    /// run that is nested in one of the calls continues with the rest.
    fileprivate func performAll(for mode: RunLoop.Mode) {
        let (lastTurn, runLoop) = monitor.locked { (waiting.lastTurn, sources.count > 1 ? self.runLoop : nil) }
        var modes = [mode]
        if mode == .common, let runLoop, let current = RunLoop.Mode.current(of: runLoop) { modes.append(current) }
        while let request = takeNext(for: modes, upTo: lastTurn) {
            request.block?()
            request.block = nil
            finish(request)
        }
    }

    private func takeNext(for modes: [RunLoop.Mode], upTo lastTurn: UInt64) -> PerformRequest? {
        monitor.locked {
            guard let request = waiting.takeFirst(for: modes, upTo: lastTurn) else { return nil }
            beingPerformed.append(request)
            for mode in modes where !waiting.isEmpty(for: mode) { // so that a run nested in the call finds the rest
                if let source = sources[mode] { CFRunLoopSourceSignal(source) }
            }
            calmSources(of: request)
            return request
        }
    }

    private func finish(_ request: PerformRequest) {
        monitor.locked {
            beingPerformed.removeAll { $0 === request }
            request.outcome = .done
        }
        if request.isWaitedFor { monitor.wakeAll() } // after the lock, which the woken thread needs
        request.completion?(.done)
    }

    /// A signal cannot be taken back. If a source is signalled for a request that does not wait any more, because its call is being made
    /// for another mode or has been cancelled, the source is replaced; otherwise it would end a run that has handled nothing. Call with the
    /// monitor locked.
    private func calmSources(of request: PerformRequest) {
        guard let runLoop else { return }
        for mode in request.modes where waiting.isEmpty(for: mode) {
            guard let source = sources[mode], CFRunLoopSourceIsSignalled(source) else { continue }
            sources[mode] = nil
            _ = self.source(for: mode, in: runLoop) // the new one comes first, so that the mode is never empty
            discard(source)
        }
    }

    // MARK: The others' part

    /// Has the thread call `block` in one of the modes. With no modes, nothing happens. If the thread itself waits, it makes the call at
    /// once.
    func perform(inModes modes: [RunLoop.Mode], waitUntilDone: Bool, block: @escaping @Sendable () -> Void) throws(PerformError) {
        if modes.isEmpty { return }
        if waitUntilDone, let running, running.isCaller { return block() }
        let request = PerformRequest(modes: modes, isWaitedFor: waitUntilDone, block: block)
        if !add(request) { throw isMainThreads ? .mainThreadHasEnded : .threadHasFinished }
        if waitUntilDone, !wait(for: request) { throw isMainThreads ? .mainThreadHasEnded : .threadFinishedMeanwhile }
    }

    /// Has the thread call `block` in one of the modes, and waits for the result without blocking the calling thread.
    func perform<Result: Sendable>(
        inModes modes: [RunLoop.Mode], isolation: isolated (any Actor)?, block: @escaping @Sendable () -> Result
    ) async throws(PerformError) -> Result {
        precondition(!modes.isEmpty, "a perform whose result is waited for needs a mode")
        let answer = OneAnswer<Swift.Result<Result, PerformError>>()
        let finished = isMainThreads ? PerformError.mainThreadHasEnded : .threadFinishedMeanwhile
        let request = PerformRequest(modes: modes, isWaitedFor: false, block: { answer.give(.success(block())) }, completion: { outcome in
            if outcome != .done { answer.give(.failure(outcome == .cancelled ? .cancelled : finished)) }
        })
        if !add(request) { answer.give(.failure(isMainThreads ? .mainThreadHasEnded : .threadHasFinished)) }
        return try await answer.wait(isolation: isolation) { self.cancel(request) }.get()
    }

    /// Cancels a waiting request. A call that has begun continues.
    private func cancel(_ request: PerformRequest) {
        let isCancelled = monitor.locked {
            guard request.isWaiting else { return false }
            waiting.take(request)
            request.outcome = .cancelled
            calmSources(of: request)
            return true
        }
        guard isCancelled else { return }
        request.block = nil
        request.completion?(.cancelled)
    }

    /// False if the thread has finished.
    private func add(_ request: PerformRequest) -> Bool {
        while true {
            switch append(request) {
            case .refused: return false
            case .kept: return true
            case .needsLoop(let thread): makeRunLoop(of: thread)
            case .announced(let runLoop):
                CFRunLoopWakeUp(runLoop) // after the lock, which the thread needs as soon as it is awake
                monitor.locked { visitorLeaves() }
                return true
            }
        }
    }

    private enum Appended {
        /// The thread has finished.
        case refused
        /// The thread has not begun.
        case kept
        /// Nothing was done, because the loop must be made first. The calling thread is a visitor.
        case needsLoop(of: RunningThread)
        /// The sources are signalled, and the loop must be woken. The calling thread is a visitor.
        case announced(OpaquePointer)
    }

    private func append(_ request: PerformRequest) -> Appended {
        monitor.locked {
            switch life {
            case .closed: return .refused
            case .notBegun:
                waiting.append(request)
                return .kept
            case .open(let thread):
                visitors += 1
                guard let runLoop else { return .needsLoop(of: thread) }
                waiting.append(request)
                for mode in request.modes { CFRunLoopSourceSignal(source(for: mode, in: runLoop)) }
                return .announced(runLoop)
            }
        }
    }

    /// Makes the thread's loop, as a visitor. Two threads may do so at a time; they get the same loop. DOES CALLOUT, so call this without a
    /// lock.
    private func makeRunLoop(of thread: RunningThread) {
        let made = OpaquePointer(CFRetain(UnsafeRawPointer(_CFRunLoopGet0(thread.pthread)!))!)
        let surplus = monitor.locked {
            defer {
                runLoop = runLoop ?? made
                visitorLeaves()
            }
            return runLoop
        }
        if let surplus { CFRelease(UnsafeRawPointer(surplus)) }
    }

    /// Call with the monitor locked.
    private func visitorLeaves() {
        visitors -= 1
        if visitors == 0, case .closed = life { monitor.wakeAll() }
    }

    /// Waits until the outcome is known. False if the thread has finished without completing the call: `end` says so.
    private func wait(for request: PerformRequest) -> Bool {
        monitor.locked {
            while request.outcome == .pending { _ = monitor.wait(until: .distantFuture) }
            return request.outcome == .done
        }
    }

    // MARK: Sources

    /// Returns the source for a mode, and makes and adds it if there is none. If a mode is common and has also been named, both sources are
    /// called; the common one comes first and also takes the other's requests, so that the order is kept. Call with the monitor locked.
    private func source(for mode: RunLoop.Mode, in runLoop: OpaquePointer) -> OpaquePointer {
        if let source = sources[mode] { return source }
        var context = CFRunLoopSourceContext()
        context.info = Unmanaged.passRetained(PerformSource(queue: self, mode: mode)).toOpaque()
        context.release = { Unmanaged<PerformSource>.fromOpaque($0!).release() }
        context.perform = __NSThreadPerformPerform
        let source = CFRunLoopSourceCreate(nil, mode == .common ? 0 : 1, &context)!
        CFRunLoopAddSource(runLoop, source, mode.cfString)
        sources[mode] = source
        return source
    }

    private func discard(_ source: OpaquePointer) {
        CFRunLoopSourceInvalidate(source)
        CFRelease(UnsafeRawPointer(source))
    }
}

/// The `info` of a source.
private final class PerformSource {
    let queue: PerformQueue
    let mode: RunLoop.Mode

    init(queue: PerformQueue, mode: RunLoop.Mode) {
        self.queue = queue
        self.mode = mode
    }
}

/// The frame above the Source0 callout that shows a call made for another thread, under the name that it has on a Mac. The statement after
/// the call keeps this frame in the stack.
@_cdecl("__NSThreadPerformPerform")
private func __NSThreadPerformPerform(_ info: UnsafeMutableRawPointer?) {
    let source = Unmanaged<PerformSource>.fromOpaque(info!).takeUnretainedValue()
    source.queue.performAll(for: source.mode)
    withExtendedLifetime(source) {}
}
