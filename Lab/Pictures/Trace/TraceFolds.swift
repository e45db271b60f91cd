// TraceFolds.swift: joins runs and passes that served nothing. Otherwise a hundred empty passes would fill the picture.

/// Successive runs, or passes of one run, that have called only observers.
struct Fold {
    var count: Int
    /// Whether it joins runs; otherwise it joins passes.
    var isRuns: Bool
    /// The mode of the runs.
    var mode: String
    var depth: Int
    var start: UInt64, end: UInt64

    /// The smallest number that is joined.
    private static let fewest = 3

    /// The folds of a lane, and the lane without the spans that they replace.
    static func fold(_ lane: Timeline.Lane) -> (lane: Timeline.Lane, folds: [Fold]) {
        let busy = busyTimes(of: lane)
        let runs = folds(of: lane, busy, isRuns: true)
        let passes = folds(of: lane, busy, isRuns: false).filter { pass in
            !runs.contains { $0.start <= pass.start && pass.end <= $0.end }
        }
        let folds = (runs + passes).sorted { $0.start < $1.start }
        var rest = lane
        rest.spans = lane.spans.filter { span in !folds.contains { $0.covers(span) } }
        rest.instants = lane.instants.filter { instant in !folds.contains { $0.start <= instant.time && instant.time < $0.end } }
        return (rest, folds)
    }

    private func covers(_ span: Timeline.Span) -> Bool {
        start <= span.start && span.end <= end && span.depth >= depth
    }

    /// The times of callouts other than to observers, of actions and of notes, in order.
    private static func busyTimes(of lane: Timeline.Lane) -> [UInt64] {
        let calls = lane.spans.filter { span in
            guard case .callout(let callout, let activity) = span.kind else { return false }
            return callout != .observer || (span.label != "" && span.label != activity)
        }
        let others = lane.instants.filter { if case .step = $0.kind { false } else { $0.kind != .wakeUpLeftOut } }
        return (calls.map(\.start) + others.map(\.time)).sorted()
    }

    private static func folds(of lane: Timeline.Lane, _ busy: [UInt64], isRuns: Bool) -> [Fold] {
        var folds: [Fold] = [], current: Fold?, mode = ""
        func close() {
            if let fold = current, fold.count >= fewest { folds.append(fold) }
            current = nil
        }
        for span in lane.spans {
            switch span.kind {
            case .run(let name, _):
                mode = name
                if !isRuns { close() }
            case .pass where !isRuns: break
            default: continue
            }
            if case .run = span.kind, !isRuns { continue }
            let from = current?.end ?? span.start
            let isIdle = span.isOver && !contains(busy, from, span.end) && span.end - span.start < 200_000_000
            if !isIdle || (current != nil && (current!.depth != span.depth || current!.mode != mode)) { close() }
            guard isIdle else { continue }
            if current == nil { current = Fold(count: 0, isRuns: isRuns, mode: mode, depth: span.depth, start: span.start, end: span.end) }
            current!.count += 1
            current!.end = span.end
        }
        close()
        return folds
    }

    /// Whether one of the sorted times lies in this range.
    private static func contains(_ times: [UInt64], _ start: UInt64, _ end: UInt64) -> Bool {
        var low = 0, high = times.count
        while low < high {
            let middle = (low + high) / 2
            if times[middle] < start { low = middle + 1 } else { high = middle }
        }
        return low < times.count && times[low] < end
    }
}
