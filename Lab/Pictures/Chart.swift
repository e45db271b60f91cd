// Chart.swift: what happened, on a scale of time from left to right. A second is equally long everywhere in a chart.

/// Rows below each other on one scale.
struct Chart {
    /// Something that took time, or happened at a moment if it ends where it begins.
    struct Bar {
        var from: Double, to: Double
        var paint: Drawing.Paint
        var words = ""
        /// A second line: what a Mac calls it.
        var note = ""
        var isAlert = false
    }

    enum Row {
        /// The name of the thread, or of the part, that follows.
        case head(String)
        /// Bars next to each other, with their words inside where there is room.
        case band([Bar])
        /// A bar with its words beside it.
        case bar(Bar)
        /// Moments, below their words.
        case ticks(String, [(time: Double, paint: Drawing.Paint)])
        case text(String, Drawing.Ink)
    }

    /// The seconds that the scale shows.
    var from: Double, to: Double
    var rows: [Row] = []

    private func x(_ time: Double) -> Double {
        Drawing.margin + (min(max(time, from), to) - from) / (to - from) * Drawing.inner
    }

    func draw(into page: inout Drawing) {
        let top = page.y
        drawScale(into: &page)
        for row in rows {
            switch row {
            case .head(let words):
                page.y += 5
                page.paragraph(words, isBold: true)
            case .text(let words, let ink): page.paragraph(words, ink, size: 11)
            case .band(let bars): draw(bars, into: &page)
            case .bar(let bar): draw(bar, into: &page)
            case .ticks(let words, let ticks):
                page.paragraph(words)
                page.line(Drawing.margin, page.y + 7, Drawing.width - Drawing.margin, page.y + 7)
                for tick in ticks where tick.time >= from && tick.time <= to { page.circle(x(tick.time), page.y + 7, 3.5, tick.paint) }
                page.y += 16
            }
        }
        for time in marks.times { page.line(x(time), top + 16, x(time), page.y, isDotted: true, isBehind: true) }
        page.y += 4
    }

    private func draw(_ bars: [Bar], into page: inout Drawing) {
        for bar in bars where bar.to >= from && bar.from <= to {
            let width = box(bar, page.y + 3, 17, &page)
            if textWidth(bar.words, 11) + 6 <= width { page.text(bar.words, x(bar.from) + 4, page.y + 15, bar.isAlert ? .red : .ink, size: 11) }
        }
        page.y += 23
    }

    /// Draws the box of a bar. Returns its width, which is never less than what the eye can see.
    @discardableResult
    private func box(_ bar: Bar, _ y: Double, _ height: Double, _ page: inout Drawing) -> Double {
        let width = max(2, x(bar.to) - x(bar.from)), time = min(bar.to, to) - max(bar.from, from)
        page.box(min(x(bar.from), Drawing.width - Drawing.margin - width), y, width, height, bar.paint, nanoseconds: Int(max(0, time) * 1e9))
        return width
    }

    /// The words stand to the right of the bar, or to the left, or above it.
    private func draw(_ bar: Bar, into page: inout Drawing) {
        let words = max(textWidth(bar.words, 11.5), textWidth(bar.note, 11)), end = max(x(bar.to), x(bar.from) + 2)
        let isRight = end + 5 + words <= Drawing.width - 4, isLeft = !isRight && x(bar.from) - 5 - words >= 4
        let ink: Drawing.Ink = bar.isAlert ? .red : .ink
        if !isRight && !isLeft {
            page.paragraph(bar.words, ink, size: 11.5)
            if bar.note != "" { page.paragraph(bar.note, .quiet, size: 11) }
        }
        box(bar, page.y + 2, 12, &page)
        if isRight || isLeft {
            let place = isRight ? end + 5 : x(bar.from) - 5, anchor: Drawing.Anchor = isRight ? .start : .end
            page.text(bar.words, place, page.y + 12, ink, size: 11.5, anchor: anchor)
            if bar.note != "" {
                page.y += 14
                page.text(bar.note, place, page.y + 11, .quiet, size: 11, anchor: anchor)
            }
        }
        page.y += 17
    }

    // MARK: - The scale

    /// Round times, four or five of them, and their unit.
    private var marks: (times: [Double], unit: String, factor: Double) {
        let span = to - from
        let (unit, factor) = span < 0.002 ? ("µs", 1e6) : span < 2 ? ("ms", 1e3) : ("s", 1.0)
        var step = 1e-6
        while span / step > 5 {
            for multiple in [2.0, 2.5, 2.0] where span / step > 5 { step *= multiple }
        }
        return ((0...Int(span / step + 1e-9)).map { from + Double($0) * step }, unit, factor)
    }

    private func drawScale(into page: inout Drawing) {
        let (times, unit, factor) = marks
        page.y += 14
        var free = 0.0
        for time in times {
            let value = (time - from) * factor, words = "\(decimals(value, abs(value - value.rounded()) < 0.01 ? 0 : 1)) \(unit)", width = textWidth(words, 11)
            let isLast = x(time) + width > Drawing.width - 2, left = isLast ? x(time) - width : x(time)
            if left < free { continue }
            page.text(words, x(time), page.y - 2, .quiet, size: 11, anchor: isLast ? .end : .start)
            free = left + width + 6
        }
        page.y += 3
    }
}
