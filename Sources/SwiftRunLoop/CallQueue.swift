// CallQueue.swift: the calls that a loop is to make, the sources that notify it of them, and the way to a thread's loop from other threads.
//
// There is one source for each mode that a waiting call names: one that is signalled for a mode that is not running would lose the signal, or
// be called again and again. A source leaves its mode with its last call, because a source without work would keep the mode from being empty.
// That of calls for a thread stays, because adding and removing it would cost more than such a call. When the loop's thread ends, `cancel` of
// the source tells the queue. So a source stays until no call is being made: a call may end the thread.
//
// A call is in the line of each mode that it names. When it is taken, it leaves a gap in the lines, and a line is compacted when most of it is
// gaps. So a call costs the same, no matter how many wait, for which modes, or for how long. Only the sorting of a pass's calls costs more,
// and only if their orders differ.
//
// The lock guards bookkeeping alone: closures, arguments and completions are called, compared and released without it.

#if os(Linux)
internal import CRunLoop
import Synchronization

/// The calls that name one mode, in the order in which they came. A request without lines does not wait any more: it is a gap. Guarded by the
/// lock of the queue.
final class CallLine: @unchecked Sendable {
    let mode: RunLoop.Mode
    fileprivate var requests: [PerformRequest] = []
    fileprivate var count = 0                                 // of those that wait
    fileprivate var source: CFRunLoopSource?
    fileprivate var info: CallSource?                         // the source's
    fileprivate var sourceStays = false                       // after the last call
    fileprivate var isIdle = false                            // whether it is in the queue's list
    fileprivate init(_ mode: RunLoop.Mode) { self.mode = mode }
}

/// The calls of one loop. May be used from any thread. It does not retain the loop, whose RunLoop retains it.
@safe final class CallQueue: @unchecked Sendable {
    fileprivate typealias Made = (source: CFRunLoopSource, mode: RunLoop.Mode)

