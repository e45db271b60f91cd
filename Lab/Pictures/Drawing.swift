// Drawing.swift: the SVG of the figures: boxes, lines and text, in light and in dark.

/// A page that grows downwards. Figures are as wide as a telephone.
struct Drawing {
    static let width = 390.0, margin = 10.0, size = 12.0
    static var inner: Double { width - 2 * margin }

    /// What a colour stands for.
    enum Paint: String, CaseIterable {
        case plain, lane, timer, source0, source1, block, queue, observer, sleep, mode, tracking, alert, new

        /// Fill and stroke in light, fill and stroke in dark.
        var colors: (String, String, String, String) {
            switch self {
            case .plain: ("#f6f8fa", "#8b949e", "#1b232c", "#6e7c8a")
            case .lane: ("none", "#c4ccd4", "none", "#3b4957")
            case .timer: ("#cfe3fb", "#3d7fc4", "#173a5e", "#5a9be0")
            case .source0: ("#fde0c0", "#d07a1d", "#553414", "#e0923c")
            case .source1: ("#fbd0d0", "#c73e3e", "#561f1f", "#e06a6a")
            case .block: ("#e3d8f7", "#7c57c0", "#38275e", "#a284e0")
            case .queue: ("#d0f0d4", "#3f944a", "#163d1c", "#5cb868")
            case .observer: ("#e6eaee", "#7d8791", "#2b343d", "#94a1ae")
            case .sleep: ("#dfe3e8", "#b6bec7", "#252d36", "#4a5764")
            case .mode: ("#cfe8dc", "#6fae93", "#16382a", "#4f9a7a")
            case .tracking: ("#f3e2b8", "#c09c3e", "#453813", "#c9a84c")
            case .alert: ("#f6b4ae", "#b3261e", "#6b1d18", "#ff7b72")
            case .new: ("#c6efcb", "#1a7f37", "#12411f", "#3fb950")
            }
        }
    }

    /// The colour of text.
    enum Ink: String { case ink, quiet, red }

    /// Where the next part begins.
    var y = 0.0
    private var shapes: [String] = [], behind: [String] = []

    // MARK: - Shapes

    /// - Parameter nanoseconds: the time that the width stands for.
    mutating func box(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ paint: Paint, isDashed: Bool = false, nanoseconds: Int? = nil) {
        let time = nanoseconds.map { " data-ns=\"\($0)\"" } ?? "", dashes = isDashed ? " stroke-dasharray=\"4 3\"" : ""
        shapes.append("<rect class=\"\(paint)\" x=\"\(n(x))\" y=\"\(n(y))\" width=\"\(n(width, 3))\" height=\"\(n(height))\" rx=\"\(n(min(3, width / 2)))\"\(dashes)\(time)/>")
    }

    mutating func circle(_ x: Double, _ y: Double, _ radius: Double, _ paint: Paint) {
        shapes.append("<circle class=\"\(paint)\" cx=\"\(n(x))\" cy=\"\(n(y))\" r=\"\(n(radius))\"/>")
    }

