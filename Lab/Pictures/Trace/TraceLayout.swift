// TraceLayout.swift: the place of each moment on the page.
//
// A loop sleeps most of the time, and its work takes microseconds: a linear scale would show nothing. So each moment has a place to the right
// of the one before it, as close as the parts between them allow. Long intervals get a little more room than short ones, and boxes get the
// room that their text needs. A moment has the same place in all lanes.

import Glibc

/// The places of a timeline's parts.
struct TraceLayout {
    /// A part to draw.
    struct Item {
        enum Content {
            case span(Timeline.Span), fold(Fold), step(Int), note(String)
        }

        var content: Content
        var depth: Int
        var start: UInt64, end: UInt64
        /// The width that it needs.
        var width: Double
        /// Its place.
        var range = 0.0...0.0

        /// Whether a row may end inside it.
        var isWhole: Bool {
            switch content {
            case .step: false
            case .span(let span):
                range.upperBound - range.lowerBound < 0.6 * Sheet.content && (isCallout(span.kind) || span.kind == .sleep)
            case .fold, .note: true
            }
        }
    }

    /// The range that each row of lanes shows.
    private(set) var systems: [Range<Double>] = []
    private var items: [Int32: [Item]] = [:]
    private var moments: [UInt64] = []
    private var places: [Double] = []
    private var isMarked: [Bool] = [] // the moments whose times are shown
    /// More would be too much to look at.
    private static let mostItems = 6000

    init(_ timeline: Timeline) {
        for lane in timeline.lanes { items[lane.thread] = Self.items(of: lane, timeline) }
        cutOff()
        placeMoments(timeline)
        for lane in items.keys { placeItems(of: lane) }
        makeSystems()
    }

    // MARK: - Parts

    private static func items(of lane: Timeline.Lane, _ timeline: Timeline) -> [Item] {
        let (lane, folds) = Fold.fold(lane)
        var items: [Item] = lane.spans.compactMap { span in
            if case .pass = span.kind { return nil }
            let width = width(of: span, on: lane, timeline)
            return Item(content: .span(span), depth: span.depth, start: span.start, end: span.end, width: width)
        }
        items += folds.map { fold in
            let width = width(of: TraceWords.lines(for: fold))
            return Item(content: .fold(fold), depth: fold.depth, start: fold.start, end: fold.end, width: width)
        }
        var steps: [Item] = [], notes: [Item] = []
        for instant in TraceWords.joined(lane.instants) {
            if case .step(let step) = instant.kind {
                let width = step == 10 ? 17.0 : 11.0
                steps.append(Item(content: .step(step), depth: instant.depth, start: instant.time, end: instant.time, width: width))
            } else if let words = TraceWords.note(for: instant, on: lane, timeline) {
                let width = min(300, textWidth(words, 10.5) + 16)
                notes.append(Item(content: .note(words), depth: 0, start: instant.time, end: instant.time, width: width))
            }
        }
        items += reachingTheNext(steps, before: folds.map(\.start), end: timeline.end)
        return items + reachingTheNext(notes, before: [], end: timeline.end)
    }

    /// A part without an end extends to the next of its kind, or to one of these times.
    private static func reachingTheNext(_ items: [Item], before times: [UInt64], end: UInt64) -> [Item] {
        var items = items
        for index in items.indices {
            let next = index + 1 < items.count ? items[index + 1].start : end
            items[index].end = times.first { $0 >= items[index].start && $0 < next } ?? next
        }
        return items
    }

    private static func width(of span: Timeline.Span, on lane: Timeline.Lane, _ timeline: Timeline) -> Double {
        let lines = TraceWords.lines(for: span, on: lane, timeline)
        switch span.kind {
        case .run: return lines.reduce(0) { $0 + textWidth($1, 10.5) + 12 }
        case .sleep: return width(of: lines)
        case .callout(.observer, let activity) where span.label == "" || span.label == activity: return 4
        case .callout: return min(190, width(of: lines))
        case .pass, .poll: return 0
        }
    }

    private static func width(of lines: [String]) -> Double { (lines.map { textWidth($0, 10.5) }.max() ?? 0) + 10 }

    private mutating func cutOff() {
        let starts = items.values.joined().map(\.start).sorted()
        guard starts.count > Self.mostItems else { return }
        for lane in items.keys { items[lane]!.removeAll { $0.start > starts[Self.mostItems] } }
    }

    // MARK: - Places

