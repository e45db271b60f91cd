// Timeline.swift: turns the events of a trace into spans and instants for each thread.

/// What the figures draw and a trace writes.
struct Timeline {
    /// Something that has a beginning and an end. The spans of a thread nest.
    struct Span {
        enum Kind: Equatable {
            case run(mode: String, depth: Int)
            /// A pass of a run, counted from 1 in each run.
            case pass(Int)
            /// A callback; for an observer, also its activity.
            case callout(Callout, activity: String)
            case sleep
            /// A poll of the ports, without sleeping.
            case poll
        }

        var kind: Kind
        var start: UInt64
        /// The end of the trace, if the span had not ended.
        var end: UInt64
        /// The number of spans around it.
        var level: Int
        /// An experiment's note about it.
        var label = ""
        /// What a pass served, or what ended a sleep.
        var reason = TraceEvent.Reason.notYet
        /// The thread that ended a sleep or signalled a Source0; 0 if unknown.
        var sender: Int32 = 0
        /// The result of a run.
        var result: Int64?
        /// Whether the trace has its end.
        var isOver = false
    }

    /// Something that happened at one moment.
    struct Instant {
        enum Kind: Equatable {
            case step(Int), wakeUp, wakeUpLeftOut, stop, signal, said(String)
        }

        var kind: Kind
        var time: UInt64
        /// The number of spans around it.
        var level: Int
    }

    /// A thread.
    struct Lane {
        var thread: Int32
        var name: String
        /// In the order in which they began.
        var spans: [Span] = []
        /// In the order of their times.
        var instants: [Instant] = []
    }

    var title: String
    var start: UInt64, end: UInt64
    /// The main thread first, then the others in order of appearance.
    var lanes: [Lane]
    var lost: UInt64

    /// Seconds since the trace began.
    func seconds(_ time: UInt64) -> Double { Double(time - min(start, time)) / 1e9 }

    /// What ended a sleep, and who has sent the wake-up: "woken by CFRunLoopWakeUp on main".
    func waker(of span: Span, on lane: Lane) -> Text {
        let reason = span.reason.words, alone = span.reason.wokenWords
        guard span.reason == .wokenUp, let sender = lanes.first(where: { $0.thread == span.sender }) else { return alone }
        if sender.thread != lane.thread { return Text("woken by \(reason.english) on \(sender.name)", spaced("由\(sender.name)上的 \(reason.chinese) 唤醒")) }
        // A signal handler of the sleeping thread may have sent it during the sleep. Otherwise the thread had, and the wait found it there.
        let isMeanwhile = lane.instants.contains { $0.kind == .wakeUp && $0.time > span.start && $0.time <= span.end }
        return isMeanwhile ? alone : Text("woken by its own CFRunLoopWakeUp before the sleep", "休眠之前自己调用过 CFRunLoopWakeUp")
    }

    // MARK: - From a trace

    init(_ trace: Trace) {
        title = trace.title
        lost = trace.lost
        let moments = trace.events.map(\.time) + trace.marks.map(\.time)
        start = moments.min() ?? 0
        end = moments.max() ?? 0
        let end = end
        var times: [String: Int] = [:]
        lanes = Self.threads(of: trace).map { thread in
            let name = shownThread(trace.threadNames[thread] ?? "thread \(thread)")
            times[name, default: 0] += 1
            var builder = LaneBuilder(lane: Lane(thread: thread, name: times[name] == 1 ? name : "\(name) (\(times[name]!))"))
            for event in trace.events where event.thread == thread { builder.add(event) }
            builder.finish(at: end, marks: trace.marks.filter { $0.thread == thread })
            return builder.lane
        }
    }

    private static func threads(of trace: Trace) -> [Int32] {
        var threads: [Int32] = []
        for thread in trace.events.map(\.thread) + trace.marks.map(\.thread) where !threads.contains(thread) { threads.append(thread) }
        guard let main = threads.firstIndex(where: { trace.threadNames[$0] == "main" }) else { return threads }
        return [threads.remove(at: main)] + threads
    }
}

/// Builds the lane of one thread. A span that begins inside another one ends before it. If the end of a span was lost, it ends with the span
/// around it.
private struct LaneBuilder {
    var lane: Timeline.Lane
    private var open: [Int] = [] // the indices of the open spans, from the outermost in

