// CallQueue.swift: the calls that other threads and tasks perform on a loop, and the sources that notify the loop.
//
// There is one source for each set of modes that calls name, which is in all these modes. It stays there after its last
// call, because adding and removing it would cost more than such a call. So from the first call on, the modes do not
// count as empty.
//
// A pass makes the calls that wait when it begins to perform a source, in the order in which they were requested. If
// they name different sets of modes, the first source makes the calls of all that are in the mode. A call may run the
// loop again: that run continues with the rest.
//
// The lock guards bookkeeping alone: closures and completions are called and released without it.

#if os(Linux)
internal import CRunLoop
import Synchronization

/// The calls that name the same modes, in the order in which they came, and their source. The queue's lock guards it.
private final class CallLine: @unchecked Sendable {
    let modes: [RunLoop.Mode]
    var source: CFRunLoopSource!
    private var calls: [(number: Int, call: Call)] = []

    /// The place of the oldest call. Those before it have been taken.
    private var first = 0

    init(_ modes: [RunLoop.Mode]) { self.modes = modes }

    var isEmpty: Bool { first == calls.count }

    /// Whether a call waits that came no later than this one.
    func waits(upTo number: Int) -> Bool { !isEmpty && calls[first].number <= number }

    /// The number of the oldest call. There must be one.
    var oldest: Int { calls[first].number }

    var waiting: ArraySlice<(number: Int, call: Call)> { calls[first...] }

    func append(_ call: Call, number: Int) { calls.append((number, call)) }

    func takeFirst() -> (number: Int, call: Call) {
        defer {
            first += 1
            if first == calls.count || first >= 64 && first * 2 >= calls.count { // each call is moved once on average
                calls.removeFirst(first)
                first = 0
            }
        }
        return calls[first]
    }

    func remove(_ call: Call) {
        guard let index = waiting.firstIndex(where: { $0.call === call }) else { return }
        calls.remove(at: index)
    }
}

/// The calls of one loop. May be used from any thread. It does not retain the loop, whose RunLoop retains it.
@safe final class CallQueue: Sendable {
    private struct State: @unchecked Sendable {
        /// Programs name few sets of modes, so a line is searched for among all.
        var lines: [CallLine] = []
        var lastNumber = 0

        /// The completions of the calls that are being made; more than one when runs are nested.
        var made: [(number: Int, completion: Call.Completion)] = []
        var isClosed = false
    }

    private let state = Mutex(State())

    // MARK: Any thread

    /// Adds a call, and wakes the loop. A call that has ended is not added.
    func add(_ call: Call, to runLoop: RunLoop) throws(PerformError) {
        let isMain = runLoop === RunLoop.main
        guard let lines = append(call, runLoop) else { throw isMain ? .mainThreadHasEnded : .threadHasFinished }
        for line in lines {
            guard let source = add(line, to: runLoop.cfRunLoop) else { continue }
            // A loop that is ending takes no source.
            let isIn = CFRunLoopContainsSource(runLoop.cfRunLoop, source, line.modes[0].cfString)
            if !isIn, CFRunLoopSourceIsValid(source) { end(isMain ? .mainThreadHasEnded : .threadFinishedMeanwhile) }
        }
        // If the loop has ended meanwhile, the call has, too. A wake-up would only print that it comes to nothing.
        if !runLoop.hasEnded { runLoop.wakeUp() }
    }

    /// Returns the new line, if there is one, whose source must be added to the loop; nil if no thread makes calls now.
    private func append(_ call: Call, _ runLoop: RunLoop) -> [CallLine]? {
        state.withLock { state -> [CallLine]? in
            if state.isClosed { return nil }
            let known = state.lines.first { $0.modes == call.modes }
            if known == nil, runLoop.hasEnded { return nil }
            guard call.waits(in: self) else { return [] }
            let line = known ?? CallLine(call.modes)
            if known == nil {
                makeSource(for: line)
                state.lines.append(line)
            }
            state.lastNumber += 1
            line.append(call, number: state.lastNumber)
            CFRunLoopSourceSignal(line.source)
            return known == nil ? [line] : []
        }
    }

    /// Call this with the lock.
    private func makeSource(for line: CallLine) {
        let info = CallSource(queue: self, line: line)
        line.source = CFRunLoopSource.make(order: 0, info, perform: __NSThreadPerformPerform)
    }

    /// Adds a line's source to the loop. Nil if the source is gone.
    @discardableResult
    private func add(_ line: CallLine, to loop: CFRunLoop) -> CFRunLoopSource? {
        let source: CFRunLoopSource? = state.withLock { _ in line.source }
        if let source { for mode in line.modes { CFRunLoopAddSource(loop, source, mode.cfString) } }
        return source
    }