    /// - Parameter isBehind: whether everything else is drawn over it.
    mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, isDotted: Bool = false, isBehind: Bool = false) {
        let line = "<path class=\"\(isDotted ? "dots" : "line")\" d=\"M\(n(x1)) \(n(y1))L\(n(x2)) \(n(y2))\"/>"
        if isBehind { behind.append(line) } else { shapes.append(line) }
    }

    /// An arrow through these points.
    mutating func arrow(_ points: (Double, Double)...) {
        let path = points.map { "\(n($0.0)) \(n($0.1))" }.joined(separator: "L")
        shapes.append("<path class=\"line\" d=\"M\(path)\" marker-end=\"url(#tip)\"/>")
    }

    enum Anchor: String { case start, middle, end }

    mutating func text(_ text: String, _ x: Double, _ y: Double, _ ink: Ink = .ink, size: Double = Drawing.size, isBold: Bool = false, anchor: Anchor = .start) {
        if text == "" { return }
        let bold = isBold ? " font-weight=\"bold\"" : "", place = anchor == .start ? "" : " text-anchor=\"\(anchor)\""
        shapes.append("<text class=\"\(ink)\" x=\"\(n(x))\" y=\"\(n(y))\" font-size=\"\(n(size))\"\(bold)\(place)>\(xmlEscaped(text))</text>")
    }

    /// Lines of text below each other, from `y` on.
    mutating func paragraph(_ text: String, _ ink: Ink = .ink, size: Double = Drawing.size, isBold: Bool = false) {
        for line in Self.lines(of: text, size: size * (isBold ? 1.08 : 1), width: Drawing.inner) {
            y += size + 4
            self.text(line, Drawing.margin, y - 4, ink, size: size, isBold: isBold)
        }
    }

    /// Breaks a text into lines that are not wider.
    static func lines(of text: String, size: Double, width: Double) -> [String] {
        var columns = Int(width / size * 2.4)
        while columns > 8 {
            let lines = wrapped(text, to: columns)
            if lines.allSatisfy({ textWidth($0, size) <= width }) { return lines }
            columns -= 1
        }
        return wrapped(text, to: columns)
    }

    // MARK: - The document

    /// `maker` is what has drawn it, for whoever finds the file.
    func document(title: String, description: String, maker: String) -> String {
        let tip = "<marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path class=\"tip\" d=\"M0 0L8 4L0 8z\"/></marker>"
        return """
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- Drawn by \(maker). -->
        <svg xmlns="http://www.w3.org/2000/svg" width="\(n(Self.width))" height="\(n(y + 8))" viewBox="0 0 \(n(Self.width)) \(n(y + 8))" \
        role="img" aria-label="\(xmlEscaped(title))">
        <title>\(xmlEscaped(title))</title>
        <desc>\(xmlEscaped(description))</desc>
        <style>\(Self.style)</style>
        <defs>\(tip)</defs>
        <rect class="paper" width="100%" height="100%"/>

        """ + (behind + shapes).joined(separator: "\n") + "\n</svg>\n"
    }

    private static let style: String = {
        func rules(_ dark: Bool) -> String {
            let inks = dark ? ["dbe4ec", "9aa7b4", "ff8a80"] : ["1f2328", "57606a", "a31b14"]
            let names = ["ink", "quiet", "red"]
            return ".paper{fill:#\(dark ? "11161c" : "ffffff")}" + zip(names, inks).map { ".\($0){fill:#\($1)}" }.joined()
                + Paint.allCases.map { ".\($0){fill:\(dark ? $0.colors.2 : $0.colors.0);stroke:\(dark ? $0.colors.3 : $0.colors.1)}" }.joined()
                + ".line,.dots{fill:none;stroke:#\(dark ? "7c8c9c" : "8a99a8")}.tip{fill:#\(dark ? "7c8c9c" : "8a99a8")}"
        }
        return "text{font-family:\"DejaVu Sans\",Verdana,\"Noto Sans CJK SC\",\"PingFang SC\",\"Microsoft YaHei\",sans-serif}.dots{stroke-dasharray:1 3}"
            + rules(false) + "@media(prefers-color-scheme:dark){" + rules(true) + "}"
    }()

    private func n(_ number: Double, _ places: Int = 1) -> String {
        var text = decimals(number, places)
        while text.contains("."), text.last == "0" || text.last == "." { text.removeLast() }
        return text
    }
}

/// Leaves out characters that XML does not allow.
func xmlEscaped(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 || $0 == "\t" })).replacing("&", with: "&amp;")
        .replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
}

/// An upper estimate of the width of a text. DejaVu Sans is among the widest of the fonts that may show it.
func textWidth(_ text: String, _ size: Double) -> Double {
    text.unicodeScalars.reduce(0) { width, scalar in
        switch scalar {
        case "i", "j", "l", "'", ".", ",", ":", ";", "|", "!", " ", "(", ")", "[", "]", "t", "f", "r": width + 0.42
        case "m", "w", "M", "W", "…", "@", "%": width + 1.0
        case "A"..."Z": width + 0.75
        case _ where scalar.value > 0x2E80: width + 1.05
        default: width + 0.65
        }
    } * size
}
