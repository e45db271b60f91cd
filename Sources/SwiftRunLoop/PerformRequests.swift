// PerformRequests.swift: the calls that wait for a thread, in one queue for each mode that a request names.
//
// A request is in the queue of each of its modes. When it is taken from one queue, it leaves a gap in the others, and a queue is compacted
// when more than half of it is gaps. So each step costs the same, no matter how many requests wait, for which modes, or for how long: a
// request for a mode that never runs does not slow down the others.

internal import CRunLoop

/// One call that a thread is to make. A member without a comment does not change.
final class PerformRequest: @unchecked Sendable {
    enum Outcome { case pending, done, abandoned, cancelled }

    let modes: Set<RunLoop.Mode>
    let isWaitedFor: Bool
    /// Called without a lock when the outcome is known, on the thread that caused it. Only a task that waits needs it.
    let completion: (@Sendable (Outcome) -> Void)?
    /// Used by the requesting thread until the request is queued, and then by the thread that takes it from the queue.
    var block: (@Sendable () -> Void)?
    var outcome = Outcome.pending      // guarded by the queue's monitor, like the two below
    fileprivate(set) var turn: UInt64 = 0
    fileprivate(set) var isWaiting = false

    /// - Parameter isWaitedFor: whether a thread waits at the queue's monitor.
    init(
        modes: [RunLoop.Mode], isWaitedFor: Bool, block: @escaping @Sendable () -> Void, completion: (@Sendable (Outcome) -> Void)? = nil
    ) {
        self.modes = Set(modes)
        self.isWaitedFor = isWaitedFor
        self.block = block
        self.completion = completion
    }
}

/// All waiting requests, in the order in which they came. Guarded by the queue's monitor.
struct PerformRequests {
    /// The requests that name one mode, in the order of their turns. A request that does not wait any more is a gap.
    private struct ModeQueue {
        private var places: [PerformRequest] = []
        private var first = 0
        private(set) var count = 0 // of those that wait

        mutating func append(_ request: PerformRequest) {
            places.append(request)
            count += 1
        }

        var head: PerformRequest? {
            mutating get {
                while first < places.count, !places[first].isWaiting { first += 1 }
                return first < places.count ? places[first] : nil
            }
        }

        /// Counts one request that has been taken. The queue is compacted when most places are gaps, so that each request is moved about
        /// once.
        mutating func makeGap() {
            count -= 1
            guard places.count > 2 * count + 32 else { return }
            places.removeAll { !$0.isWaiting }
            first = 0
        }

        var waiting: [PerformRequest] { places[first...].filter(\.isWaiting) }
    }

    private var queues: [RunLoop.Mode: ModeQueue] = [:]
    /// The turn of the newest request.
    private(set) var lastTurn: UInt64 = 0

    var isEmpty: Bool { queues.isEmpty }

    /// The modes for which requests wait.
    var modes: Dictionary<RunLoop.Mode, some Any>.Keys { queues.keys }

    func isEmpty(for mode: RunLoop.Mode) -> Bool { queues[mode] == nil }

    mutating func append(_ request: PerformRequest) {
        lastTurn += 1
        request.turn = lastTurn
        request.isWaiting = true
        for mode in request.modes { queues[mode, default: ModeQueue()].append(request) }
    }

    /// Takes the oldest request for any of the modes; nil if there is none, or if its turn is after `limit`.
    mutating func takeFirst(for modes: [RunLoop.Mode], upTo limit: UInt64) -> PerformRequest? {
        let heads = modes.compactMap { queues[$0]?.head }
        guard let first = heads.min(by: { $0.turn < $1.turn }), first.turn <= limit else { return nil }
        take(first)
        return first
    }

    /// Takes a waiting request.
    mutating func take(_ request: PerformRequest) {
        request.isWaiting = false
        for mode in request.modes {
            queues[mode]!.makeGap()
            if queues[mode]!.count == 0 { queues[mode] = nil }
        }
    }

    /// Takes all requests, in no particular order.
    mutating func takeAll() -> [PerformRequest] {
        var taken: [PerformRequest] = []
        for queue in queues.values {
            for request in queue.waiting {
                request.isWaiting = false
                taken.append(request)
            }
        }
        queues = [:]
        return taken
    }
}
