// PerformQueue.swift: what one thread is to do for others, and the sources by which it gets to know.
//
// A thread has one source 0 for the common modes, made at the first perform, and one more for each mode that a perform has named. (How many
// Foundation has on a Mac is not documented; published accounts find one for each named mode, too.) A source that were in several modes would be signalled for a perform of a mode that does not
// run now, and either lose that signal or be called again and again.
//
// Which thread makes the loop? A thread that never asks for its loop and on which nothing is performed has none (R3). The first
// perform makes it, from outside. That is safe as long as the thread lives, and it lives as long as this queue is open: the thread
// closes it, under the same lock, before it ends. A loop made from outside would stay behind, since its thread does not know of it:
// the thread asks for it as it closes the queue.

internal import CRunLoop
internal import FoundationEssentials
internal import Glibc

/// A thread that has begun and not ended.
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
        case .main: _CFRunLoopGet1(CFRunLoopGetMain())
        case .thread(let thread): thread
        }
    }
}

/// One call that a thread is to make.
private final class PerformRequest {
    enum Outcome { case pending, done, abandoned }

    let modes: [RunLoop.Mode]
    let isWaitedFor: Bool
    var block: (@Sendable () -> Void)? // until the request is in the queue its maker's, then the target thread's
    var outcome = Outcome.pending      // guarded by the queue's monitor
    var turn: UInt64 = 0               // likewise

    init(modes: [RunLoop.Mode], isWaitedFor: Bool, block: @escaping @Sendable () -> Void) {
        self.modes = modes
        self.isWaitedFor = isWaitedFor
        self.block = block
    }

    /// Whether it is to be done when the source of `mode` is performed; `current` is the mode that runs, if that matters.
    func isDue(for mode: RunLoop.Mode, in current: OpaquePointer?) -> Bool {
        if modes.contains(mode) { return true }
        guard let current else { return false }
        return modes.contains { CFEqual(UnsafeRawPointer($0.cfString), UnsafeRawPointer(current)) }
    }
}

/// Requests in the order in which they came. Those that have been taken leave a gap until all before them are gone.
private struct PerformList {
    private var places: [PerformRequest?] = []
    private var first = 0

    var all: [PerformRequest] { places[first...].compactMap { $0 } }

    func contains(where isWanted: (PerformRequest) -> Bool) -> Bool {
        places[first...].contains { $0.map(isWanted) ?? false }
    }

    mutating func append(_ request: PerformRequest) {
        places.append(request)
    }

    mutating func takeFirst(where isWanted: (PerformRequest) -> Bool) -> PerformRequest? {
        guard let index = places[first...].firstIndex(where: { $0.map(isWanted) ?? false }) else { return nil }
        defer {
            places[index] = nil
            closeGaps()
        }
        return places[index]
    }

    /// Moves the rest down once half of the places are gaps: each request is moved about once.
    private mutating func closeGaps() {
        while first < places.count, places[first] == nil { first += 1 }
        guard first > places.count / 2 else { return }
        places.removeFirst(first)
        first = 0
    }
}

/// The performs of one thread. All methods but those that say otherwise may be called from any thread.
final class PerformQueue: @unchecked Sendable {
    private enum Life {
        case notBegun
        case open(RunningThread)
        case closed
    }

    private let isMainThreads: Bool
    private let monitor = Monitor()                          // guards all that follows
    private var life: Life
    private var waiting = PerformList()
    private var beingPerformed: [PerformRequest] = []        // more than one when runs are nested
    private var lastTurn: UInt64 = 0
    private var wakers = 0                                   // how many are about to wake the loop, which must not die meanwhile
    private var runLoop: OpaquePointer?                      // retained; nil until something is performed
    private var sources: [RunLoop.Mode: OpaquePointer] = [:] // retained, in that loop and mode

    /// The queue of a thread that has not begun: it keeps what is performed until the thread begins.
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

    /// Opens the queue. To be called on the thread.
    func begin(on thread: RunningThread) {
        monitor.locked {
            life = .open(thread)
            for request in waiting.all { _ = announce(request, to: thread) } // this is the thread: it is awake
        }
    }

    /// Closes the queue for good: nothing that waits in it will be performed, nor what is performed now come to an end. To be called
    /// on the thread, or for one that never was.
    func end() {
        let (forgotten, sources, runLoop) = monitor.locked {
            life = .closed
            let forgotten = waiting.all
            for request in forgotten + beingPerformed { request.outcome = .abandoned }
            monitor.wakeAll()
            while wakers > 0 { _ = monitor.wait(until: .distantFuture) }
            defer { (waiting, beingPerformed, self.sources, self.runLoop) = (PerformList(), [], [:], nil) }
            return (forgotten, Array(self.sources.values), self.runLoop)
        }
        for request in forgotten { request.block = nil } // with nothing locked: it may be the end of something
        for source in sources { discard(source) }
        guard let runLoop else { return }
        _ = CFRunLoopGetCurrent() // the thread gets to know its loop, and takes it down when it ends
        CFRelease(UnsafeRawPointer(runLoop))
    }