    /// Puts each moment as far to the left as the parts that end there allow.
    private mutating func placeMoments(_ timeline: Timeline) {
        let all = items.values.joined()
        moments = Set(all.flatMap { [$0.start, $0.end] } + [timeline.start]).sorted()
        let index = Dictionary(uniqueKeysWithValues: moments.enumerated().map { ($1, $0) })
        var ending: [[Item]] = Array(repeating: [], count: moments.count)
        isMarked = Array(repeating: false, count: moments.count)
        for item in all {
            ending[index[item.end]!].append(item)
            markTimes(of: item, index)
        }
        places = [0]
        for moment in moments.indices.dropFirst() {
            let before = places[moment - 1] + Self.distance(moments[moment] - moments[moment - 1])
            let items = ending[moment].filter { $0.start < $0.end }
            places.append(items.reduce(before) { max($0, places[index[$1.start]!] + $1.width) })
        }
    }

    private mutating func markTimes(of item: Item, _ index: [UInt64: Int]) {
        guard case .span(let span) = item.content else { return }
        switch span.kind {
        case .run: isMarked[index[item.start]!] = true
        case .sleep: isMarked[index[item.end]!] = true
        case .callout(let callout, _) where callout != .observer: isMarked[index[item.start]!] = true
        default: break
        }
    }

    private static func distance(_ time: UInt64) -> Double {
        1 + (time > 50_000 ? min(24, 5 * log10(Double(time) / 50_000)) : 0)
    }

    private mutating func placeItems(of lane: Int32) {
        for number in items[lane]!.indices {
            let item = items[lane]![number], start = position(of: item.start)
            items[lane]![number].range = start...max(position(of: item.end), start + (item.start == item.end ? item.width : 0))
        }
    }

    func position(of time: UInt64) -> Double {
        var low = 0, high = moments.count - 1
        while low < high {
            let middle = (low + high + 1) / 2
            if moments[middle] <= time { low = middle } else { high = middle - 1 }
        }
        return places.isEmpty ? 0 : places[low]
    }

    /// The last moment that is not to the right of a place.
    func time(_ place: Double) -> UInt64 {
        moments[places.lastIndex { $0 <= place } ?? 0]
    }

    // MARK: - Rows

    private mutating func makeSystems() {
        let all = items.values.joined(), whole = all.filter(\.isWhole).map(extent)
        let end = (all.map { extent($0).upperBound }.max() ?? 0) + 1
        var start = 0.0
        while start < end {
            let limit = start + Sheet.content
            if end <= limit {
                systems.append(start..<end)
                return
            }
            let near = whole.filter { $0.upperBound > start && $0.lowerBound < limit }
            let cut = bestCut(from: start + Sheet.content * 0.4, to: limit, near)
            systems.append(start..<cut)
            start = cut
        }
    }

    /// The last place that cuts the fewest parts in two.
    private func bestCut(from first: Double, to limit: Double, _ near: [ClosedRange<Double>]) -> Double {
        var best = limit, fewest = Int.max
        for place in places.reversed() where place > first && place <= limit {
            let cut = near.count { $0.lowerBound < place && place < $0.upperBound - 3 }
            if cut < fewest { (best, fewest) = (place, cut) }
            if fewest == 0 { break }
        }
        return best
    }

    /// The range of a part: a note is as wide as its text.
    private func extent(_ item: Item) -> ClosedRange<Double> {
        guard case .note = item.content else { return item.range }
        return item.range.lowerBound...item.range.lowerBound + item.width
    }

    // MARK: - Queries

    func items(of lane: Timeline.Lane, in system: Range<Double>) -> [Item] {
        items[lane.thread]!.filter { item in
            guard case .span = item.content else { return system.contains(item.range.lowerBound) }
            return item.range.upperBound > system.lowerBound && item.range.lowerBound < system.upperBound
        }
    }

    func isVisible(_ lane: Timeline.Lane, in system: Range<Double>) -> Bool { !items(of: lane, in: system).isEmpty }

    func depth(of lane: Timeline.Lane, in system: Range<Double>) -> Int { items(of: lane, in: system).map(\.depth).max() ?? 0 }

    func hasNotes(_ lane: Timeline.Lane, in system: Range<Double>) -> Bool {
        items(of: lane, in: system).contains { if case .note = $0.content { true } else { false } }
    }

    /// The times that are shown, and their places, not too close to each other.
    func times(in system: Range<Double>) -> [(place: Double, time: UInt64)] {
        var times: [(place: Double, time: UInt64)] = []
        let room = system.lowerBound..<min(system.upperBound, system.lowerBound + Sheet.content - 50)
        for moment in moments.indices where isMarked[moment] && room.contains(places[moment]) {
            if let last = times.last, places[moment] < last.place + 64 || moments[moment] - last.time < 500_000 { continue }
            times.append((places[moment], moments[moment]))
        }
        return times
    }
}
