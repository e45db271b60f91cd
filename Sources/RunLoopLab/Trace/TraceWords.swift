// TraceWords.swift: the text in the boxes of a picture.

enum TraceWords {
    /// One line or two.
    static func lines(for span: Timeline.Span, on lane: Timeline.Lane, _ timeline: Timeline) -> [String] {
        switch span.kind {
        case .run(let mode, let depth):
            ["\(depth > 1 ? "nested run" : "run") in \(shortModeName(mode))"] + (span.result.map { ["returns \(resultName($0))"] } ?? [])
        case .sleep:
            span.isOver
                ? ["asleep \(duration(span.end - span.start))", "woken by \(waker(of: span, on: lane, timeline))"]
                : ["asleep", "until the end"]
        case .callout(let callout, let activity):
            lines(forCallout: span, callout == .observer ? activity : callout.rawValue)
        case .pass, .poll: [""]
        }
    }

    static func lines(for fold: Fold) -> [String] {
        let what = fold.isRuns ? "runs in \(shortModeName(fold.mode))" : "passes"
        return ["\(fold.count) \(what) in", "\(duration(fold.end - fold.start)),", "without callouts"]
    }

    private static func lines(forCallout span: Timeline.Span, _ name: String) -> [String] {
        let time = span.end - span.start
        return ["\(name)\(time >= 1_000_000 ? ", \(duration(time))" : "")"] + (["", name].contains(span.label) ? [] : [span.label])
    }

    private static func waker(of span: Timeline.Span, on lane: Timeline.Lane, _ timeline: Timeline) -> String {
        let sender = timeline.lanes.first { $0.thread == span.sender }
        guard span.reason == .wokenUp, let sender else { return span.reason.words.english }
        return sender.thread == lane.thread ? "itself" : "thread \(sender.name)"
    }

    /// Joins three or more notes of one kind in a row, such as the frames of a stack, into one. The kind is the text before the colon.
    static func joined(_ instants: [Timeline.Instant]) -> [Timeline.Instant] {
        var groups: [[Timeline.Instant]] = []
        for instant in instants {
            if let kind = kind(of: instant), let last = groups.last?.first, self.kind(of: last) == kind {
                groups[groups.count - 1].append(instant)
            } else {
                groups.append([instant])
            }
        }
        return groups.flatMap { group in
            guard group.count > 2, case .said(let words) = group[0].kind else { return group }
            var first = group[0]
            first.kind = .said("\(words) (and \(group.count - 1) more)")
            return [first]
        }
    }

    private static func kind(of instant: Timeline.Instant) -> Substring? {
        guard case .said(let words) = instant.kind else { return nil }
        return words.firstIndex(of: ":").map { words[..<$0] }
    }

    /// The text for an instant; nil if it is not shown.
    static func note(for instant: Timeline.Instant, on lane: Timeline.Lane, _ timeline: Timeline) -> String? {
        switch instant.kind {
        case .said(let words): return words
        case .stop: return "CFRunLoopStop"
        case .signal: return "signals a Source0"
        case .wakeUp:
            guard let arrow = timeline.arrows.first(where: { $0.from == lane.thread && $0.sent == instant.time }) else { return nil }
            return timeline.lanes.first { $0.thread == arrow.to }.map { "wakes \($0.name)" }
        case .step, .wakeUpLeftOut: return nil
        }
    }
}