    /// The lock guards it, and the lines and requests that it has.
    fileprivate struct State: @unchecked Sendable {
        var lines: [RunLoop.Mode: CallLine] = [:]
        /// The modes of the last call, and their lines. Most calls name the same modes.
        var last: (modes: [RunLoop.Mode], lines: [CallLine]) = ([], [])
        /// Lines that have become empty. Their sources leave when no call is being made.
        var idle: [CallLine] = []
        var lastNumber = 0
        /// The requests of each target, by the hashes of their arguments.
        var targets: [PerformRequest.Target: [Int: [PerformRequest]]] = [:]
        /// The completions of the calls that are being made; more than one when runs are nested.
        var made: [(number: Int, completion: PerformRequest.Completion)] = []
        /// The number of sources that are being performed.
        var depth = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    // MARK: Any thread

    /// Adds a call, and wakes the loop. A call that has been cancelled is not added.
    func add(_ request: PerformRequest, to runLoop: RunLoop) throws(PerformError) {
        guard let new = append(request, runLoop) else { throw runLoop === RunLoop.main ? .mainThreadHasEnded : .threadHasFinished }
        for (source, mode) in new {
            runLoop.cfRunLoop.add(source, mode.cfString)
            // A loop that is ending takes no source. If the loop has the source no more because its calls have been made, the line has
            // another one or none.
            guard !runLoop.cfRunLoop.contains(source, mode.cfString) else { continue }
            if state.withLock({ $0.lines[mode]?.source == source }) { end(.threadFinishedMeanwhile) }
        }
        runLoop.wakeUp()
    }

    /// Returns the sources that must be added to the loop; nil if the queue is closed, or if the loop has no thread to perform a new source.
    private func append(_ request: PerformRequest, _ runLoop: RunLoop) -> [Made]? {
        state.withLock { state -> [Made]? in
            if state.isClosed { return nil }
            if request.modes != state.last.modes { state.last = (request.modes, makeLines(for: request.modes, &state)) }
            if state.last.lines.contains(where: { $0.source == nil }), runLoop.cfRunLoop.hasEnded { return nil }
            guard request.waits(in: self) else { return [] }
            state.lastNumber += 1
            request.number = state.lastNumber
            request.lines = state.last.lines
            var new: [Made] = []
            for line in request.lines {
                line.requests.append(request)
                line.count += 1
                if request.isThreads { line.sourceStays = true }
                if line.source == nil { new.append((makeSource(for: line), line.mode)) }
                CFRunLoopSourceSignal(line.source)
            }
            state.file(request)
            return new
        }
    }

    /// Returns the lines of the modes, each once.
    private func makeLines(for modes: [RunLoop.Mode], _ state: inout State) -> [CallLine] {
        var lines: [CallLine] = []
        for mode in modes {
            let line = state.lines[mode] ?? CallLine(mode)
            state.lines[mode] = line
            if !lines.contains(where: { $0 === line }) { lines.append(line) }
        }
        return lines
    }

    /// A mode that is common and has also been named has two sources. The common one is performed first, because of its order, and makes
    /// the calls of both, so that all calls are made in their order.
    private func makeSource(for line: CallLine) -> CFRunLoopSource {
        let info = CallSource(queue: self, line: line), order = line.mode == .common ? 0 : 1
        let source = CFRunLoopSource.make(order: order, info, cancel: callsLeave, perform: __NSThreadPerformPerform)
        (line.source, line.info) = (source, info)
        return source
    }

    /// Adds a delayed call, which waits for its timer and must be found by its target.
    func file(_ request: PerformRequest) {
        state.withLock { state in
            if !state.isClosed, request.waits(in: self) { state.file(request) }
        }
    }

    /// Forgets a request whose content has been taken.
    func remove(_ request: PerformRequest) {
        let left = state.withLock { state in
            state.remove(request)
            return state.takeIdleSources()
        }
        for source in left { CFRunLoopSourceInvalidate(source) }
    }

    /// Cancels the calls of a target's methods: all, or those with an argument, which is hashed and compared without the lock.
    func cancel(_ target: PerformRequest.Target, argument: AnyHashable? = nil) {
        let hash = argument?.hashValue
        let found = state.withLock { state in
            hash.map { state.targets[target]?[$0] ?? [] } ?? state.targets[target]?.values.flatMap { $0 } ?? []
        }
        for request in found where argument == nil || request.argument == argument { request.cancel() }
    }

    /// Closes the queue permanently. Waiting calls end with an error, and so do those that are being made.
    func end(_ error: PerformError) {
        let (old, sources) = state.withLock { state in
            let old = state
            state = State(depth: old.depth, isClosed: true)
            let sources = old.lines.values.compactMap { line -> CFRunLoopSource? in
                for request in line.requests { request.lines = [] }
                line.info = nil
                return line.source.take()
            }
            return (old, sources)
        }
        for line in old.lines.values { line.requests.forEach { $0.end(error) } }
        for call in old.made { call.completion(error) }
        for source in sources { CFRunLoopSourceInvalidate(source) }
    }

    // MARK: The loop's thread

    /// Makes the calls that wait when a source is performed, in their order. Calls that are added meanwhile wait for the next pass. A run
    /// that is nested in one of the calls continues with the rest.
    fileprivate func makeCalls(of source: CallSource) {
        let (lines, requests) = state.withLock { state in
            let mayMerge = state.lines.count > 1 && source.line.mode == .common
            return state.begin(source.line, mayMerge ? CFRunLoop.current.currentMode : nil)
        }
        for request in requests {
            var content = request.take()
            if content == nil { continue } // cancelled, or called during one of the calls before
            let completion = content!.completion
            let (stale, new) = state.withLock { state in
                state.remove(request)
                if let completion { state.made.append((request.number, completion)) }
                for line in lines where line.count > 0 { line.source.map { CFRunLoopSourceSignal($0) } } // so that a nested run finds the rest
                return replaceSignalledSources(&state)
            }
            for (source, mode) in new { CFRunLoop.current.add(source, mode.cfString) }
            for source in stale { CFRunLoopSourceInvalidate(source) }
            content!.block()
            content = nil
            if completion != nil, state.withLock({ $0.removeMade(request.number) }) { completion!(nil) }
        }
        let left = state.withLock { state in
            state.depth -= 1
            return state.takeIdleSources()
        }
        for source in left { CFRunLoopSourceInvalidate(source) }
    }

    /// Replaces the sources that are signalled although their lines are empty: a signal cannot be withdrawn in another way, and it would end
    /// a nested run that has handled nothing. The new source is added before the old one leaves, so that the mode is never empty.
    private func replaceSignalledSources(_ state: inout State) -> (stale: [CFRunLoopSource], new: [Made]) {
        var stale: [CFRunLoopSource] = [], new: [Made] = []
        for line in state.idle where line.count == 0 {
            guard let source = line.source, CFRunLoopSourceIsSignalled(source) else { continue }
            stale.append(source)
            new.append((makeSource(for: line), line.mode))
        }
        return (stale, new)
    }

    /// Called when a source leaves its mode. If the queue has not taken the source from its line, the loop has ended.
    fileprivate func leave(_ source: CallSource) {
        if state.withLock({ _ in source.line.info === source }) { end(.threadFinishedMeanwhile) }
    }
}

extension CallQueue.State {
    /// Begins to perform the source of a line.
    /// - Returns: the lines whose calls it makes, and the calls in their order.
    mutating func begin(_ line: CallLine, _ current: RunLoop.Mode?) -> ([CallLine], [PerformRequest]) {
        depth += 1
        var due = [line]
        if let current, let other = lines[current], other.count > 0 { due.append(other) }
        var requests = due.count == 1 && line.count == line.requests.count ? line.requests : due.flatMap(\.requests).filter { !$0.lines.isEmpty }
        if !zip(requests, requests.dropFirst()).allSatisfy({ !($1 < $0) }) { requests.sort(by: <) }
        return (due, requests)
    }