    /// Performs what is due: the source of `mode` has been called. What comes in meanwhile waits for the next pass. A run nested in one
    /// of the calls goes on with what is left.
    fileprivate func performAll(for mode: RunLoop.Mode) {
        let (lastTurn, runLoop) = monitor.locked { (self.lastTurn, self.runLoop) }
        let current = mode == .common ? runLoop.flatMap { CFRunLoopCopyCurrentMode($0) } : nil
        defer { if let current { CFRelease(UnsafeRawPointer(current)) } }
        while let request = takeNext(for: mode, in: current, upTo: lastTurn) {
            request.block?()
            request.block = nil
            note(request)
        }
        monitor.locked { calmSources() }
    }

    private func takeNext(for mode: RunLoop.Mode, in current: OpaquePointer?, upTo lastTurn: UInt64) -> PerformRequest? {
        monitor.locked {
            guard let request = waiting.takeFirst(where: { $0.turn <= lastTurn && $0.isDue(for: mode, in: current) }) else { return nil }
            beingPerformed.append(request)
            for (mode, source) in sources where waiting.contains(where: { $0.modes.contains(mode) }) { CFRunLoopSourceSignal(source) }
            return request
        }
    }

    private func note(_ request: PerformRequest) {
        monitor.locked {
            beingPerformed.removeAll { $0 === request }
            request.outcome = .done
        }
        if request.isWaitedFor { monitor.wakeAll() } // after the lock: who wakes up needs it
    }

    /// A signal cannot be taken back. A source that is signalled for something that has been performed since, in another mode or by a nested
    /// run, is replaced: or it would end a run that has handled nothing. Call with the monitor locked.
    private func calmSources() {
        guard let runLoop else { return }
        for (mode, source) in sources where CFRunLoopSourceIsSignalled(source) && !waiting.contains(where: { $0.modes.contains(mode) }) {
            sources[mode] = nil
            _ = self.source(for: mode, in: runLoop) // first the new one: the mode is never empty
            discard(source)
        }
    }

    // MARK: The others' part

    /// Has the thread call `block` in one of the modes. With no modes, nothing happens. Waiting on one's own thread calls it at once.
    func perform(inModes modes: [RunLoop.Mode], waitUntilDone: Bool, block: @escaping @Sendable () -> Void) throws(PerformError) {
        if modes.isEmpty { return }
        if waitUntilDone, let running, running.isCaller { return block() }
        let request = PerformRequest(modes: modes, isWaitedFor: waitUntilDone, block: block)
        if !add(request) { throw isMainThreads ? .mainThreadHasEnded : .threadHasFinished }
        if waitUntilDone, !wait(for: request) { throw isMainThreads ? .mainThreadHasEnded : .threadFinishedMeanwhile }
    }

    /// False if the thread has finished.
    private func add(_ request: PerformRequest) -> Bool {
        let (isAdded, runLoop): (Bool, OpaquePointer?) = monitor.locked {
            if case .closed = life { return (false, nil) }
            lastTurn += 1
            request.turn = lastTurn
            waiting.append(request)
            guard case .open(let thread) = life else { return (true, nil) }
            wakers += 1
            return (true, announce(request, to: thread))
        }
        if let runLoop {
            CFRunLoopWakeUp(runLoop) // after the lock: the thread needs it as soon as it is awake
            monitor.locked {
                wakers -= 1
                if wakers == 0, case .closed = life { monitor.wakeAll() }
            }
        }
        return isAdded
    }

    /// False if the thread has finished without having done it: `end` says so.
    private func wait(for request: PerformRequest) -> Bool {
        monitor.locked {
            while request.outcome == .pending { _ = monitor.wait(until: .distantFuture) }
            return request.outcome == .done
        }
    }

    /// Signals the sources of the request's modes, and returns the loop that is to be woken. Call with the monitor locked.
    private func announce(_ request: PerformRequest, to thread: RunningThread) -> OpaquePointer {
        let runLoop = runLoop(of: thread)
        for mode in request.modes { CFRunLoopSourceSignal(source(for: mode, in: runLoop)) }
        return runLoop
    }

    /// The thread's loop, made if there is none. Call with the monitor locked.
    private func runLoop(of thread: RunningThread) -> OpaquePointer {
        if let runLoop { return runLoop }
        let made = _CFRunLoopGet0(thread.pthread)!
        _ = CFRetain(UnsafeRawPointer(made))
        runLoop = made
        return made
    }

    // MARK: Sources

    /// The source for a mode, made and added if there is none. In a mode that is common and has been named as well, both sources are called;
    /// the common one comes first, and does the other's part too, so that the order is kept. Call with the monitor locked.
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

/// What a source has as its `info`.
private final class PerformSource {
    let queue: PerformQueue
    let mode: RunLoop.Mode

    init(queue: PerformQueue, mode: RunLoop.Mode) {
        self.queue = queue
        self.mode = mode
    }
}

/// The frame that tells, above the source 0 callout, that something is being performed for another thread; a Mac shows the same name.
/// Something must follow the call, or this frame would be gone by then.
@_cdecl("__NSThreadPerformPerform")
private func __NSThreadPerformPerform(_ info: UnsafeMutableRawPointer?) {
    let source = Unmanaged<PerformSource>.fromOpaque(info!).takeUnretainedValue()
    source.queue.performAll(for: source.mode)
    withExtendedLifetime(source) {}
}
