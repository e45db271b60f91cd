// Plot.swift: the ratios as a picture: an SVG that needs nothing else, readable on light and on dark ground.

import Glibc

/// Writes a file, or ends the program.
func writeFile(_ text: String, to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { fail("\(path) cannot be written: \(reason(errno))", status: 1) }
    writeAll(text, to: descriptor)
    close(descriptor)
}

/// A row each: how long ours takes if the toolchain's loop takes 1, on a logarithmic scale; with marks for the goal, the floor and the others.
func plot(_ results: [Result]) -> String {
    let shown = results.filter { $0.ratio(to: .toolchain) != nil && ($0.row.unit == .nanoseconds || $0.row.unit == .calls) }
    return Plot(results: shown).svg
}

private struct Plot {
    var results: [Result]

    private let left = 330.0, right = 660.0, top = 92.0, step = 22.0, width = 1060.0
    private var bottom: Double { top + step * Double(results.count) }
    private let smallest = 0.0003, largest = 4.0
    private let ink = "#24292f", grey = "#6e7781", line = "#d0d7de", blue = "#0969da", red = "#cf222e", green = "#1a7f37", purple = "#8250df"

    var svg: String {
        var text = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(trim(width)) \(trim(bottom + 34))" \
        font-family="ui-sans-serif, system-ui, 'DejaVu Sans', sans-serif" font-size="12">
        <rect width="100%" height="100%" fill="#ffffff"/>
        <text x="20" y="26" font-size="16" font-weight="600" fill="\(ink)">Cost beside the run loop of the toolchain's Foundation, which is 1 on this scale</text>

        """
        text += legend() + grid()
        for (index, result) in results.enumerated() { text += row(result, at: top + step * (Double(index) + 0.5)) }
        return text + "</svg>\n"
    }

    private func x(_ ratio: Double) -> Double {
        let part = log10(min(max(ratio, smallest), largest) / smallest) / log10(largest / smallest)
        return left + part * (right - left + 170)
    }

    private func legend() -> String {
        let marks: [(Double) -> String] = [dot(blue), tick(green), diamond(ink), ring(purple), ring(red)]
        let names = ["this run loop", "goal", "floor: bare system calls or data structure", "GLib", "libuv"]
        var place = 26.0, text = ""
        for (mark, name) in zip(marks, names) {
            text += "<g transform=\"translate(0 50)\">\(mark(place))</g>"
            text += label(name, place + 10, 54, ink)
            place += 34 + 6.6 * Double(name.count)
        }
        return text + "\n"
    }

    private func grid() -> String {
        var text = ""
        for ratio in [0.001, 0.01, 0.1, 1] {
            text += "<line x1=\"\(trim(x(ratio)))\" x2=\"\(trim(x(ratio)))\" y1=\"\(trim(top - 4))\" y2=\"\(trim(bottom + 4))\" "
                + "stroke=\"\(ratio == 1 ? grey : line)\" stroke-width=\"\(ratio == 1 ? 1.5 : 1)\"/>"
            let name = ratio == 1 ? "1: toolchain" : number(ratio)
            text += label(name, x(ratio), top - 10, grey, "middle") + label(name, x(ratio), bottom + 20, grey, "middle") + "\n"
        }
        return text
    }

    private func row(_ result: Result, at y: Double) -> String {
        let toolchain = result.median(.toolchain)!
        func ratio(_ side: Side) -> Double? { result.median(side).map { $0 / toolchain } }
        let ours = ratio(.ours)!
        var marks = "<line x1=\"\(trim(x(ours)))\" x2=\"\(trim(x(1)))\" y1=\"0\" y2=\"0\" stroke=\"\(blue)\" stroke-opacity=\"0.25\" stroke-width=\"6\"/>"
        marks += result.row.goal.map { tick(green)(x($0)) } ?? ""
        marks += ratio(.glib).map { ring(purple)(x($0)) } ?? ""
        marks += ratio(.libuv).map { ring(red)(x($0)) } ?? ""
        marks += ratio(.floor).map { diamond(ink)(x($0)) } ?? ""
        marks += dot(blue)(x(ours))
        let cells = [(number(ours), 890.0), (figure(result.median(.ours)!, result.row.unit), 965.0), (figure(toolchain, result.row.unit), 1040.0)]
        return label(result.row.title, left - 14, y + 4, ink, "end") + "<g transform=\"translate(0 \(trim(y)))\">\(marks)</g>"
            + cells.map { label($0.0, $0.1, y + 4, $0.1 == 890 ? ink : grey, "end") }.joined() + "\n"
    }

    private func dot(_ color: String) -> (Double) -> String {
        { x in "<circle cx=\"\(trim(x))\" r=\"5\" fill=\"\(color)\"/>" }
    }

    private func ring(_ color: String) -> (Double) -> String {
        { x in "<circle cx=\"\(trim(x))\" r=\"4\" fill=\"#ffffff\" fill-opacity=\"0\" stroke=\"\(color)\" stroke-width=\"1.5\"/>" }
    }

    private func tick(_ color: String) -> (Double) -> String {
        { x in "<line x1=\"\(trim(x))\" x2=\"\(trim(x))\" y1=\"-8\" y2=\"8\" stroke=\"\(color)\" stroke-width=\"2.5\"/>" }
    }

    private func diamond(_ color: String) -> (Double) -> String {
        { x in "<path d=\"M \(trim(x)) -5 l 4 5 l -4 5 l -4 -5 z\" fill=\"\(color)\"/>" }
    }

    private func label(_ text: String, _ x: Double, _ y: Double, _ color: String, _ anchor: String = "start") -> String {
        let escaped = text.flatMap { $0 == "&" ? "&amp;" : $0 == "<" ? "&lt;" : String($0) }
        return "<text x=\"\(trim(x))\" y=\"\(trim(y))\" fill=\"\(color)\" text-anchor=\"\(anchor)\">\(String(escaped))</text>"
    }

    /// A tenth is exact enough for a place.
    private func trim(_ value: Double) -> String { String((value * 10).rounded() / 10) }
}
