// TraceWords.swift: the text in the boxes of a picture.

enum TraceWords {
    /// One line or two.
    static func lines(for span: Timeline.Span, on lane: Timeline.Lane, _ timeline: Timeline) -> [String] {
        let texts: [Text] = switch span.kind {
        case .run(let mode, let depth):
            [run(in: shortModeName(mode), isNested: depth > 1)] + (span.result.map { [Text("returns \(resultName($0))", "返回 \(resultName($0))")] } ?? [])
        case .sleep:
            span.isOver
                ? [Text("asleep \(duration(span.end - span.start))", "休眠 \(duration(span.end - span.start))"), waker(of: span, on: lane, timeline)]
                : [Text("asleep", "休眠"), Text("until the end", "直到结束")]
        case .callout(let callout, let activity):
            lines(forCallout: span, callout == .observer ? activity : shown(callout.rawValue)).map(Text.init(code:))
        case .pass, .poll: [.none]
        }
        return texts.map(\.description)
    }

    private static func run(in mode: String, isNested: Bool) -> Text {
        isNested ? Text("nested run in \(mode)", "在 \(mode) 里的嵌套运行") : Text("run in \(mode)", "在 \(mode) 里运行")
    }

    static func lines(for fold: Fold) -> [String] {
        let mode = shortModeName(fold.mode), time = duration(fold.end - fold.start)
        let what = fold.isRuns ? Text("\(fold.count) runs in \(mode) in", "在 \(mode) 里运行 \(fold.count) 次") : Text("\(fold.count) passes in", "\(fold.count) 轮循环")
        return [what, Text("\(time),", "共 \(time)，"), Text("without callouts", "没有回调")].map(\.description)
    }

    private static func lines(forCallout span: Timeline.Span, _ name: String) -> [String] {
        let time = span.end - span.start
        let length = time >= 1_000_000 ? Text(", \(duration(time))", "，\(duration(time))") : .none
        return ["\(name)\(length)"] + (["", name].contains(span.label) ? [] : [span.label])
    }

    private static func waker(of span: Timeline.Span, on lane: Timeline.Lane, _ timeline: Timeline) -> Text {
        switch timeline.waker(of: span, on: lane) {
        case .other(let sender): Text("woken by thread \(sender.name)", spaced("由线程 \(sender.name)唤醒"))
        case .itself: Text("its own wake-up was sent before", "休眠前已自己发出唤醒")
        case .unknown: Text("woken by \(span.reason.words.english)", span.reason.wokenWords)
        }
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
            first.kind = .said(Text("\(words) (and \(group.count - 1) more)", "\(words)（还有 \(group.count - 1) 个）").description)
            return [first]
        }
    }

    private static func kind(of instant: Timeline.Instant) -> Substring? {
        guard case .said(let words) = instant.kind else { return nil }
        return words.firstIndex { $0 == ":" || $0 == "：" }.map { words[..<$0] }
    }

    /// The text for an instant; nil if it is not shown.
    static func note(for instant: Timeline.Instant, on lane: Timeline.Lane, _ timeline: Timeline) -> String? {
        switch instant.kind {
        case .said(let words): return words
        case .stop: return "CFRunLoopStop"
        case .signal: return Text("signals a Source0", "标记一个 Source0").description
        case .wakeUp:
            guard let arrow = timeline.arrows.first(where: { $0.from == lane.thread && $0.sent == instant.time }) else { return nil }
            return timeline.lanes.first { $0.thread == arrow.to }.map { Text("wakes \($0.name)", spaced("唤醒 \($0.name)")).description }
        case .step, .wakeUpLeftOut: return nil
        }
    }
}
