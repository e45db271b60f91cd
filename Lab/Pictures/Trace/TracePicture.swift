// TracePicture.swift: a timeline as a picture (SVG) that you read like a score: a lane for each thread, and time from left to right,
// continued on the next row.

/// Draws a timeline.
struct TracePicture {
    private let timeline: Timeline
    private let layout: TraceLayout
    /// The largest number of systems, as a score calls a row of lanes. The rest is left out.
    private static let mostSystems = 30

    init(timeline: Timeline) {
        self.timeline = timeline
        layout = TraceLayout(timeline)
    }

    /// The picture as an SVG document.
    var text: String {
        var svg = Drawing(width: Sheet.width)
        var y = drawHead(&svg)
        let systems = layout.systems.prefix(Self.mostSystems)
        for system in systems { y = draw(system, at: y, &svg) + 18 }
        if systems.count < layout.systems.count {
            let shown = decimals(timeline.seconds(layout.time(systems.last!.upperBound)), 3), all = decimals(timeline.seconds(timeline.end), 3)
            let words = Text("… and so on. These are the first \(shown) s of \(all) s; a trace written as .json or .txt has all of it.",
                             "……后面省略。这里是 \(all) 秒中的前 \(shown) 秒；写成 .json 或 .txt 的跟踪文件有全部内容。")
            svg.text(words.description, Sheet.margin, y)
            y += 16
        }
        svg.y = y - 8
        return svg.document(title: timeline.title, description: Self.legend.description)
    }

    private static let legend = Text("""
        Each lane is a thread; time runs from left to right and continues below. The band shows the mode that its loop runs in, and the \
        result of the run. The small numbers below the band are the steps of each pass: \(Step.ten(\.english, " · ")). Coloured boxes are callbacks; arrows lead from the thread that wakes a loop to the loop. Long waits are drawn shorter \
        than they are: read the times above.
        """, """
        每一栏是一个线程，时间从左到右，在下面接着画。色带是它的 RunLoop 运行所在的 mode，以及这次运行的返回值。色带下的小数字是每一轮的步骤：\
        \(Step.ten(\.chinese, "，"))。\
        彩色的框是回调；箭头从唤醒 RunLoop 的线程指向被唤醒的 RunLoop。长时间的等待画得比实际短，时间以上方标出的为准。
        """)

    /// Draws the title and the legend. Returns their lower edge.
    private func drawHead(_ svg: inout Drawing) -> Double {
        var y = 4.0
        for line in wrapped(timeline.title, to: 100) {
            y += 18
            svg.text(line, Sheet.margin, y, size: 15, isBold: true)
        }
        for line in wrapped(Self.legend.description, to: 172) {
            y += 15
            svg.text(line, Sheet.margin, y, .quiet, size: 11)
        }
        return y + 16
    }

    // MARK: - A row of lanes

    /// Returns the lower edge.
    private func draw(_ system: Range<Double>, at top: Double, _ svg: inout Drawing) -> Double {
        var y = top + 16, places: [Int32: Place] = [:]
        let lanes = timeline.lanes.filter { layout.isVisible($0, in: system) }
        for lane in lanes {
            let place = Place(top: y, depth: layout.depth(of: lane, in: system), hasNotes: layout.hasNotes(lane, in: system),
                              nameLines: nameLines(of: lane).count)
            places[lane.thread] = place
            y += place.height + 6
        }
        drawTimes(system, top: top, bottom: y - 6, &svg)
        drawArrows(system, places, &svg) // behind the boxes and text of the lanes
        for lane in lanes { draw(lane, in: system, at: places[lane.thread]!, &svg) }
        return y
    }

    /// The places of the parts of a lane. A nested run is below the run around it.
    private struct Place {
        var top: Double
        var depth: Int
        var hasNotes: Bool
        var nameLines: Int

        static let band = 15.0, steps = 15.0, calls = 32.0
        var level: Double { Self.band + Self.steps + Self.calls }
        var height: Double { max(8 + 14 * Double(nameLines), Double(depth) * level + (hasNotes ? 16 : 0) + 6) }
        func bandTop(_ depth: Int) -> Double { top + 3 + Double(depth - 1) * level }
        func stepsTop(_ depth: Int) -> Double { bandTop(depth) + Self.band }
        func callsTop(_ depth: Int) -> Double { stepsTop(depth) + Self.steps }
        var notes: Double { top + 3 + Double(depth) * level + 11 }
    }

    private func nameLines(of lane: Timeline.Lane) -> [String] { Array(wrapped(lane.name, to: 12).prefix(3)) }

    private func drawTimes(_ system: Range<Double>, top: Double, bottom: Double, _ svg: inout Drawing) {
        for (x, time) in layout.times(in: system) {
            let x = page(x, system)
            svg.line(x, top + 14, x, bottom, isDotted: true)
            svg.text("\(decimals(timeline.seconds(time), 3)) s", x + 2, top + 11, .quiet, size: 10)
        }
    }

    private func page(_ x: Double, _ system: Range<Double>) -> Double { Sheet.gutter + x - system.lowerBound }

    // MARK: - A lane

    private func draw(_ lane: Timeline.Lane, in system: Range<Double>, at place: Place, _ svg: inout Drawing) {
        svg.box(Sheet.margin, place.top, Sheet.width - 2 * Sheet.margin, place.height, .lane)
        for (number, line) in nameLines(of: lane).enumerated() {
            let name = fitted(line, size: 12, width: Sheet.gutter - Sheet.margin - 10)
            svg.text(name, Sheet.margin + 6, place.top + 15 + 14 * Double(number), isBold: true)
        }
        for item in layout.items(of: lane, in: system) {
            let left = page(max(item.range.lowerBound, system.lowerBound), system)
            let right = page(min(item.range.upperBound, system.upperBound), system)
            let part = Part(isFirst: item.range.lowerBound >= system.lowerBound, isLast: item.range.upperBound <= system.upperBound)
            switch item.content {
            case .fold(let fold): draw(fold, from: left, to: right, place, &svg)
            case .span(let span): draw(span, part, of: lane, depth: item.depth, from: left, to: max(right, left + 2), place, &svg)
            case .step(let step): svg.text(String(step), left, place.stepsTop(item.depth) + 11, .quiet, size: 10)
            case .note(let words): drawNote(words, at: left, width: min(item.width, Sheet.width - Sheet.margin - left), place, &svg)
            }
        }
    }

