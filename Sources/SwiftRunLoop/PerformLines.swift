// PerformLines.swift: the performs that wait for a thread: one line for each mode that one of them names.
//
// A request stands in the line of each of its modes. It is taken from one and leaves a gap in the others, which goes when half of a line
// is gaps. So each step costs the same however many wait, for whatever modes, and however long: a request for a mode that never
// runs is in nobody's way.

internal import CRunLoop

/// One call that a thread is to make. Whoever has it uses it as is said below.
final class PerformRequest: @unchecked Sendable {
    enum Outcome { case pending, done, abandoned, cancelled }

    let modes: Set<RunLoop.Mode>
    var block: (@Sendable () -> Void)? // until the request is in the queue its maker's, then the target thread's
    let isWaitedFor: Bool
    /// Called with nothing locked when there is an outcome, on the thread that brought it about; nil if a thread waits, or nobody does.
    let completion: (@Sendable (Outcome) -> Void)?
    var outcome = Outcome.pending      // guarded by the queue's monitor, as all below
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

/// All that waits, in the order in which it came. Guarded by the queue's monitor.
struct PerformLines {
    /// Requests in the order of their turns. Those that do not wait any more are gaps.
    private struct Line {
        private var places: [PerformRequest] = []
        private var first = 0
        private(set) var count = 0 // without the gaps

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

        /// One of them has been taken. The rest moves together when most places are gaps: each request is moved about once.
        mutating func makeGap() {
            count -= 1
            guard places.count > 2 * count + 32 else { return }
            places.removeAll { !$0.isWaiting }
            first = 0
        }

        var waiting: [PerformRequest] { places[first...].filter(\.isWaiting) }
    }

    private var lines: [RunLoop.Mode: Line] = [:]
    /// The turn of the request that came last.
    private(set) var lastTurn: UInt64 = 0

    var isEmpty: Bool { lines.isEmpty }

    /// The modes for which something waits.
    var modes: Dictionary<RunLoop.Mode, some Any>.Keys { lines.keys }

    func isEmpty(for mode: RunLoop.Mode) -> Bool { lines[mode] == nil }

    mutating func append(_ request: PerformRequest) {
        lastTurn += 1
        request.turn = lastTurn
        request.isWaiting = true
        for mode in request.modes { lines[mode, default: Line()].append(request) }
    }

    /// Takes the one that came first of those for any of the modes; nil if there is none, or if it came after `limit`.
    mutating func takeFirst(for modes: [RunLoop.Mode], upTo limit: UInt64) -> PerformRequest? {
        let heads = modes.compactMap { lines[$0]?.head }
        guard let first = heads.min(by: { $0.turn < $1.turn }), first.turn <= limit else { return nil }
        take(first)
        return first
    }

    /// Takes one that waits.
    mutating func take(_ request: PerformRequest) {
        request.isWaiting = false
        for mode in request.modes {
            lines[mode]!.makeGap()
            if lines[mode]!.count == 0 { lines[mode] = nil }
        }
    }

    /// Takes all, in no order.
    mutating func takeAll() -> [PerformRequest] {
        var taken: [PerformRequest] = []
        for line in lines.values {
            for request in line.waiting {
                request.isWaiting = false
                taken.append(request)
            }
        }
        lines = [:]
        return taken
    }
}