    init(lane: Timeline.Lane) {
        self.lane = lane
    }

    mutating func add(_ event: TraceEvent) {
        switch event.kind {
        case .runBegins:
            begin(.run(mode: event.mode, depth: event.depth), event)
        case .runEnds:
            guard let run = innermost(isRun) else { return }
            lane.spans[run].result = event.value
            end(run, at: event.time)
        case .stepBegins:
            step(event)
        case .calloutBegins:
            begin(.callout(event.callout, activity: event.activity), event)
        case .calloutEnds:
            if let callout = innermost(isCallout) { end(callout, at: event.time) }
        case .sleeps:
            begin(.sleep, event)
        case .polls:
            begin(.poll, event)
        case .wakes:
            if let wait = innermost({ $0 == .sleep || $0 == .poll }) { end(wait, at: event.time) }
        case .serves:
            serve(event)
        case .wakeUpSent: note(.wakeUp, event)
        case .wakeUpLeftOut: note(.wakeUpLeftOut, event)
        case .stopSent: note(.stop, event)
        case .sourceSignalled: note(.signal, event)
        default: break
        }
    }

    /// A note during a callout labels the innermost callout. Any other note is an instant of its own.
    private mutating func add(_ mark: Trace.Mark) {
        let around = lane.spans.lastIndex { isCallout($0.kind) && $0.start <= mark.time && mark.time <= $0.end }
        if let around, lane.spans[around].label == "" {
            lane.spans[around].label = mark.text
        } else {
            let level = around.map { lane.spans[$0].level + 1 } ?? 0
            lane.instants.append(.init(kind: .said(mark.text), time: mark.time, level: level))
        }
    }

    mutating func finish(at time: UInt64, marks: [Trace.Mark]) {
        for span in open { lane.spans[span].end = time }
        open = []
        marks.forEach { add($0) }
        lane.instants.sort { $0.time < $1.time }
    }

    private mutating func begin(_ kind: Timeline.Span.Kind, _ event: TraceEvent) {
        open.append(lane.spans.count)
        lane.spans.append(.init(kind: kind, start: event.time, end: event.time, level: open.count - 1, sender: event.sender))
    }

    private mutating func end(_ span: Int, at time: UInt64) {
        while let last = open.popLast() {
            lane.spans[last].end = time
            lane.spans[last].isOver = true
            if last == span { return }
        }
    }

    private func innermost(_ condition: (Timeline.Span.Kind) -> Bool) -> Int? {
        open.last { condition(lane.spans[$0].kind) }
    }

    /// Step 2 begins a pass, and ends the one before it; step 10 ends the last one.
    private mutating func step(_ event: TraceEvent) {
        note(.step(event.step), event)
        guard event.step == 2 || event.step == 10, let run = innermost(isRun) else { return }
        let pass = open.last { isPass(lane.spans[$0].kind) && $0 > run }
        if let pass { end(pass, at: event.time) }
        if event.step == 10 { return }
        var number = 1
        if case .pass(let last)? = pass.map({ lane.spans[$0].kind }) { number = last + 1 }
        begin(.pass(number), event)
    }

    private mutating func note(_ kind: Timeline.Instant.Kind, _ event: TraceEvent) {
        lane.instants.append(.init(kind: kind, time: event.time, level: open.count))
    }

    private mutating func serve(_ event: TraceEvent) {
        guard let pass = innermost(isPass) else { return }
        lane.spans[pass].reason = event.reason
        lane.spans[pass].sender = event.sender
        let level = lane.spans[pass].level + 1
        guard let wait = lane.spans[pass...].lastIndex(where: { $0.kind == .sleep && $0.level == level }) else { return }
        lane.spans[wait].reason = event.reason
        lane.spans[wait].sender = event.sender
    }
}

private func isRun(_ kind: Timeline.Span.Kind) -> Bool {
    if case .run = kind { true } else { false }
}

private func isPass(_ kind: Timeline.Span.Kind) -> Bool {
    if case .pass = kind { true } else { false }
}

func isCallout(_ kind: Timeline.Span.Kind) -> Bool {
    if case .callout = kind { true } else { false }
}
