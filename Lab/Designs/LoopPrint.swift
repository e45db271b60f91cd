// LoopPrint.swift: a printed run loop, read as the articles' readers read it: by modes and fields. (S2)

import Glibc
import SwiftRunLoop
import Synchronization

/// The text of a printed loop, with the place of each line.
struct LoopPrint {
    /// Where a line stands: the mode that it belongs to ("" for the loop itself), and the field of the mode or the loop.
    struct Place: Hashable, CustomStringConvertible {
        var mode = "", field = ""

        var description: String { [mode, field].filter { $0 != "" }.joined(separator: " ") }
    }

    /// The lines with their places. Without addresses, descriptors and times, so that the prints of two loops can be compared.
    let lines: [(place: Place, text: String)]

    init(_ loop: RunLoop) {
        self.init(loop.description)
    }

    /// Prints the loop of a new thread, after `fill` has added to it.
    init(ofNewThreadAfter fill: @escaping @Sendable (RunLoop) -> Void) {
        let text = Mutex("")
        let thread = Thread {
            fill(.current)
            text.withLock { $0 = RunLoop.current.description }
        }
        thread.start()
        while !thread.isFinished { usleep(1000) }
        self.init(text.withLock { $0 })
    }

    init(_ text: String) {
        var place = Place(), lines: [(Place, String)] = []
        for line in text.split(separator: "\n") {
            if let field = line.firstMatch(of: #/^(current mode|common modes|common mode items|modes) = /#) { place = Place(field: String(field.1)) }
            if let mode = line.firstMatch(of: /<CFRunLoopMode .*\{name = ([^,]+),/) { place = Place(mode: String(mode.1)) }
            if place.mode != "", let field = line.firstMatch(of: /^\t(sources0|sources1|observers|timers|currently)\b/) { place.field = String(field.1) }
            lines.append((place, Self.comparable(line, place)))
        }
        self.lines = lines
    }

    /// The line without what differs from print to print.
    private static func comparable(_ line: Substring, _ place: Place) -> String {
        if place.field == "currently" { return String(line.replacing(/-?[0-9][0-9.e+]*/, with: "#")) }
        return line.replacing(/0x[0-9a-fA-F]+/, with: "0x…").replacing(/port = [0-9]+(?=[ ,])/, with: "port = #")
            .replacing(/next fire date = [^ ]+ \([^)]*\)/, with: "next fire date = #").description
    }

    /// The modes that the loop has, in the order of the print.
    var modes: [String] { lines.reduce(into: []) { if $1.place.mode != "", $0.last != $1.place.mode { $0.append($1.place.mode) } } }

    /// The items in a field of a mode: sources0, sources1, observers or timers.
    func items(_ field: String, in mode: RunLoop.Mode) -> [String] {
        lines.filter { $0.place == Place(mode: mode.rawValue, field: field) && $0.text.contains(#/<CFRunLoop(Source|Observer|Timer) /#) }.map(\.text)
    }

    /// The modes in which an item of that field has this text.
    func modes(where field: String, has text: String) -> [String] {
        modes.filter { items(field, in: RunLoop.Mode($0)).contains { $0.contains(text) } }.sorted()
    }

    /// The lines of this print, marked as diff(1) marks them: "+" for those that the other print lacks, "-" for those that it has more.
    func marked(against other: LoopPrint) -> [(mark: Character, place: Place, text: String)] {
        SideBySide.align([other.lines, lines], by: \.text).map { row in
            let line = (row[1] ?? row[0])!, mark: Character = row[0] == nil ? "+" : row[1] == nil ? "-" : " "
            return (mark, line.place, line.text)
        }
    }
}
