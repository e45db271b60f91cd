// SVG.swift: the part of SVG that the pictures need, and the width of text.

/// Collects shapes.
struct SVG {
    private var shapes: [String] = []
    private static let font = "DejaVu Sans, Verdana, Geneva, sans-serif"

    mutating func box(_ x: Double, _ y: Double, _ width: Double, _ height: Double, fill: String, stroke: String, isDashed: Bool = false) {
        let dashes = isDashed ? " stroke-dasharray=\"4 3\"" : "", size = "width=\"\(n(max(0, width)))\" height=\"\(n(height))\""
        shapes.append("<rect x=\"\(n(x))\" y=\"\(n(y))\" \(size) fill=\"\(fill)\" stroke=\"\(stroke)\"\(dashes)/>")
    }

    mutating func text(
        _ text: String, x: Double, y: Double, size: Double, color: String = "#1f2328", isBold: Bool = false, isRight: Bool = false
    ) {
        guard text != "" else { return }
        let more = (isBold ? " font-weight=\"bold\"" : "") + (isRight ? " text-anchor=\"end\"" : "")
        shapes.append("<text x=\"\(n(x))\" y=\"\(n(y))\" font-size=\"\(n(size))\" fill=\"\(color)\"\(more)>\(xmlEscaped(text))</text>")
    }

    mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, color: String, isDotted: Bool = false) {
        let dots = isDotted ? " stroke-dasharray=\"1 3\"" : ""
        shapes.append("<line x1=\"\(n(x1))\" y1=\"\(n(y1))\" x2=\"\(n(x2))\" y2=\"\(n(y2))\" stroke=\"\(color)\"\(dots)/>")
    }

    mutating func dot(_ x: Double, _ y: Double) {
        shapes.append("<circle cx=\"\(n(x))\" cy=\"\(n(y))\" r=\"3\" fill=\"#b3261e\"/>")
    }

    /// An arrow straight up or down to `bend`, and from there to its end.
    mutating func arrow(_ x1: Double, _ y1: Double, _ bend: Double, _ x2: Double, _ y2: Double) {
        let path = "M\(n(x1)) \(n(y1))V\(n(bend))L\(n(x2)) \(n(y2))"
        shapes.append("<path d=\"\(path)\" fill=\"none\" stroke=\"#b3261e\" stroke-width=\"1.4\" marker-end=\"url(#tip)\"/>")
    }

    func document(width: Double, height: Double) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <svg xmlns="http://www.w3.org/2000/svg" width="\(n(width))" height="\(n(height))" viewBox="0 0 \(n(width)) \(n(height))" \
        font-family="\(Self.font)">
        <defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">\
        <path d="M0 0L8 4L0 8z" fill="#b3261e"/></marker></defs>
        <rect width="100%" height="100%" fill="#ffffff"/>

        """ + shapes.joined(separator: "\n") + "\n</svg>\n"
    }

    private func n(_ number: Double) -> String {
        let text = decimals(number, 1)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

/// Leaves out characters that XML does not allow.
func xmlEscaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case _ where scalar.value < 0x20 && scalar != "\t": break
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
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

/// The part of a text that fits, followed by an ellipsis if it was cut. Returns nothing if only a letter would fit.
func fitted(_ text: String, size: Double, width: Double) -> String {
    if textWidth(text, size) <= width { return text }
    var text = text
    while !text.isEmpty && textWidth(text + "…", size) > width { text.removeLast() }
    while text.last == " " { text.removeLast() }
    return text.count < 2 ? "" : text + "…"
}