    /// Whether a part that continues on another row begins here, and whether it ends here.
    private struct Part {
        var isFirst: Bool, isLast: Bool
        var isWhole: Bool { isFirst && isLast }
    }

    private func draw(
        _ span: Timeline.Span, _ part: Part, of lane: Timeline.Lane, depth: Int, from left: Double, to right: Double, _ place: Place,
        _ svg: inout Drawing
    ) {
        let width = right - left
        if !part.isWhole && width < 4 { return }
        var lines = TraceWords.lines(for: span, on: lane, timeline)
        if !part.isWhole { lines = lines.map { textWidth($0, 10.5) + 8 <= width ? $0 : "" } } // only text that fits as a whole
        switch span.kind {
        case .run:
            svg.box(left, place.bandTop(depth), width, Place.band - 1, paint(of: span))
            drawLine(part.isLast ? lines : [lines[0]], in: left...right, y: place.bandTop(depth) + 11, &svg)
        case .sleep:
            svg.box(left, place.stepsTop(depth) + 14, width - 1, Place.calls - 2, .sleep)
            drawLines(lines, x: left + 4, y: place.callsTop(depth) + 12, width: width - 8, .quiet, &svg)
        case .callout(let callout, let activity):
            let isMark = callout == .observer && (span.label == "" || span.label == activity)
            if isMark {
                svg.box(left, place.callsTop(depth) + 1, max(3, min(width, 9)), 5, callout.paint)
            } else {
                svg.box(left, place.callsTop(depth), width - 1, Place.calls - 2, callout.paint)
                drawLines(lines, x: left + 4, y: place.callsTop(depth) + 12, width: width - 8, .ink, &svg)
            }
        case .pass, .poll: break
        }
    }

    private func draw(_ fold: Fold, from left: Double, to right: Double, _ place: Place, _ svg: inout Drawing) {
        let top = fold.isRuns ? place.bandTop(fold.depth) : place.stepsTop(fold.depth) + 3
        let bottom = place.callsTop(fold.depth) + Place.calls - 2, lines = TraceWords.lines(for: fold)
        svg.box(left, top, right - left - 1, bottom - top, .plain, isDashed: true)
        drawLines(lines, x: left + 4, y: place.callsTop(fold.depth), width: right - left - 8, .quiet, &svg)
    }

    /// The first line on the left, and the second on the right if there is room.
    private func drawLine(_ lines: [String], in range: ClosedRange<Double>, y: Double, _ svg: inout Drawing) {
        let width = range.upperBound - range.lowerBound - 8
        let first = fitted(lines[0], size: 10.5, width: width)
        svg.text(first, range.lowerBound + 4, y, size: 10.5)
        guard lines.count > 1, textWidth(lines[0], 10.5) + textWidth(lines[1], 10.5) + 12 <= width else { return }
        svg.text(lines[1], range.upperBound - 4, y, .quiet, size: 10.5, anchor: .end)
    }

    private func drawLines(_ lines: [String], x: Double, y: Double, width: Double, _ ink: Drawing.Ink, _ svg: inout Drawing) {
        for (number, line) in lines.enumerated() {
            svg.text(fitted(line, size: 10.5, width: width), x, y + 13 * Double(number), ink, size: 10.5)
        }
    }

    private func drawNote(_ words: String, at x: Double, width: Double, _ place: Place, _ svg: inout Drawing) {
        svg.circle(x + 3, place.notes - 4, 3, .alert)
        svg.text(fitted(words, size: 10.5, width: width - 12), x + 9, place.notes, size: 10.5)
    }

    // MARK: - Wake-ups

    private func drawArrows(_ system: Range<Double>, _ places: [Int32: Place], _ svg: inout Drawing) {
        for arrow in timeline.arrows {
            let from = layout.position(of: arrow.sent), to = layout.position(of: arrow.arrived)
            guard system.contains(from), system.contains(to) else { continue }
            guard let sender = places[arrow.from], let receiver = places[arrow.to] else { continue }
            let isUp = receiver.top < sender.top, start = sender.notes - 4
            let bend = isUp ? start : sender.top + sender.height // past the text beside the dot, if the arrow leads down
            let x = page(from, system) + 3
            svg.arrow((x, start), (x, bend), (page(to, system), isUp ? receiver.top + receiver.height : receiver.top), isRed: true)
        }
    }
}

enum Sheet {
    static let width = 1000.0, margin = 8.0, gutter = 104.0
    static let content = width - gutter - margin - 4
}

extension Callout {
    fileprivate var paint: Drawing.Paint {
        switch self {
        case .timer: .timer
        case .source0: .source0
        case .source1: .source1
        case .block: .block
        case .mainQueue: .queue
        case .observer: .observer
        }
    }
}

/// A mode has the same colour everywhere.
private func paint(of span: Timeline.Span) -> Drawing.Paint {
    guard case .run(let mode, _) = span.kind else { return .lane }
    if mode == "kCFRunLoopDefaultMode" { return .mode }
    let others: [Drawing.Paint] = [.tracking, .mode3, .mode4, .mode5, .mode6]
    return others[mode.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % others.count]
}