    mutating func remove(_ request: PerformRequest) {
        let left = request.lines
        request.lines = []
        for line in left {
            line.count -= 1
            if line.count == 0 {
                line.requests.removeAll(keepingCapacity: line.requests.count < 64)
                if !line.isIdle { idle.append(line) }
                line.isIdle = true
            } else if line.requests.count > 2 * line.count + 32 {
                line.requests.removeAll { $0.lines.isEmpty }
            }
        }
        unfile(request)
    }

    /// Removes and returns the sources that are to leave, unless a call is being made: those of empty lines, but not the one that stays. If that
    /// one is signalled, because the last call has been cancelled, it leaves, too: it would end a run that has handled nothing.
    mutating func takeIdleSources() -> [CFRunLoopSource] {
        guard depth == 0, !idle.isEmpty else { return [] }
        defer { idle.removeAll(keepingCapacity: true) }
        return idle.compactMap { line in
            line.isIdle = false
            guard line.count == 0, !line.sourceStays || line.source.map({ CFRunLoopSourceIsSignalled($0) }) == true else { return nil }
            line.info = nil
            return line.source.take()
        }
    }

    /// Removes a call that has been made. False if the queue has ended meanwhile, and the call with it.
    mutating func removeMade(_ number: Int) -> Bool {
        guard let index = made.lastIndex(where: { $0.number == number }) else { return false }
        made.remove(at: index) // its completion is the caller's, too
        return true
    }

    mutating func file(_ request: PerformRequest) {
        guard let target = request.target else { return }
        request.place = targets[target]?[request.argumentHash]?.count ?? 0
        targets[target, default: [:]][request.argumentHash, default: []].append(request)
    }

    mutating func unfile(_ request: PerformRequest) {
        guard let target = request.target, targets[target]?[request.argumentHash] != nil else { return }
        func remove(from requests: inout [PerformRequest]) -> Bool {
            let last = requests.removeLast()
            if last !== request { (requests[request.place], last.place) = (last, request.place) }
            return requests.isEmpty
        }
        guard remove(from: &targets[target]![request.argumentHash]!) else { return }
        targets[target]![request.argumentHash] = nil
        if targets[target]!.isEmpty { targets[target] = nil }
    }
}

/// The `info` of a source.
@safe final class CallSource: CallbackInfo {
    fileprivate let queue: CallQueue
    fileprivate let line: CallLine
    fileprivate init(queue: CallQueue, line: CallLine) { (self.queue, self.line) = (queue, line) }
}

/// The `perform` callback of the sources: in a stack, the frame between the Source0 callout and the call, under its name on a Mac. The
/// statement after the call keeps this frame in the stack.
@_cdecl("__NSThreadPerformPerform")
@safe private func __NSThreadPerformPerform(_ info: UnsafeMutableRawPointer?) {
    let source = CallSource.of(info)
    source.queue.makeCalls(of: source)
    withExtendedLifetime(source) {}
}

/// The `cancel` callback of the sources.
@safe private func callsLeave(_ info: UnsafeMutableRawPointer?, _ loop: CFRunLoop?, _ mode: CFRunLoopMode?) {
    let source = CallSource.of(info)
    source.queue.leave(source)
}

/// A thread as other threads reach its loop.
///
/// If the thread has no loop, the thread that makes the first call makes it. A thread that never asks for its loop, and for which there are no
/// calls, has no loop (R3). The loop is made without a lock, because that may take down the loop of another thread that has ended, which calls
/// clients. The target thread must live meanwhile: before it ends, it waits until no other thread is making its loop (`makers`).
@safe final class ThreadCalls: @unchecked Sendable {
    private enum Life {
        case notBegun
        case running(RunningThread)
        case ended
    }

