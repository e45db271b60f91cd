// WakeUpList.swift: who wakes whom, in the loops of a program.

/// What has ended the sleeps of the loops of a program: a line for each, in the order of their times; sleeps of one kind in a row share a line.
struct WakeUpList {
    /// The time and the thread; and the words.
    let lines: [(first: String, words: String)]
    private static let most = 12

    private struct Sleep {
        var end: UInt64, length: UInt64
        var thread: String, cause: String
        /// How many more like it follow.
        var more = 0
    }

    /// - Parameter start: when the program began, in seconds on CLOCK_MONOTONIC.
    init(_ timeline: Timeline, from start: Double) {
        var sleeps: [Sleep] = []
        let all = timeline.lanes.flatMap { lane in lane.spans.filter { $0.kind == .sleep && $0.isOver }.map { (lane, $0) } }
        for (lane, span) in all.sorted(by: { $0.1.end < $1.1.end }) {
            let cause = timeline.waker(of: span, on: lane).description
            if let last = sleeps.indices.last(where: { sleeps[$0].thread == lane.name }), sleeps[last].cause == cause, last >= sleeps.count - 2 {
                sleeps[last].more += 1
            } else {
                sleeps.append(Sleep(end: span.end, length: span.end - span.start, thread: lane.name, cause: cause))
            }
        }
        lines = sleeps.prefix(Self.most).map { sleep in
            let more = sleep.more > 0 ? Text("; \(sleep.more) more like this", "；这样的还有 \(sleep.more) 次") : .none
            return ("\(padded(seconds(Double(sleep.end) / 1e9 - start, unit: ""), to: -7))  \(padded(shownThread(sleep.thread), to: 10))  ",
                    Text("slept \(duration(sleep.length)); \(sleep.cause)\(more)", "休眠了 \(duration(sleep.length))，\(sleep.cause)\(more)").description)
        } + (sleeps.count > Self.most ? [(padded("", to: 9), Text("… and \(sleeps.count - Self.most) more", "……还有 \(sleeps.count - Self.most) 次").description)] : [])
    }
}
