// Plot.swift: the ratios as a picture, an SVG without other files.

import Glibc

/// Writes a file, or ends the program.
func writeFile(_ text: String, to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { fail("\(path) cannot be written: \(reason(errno))", status: 1) }
    writeAll(text, to: descriptor)
    close(descriptor)
}

/// A line for each row that includes the toolchain's loop: the cost of ours if the toolchain's costs 1, with marks for the goal, the floor,
/// and others.
func plot(_ results: [Result]) -> String {
    Plot(results: results.filter { $0.ratio(to: .toolchain) != nil && [.nanoseconds, .calls].contains($0.row.unit) }).svg
}

private struct Plot {
    var results: [Result]

    // Positions, from the left: the end of the titles, the beginning and the end of the scale, the end of the columns of figures.
    private let titles = 330.0, scale = 350.0...850.0, columns = [930.0, 1010.0, 1090.0], width = 1110.0
    private let top = 118.0, step = 22.0
    private var bottom: Double { top + step * Double(results.count) }
    private let ratios = 0.0001...6.0
    private let ink = "#24292f", grey = "#57606a", line = "#d0d7de", blue = "#0969da", red = "#cf222e", green = "#1a7f37", purple = "#8250df"

    var svg: String {
        var text = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(place(width)) \(place(bottom + 34))" \
        font-family="ui-sans-serif, system-ui, 'DejaVu Sans', sans-serif" font-size="12">
        <rect width="100%" height="100%" fill="#ffffff"/>
        <text x="20" y="28" font-size="16" font-weight="600" fill="\(ink)">What it costs, as a part of what the run loop in the toolchain's \
        Foundation costs</text>

        """
        text += legend() + grid()
        for (index, result) in results.enumerated() { text += row(result, at: top + step * (Double(index) + 0.5)) }
        return text + "</svg>\n"
    }

    /// The position of a ratio on the logarithmic scale; ratios beyond its ends are at the ends.
    private func x(_ ratio: Double) -> Double {
        let part = log(min(max(ratio, ratios.lowerBound), ratios.upperBound) / ratios.lowerBound) / log(ratios.upperBound / ratios.lowerBound)
        return scale.lowerBound + part * (scale.upperBound - scale.lowerBound)
    }

    // MARK: What stands around the rows

    private func legend() -> String {
        let names = [("this run loop", dot), ("goal", tick), ("the floor: bare system calls or data structure", diamond), ("GLib", gLib), ("libuv", libuv)]
        let places = [28.0, 145, 205, 510, 570]
        return zip(names, places).map { entry, x in
            group(at: 55, entry.1(x)) + label(entry.0, x + 11, 59, ink)
        }.joined() + "\n"
    }

    private func grid() -> String {
        var text = ""
        for ratio in [0.001, 0.01, 0.1, 1] {
            let name = ratio == 1 ? "1: toolchain" : number(ratio)
            text += "<path d=\"M \(place(x(ratio))) \(place(top - 4)) V \(place(bottom + 4))\" stroke=\"\(ratio == 1 ? grey : line)\"/>"
            text += label(name, x(ratio), top - 12, grey, "middle") + label(name, x(ratio), bottom + 20, grey, "middle") + "\n"
        }
        for (name, column) in zip(["ratio", "this", "toolchain"], columns) { text += label(name, column, top - 12, grey, "end") }
        return text + "\n"
    }

    // MARK: A row

    private func row(_ result: Result, at y: Double) -> String {
        let toolchain = result.median(.toolchain)!, ours = result.median(.ours)!
        func mark(_ side: Side, _ shape: (Double) -> String) -> String { result.median(side).map { shape(x($0 / toolchain)) } ?? "" }
        let saved = "<path d=\"M \(place(x(ours / toolchain))) 0 H \(place(x(1)))\" stroke=\"\(blue)\" stroke-opacity=\"0.2\" stroke-width=\"7\"/>"
        let marks = saved + (result.row.goals[.toolchain].map { tick(x($0)) } ?? "") + mark(.ours, dot) + mark(.floor, diamond) + mark(.glib, gLib) + mark(.libuv, libuv)
        let cells = [roughly(ours / toolchain), figure(ours, result.row.unit), figure(toolchain, result.row.unit)]
        return label(result.row.title, titles, y + 4, ink, "end") + group(at: y, marks)
            + zip(cells, columns).map { label($0, $1, y + 4, $1 == columns[0] ? ink : grey, "end") }.joined() + "\n"
    }

    /// Two significant digits.
    private func roughly(_ value: Double) -> String {
        let scale = pow(10, 1 - log10(value).rounded(.down))
        return number((value * scale).rounded() / scale)
    }

    private func dot(_ x: Double) -> String { "<circle cx=\"\(place(x))\" r=\"5\" fill=\"\(blue)\"/>" }
    private func gLib(_ x: Double) -> String { "<circle cx=\"\(place(x))\" r=\"4\" fill=\"none\" stroke=\"\(purple)\" stroke-width=\"1.5\"/>" }
    private func libuv(_ x: Double) -> String {
        "<path d=\"M \(place(x)) -4.5 l 4.5 8 h -9 z\" fill=\"none\" stroke=\"\(red)\" stroke-width=\"1.5\"/>"
    }
    private func tick(_ x: Double) -> String { "<path d=\"M \(place(x)) -8.5 v 17\" stroke=\"\(green)\" stroke-width=\"2.5\"/>" }
    private func diamond(_ x: Double) -> String { "<path d=\"M \(place(x)) -5 l 4 5 l -4 5 l -4 -5 z\" fill=\"\(ink)\"/>" }

    private func group(at y: Double, _ marks: String) -> String { "<g transform=\"translate(0 \(place(y)))\">\(marks)</g>" }

    private func label(_ text: String, _ x: Double, _ y: Double, _ color: String, _ anchor: String = "start") -> String {
        "<text x=\"\(place(x))\" y=\"\(place(y))\" fill=\"\(color)\" text-anchor=\"\(anchor)\">\(text)</text>"
    }

    /// A tenth is exact enough.
    private func place(_ value: Double) -> String { String((value * 10).rounded() / 10) }
}