    private let isMainThreads: Bool
    private let monitor = Monitor()                          // guards all that follows
    private var life: Life
    private var kept: [PerformRequest] = []                  // until the thread begins
    private var runLoop: RunLoop?                            // if another thread has asked for it
    private var makers = 0

    /// Nil stands for a thread that has not begun.
    init(on thread: RunningThread? = nil) {
        isMainThreads = thread?.isMainThread ?? false
        life = thread.map(Life.running) ?? .notBegun
    }

    /// Whether it is the main thread's, and that has ended, although the process continues.
    var isEndedMainThreads: Bool { isMainThreads && _CFMainThreadHasEnded() }

    /// The thread, if it is running.
    var running: RunningThread? {
        if isEndedMainThreads { return nil }
        return monitor.locked {
            if case .running(let thread) = life { thread } else { nil }
        }
    }

    /// Adds the calls that have been kept for the thread's loop. Call this on the thread.
    func begin(on thread: RunningThread) {
        while let requests = take(orBegin: thread) {
            let runLoop = CFRunLoop.current.runLoop
            for request in requests { try? runLoop.calls.add(request, to: runLoop) }
        }
    }

    /// Takes the calls that have been kept. If there are none, the thread is running from now on.
    private func take(orBegin thread: RunningThread) -> [PerformRequest]? {
        monitor.locked {
            if kept.isEmpty { life = .running(thread) }
            defer { kept = [] }
            return kept.isEmpty ? nil : kept
        }
    }

    /// Refuses calls from now on, and ends those that wait. Call this on the thread or, if that never began, on any thread.
    func end() {
        let (requests, runLoop) = monitor.locked {
            life = .ended
            while makers > 0 { _ = monitor.wait(until: .distantFuture) }
            defer { (kept, self.runLoop) = ([], nil) }
            return (kept, self.runLoop)
        }
        let error = isMainThreads ? PerformError.mainThreadHasEnded : .threadFinishedMeanwhile
        for request in requests { request.end(error) }
        guard let runLoop else { return }
        _ = CFRunLoop.current // so that the thread takes its loop down when it ends
        runLoop.calls.end(error)
    }

    /// Adds a call to the queue of the thread's loop.
    func add(_ request: PerformRequest) throws(PerformError) {
        request.isThreads = true
        switch monitor.locked({ place(for: request) }) {
        case .ended: throw isMainThreads ? .mainThreadHasEnded : .threadHasFinished
        case .kept: break
        case .loop(let runLoop): try runLoop.calls.add(request, to: runLoop)
        case .unmade(let thread):
            let made = CFRunLoop.ofThread(thread.pthread).runLoop // DOES CALLOUT
            monitor.locked {
                runLoop = made
                makers -= 1
                if makers == 0 { monitor.wakeAll() }
            }
            try made.calls.add(request, to: made)
        }
    }

    private enum Place { case ended, kept, loop(RunLoop), unmade(of: RunningThread) }

    /// Call with the monitor locked.
    private func place(for request: PerformRequest) -> Place {
        if isEndedMainThreads { return .ended }
        switch life {
        case .ended: return .ended
        case .notBegun:
            kept.append(request)
            return .kept
        case .running(let thread):
            if let runLoop { return .loop(runLoop) }
            makers += 1
            return .unmade(of: thread)
        }
    }
}
#endif
