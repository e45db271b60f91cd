// PerformRequests.swift: the calls that wait for a thread, in one queue for each mode that a request names.
//
// A request is in the queue of each of its modes. When it is taken from one queue, it leaves a gap in the others, and a queue is compacted
// when more than half of it is gaps. So each step costs the same, no matter how many requests wait, for which modes, or for how long: a
// request for a mode that never runs does not slow down the others.

#if os(Linux)
internal import CRunLoop

/// One call that a thread is to make. A member without a comment does not change.
final class PerformRequest: @unchecked Sendable {
    enum Outcome { case pending, done, abandoned, cancelled }

    let modes: [RunLoop.Mode]
    /// Whether the requesting thread will call `wait`.
    let isWaitedFor: Bool
    /// Called without a lock when the outcome is known, on the thread that caused it. Only a task that waits needs it.
    let completion: (@Sendable (Outcome) -> Void)?
    /// Used by the requesting thread until the request is queued, and then by the thread that takes it from the queue.
    var block: (@Sendable () -> Void)?
    var outcome = Outcome.pending                    // guarded by the queue's monitor, like the three below
    fileprivate(set) var turn: UInt64 = 0
    fileprivate(set) var queues: [PerformModeQueue] = [] // those that it waits in; none if it does not wait
    private let isKnown: Semaphore? // signalled when the outcome is known; nil if no thread waits

    init(
        modes: [RunLoop.Mode], isWaitedFor: Bool, block: @escaping @Sendable () -> Void, completion: (@Sendable (Outcome) -> Void)? = nil
    ) {
        self.modes = modes
        self.isWaitedFor = isWaitedFor
        self.block = block
        self.completion = completion
        isKnown = isWaitedFor ? Semaphore() : nil
    }

    var isWaiting: Bool { !queues.isEmpty }

    /// Ends the wait of the requesting thread, and calls the completion. Call this once, without a lock, when the outcome is known.
    func end(_ outcome: Outcome) {
        isKnown?.signal()
        completion?(outcome)
    }

    /// Waits until the outcome is known, and returns it. Unlike a condition variable, a semaphore makes no system call for a thread that
    /// does not sleep.
    func wait() -> Outcome {
        isKnown!.wait()
        return outcome
    }
}

/// The requests that name one mode, in the order of their turns. A request that does not wait any more is a gap. Guarded by the monitor of
/// the queue to which it belongs.
@safe final class PerformModeQueue {
    let mode: RunLoop.Mode
    /// Signalled when there is a request; nil until there is a loop.
    @safe private(set) var source: CFRunLoopSource?
    private var reference: Reference<RunLoop.Source>? // to the source, which retains this queue
    private var places: [PerformRequest] = []
    private var first = 0
    private var count = 0                  // of those that wait

    fileprivate init(_ mode: RunLoop.Mode) { self.mode = mode }

    /// Replaces the source, and invalidates the previous one.
    func setSource(_ new: consuming Reference<RunLoop.Source>?) {
        source?.invalidate()
        source = new?.object
        reference = new
    }

    var isEmpty: Bool { count == 0 }

    fileprivate func append(_ request: PerformRequest) {
        places.append(request)
        count += 1
    }

    fileprivate var head: PerformRequest? {
        while first < places.count, !places[first].isWaiting { first += 1 }
        return first < places.count ? places[first] : nil
    }

    /// Counts one request that has been taken. The queue is compacted when most places are gaps, so that each request is moved about once.
    fileprivate func makeGap() {
        count -= 1
        if count == 0 {
            places.removeAll(keepingCapacity: places.count < 64)
        } else if places.count > 2 * count + 32 {
            places.removeAll { !$0.isWaiting }
        } else {
            return
        }
        first = 0
    }
}

/// All waiting requests, in the order in which they came. Guarded by the queue's monitor.
struct PerformRequests {
    /// The queues of all modes that requests have named.
    private var queues: [RunLoop.Mode: PerformModeQueue] = [:]
    /// The modes of the last request, and their queues. Most requests name the same modes.
    private var last: (modes: [RunLoop.Mode], queues: [PerformModeQueue]) = ([], [])
    private var count = 0
    /// The turn of the newest request.
    private(set) var lastTurn: UInt64 = 0

    var isEmpty: Bool { count == 0 }

    /// The queues of all modes that requests have named, in no particular order.
    var all: Dictionary<RunLoop.Mode, PerformModeQueue>.Values { queues.values }

    /// Whether requests have named more than one mode.
    var hasSeveralModes: Bool { queues.count > 1 }

    /// Returns the queue of a mode that a request has named.
    func queue(for mode: RunLoop.Mode) -> PerformModeQueue? { queues[mode] }

    /// Returns the queues of the modes, each once, and makes those that do not exist.
    private mutating func makeQueues(for modes: [RunLoop.Mode]) -> [PerformModeQueue] {
        if modes == last.modes { return last.queues }
        last = (modes, [])
        for mode in modes {
            let queue = queues[mode] ?? PerformModeQueue(mode)
            queues[mode] = queue
            if !last.queues.contains(where: { $0 === queue }) { last.queues.append(queue) }
        }
        return last.queues
    }

    mutating func append(_ request: PerformRequest) {
        lastTurn += 1
        count += 1
        request.turn = lastTurn
        request.queues = makeQueues(for: request.modes)
        for queue in request.queues { queue.append(request) }
    }

    /// Takes the oldest request in any of the queues; nil if there is none, or if its turn is after `limit`. Also returns the queues in
    /// which it waited.
    mutating func takeFirst(from queues: [PerformModeQueue], upTo limit: UInt64) -> (PerformRequest, [PerformModeQueue])? {
        var first: PerformRequest?
        for queue in queues {
            if let head = queue.head, head.turn < first?.turn ?? .max { first = head }
        }
        guard let first, first.turn <= limit else { return nil }
        return (first, take(first))
    }

    /// Takes a waiting request, and returns the queues in which it waited.
    mutating func take(_ request: PerformRequest) -> [PerformModeQueue] {
        count -= 1
        let left = request.queues
        request.queues = []
        for queue in left { queue.makeGap() }
        return left
    }

    /// Takes all requests, in no particular order.
    mutating func takeAll() -> [PerformRequest] {
        var taken: [PerformRequest] = []
        for queue in queues.values {
            while let request = queue.head {
                _ = take(request)
                taken.append(request)
            }
        }
        return taken
    }

    /// Forgets the modes, and returns their queues.
    mutating func takeQueues() -> [PerformModeQueue] {
        defer { (queues, last) = ([:], ([], [])) }
        return Array(queues.values)
    }
}
#endif