    /// Forgets a call whose content has been taken. This searches the calls for the same modes. The source of a line
    /// without calls leaves, because its signal would end a run that has handled nothing.
    func remove(_ call: Call) {
        let left = state.withLock { state -> CFRunLoopSource? in
            guard let index = state.lines.firstIndex(where: { $0.modes == call.modes }) else { return nil }
            let line = state.lines[index]
            line.remove(call)
            guard line.isEmpty, CFRunLoopSourceIsSignalled(line.source) else { return nil }
            state.lines.remove(at: index)
            return line.source
        }
        if let left { CFRunLoopSourceInvalidate(left) }
    }

    /// Closes the queue permanently. Waiting calls end with an error, and so do those that are being made.
    func end(_ error: PerformError) {
        let old = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state
        }
        for line in old.lines { for waiting in line.waiting { waiting.call.end(error) } }
        for call in old.made { call.completion(error) }
    }

    // MARK: The loop's thread

    /// Makes the calls that wait when a source is performed, in their order. Calls that are added meanwhile wait for
    /// the next pass.
    fileprivate func makeCalls(of line: CallLine) {
        let loop: CFRunLoop = CFRunLoopGetCurrent(), (lines, last) = due(with: line, loop)
        while let next = take(from: lines, upTo: last, in: loop) {
            var content = next.call.take()
            let completion = content?.completion
            if let completion { state.withLock { $0.made.append((next.number, completion)) } }
            content?.block()
            content = nil
            if let completion, removeMade(next.number) { completion(nil) }
            if next.isLast { return }
        }
    }

    /// The lines whose calls may be made together with those of one line, and the number of the last call.
    private func due(with line: CallLine, _ loop: CFRunLoop) -> ([CallLine], Int) {
        state.withLock { state in
            if state.lines.count == 1 { return ([line], state.lastNumber) }
            let mode = loop.currentMode
            let others = state.lines.filter { other in
                other !== line && mode.map { CFRunLoopContainsSource(loop, other.source, $0.cfString) } == true
            }
            return ([line] + others, state.lastNumber)
        }
    }

    private typealias Next = (number: Int, call: Call, isLast: Bool)

    /// Takes the oldest call. While a line has calls, its source is signalled, so that a run that is nested in a call
    /// finds them. A source that is signalled without calls would end a run that has handled nothing, and a signal
    /// cannot be withdrawn. So the line gets a new source, which is added before the old one leaves: the mode is never
    /// empty.
    private func take(from lines: [CallLine], upTo last: Int, in loop: CFRunLoop) -> Next? {
        var stale: [(line: CallLine, source: CFRunLoopSource)] = []
        let next = state.withLock { state -> Next? in
            var oldest: CallLine?
            for line in lines where line.waits(upTo: last) && line.oldest < oldest?.oldest ?? .max { oldest = line }
            let taken = oldest?.takeFirst()
            for line in lines where !state.isClosed {
                if !line.isEmpty {
                    CFRunLoopSourceSignal(line.source)
                } else if CFRunLoopSourceIsSignalled(line.source) {
                    stale.append((line, line.source))
                    makeSource(for: line)
                }
            }
            return taken.map { ($0.number, $0.call, !lines.contains { $0.waits(upTo: last) }) }
        }
        for (line, source) in stale {
            add(line, to: loop)
            CFRunLoopSourceInvalidate(source)
        }
        return next
    }

    /// Removes a call that has been made. False if the queue has ended meanwhile, and the call with it.
    private func removeMade(_ number: Int) -> Bool {
        state.withLock { state in
            guard let index = state.made.lastIndex(where: { $0.number == number }) else { return false }
            state.made.remove(at: index) // its completion is the caller's, too
            return true
        }
    }
}

/// The `info` of a source.
@safe private final class CallSource: CallbackInfo {
    let queue: CallQueue
    private(set) weak var line: CallLine? // which retains the source

    init(queue: CallQueue, line: CallLine) { (self.queue, self.line) = (queue, line) }
}

/// The `perform` callback of the sources: in a stack, the frame between the Source0 callout and the call, under its
/// name on a Mac. The statement after the call keeps this frame in the stack.
@_cdecl("__NSThreadPerformPerform")
@safe private func __NSThreadPerformPerform(_ info: UnsafeMutableRawPointer?) {
    let source = CallSource.of(info)
    if let line = source.line { source.queue.makeCalls(of: line) }
    withExtendedLifetime(source) {}
}
#endif
